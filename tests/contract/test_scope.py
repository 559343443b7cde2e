"""What a report is about: pages are counted by the server, and only what was found is read."""

from datetime import UTC, datetime, timedelta
from itertools import count

import pytest
from support.matches import match_with

from analysis.reports.records import NotAligned, NotChecked, NotRead
from analysis.reports.scope import (
    count_pages,
    find_matches,
    page_scope,
    partly_compared,
    unchecked_pages,
)
from storage.collections.documents import to_document
from storage.records import Look, Page
from system.errors import UnknownRecord

pytestmark = pytest.mark.services
NOON = datetime(2025, 3, 1, 4, 0, tzinfo=UTC)
_numbers = count(1)


@pytest.fixture
def save(stores):
    """A function that stores a page, by default a compared one of a.example with a copy."""

    def save_page(page_id, **fields):
        values = {
            "url": f"https://a.example/{page_id}",
            "host": "a.example",
            "source": "s",
            "kind": "article",
            "last_seen": NOON,
            "state": "compared",
            "verdict": "copy",
        }
        stores.database["pages"].insert_one(to_document(Page(id=page_id, **{**values, **fields})))

    return save_page


@pytest.fixture
def save_match(stores):
    """A function that stores a match of a page."""

    def save_one(match_id, page_id, **fields):
        row = to_document(match_with(id=match_id, page_id=page_id, number=next(_numbers), **fields))
        stores.database["matches"].insert_one(row)

    return save_one


def total(stores, **conditions):
    return count_pages(stores.page_figures.groups(page_scope(stores, **conditions))).total


def found(stores, **conditions):
    """Return the ids of the matches that count in a scope, and of those that were dismissed."""
    work_id = conditions.pop("work_id", None)
    findings = find_matches(stores, page_scope(stores, **conditions), work_id=work_id)
    assert {match.page_id for match in findings.matches} == findings.pages.keys()
    return sorted(match.id for match in findings.matches), [match.id for match in findings.dismissed]


def test_pages_are_those_of_a_scan_or_all_and_an_address_counts_once(stores, save):
    save("a", scan_id="s1")
    save("b", scan_id="s2")
    save("old", standing="replaced", scan_id="s1")
    save("text", standing="last-text", scan_id="s1")
    assert (total(stores), total(stores, scan_id="s1"), total(stores, scan_id="none")) == (2, 1, 0)


def test_since_includes_its_first_moment(stores, save):
    for number, moment in enumerate((NOON - timedelta(seconds=1), NOON, NOON + timedelta(days=1))):
        save(str(number), last_seen=moment, scan_id="s")
    assert total(stores, since=NOON) == total(stores, since=NOON, scan_id="s") == 2


def test_site_includes_all_its_hosts_and_needs_a_page(stores, save):
    save("a")
    save("b", host="m.b.cn", scan_id="s")
    save("c", host="b.cn")
    assert total(stores, site="b.cn") == total(stores, site="http://B.cn/list/") == 2
    assert total(stores, site="m.b.cn") == total(stores, site="b.cn", scan_id="s") == 1
    with pytest.raises(UnknownRecord) as raised:
        page_scope(stores, site="c.example")
    assert raised.value.data["kind"] == "site"
    assert "a.example" in raised.value.data["near"]
    with pytest.raises(UnknownRecord, match=r"a\.example"):
        page_scope(stores, site="a.example", scan_id="s")


def test_dismissed_matches_are_no_findings(stores, save, save_match):
    save("a")
    save("clear", verdict="clear")
    save("waiting", state="fetched", verdict=None)
    save("old", standing="replaced")
    save_match("1", "a", work_id=1)
    save_match("2", "a", work_id=2, review="confirmed")
    save_match("3", "a", work_id=2, review="dismissed", copied_chars=5)
    save_match("4", "clear", work_id=2)
    save_match("5", "waiting", work_id=2, review="dismissed", copied_chars=9)
    save_match("6", "old", work_id=2, review="dismissed", replaced=NOON)
    assert found(stores) == (["1", "2"], ["5", "3"])
    assert found(stores, work_id=1) == (["1"], [])
    assert found(stores, work_id=2) == (["2", "4"], ["5", "3"])


def test_last_text_counts_where_nothing_was_compared_since(stores, save, save_match):
    gone, fine = "https://a.example/gone", "https://a.example/fine"
    save("404", url=gone, state="failed", verdict=None, scan_id="s")
    save("text", url=gone, standing="last-text", scan_id="earlier")
    save("clean", url=fine, state="fetched", verdict=None, scan_id="s")
    save("nothing", url=fine, standing="last-text", verdict="clear")
    save("other", standing="last-text")
    save("again", state="fetched", scan_id="s")
    for number, page_id in enumerate(("text", "other", "again", "text")):
        review = "dismissed" if number == 3 else ""
        save_match(str(number), page_id, work_id=1, review=review)
    for conditions in ({"scan_id": "s"}, {"scan_id": "s", "work_id": 1}, {"work_id": 1}, {}):
        assert found(stores, **conditions) == (["0", "2"], ["3"])
    assert find_matches(stores, page_scope(stores, scan_id="s")).last_texts == 2


