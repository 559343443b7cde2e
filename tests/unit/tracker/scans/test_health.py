"""Crawls that answer and find nothing: told by the crawls before them."""

from datetime import UTC, datetime

import pytest

from storage.records import Crawl, CrawlSummary
from tracker.scans.health import judge, judge_run, shortage, summary_of

NOW = datetime(2026, 3, 1, tzinfo=UTC)


def crawl(listed=100, texts=90, failed=10, confidence=0.95):
    return CrawlSummary(
        scan_id="s", ended=NOW, listed=listed, texts=texts, failed=failed, confidence=confidence
    )


USUAL = [crawl(), crawl(listed=80), crawl(texts=85), crawl(confidence=0.9)]


@pytest.mark.parametrize(
    ("now", "before"),
    [
        (crawl(), []),
        (crawl(), USUAL),
        (crawl(listed=40, texts=36, failed=4), USUAL),
        (crawl(texts=50, failed=50), USUAL),
        (crawl(listed=1, texts=1, failed=0), [crawl(listed=3, texts=3, failed=0)] * 3),
        (crawl(confidence=0.3), USUAL[:1]),
        (crawl(listed=3, texts=0, failed=3), USUAL[:1]),
        (crawl(listed=50, texts=3, failed=0), USUAL),
    ],
)
def test_sound_crawl_has_no_findings(now, before):
    assert judge(now, before) == []


@pytest.mark.parametrize(
    ("now", "before", "kind", "told"),
    [
        (crawl(listed=0, texts=0, failed=0), [], "empty", "no text was listed, usually 0"),
        (crawl(listed=0, texts=0, failed=0), USUAL, "empty", "usually 100"),
        (crawl(listed=9, texts=9, failed=0), USUAL, "collapsed", "9 texts were listed, usually 100"),
        (crawl(texts=5, failed=95), USUAL, "collapsed", "5 of 100 pages had a text, usually 90%"),
        (crawl(confidence=0.3), USUAL, "collapsed", "confidence of extraction 0.30"),
    ],
)
def test_unsound_crawl_has_a_finding(now, before, kind, told):
    (found,) = judge(now, before)
    assert found.kind == kind
    assert told in found.detail


@pytest.mark.parametrize(
    ("part", "told"),
    [
        (crawl(listed=0, texts=30, failed=2), ""),
        (crawl(listed=100, texts=1, failed=0), ""),
        (crawl(listed=0, texts=2, failed=30), "2 of 32 pages had a text, usually 90%"),
        (crawl(listed=0, texts=30, failed=0, confidence=0.3), "confidence of extraction 0.30"),
    ],
)
def test_partial_crawl_is_judged_by_its_pages(part, told):
    found = judge_run(part, USUAL)
    assert [told in finding.detail for finding in found] == ([True] if told else [])
    assert judge_run(part, USUAL[:1]) == []


def test_processes_of_a_source_are_a_single_crawl():
    one = {"listed": 10, "pages": 4, "unchanged": 1, "failed": 1, "extracted": 4, "confidence": 3600}
    other = {"not_due": 5, "pages": 1, "extracted": 1, "confidence": 900}
    crawls = [
        Crawl(id=str(n), scan_id="s", source="x", counts=each, finished=NOW)
        for n, each in enumerate((one, other))
    ]
    found = summary_of("s", crawls)
    assert (found.listed, found.texts, found.failed, found.confidence, found.ended) == (15, 11, 1, 0.9, NOW)
    assert summary_of("s", [Crawl(id="1", scan_id="s", source="x")]).confidence == 1.0


def test_pauses_that_leave_no_time_are_reported():
    counts = {"listed": 9_000, "pause_s": 299, "reach": 24}
    crawls = [Crawl(id="1", scan_id="s", source="x", counts=counts, finished=NOW)]
    (found,) = shortage(crawls, summary_of("s", crawls))
    assert (found.kind, found.detail) == (
        "slow",
        "only 24 requests fit into the time limit at 299 s each, but 9000 texts were listed",
    )
    for few in ({**counts, "listed": 24}, {"listed": 9_000}):
        crawls = [Crawl(id="1", scan_id="s", source="x", counts=few, finished=NOW)]
        assert shortage(crawls, summary_of("s", crawls)) == []
