"""Reports made by hand, with everything hostile that a page can hold."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from analysis.evidence.captures import CaptureFacts
from analysis.reports.offenders import Offender
from analysis.reports.pictures import Pictures
from analysis.reports.records import (
    CaseReport,
    LeftAddresses,
    MatchReport,
    NotAligned,
    NotChecked,
    NotRead,
    PageCounts,
    PageFacts,
    Report,
    ScanReport,
    Scope,
)
from analysis.reports.site_summary import summarise_sites
from analysis.texts.excerpts import side_by_side
from storage.records import Background, Crawl, Match, Presence, RestPiece, Scan, Span, SuppressedSpan, Work
from storage.records.dates import parse_date
from tracker.judgement.cases import case_of

NOON = datetime(2025, 3, 1, 4, 0, tzinfo=UTC)  # noon in Shanghai


def make_match(**changes):
    values = {
        "id": "p:1:news",
        "page_id": "p",
        "passage_id": 1,
        "work_id": 7,
        "profile": "news@1",
        "site": "copy.example",
        "url": "https://copy.example/1.html",
        "page_title": "转载",
        "work_title": "青灯渡",
        "passage_title": "第一章",
        "verdict": "copy",
        "coverage": 0.5,
        "passage_coverage": 0.25,
        "copied_chars": 4,
        "longest_span": 4,
        "char_identity": 0.75,
        "sound_identity": 1.0,
        "spans": (
            Span(
                page_start=2,
                page_end=6,
                passage_start=0,
                passage_end=4,
                char_identity=0.75,
                sound_identity=1.0,
            ),
        ),
        "first_seen": NOON,
        "last_seen": NOON,
    }
    return Match(**{**values, **changes})


def make_report(
    *,
    page="前文江水东流后文",
    passage="江水冬流去不回",
    title="转载",
    url="https://copy.example/1.html",
    **changes,
):
    match = make_match(page_title=title, url=url)
    facts = PageFacts(
        id="p",
        url=url,
        source="s",
        kind="article",
        title=title,
        author=None,
        published=None,
        first_seen=NOON,
        last_seen=NOON,
        content_hash="ab" * 32,
        snapshots=("cd" * 32,),
    )
    entry = MatchReport(match=match, page=facts, texts=side_by_side(match, page, passage))
    work = Work(
        id=7,
        key="青灯渡",
        title="青灯渡",
        kind="novel",
        origin="o",
        holder="示例文化",
        added=NOON,
        updated=NOON,
    )
    values = {
        "scope": Scope(scan_id="s1"),
        "generated": NOON,
        "scans": (
            ScanReport(
                scan=Scan(id="s1", trigger="hand", sources=("a", "b"), started=NOON, index_generation="g3"),
                crawls=(
                    Crawl(id="s1:a", scan_id="s1", source="a", state="done", counts={"pages": 3}),
                    Crawl(id="s1:b", scan_id="s1", source="b", state="failed", error="no route <i>"),
                ),
            ),
        ),
        "scans_left_out": 0,
        "superseded": False,
        "corpus_version": 4,
        "works": 1,
        "works_waiting": 0,
        "profiles": ("news@1",),
        "pages": PageCounts(
            total=4,
            states={"fetched": 0, "compared": 1, "failed": 3},
            kinds={"article": 1, "error": 3},
            verdicts={"copy": 1},
            low_confidence=0,
        ),
        "cases": (CaseReport(case=case_of([match]), work=work, matches=(entry,)),),
        "not_checked": (
            NotChecked(reason="http-404", fault="theirs", pages=3, urls=("https://copy.example/gone",)),
        ),
    }
    return Report(**{**values, **changes})


def make_offender(**changes):
    values = {
        "site": "copy.example",
        "works": 2,
        "cases": 3,
        "copied_chars": 123_456,
        "pages": 1234,
        "pages_gone": 1000,
        "notices": 12,
        "accepted": 4,
        "refused": 2,
        "unanswered": 6,
        "watched": 1234,
        "watched_gone": 1000,
        "watched_moved": 7,
        "removals": 3,
        "returns": 1,
        "hours_to_removal": 1234.5,
        "case_names": ("c1", "c2", "c3"),
        "first_seen": NOON,
        "last_seen": NOON,
    }
    return Offender(**{**values, **changes})


def flagged_report():
    """Return a report of a match with all that must be known of it, and of a dismissed one."""
    report = make_report()
    (case,) = report.cases
    (entry,) = case.matches
    span = entry.match.spans[0]
    match = replace(
        entry.match,
        licence="expired",
        page_older=True,
        work_published=parse_date("2025-03-01 12:00"),
        page_published=parse_date("2025-02-26"),
        page_older_by="claimed-date",
        review="confirmed",
        reviewed=NOON,
        common=(span, span),
        suppressed=(SuppressedSpan(span=span, dismissal_id="d1", because="合理<i>引用"),),
    )
    gone = replace(match, id="gone", review="dismissed", because="=授权", licence="")
    held = Background(work_id=9, work="公文<b>样式", passage="", spans=(span,))
    page = replace(entry.page, background=(held,))
    return replace(
        report,
        cases=(replace(case, matches=(replace(entry, match=match, page=page),)),),
        dismissed=(gone,),
        not_aligned=(
            NotAligned(
                url="https://copy.example/long", unaligned=77, capped=1234, cut_chars=555, confidence=0.375
            ),
        ),
        not_read=(
            NotRead(reason="frames", pages=2, amount=31, urls=("https://copy.example/long",)),
            NotRead(reason="limit", pages=1, amount=5_200, urls=("https://copy.example/long",)),
        ),
        partly_read=2,
        left=(LeftAddresses(source="a<i>", scan_id="s1", reason="time", addresses=4321),),
    )


HIDDEN = RestPiece(start=0, end=9, reason="hidden", place="body > div.a<i>")


def report_of_rest():
    """Return a report of a match outside the article of its page."""
    report = make_report()
    (case,) = report.cases
    (entry,) = case.matches
    match = replace(entry.match, part="rest", found_in=(HIDDEN,))
    return replace(report, cases=(replace(case, matches=(replace(entry, match=match),)),))


LONG_HOST = "the-longest-name-of-a-novel-site.example.com"
_CODES = ("copy", "partial", "licensed", "quote", "common")


def rich_report():
    """Return a report with several sites and works, all that can be said of a match, and long words."""
    flagged = flagged_report()
    (case,) = flagged.cases
    (entry,) = case.matches
    cases = []
    for number, verdict in enumerate(_CODES):
        site = LONG_HOST if number == 1 else f"site{number}.example:8801"
        url = f"http://{site}/{'path-without-an-end/' * 12}{number}.html"
        match = replace(
            entry.match,
            id=f"m{number}",
            work_id=number,
            site=site,
            url=url,
            verdict=verdict,
            work_title=f"{'一部书名很长很长的作品' * 2}{number}",
            page_title="A title in Latin letters with one Incomprehensibilities word"
            if number == 2
            else "转载",
            disguises=("homophones", "traditional", "noise", "shuffled"),
            review=("", "confirmed")[number % 2],
            first_seen=NOON + timedelta(hours=number),
        )
        page = replace(
            entry.page, url=url, author="某某", published=parse_date("2025-02-26"), captures=_captures()
        )
        state = ("up", "gone", "changed", "moved", "restricted")[number]
        absent = NOON + timedelta(hours=3) if state == "gone" else None
        presence = Presence(state=state, checked=NOON, absent_since=absent, reason="http-404", moved_to=url)
        one = replace(entry, match=match, page=page, presence=presence)
        made = case_of([match], {match.page_id: presence})
        assigned = replace(
            made,
            number=number + 1,
            assignee="a-very-long-name@example.com",
            deadline=NOON + timedelta(days=number),
        )
        cases.append(
            CaseReport(
                case=assigned if number < 3 else made,
                work=case.work,
                matches=(one,),
                priority=37 if number < 3 else None,
                is_overdue=number == 1,
            )
        )
    crawls = (
        Crawl(
            id="s1:a",
            scan_id="s1",
            source="a",
            state="done",
            started=NOON,
            finished=NOON + timedelta(minutes=7),
            counts={"pages": 3, "requests": 5, "unchanged": 1},
        ),
    )
    scans = (replace(flagged.scans[0], crawls=crawls), *flagged.scans)
    return replace(
        flagged,
        cases=tuple(cases),
        scans=scans,
        sites=summarise_sites([], [one.case for one in cases], [one.matches[0].match for one in cases]),
        new_since=NOON + timedelta(hours=2),
        pictures=Pictures(offenders=(make_offender(site=LONG_HOST), make_offender())),
        works_waiting=2,
        superseded=True,
        scans_left_out=3,
    )


def _captures():
    states = ("unchanged", "altered", "missing", "undigested")
    return tuple(
        CaptureFacts(url="u", fetched=NOON, sha256="cd" * 32, digest="ef" * 32, state=state, problem="")
        for state in states
    )