def test_scan_includes_moved_texts_that_it_checked(stores, save, save_match):
    save("moved", scan_id="earlier")
    save("old", scan_id="earlier", standing="replaced")
    for page_id in ("moved", "old"):
        save_match(page_id, page_id)
        save_match(f"no {page_id}", page_id, review="dismissed")
        look = Look(id=page_id, url=page_id, page_id=page_id, state="moved", scan_id="s", source="x", at=NOON)
        stores.looks.add_many([look])
    assert found(stores, scan_id="s") == (["moved"], ["no moved"])
    assert found(stores, scan_id="another") == ([], [])
    assert total(stores, scan_id="s") == 0


def test_partly_compared_pages_are_sorted_by_omitted_text(stores, save):
    for page_id, fields in {
        "d": {"cut_chars": 9},
        "c": {"capped": 9},
        "f": {"cut_chars": 9},
        "e": {"capped": 9, "cut_chars": 9},
        "b": {"unaligned": 1},
        "a": {"unaligned": 2},
        "g": {"confidence": 0.1},
        "h": {"confidence": 0.49},
        "failed": {"state": "failed", "unaligned": 9, "confidence": 0.0},
        "whole": {"confidence": 0.5},
    }.items():
        save(page_id, **fields)
    save("x", unaligned=1, capped=2, cut_chars=3, scan_id="s")
    lines = partly_compared(stores, page_scope(stores)).aligned
    assert [line.url[-1] for line in lines] == ["a", "x", "b", "e", "c", "d", "f", "g", "h"]
    assert [line.is_doubtful for line in lines] == [False] * 7 + [True, True]
    assert partly_compared(stores, page_scope(stores, scan_id="s")).aligned == (
        NotAligned(url="https://a.example/x", unaligned=1, capped=2, cut_chars=3),
    )


def test_unread_content_is_summed_by_reason_with_its_first_addresses(stores, save):
    save("whole", unread={})
    save("both", unread={"frames": 2, "limit": 900})
    save("frame", unread={"frames": 1}, verdict="clear")
    save("failed", state="failed", verdict=None, unread={"frames": 9})
    save("old", standing="replaced", unread={"frames": 9})
    save("other", scan_id="s", unread={"images": 4})
    partly = partly_compared(stores, page_scope(stores), max_urls=1)
    assert partly.pages == 3
    assert partly.aligned == ()
    assert partly.unread == (
        NotRead(reason="frames", pages=2, amount=3, urls=("https://a.example/both",)),
        NotRead(reason="images", pages=1, amount=4, urls=("https://a.example/other",)),
        NotRead(reason="limit", pages=1, amount=900, urls=("https://a.example/both",)),
    )
    (images,) = partly_compared(stores, page_scope(stores, scan_id="s")).unread
    assert (images.reason, images.amount, images.urls) == ("images", 4, ())


def unchecked(stores, **options):
    scope = page_scope(stores)
    return unchecked_pages(stores, scope, stores.page_figures.groups(scope), **options)


def test_unchecked_pages_by_reason_with_the_first_addresses(stores, save):
    save("compared")
    for name, reason in {
        "c": "timeout",
        "a": "timeout",
        "b": "timeout",
        "e": "empty",
        "d": "blocked",
    }.items():
        save(name, url=name, state="failed", reason=reason, verdict=None)
    save("w2", url="w2", state="fetched", reason="ignored")
    save("w1", url="w1", state="fetched")
    assert unchecked(stores, max_urls=4) == (
        NotChecked(reason="timeout", fault="network", pages=3, urls=("a", "b", "c")),
        NotChecked(reason="waiting", fault="", pages=2, urls=("w1",)),
        NotChecked(reason="blocked", fault="theirs", pages=1, urls=()),
        NotChecked(reason="empty", fault="", pages=1, urls=()),
    )
    assert [group.urls for group in unchecked(stores, max_urls=99)][1] == ("w1", "w2")


def test_vanished_pages_have_a_separate_reason(stores, save):
    for name in ("a", "b", "c"):
        save(name, url=name, state="failed", reason="http-404", verdict=None)
    assert unchecked(stores, max_urls=9, vanished={"a", "elsewhere"}) == (
        NotChecked(reason="http-404", fault="theirs", pages=2, urls=("b", "c")),
        NotChecked(reason="vanished", fault="", pages=1, urls=("a",)),
    )
    assert [group.urls for group in unchecked(stores, max_urls=1, vanished={"a"})] == [("b",), ()]
