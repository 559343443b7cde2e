"""What people and programs read: filters, cursors, and the bounds of rights holders, on the real servers."""

from dataclasses import replace
from datetime import timedelta
from functools import partial

import pytest
from support.letters import EARLIER, notice_case
from support.two_holders import LAMP, NOON, RIVER, fill

from analysis.accounts.permissions import NotPermitted, identity_of
from analysis.queries import matches
from analysis.queries.cases import CaseQuery, case_history, findings_of, get_case, list_cases, view_case
from analysis.queries.comparisons import comparisons
from analysis.queries.events import list_audit
from analysis.queries.listing import BadCursor, BadLimit
from analysis.queries.matches import (
    MatchQuery,
    every_match,
    get_match,
    get_texts,
    list_matches,
    matches_of_page,
)
from analysis.queries.notices import NoticeQuery, get_notice, list_notices
from analysis.queries.pages import PageQuery, get_page, list_pages, versions_of
from analysis.queries.scans import list_scans
from analysis.queries.sources import list_sources
from analysis.queries.works import WorkQuery, get_passage, get_work, list_passages, list_works
from storage.collections.documents import to_document
from storage.collections.pages import page_id
from storage.records import Account, Case, Event, Scan, Source
from storage.settings import TrackerSettings
from storage.settings.results import AnalysisSettings
from system.errors import UnknownId

pytestmark = pytest.mark.services
ANALYST = identity_of(Account(name="an", role="analyst"))
ROOT = identity_of(Account(name="root", role="administrator"))
HOLDER = identity_of(Account(name="li", role="holder", holders=(LAMP,)))


def walk(ask, limit=2):
    """Return all items of a list, read in parts."""
    items, cursor = [], ""
    while True:
        part = ask(cursor=cursor, limit=limit)
        assert len(part.items) <= limit
        items += part.items
        cursor = part.next
        if not cursor:
            return items


@pytest.fixture
def filled(stores):
    fill(stores)
    return stores


def names(records):
    return [record.id.removesuffix(":novel") for record in records]


def test_matches_are_filtered_and_walked(filled):
    for wanted, expected in (
        ({}, "a:1 a:2 c:1 b:1 b:3 c:2"),
        ({"work": 1}, "a:1 c:1 b:1"),
        ({"site": "http://www.two.cn/x"}, "c:1 c:2"),
        ({"holder": "長河書局"}, "a:2 c:2"),
        ({"review": "open"}, "a:1 a:2 c:2"),
        ({"review": "open", "verdict": "licensed"}, "b:3"),
        ({"review": "confirmed"}, "b:1"),
        ({"verdict": "copy", "site": "one.cn"}, "a:1 a:2"),
        ({"chars": comparisons(">70, <900")}, "a:2 c:1 b:1"),
        ({"coverage": comparisons(">=50%", is_share=True)}, "a:1 a:2 c:1"),
        ({"since": NOON + timedelta(days=4)}, "a:2 b:3 c:2"),
        ({"order": "newest"}, "b:3 c:2 a:2 c:1 b:1 a:1"),
        ({"order": "newest", "until": NOON + timedelta(days=3), "review": "open"}, "a:1"),
        ({"order": "oldest", "review": "open"}, "a:1 a:2 c:2"),
        ({"order": "chars"}, "c:2 b:3 b:1 c:1 a:2 a:1"),
        ({"order": "-chars", "site": "one.cn", "chars": comparisons("<900")}, "a:2 b:1 b:3"),
        ({"order": "-share", "coverage": comparisons(">0.1")}, "a:1 a:2 c:1 b:1"),
        ({"order": "-site", "work": 1}, "c:1 b:1 a:1"),
        ({"order": "site", "site": "two.cn"}, "c:1 c:2"),
        ({"disguise": "homophones"}, ""),
        ({"profile": "nov"}, ""),
        ({"profile": "novel", "work": 2, "site": "two.cn"}, "c:2"),
    ):
        found = walk(lambda **part: list_matches(ANALYST, filled, MatchQuery(**wanted), **part))  # noqa: B023
        assert names(found) == expected.split(), wanted


