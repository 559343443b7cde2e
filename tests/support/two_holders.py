"""Two works of two rights holders and one of nobody, with what was found of them on three pages."""

from datetime import UTC, datetime, timedelta

from support.matches import match_with

from storage.collections.pages import page_id
from storage.records import Case, Event, Page, Passage, Work

NOON = datetime(2026, 3, 1, 4, 0, tzinfo=UTC)
LAMP, RIVER = "青灯出版社", "长河书局"


def fill(stores):
    """Store works 1 and 2 of LAMP and RIVER, work 3, matches m1 to m6, cases c1 to c4, pages a to d."""
    for counter in ("works", "passages"):  # so that what is added later takes none of theirs
        stores.works.new_ids(counter, 3)
    for number, (title, holder) in enumerate([("青灯", LAMP), ("長河", RIVER), ("無主", None)], start=1):
        stores.works.save(
            Work(
                id=number,
                key=title,
                title=title,
                kind="novel",
                origin="/srv/file",
                holder=holder,
                status="indexed",
                passage_ids=(number,),
            )
        )
        stores.passages.save_many(
            [Passage(id=number, work_id=number, ordinal=0, title="一", text="文", sha256=f"s{number}")]
        )
    rows = [  # work, page, site, verdict, review, characters, coverage
        (1, "a", "one.cn", "copy", "", 900, 0.9),
        (1, "b", "one.cn", "partial", "confirmed", 80, 0.2),
        (1, "c", "two.cn", "copy", "dismissed", 300, 0.5),
        (2, "a", "one.cn", "copy", "", 700, 0.6),
        (2, "c", "two.cn", "quote", "", 50, 0.1),
        (3, "b", "one.cn", "licensed", "", 60, 0.1),
    ]
    for number, (work, page, site, verdict, review, chars, coverage) in enumerate(rows, start=1):
        match = match_with(
            id=f"{page}:{work}:novel",
            page_id=page_id(page, "h"),
            passage_id=work,
            work_id=work,
            site=site,
            url=page,
            verdict=verdict,
            review=review,
            because="a private word" if review else "",
            copied_chars=chars,
            coverage=coverage,
            first_seen=NOON + timedelta(days=number),
        )
        known = stores.matches.of_page(match.page_id)
        stores.matches.replace_for_pages({match.page_id: [*known, match]})
    for url, source in (("a", "portal"), ("b", "portal"), ("c", "forum"), ("d", "forum")):
        stores.pages.see_many(
            [
                Page(
                    id=page_id(url, "h"),
                    url=url,
                    host=f"www.{'one' if url in 'ab' else 'two'}.cn",
                    source=source,
                    kind="article",
                    text="文" * 9,
                    content_hash="h",
                    state="compared" if url != "d" else "failed",
                    reason="" if url != "d" else "timeout",
                    verdict="copy" if url != "d" else None,
                    scan_id="s1",
                    first_seen=NOON,
                )
            ]
        )
    for number, (work, site, verdict, chars) in enumerate(
        [
            (1, "one.cn", "copy", 980),
            (1, "two.cn", "copy", 300),
            (2, "one.cn", "copy", 700),
            (2, "two.cn", "quote", 50),
        ]
    ):
        case = stores.cases.save(
            Case(
                id=f"{work}@{site}",
                work_id=work,
                work_title="",
                site=site,
                verdict=verdict,
                pages=1,
                passages=1,
                waiting=int((work, site) != (1, "two.cn")),  # whose match was dismissed
                copied_chars=chars,
                page_share=chars / 1_000,
                work_share=chars / 2_000,
                first_seen=NOON + timedelta(days=number),
                last_seen=NOON,
            )
        )
        opened = Event(id="", case=case.number, kind="opened", at=NOON, by="pindna", after="new")
        case = stores.cases.advance(case, opened)
        if site == "one.cn":
            assigned = {"assignee": "wu"}
            stores.cases.advance(
                case, Event(id="", case=case.number, kind="assigned", at=NOON, by="wu", detail=assigned)
            )
