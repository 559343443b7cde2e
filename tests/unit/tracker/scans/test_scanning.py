"""How a scan ended, judged by its crawls; and which sources a scheduled scan crawls."""

from datetime import timedelta

import pytest

from storage.records import Crawl, Scan, Source, SourceHealth, utc_now
from tracker.scans.scanning import error_of, is_due

SCAN = Scan(id="s", trigger="schedule", sources=("a", "b"), started=utc_now())


def crawls(**states):
    return [
        Crawl(id=f"s:{name}", scan_id="s", source=name, state=state, error=f"{name} is down")
        for name, state in states.items()
    ]


@pytest.mark.parametrize(
    ("states", "error"),
    [
        ({}, None),
        ({"a": "failed", "b": "done"}, None),
        ({"a": "failed", "b": "failed"}, "a is down; b is down"),
        ({"a": "failed", "b": "failed", "closed": "done"}, "a is down; b is down"),
        ({"closed": "done"}, None),
    ],
)
def test_scan_failed_when_all_crawls_that_could_begin_did(states, error):
    assert error_of(SCAN, crawls(**states)) == error


@pytest.mark.parametrize(
    ("interval_h", "passed_h", "expected"),
    [
        (24, 22.5, True),
        (24, 21.9, False),
        (72, 70, True),
        (72, 69.9, False),
        (1, 0.9, True),
        (1, 0.89, False),
    ],
)
def test_daily_scan_at_a_fixed_hour_finds_sources_of_a_day_due(interval_h, passed_h, expected):
    source = Source(name="s", kind="news", start_urls=("http://site.example/",), interval_h=interval_h)
    now = utc_now()
    health = SourceHealth(name="s", last_crawl=now - timedelta(hours=passed_h))
    assert is_due(source, health, now, scheduled=True) is expected
    assert is_due(source, health, now, scheduled=False)