def test_value_that_equals_a_bound_is_in_the_range(filled):
    """SecantusDB leaves out rows that equal the last bound of a range."""
    second, third = NOON + timedelta(days=2), NOON + timedelta(days=3)
    for wanted, expected in (
        ({"order": "newest", "since": second}, "c:1 b:1"),
        ({"order": "newest", "since": second, "until": third}, "b:1"),
        ({"chars": comparisons(">=300")}, "a:1 c:1"),
        ({"chars": comparisons("300")}, "c:1"),
        ({"chars": comparisons("80..300")}, "c:1 b:1"),
        ({"chars": comparisons(">300, >=300")}, "a:1"),
        ({"chars": comparisons("<=300")}, "c:1 b:1"),
        ({"chars": comparisons("<300")}, "b:1"),
    ):
        for identity, limit in ((ANALYST, 2), (HOLDER, 1)):
            asked = MatchQuery(holder=LAMP, **wanted)
            found = walk(partial(list_matches, identity, filled, asked), limit=limit)
            assert names(found) == expected.split(), wanted


def test_holder_lists_contain_only_records_of_that_holder(filled):
    assert [work.title for work in walk(lambda **part: list_works(HOLDER, filled, **part))] == ["青灯"]
    assert list_works(HOLDER, filled, WorkQuery(holder=RIVER)).items == ()
    own = walk(lambda **part: list_matches(HOLDER, filled, **part), limit=1)
    assert names(own) == ["a:1", "c:1", "b:1"]
    assert {match.because for match in own} == {""}
    assert names(list_matches(HOLDER, filled, MatchQuery(review="open")).items) == ["a:1"]
    assert names(list_matches(HOLDER, filled, MatchQuery(order="newest")).items) == ["c:1", "b:1", "a:1"]
    cases = walk(lambda **part: list_cases(HOLDER, filled, _settings(), **part), limit=1)
    assert [view.case.id for view in cases] == ["1@one.cn", "1@two.cn"]
    assert {view.case.assignee for view in cases} == {""}
    assert sorted(page.url for page in walk(lambda **part: list_pages(HOLDER, filled, **part), limit=1)) == [
        "a",
        "b",
        "c",
    ]
    page = get_page(HOLDER, filled, page_id("b", "h"))
    assert (page.verdict, page.copied_chars) == ("partial", 80)
    assert [version.url for version in versions_of(HOLDER, filled, page)] == ["b"]
    assert names(matches_of_page(HOLDER, filled, page_id("a", "h"))) == ["a:1"]
    assert get_work(HOLDER, filled, 1).origin == ""
    for ask in (
        lambda: get_work(HOLDER, filled, 2),
        lambda: get_passage(HOLDER, filled, 2),
        lambda: list_passages(HOLDER, filled, 2),
        lambda: get_match(HOLDER, filled, "a:2:novel"),
        lambda: get_match(HOLDER, filled, "m4"),
        lambda: get_match(HOLDER, filled, "a:2"),
        lambda: get_texts(HOLDER, filled, filled.matches.get("m4")),
        lambda: get_case(HOLDER, filled, "c3"),
        lambda: case_history(HOLDER, filled, "c3"),
        lambda: get_page(HOLDER, filled, page_id("d", "h")),
        lambda: list_matches(HOLDER, filled, MatchQuery(work=2)),
        lambda: list_cases(HOLDER, filled, _settings(), CaseQuery(work=2)),
    ):
        with pytest.raises(UnknownId):
            ask()
    for ask in (
        lambda: list_scans(HOLDER, filled),
        lambda: list_sources(HOLDER, filled, TrackerSettings()),
        lambda: list_audit(HOLDER, filled),
        lambda: list_matches(HOLDER, filled, MatchQuery(scan="s1")),
    ):
        with pytest.raises(NotPermitted):
            ask()


def _settings():
    return AnalysisSettings()


def test_missing_and_forbidden_records_get_the_same_error(filled):
    told = []
    for name in ("c3", "c99"):
        with pytest.raises(UnknownId) as caught:
            get_case(HOLDER, filled, name)
        told.append((type(caught.value), caught.value.data["kind"]))
    assert told[0] == told[1]


