"""Which addresses a report counts, and how its figures come from counted pages."""

from datetime import UTC, datetime

from analysis.reports.records import LeftAddresses, PageCounts, ScanReport
from analysis.reports.scope import count_pages, count_unchecked, left_addresses
from storage.collections.page_figures import PageGroup
from storage.records import Crawl, Scan

NOON = datetime(2025, 3, 1, 4, 0, tzinfo=UTC)


def group(count, **fields):
    values = {"host": "a.example", "kind": "article", "state": "compared", "verdict": "copy", "reason": ""}
    return PageGroup(**{**values, "low_confidence": False, **fields}, count=count)


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


def test_unvisited_addresses_come_from_the_last_crawl_of_every_source():
    newest = scan_report("s2", ("b", 5), ("done", 0))
    older = scan_report("s1", ("b", 70), ("a", 3), ("done", 9))
    assert left_addresses([newest, older]) == (
        LeftAddresses(source="a", scan_id="s1", reason="time", addresses=3),
        LeftAddresses(source="b", scan_id="s2", reason="time", addresses=5),
    )


def test_pages_are_counted_by_state_kind_and_verdict():
    groups = [
        group(1, low_confidence=True),
        group(1, host="b.example", kind="chapter", verdict=None),
        group(2, kind="chapter"),
        group(1, state="fetched", low_confidence=True, kind="chapter"),
        group(1, state="failed", verdict=None, kind="error"),
    ]
    counts = count_pages(iter(groups), last_texts=1)
    assert counts == PageCounts(
        total=6,
        states={"fetched": 1, "compared": 4, "failed": 1},
        kinds={"chapter": 4, "article": 1, "error": 1},
        verdicts={"copy": 3, "clear": 1},
        low_confidence=1,
        last_texts=1,
    )
    assert list(counts.kinds) == ["chapter", "article", "error"]


def test_reasons_are_counted_the_most_frequent_first_and_then_by_name():
    groups = [
        group(7),
        group(1, state="failed", reason="timeout"),
        group(1, state="failed", reason="empty", host="b.example"),
        group(1, state="failed", reason="timeout", host="b.example"),
        group(1, state="failed", reason="blocked"),
        group(3, state="fetched", reason="ignored"),
    ]
    counts = count_unchecked(groups)
    assert list(counts.items()) == [("waiting", 3), ("timeout", 2), ("blocked", 1), ("empty", 1)]
