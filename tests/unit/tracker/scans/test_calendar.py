"""When the daily scan is due, in the time zone of its cron line."""

from datetime import UTC, datetime, timedelta

import pytest
from celery import current_app

from storage.settings import TrackerSettings
from tracker.scans.calendar import due_of, last_due, next_scan, this_beat

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
def test_next_time_of_a_cron_line(schedule, timezone, expected):
    assert next_scan(schedule, timezone, now=NOW).isoformat() == expected


def test_beat_says_by_which_clock_it_goes():
    beat = this_beat(TrackerSettings(scan_schedule="0 4 * * *", timezone="UTC"), now=NOW)
    assert (beat.seen, beat.schedule, beat.timezone) == (NOW, "0 4 * * *", "UTC")
    assert ":" in beat.name


def test_beat_time_uses_the_clock_of_redis():
    beat = this_beat(TrackerSettings(), now=NOW, redis_ahead_s=2.5)
    assert (beat.seen, beat.ahead_s) == (NOW + timedelta(seconds=2.5), -2.5)


def test_reading_a_cron_line_keeps_the_celery_app_of_the_program():
    before = current_app.main, current_app.conf.timezone
    next_scan("0 3 * * *", "America/Lima", now=NOW)
    assert (current_app.main, current_app.conf.timezone) == before


@pytest.mark.parametrize(
    ("schedule", "timezone", "expected"),
    [
        ("0 3 * * *", "Asia/Shanghai", "2026-11-22T03:00:00+08:00"),
        ("5 20 * * *", "Asia/Shanghai", "2026-11-22T20:05:00+08:00"),  # this very minute
        ("6 20 * * *", "Asia/Shanghai", "2026-11-21T20:06:00+08:00"),
        ("*/7 * * * *", "UTC", "2026-11-22T12:00:00+00:00"),
        ("0 1,2,3 * * *", "UTC", "2026-11-22T03:00:00+00:00"),
        ("30 1 * * 3", "Asia/Shanghai", "2026-11-18T01:30:00+08:00"),
        ("0 0 29 2 *", "UTC", "2024-02-29T00:00:00+00:00"),
    ],
)
def test_last_time_of_a_cron_line(schedule, timezone, expected):
    assert last_due(schedule, timezone, now=NOW).isoformat() == expected


@pytest.mark.parametrize(("ahead", "remembered"), [(-9999, True), (0, True), (60, True), (61, False)])
def test_beat_far_ahead_is_not_remembered(ahead, remembered):
    due = NOW + timedelta(minutes=ahead)
    assert due_of(due.isoformat(), now=NOW) == (due if remembered else None)


def test_message_of_an_earlier_version_names_no_due_time():
    assert due_of(None, now=NOW) is None