def test_account_without_holders_lists_nothing(filled):
    nobody = identity_of(Account(name="x", role="holder"))
    odd = identity_of(Account(name="y", role="holder", holders=("《》",)))
    for identity in (nobody, odd):
        assert list_works(identity, filled).items == ()
        assert list_matches(identity, filled).items == ()
        assert list_cases(identity, filled, _settings()).items == ()
        assert list_pages(identity, filled).items == ()
        assert list_notices(identity, filled).items == ()


def test_records_of_a_work_follow_its_holder(filled):
    work = filled.works.get_many([2])[2]
    filled.works.describe(work, replace(work, holder=LAMP))
    assert names(list_matches(HOLDER, filled).items) == ["a:1", "a:2", "c:1", "b:1", "c:2"]
    assert len(list_cases(HOLDER, filled, _settings()).items) == 4
    filled.works.save(replace(work, holder=RIVER))
    assert names(list_matches(HOLDER, filled).items) == ["a:1", "c:1", "b:1"]
    # A mark that is a moment old shows nothing.
    filled.database["matches"].update_many({}, {"$set": {"owner": LAMP}})
    assert names(list_matches(HOLDER, filled).items) == ["a:1", "c:1", "b:1"]


def test_rows_of_an_older_version_are_marked_once(filled):
    for name in ("works", "matches", "cases"):
        filled.database[name].update_many({}, {"$unset": {"owner": 1}})
    filled.database["schema"].delete_many({"_id": "owners"})
    assert list_matches(HOLDER, filled).items == ()
    filled.works.ensure_schema()
    assert len(list_matches(HOLDER, filled).items) == 3
    assert len(list_works(HOLDER, filled).items) == 1
    assert len(list_cases(HOLDER, filled, _settings()).items) == 2


def test_cases_are_filtered_and_walked(filled):
    for wanted, expected in (
        ({}, "1@one.cn 2@one.cn 1@two.cn 2@two.cn"),
        ({"work": 2}, "2@one.cn 2@two.cn"),
        ({"site": "two.cn"}, "1@two.cn 2@two.cn"),
        ({"holder": LAMP, "site": "two.cn"}, "1@two.cn"),
        ({"assignee": "wu"}, "1@one.cn 2@one.cn"),
        ({"assignee": "", "verdict": "quote"}, "2@two.cn"),
        ({"state": "closed"}, ""),
        ({"chars": comparisons(">70"), "pages": comparisons("1")}, "1@one.cn 2@one.cn 1@two.cn"),
        ({"page_share": comparisons(">=70", is_share=True)}, "1@one.cn 2@one.cn"),
        ({"work_share": comparisons("<40", is_share=True), "order": "newest"}, "2@two.cn 2@one.cn 1@two.cn"),
        ({"order": "newest", "since": NOON + timedelta(days=1)}, "2@two.cn 2@one.cn 1@two.cn"),
    ):
        found = walk(
            lambda **part: list_cases(ANALYST, filled, _settings(), CaseQuery(**wanted), **part)  # noqa: B023
        )
        assert [view.case.id for view in found] == expected.split(), wanted


@pytest.mark.parametrize(
    ("identity", "expected"), [(ANALYST, "1@two.cn 1@one.cn 2@one.cn"), (HOLDER, "1@two.cn 1@one.cn")]
)
def test_overdue_cases_come_first_by_manual_deadline_then_by_state(filled, identity, expected):
    case = filled.cases.get("1@two.cn")
    detail = {"deadline": (NOON + timedelta(days=1)).isoformat()}
    by_hand = Event(id="", case=case.number, kind="deadline", at=NOON, by="", detail=detail)
    filled.cases.advance(case, by_hand)
    overdue = CaseQuery(overdue=True, verdict="copy")

    def found(days):
        now = NOON + timedelta(days=days)
        return walk(
            lambda **part: list_cases(identity, filled, _settings(), overdue, now=now, **part), limit=1
        )

    assert found(0) == []
    assert [view.case.id for view in found(2)] == ["1@two.cn"]
    assert [view.case.id for view in found(8)] == expected.split()
    assert all(view.is_overdue for view in found(8))


