"""When the daily scan is due, in the time zone of its cron line."""

from datetime import UTC, datetime

import pytest

from storage.settings import TrackerSettings
from tracker.scans.calendar import next_scan, this_beat

NOW = datetime(2026, 11, 22, 12, 5, tzinfo=UTC)  # a Sunday, 20:05 in Shanghai


@pytest.mark.parametrize(
    ("schedule", "timezone", "expected"),
    [
        ("0 3 * * *", "Asia/Shanghai", "2026-11-23T03:00:00+08:00"),
        ("0 21 * * *", "Asia/Shanghai", "2026-11-22T21:00:00+08:00"),
        ("0 21 * * *", "UTC", "2026-11-22T21:00:00+00:00"),
        ("30 1 * * 3", "Asia/Shanghai", "2026-11-25T01:30:00+08:00"),
        ("15 0 1 * *", "Asia/Shanghai", "2026-12-01T00:15:00+08:00"),
        ("15 0 1 3 *", "Asia/Shanghai", "2027-03-01T00:15:00+08:00"),
    ],
)
def test_the_next_time_of_a_cron_line(schedule, timezone, expected):
    assert next_scan(schedule, timezone, now=NOW).isoformat() == expected


def test_a_beat_says_by_which_clock_it_goes():
    beat = this_beat(TrackerSettings(scan_schedule="0 4 * * *", timezone="UTC"), now=NOW)
    assert (beat.seen, beat.schedule, beat.timezone) == (NOW, "0 4 * * *", "UTC")
    assert ":" in beat.name
