"""Which pages, matches and addresses a report counts."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

import pytest
from support.matches import match_with

from analysis.report_records import LeftAddresses, NotAligned, NotChecked, PageCounts, ScanReport
from analysis.scope import (
    count_pages,
    find_dismissed,
    find_matches,
    left_addresses,
    not_aligned,
    pages_in_scope,
    texts_in_scope,
    unchecked_pages,
)
from storage.errors import UnknownRecord
from storage.records import Crawl, Page, Scan

NOON = datetime(2025, 3, 1, 4, 0, tzinfo=UTC)


def page(page_id, **fields):
    values = {
        "url": f"https://a.example/{page_id}",
        "host": "a.example",
        "source": "s",
        "kind": "article",
        "last_seen": NOON,
        "state": "compared",
        "verdict": "copy",
    }
    return Page(id=page_id, **{**values, **fields})


def stores_with(pages=(), of_scan=(), matches=(), last_texts=()):
    return SimpleNamespace(
        pages=SimpleNamespace(
            current=lambda: list(pages),
            of_scan=lambda scan_id: list(of_scan[scan_id]),
            last_texts=lambda urls: [text for text in last_texts if text.url in urls],
            hosts=lambda: {page.host for page in pages},
        ),
        matches=SimpleNamespace(
            of_work=lambda work_id: [match for match in matches if match.work_id == work_id],
            of_page=lambda page_id: [match for match in matches if match.page_id == page_id],
            all_reviewed=lambda: [match for match in matches if match.review],
        ),
    )


def test_pages_are_those_of_a_scan_or_all():
    stores = stores_with([page("a"), page("b")], {"s1": [page("b")]})
    assert list(pages_in_scope(stores)) == ["a", "b"]
    assert list(pages_in_scope(stores, scan_id="s1")) == ["b"]


def test_an_address_of_a_scan_counts_once_by_what_was_seen_last():
    versions = [page("old", standing="replaced"), page("text", standing="last-text"), page("now")]
    assert list(pages_in_scope(stores_with(of_scan={"s1": versions}), scan_id="s1")) == ["now"]


def test_the_last_text_counts_where_nothing_was_compared_since():
    url = "https://a.example/gone"
    gone = page("404", url=url, state="failed", verdict=None)
    last_texts = [page("text", url=url, standing="last-text"), page("another", standing="last-text")]
    pages = {row.id: row for row in (gone, page("b"), page("again", state="fetched"))}
    texts = texts_in_scope(stores_with(last_texts=last_texts), pages)
    assert sorted(texts) == ["again", "b", "text"]


def test_since_takes_in_its_own_moment():
    pages = [page("old", last_seen=NOON - timedelta(seconds=1)), page("just"), page("new", last_seen=NOON)]
    assert list(pages_in_scope(stores_with(pages), since=NOON)) == ["just", "new"]


def test_a_site_without_pages_is_an_error():
    stores = stores_with([page("a"), page("b", host="b.example")])
    assert list(pages_in_scope(stores, site="b.example")) == ["b"]
    with pytest.raises(UnknownRecord) as raised:
        pages_in_scope(stores, site="c.example")
    assert raised.value.data == {"kind": "site", "name": "c.example", "near": ("a.example", "b.example")}
    assert list(pages_in_scope(stores, site="http://B.example/list/")) == ["b"]
    assert pages_in_scope(stores_with()) == {}


MATCHES = [
    match_with(id="1", page_id="a", work_id=1),
    match_with(id="2", page_id="a", work_id=2, review="confirmed"),
    match_with(id="3", page_id="a", work_id=2, review="dismissed"),
    match_with(id="4", page_id="clear", work_id=2),
    match_with(id="5", page_id="waiting", work_id=2, review="dismissed"),
    match_with(id="6", page_id="elsewhere", work_id=2, review="dismissed"),
]
PAGES = {
    entry.id: entry
    for entry in (
        page("a"),
        page("clear", verdict="clear"),
        page("waiting", state="fetched", verdict=None),
    )
}


def ids(matches):
    return [match.id for match in matches]


def test_dismissed_matches_are_no_findings():
    stores = stores_with(matches=MATCHES)
    assert ids(find_matches(stores, PAGES)) == ["1", "2"]
    assert ids(find_dismissed(stores, PAGES)) == ["3", "5"]


def test_matches_of_one_work_only():
    stores = stores_with(matches=MATCHES)
    assert ids(find_matches(stores, PAGES, work_id=1)) == ["1"]
    assert ids(find_matches(stores, {"a": PAGES["a"]}, work_id=2)) == ["2"]
    assert ids(find_dismissed(stores, PAGES, work_id=1)) == []
    assert ids(find_dismissed(stores, PAGES, work_id=2)) == ["3", "5"]


def test_a_page_that_is_compared_anew_keeps_its_matches():
    stores = stores_with(matches=[match_with(id="7", page_id="again")])
    assert ids(find_matches(stores, {"again": page("again", state="fetched")})) == ["7"]


@pytest.mark.parametrize("field", ["unaligned", "capped", "cut_chars"])
def test_a_page_of_which_something_was_left_out_is_named(field):
    (line,) = not_aligned([page("whole"), page("part", **{field: 1})])
    assert (line.url, getattr(line, field)) == ("https://a.example/part", 1)


def test_pages_that_were_not_compared_whole_come_with_the_most_left_out_first():
    pages = [
        page("d", cut_chars=9),
        page("c", capped=9),
        page("f", cut_chars=9),
        page("e", capped=9, cut_chars=9),
        page("b", unaligned=1),
        page("a", unaligned=2),
        page("failed", state="failed", unaligned=9),
    ]
    assert [line.url[-1] for line in not_aligned(pages)] == ["a", "b", "e", "c", "d", "f"]
    assert not_aligned([page("x", unaligned=1, capped=2, cut_chars=3)]) == (
        NotAligned(url="https://a.example/x", unaligned=1, capped=2, cut_chars=3),
    )


def scan_report(scan_id, *crawls):
    scan = Scan(id=scan_id, trigger="hand", sources=(), started=NOON)
    return ScanReport(
        scan=scan,
        crawls=tuple(
            Crawl(
                id=f"{scan_id}:{source}",
                scan_id=scan_id,
                source=source,
                addresses={"left": count},
                end="time",
            )
            for source, count in crawls
        ),
    )


def test_what_the_last_crawl_of_each_source_left():
    newest = scan_report("s2", ("b", 5), ("done", 0))
    older = scan_report("s1", ("b", 70), ("a", 3), ("done", 9))
    assert left_addresses([newest, older]) == (
        LeftAddresses(source="a", scan_id="s1", reason="time", addresses=3),
        LeftAddresses(source="b", scan_id="s2", reason="time", addresses=5),
    )


def test_pages_are_counted_by_state_kind_and_verdict():
    pages = [
        page("1", low_confidence=True),
        page("2", kind="chapter", verdict=None),
        page("3", kind="chapter", verdict="copy"),
        page("4", state="fetched", verdict="copy", low_confidence=True, kind="chapter"),
        page("5", state="failed", verdict=None, kind="error"),
    ]
    counts = count_pages(iter(pages))
    assert counts == PageCounts(
        total=5,
        states={"fetched": 1, "compared": 3, "failed": 1},
        kinds={"chapter": 3, "article": 1, "error": 1},
        verdicts={"copy": 2, "clear": 1},
        low_confidence=1,
    )
    assert list(counts.kinds) == ["chapter", "article", "error"]


def test_unchecked_pages_by_reason_with_the_first_addresses():
    failed = page("x", state="failed", reason="timeout")
    pages = [
        page("compared"),
        *(replace(failed, id=name, url=name) for name in ("c", "a", "b")),
        page("w2", url="w2", state="fetched", reason="ignored"),
        page("w1", url="w1", state="fetched"),
        replace(failed, id="e", url="e", reason="empty"),
        replace(failed, id="d", url="d", reason="blocked"),
    ]
    assert unchecked_pages(pages, max_urls=4) == (
        NotChecked(reason="timeout", fault="network", pages=3, urls=("a", "b", "c")),
        NotChecked(reason="waiting", fault="", pages=2, urls=("w1",)),
        NotChecked(reason="blocked", fault="theirs", pages=1, urls=()),
        NotChecked(reason="empty", fault="", pages=1, urls=()),
    )
    assert [group.urls for group in unchecked_pages(pages, max_urls=99)][1] == ("w1", "w2")


def test_what_vanished_and_is_reported_has_a_reason_of_its_own():
    failed = page("x", state="failed", reason="http-404")
    pages = [replace(failed, id=name, url=name) for name in ("a", "b")]
    assert unchecked_pages(pages, max_urls=9, vanished={"b"}) == (
        NotChecked(reason="http-404", fault="theirs", pages=1, urls=("a",)),
        NotChecked(reason="vanished", fault="", pages=1, urls=("b",)),
    )