def test_case_view_shows_its_next_actions(filled):
    view = view_case(ANALYST, filled, _settings(), "c1")
    assert (view.holder, view.case.assignee) == (LAMP, "wu")
    assert view.priority.points > 0
    own = view_case(HOLDER, filled, _settings(), "c1").case
    assert (own.assignee, get_case(HOLDER, filled, "c1").assignee) == ("", "")
    found = findings_of(HOLDER, filled, own)
    assert {match.because for match in found.matches} == {""}
    assert found.first.proof == ""
    assert {match.because for match in findings_of(ANALYST, filled, own).matches} == {"", "a private word"}
    texts = get_texts(HOLDER, filled, found.matches[0])
    assert texts.page is not None
    assert texts.page.copied_chars == found.matches[0].copied_chars
    kinds = [
        event.kind for event in walk(lambda **part: case_history(ANALYST, filled, "c1", **part), limit=1)
    ]
    assert kinds == ["assigned", "opened"]
    (seen,) = case_history(HOLDER, filled, "c1").items
    assert (seen.kind, seen.by) == ("opened", "")


def test_pages_are_filtered_and_walked(filled):
    for url, unread in (("a", {"frames": 2}), ("b", {}), ("c", {"limit": 9})):
        filled.database["pages"].update_one({"url": url}, {"$set": {"unread": unread}})
    filled.database["pages"].update_one({"url": "d"}, {"$unset": {"unread": ""}})
    for wanted, expected in (
        ({}, "abcd"),
        ({"source": "portal"}, "ab"),
        ({"site": "two.cn"}, "cd"),
        ({"site": "none.cn"}, ""),
        ({"scan": "s1", "state": "failed"}, "d"),
        ({"reason": "timeout"}, "d"),
        ({"verdict": "copy"}, "abc"),
        ({"verdict": "copy", "source": "forum"}, "c"),
        ({"unread": True}, "ac"),
        ({"unread": True, "source": "portal"}, "a"),
        ({"unread": True, "verdict": "copy"}, "ac"),
        ({"unread": True, "state": "failed"}, ""),
    ):
        found = walk(lambda **part: list_pages(ANALYST, filled, PageQuery(**wanted), **part))  # noqa: B023
        assert sorted(page.url for page in found) == list(expected), wanted
    assert {page.text for page in list_pages(ANALYST, filled).items} == {""}
    assert walk(lambda **part: list_pages(ANALYST, filled, **part))[-1].url == "d"
    only = PageQuery(source="forum")
    assert [page.url for page in list_pages(HOLDER, filled, only).items] == ["c"]


def test_works_are_searched_by_title_in_either_script(filled):
    for wanted, expected in (
        ({}, ["青灯", "長河", "無主"]),
        ({"title": "长"}, ["長河"]),
        ({"holder": "青燈出版社"}, ["青灯"]),
        ({"status": "failed"}, []),
        ({"role": "background"}, []),
        ({"order": "-chars", "title": "长"}, ["長河"]),
    ):
        found = walk(lambda **part: list_works(ANALYST, filled, WorkQuery(**wanted), **part), limit=1)  # noqa: B023
        assert sorted(work.title for work in found) == sorted(expected)
    ascending, descending = (
        list_works(ANALYST, filled, WorkQuery(order=order)).items for order in ("title", "-title")
    )
    assert ascending == descending[::-1]
    heads, count = list_passages(ANALYST, filled, 1)
    assert ([head.title for head in heads], count) == (["一"], 1)


def test_notices_are_bounded_by_the_work(filled):
    for number, work in ((1, 1), (2, 2)):
        filled.notices.add(
            replace(
                EARLIER,
                id=f"n{number}",
                number=number,
                cases=(notice_case(number, work_id=work),),
                site="one.cn",
                by="wu",
            )
        )
    assert [
        notice.name for notice in walk(lambda **part: list_notices(ANALYST, filled, **part), limit=1)
    ] == [
        "n2",
        "n1",
    ]
    (own,) = list_notices(HOLDER, filled).items
    assert (own.name, own.by) == ("n1", "")
    with pytest.raises(UnknownId):
        get_notice(HOLDER, filled, "n2")
    assert list_notices(HOLDER, filled, NoticeQuery(case="c1")).items == (own,)
    assert list_notices(ANALYST, filled, NoticeQuery(site="two.cn")).items == ()


