"""What a source with hours is owed when they begin."""

from datetime import UTC, datetime, timedelta

import pytest

from storage.records import Source, SourceHealth
from storage.settings import TrackerSettings
from tracker.scans.hours import _is_pending as is_pending

RULES = TrackerSettings(scan_schedule="0 3 * * *", timezone="UTC")
DUE = datetime(2026, 11, 24, 3, tzinfo=UTC)
BEGAN = DUE + timedelta(hours=19)
NIGHT = Source(
    name="night", kind="news", start_urls=("http://n.example/",), hours=("22:00-02:00",), timezone="+00:00"
)


def owed(**health):
    return is_pending(NIGHT, SourceHealth(name="night", **health), RULES, began=BEGAN, now=BEGAN)


@pytest.mark.parametrize(("ago_s", "expected"), [(-1, False), (0, False), (1, True)])
def test_crawl_before_the_last_daily_scan_was_due(ago_s, expected):
    assert owed(last_crawl=DUE - timedelta(seconds=ago_s)) is expected


def test_source_never_crawled_is_owed_a_crawl():
    assert owed()
    assert is_pending(NIGHT, None, RULES, began=BEGAN, now=BEGAN)


@pytest.mark.parametrize(("ahead_s", "expected"), [(-1, True), (0, True), (1, False)])
def test_remainder_is_resumed_after_the_pause_of_the_source(ahead_s, expected):
    assert owed(rest="scan", last_crawl=BEGAN, paused_until=BEGAN + timedelta(seconds=ahead_s)) is expected