def test_scans_sources_and_audit_rows_are_listed(filled):
    for number in range(5):
        scan = Scan(id=f"s{number}", trigger="hand", sources=(), started=NOON + timedelta(days=number))
        filled.scans.open(scan)
        filled.sources.save(Source(name=f"x{number}", kind="news", proxies=("http://u:p@h",)))
    operator = identity_of(Account(name="op", role="operator"))
    assert [scan.id for scan in walk(lambda **part: list_scans(operator, filled, **part))] == [
        "s4",
        "s3",
        "s2",
        "s1",
        "s0",
    ]
    seen = walk(lambda **part: list_sources(operator, filled, TrackerSettings(), **part))
    assert [view.source.name for view in seen] == ["x0", "x1", "x2", "x3", "x4"]
    assert seen[0].source.proxies
    assert list_sources(ANALYST, filled, TrackerSettings()).items[0].source.proxies == ()
    filled.events.add_many(
        [Event(id=f"e{number}", case=0, kind="signed-in", at=NOON, by="wu") for number in range(3)]
    )
    assert len(walk(lambda **part: list_audit(ROOT, filled, by="wu", kind="signed-in", **part))) == 3
    assert list_audit(ROOT, filled, by="li").items == ()


def test_nothing_is_lost_or_repeated_while_rows_are_added(stores):
    def add(numbers):
        stores.database["cases"].insert_many(
            to_document(
                Case(
                    id=f"{number}@s.cn",
                    work_id=number,
                    work_title="",
                    site="s.cn",
                    verdict=("copy", "quote", "clear")[number % 3],
                    pages=1,
                    passages=1,
                    copied_chars=number % 7,
                    first_seen=NOON,
                    last_seen=NOON,
                    number=number,
                )
            )
            for number in numbers
        )

    add(range(1, 1001))
    seen, cursor, more = [], "", iter(range(2000, 3000, 5))
    while True:
        part = list_cases(ANALYST, stores, _settings(), cursor=cursor, limit=97)
        seen += [view.case.number for view in part.items]
        cursor = part.next
        if not cursor:
            break
        first = next(more)
        add(range(first, first + 5))
    assert len(seen) == len(set(seen))
    assert set(range(1, 1001)) <= set(seen)


def test_cursor_is_valid_for_a_single_list(filled):
    cursor = list_matches(ANALYST, filled, limit=1).next
    assert cursor
    for bad in (cursor + "A", cursor[:-2], "x", "é", "W10", cursor.swapcase(), "=" * 9):
        with pytest.raises(BadCursor):
            list_matches(ANALYST, filled, cursor=bad)
    with pytest.raises(BadCursor):
        list_matches(ANALYST, filled, MatchQuery(verdict="copy"), cursor=cursor)
    with pytest.raises(BadCursor):
        list_matches(HOLDER, filled, cursor=cursor)
    for limit in (0, 201, -1):
        with pytest.raises(BadLimit):
            list_matches(ANALYST, filled, limit=limit)


@pytest.mark.parametrize("at_once", [1, 2, 2_000])
@pytest.mark.parametrize("limit", [None, 1, 3])
def test_every_match_equals_the_joined_pages_of_the_list(filled, monkeypatch, at_once, limit):
    monkeypatch.setattr(matches, "_AT_ONCE", at_once)
    for wanted in (MatchQuery(), MatchQuery(review="open"), MatchQuery(verdict="copy")):
        parts = list_matches(ANALYST, filled, wanted, limit=200)
        assert parts.next == ""
        assert list(every_match(ANALYST, filled, wanted, limit=limit)) == list(parts.items)[:limit]
    assert len(list(every_match(ANALYST, filled, MatchQuery()))) > 2
