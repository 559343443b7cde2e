"""When alerts may be sent: quiet hours over midnight, digests, time zones with summer time."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.alerts.calendar import after_quiet, due_at
from storage.settings.alerts import Addressee, AlertSettings

CHINA = ZoneInfo("Asia/Shanghai")
BERLIN = ZoneInfo("Europe/Berlin")
ANYBODY = Addressee(address="${PINDNA_SECRET_A}")


def at(text, zone=CHINA):
    return datetime.fromisoformat(text).replace(tzinfo=zone).astimezone(UTC)


@pytest.mark.parametrize(
    ("quiet", "moment", "expected"),
    [
        ("22:00-07:30", "2026-11-22 21:59", "2026-11-22 21:59"),
        ("22:00-07:30", "2026-11-22 22:00", "2026-11-23 07:30"),
        ("22:00-07:30", "2026-11-23 00:00", "2026-11-23 07:30"),
        ("22:00-07:30", "2026-11-23 07:29", "2026-11-23 07:30"),
        ("22:00-07:30", "2026-11-23 07:30", "2026-11-23 07:30"),
        ("12:00-14:00", "2026-11-23 13:00", "2026-11-23 14:00"),
        ("12:00-14:00", "2026-11-23 14:00", "2026-11-23 14:00"),
        ("", "2026-11-23 03:00", "2026-11-23 03:00"),
    ],
)
def test_alerts_in_quiet_hours_wait_for_their_end(quiet, moment, expected):
    assert after_quiet(at(moment), ANYBODY, AlertSettings(quiet=quiet), CHINA) == at(expected)


def test_quiet_hours_of_an_addressee_override_the_general_hours():
    settings = AlertSettings(quiet="22:00-07:00")
    awake, asleep = (
        ANYBODY.model_copy(update={"quiet": ""}),
        ANYBODY.model_copy(update={"quiet": "09:00-10:00"}),
    )
    assert after_quiet(at("2026-11-22 23:00"), awake, settings, CHINA) == at("2026-11-22 23:00")
    assert after_quiet(at("2026-11-22 23:00"), asleep, settings, CHINA) == at("2026-11-22 23:00")
    assert after_quiet(at("2026-11-22 09:30"), asleep, settings, CHINA) == at("2026-11-22 10:00")


@pytest.mark.parametrize(
    ("cadence", "moment", "expected"),
    [
        ("daily", "2026-11-22 07:59", "2026-11-22 08:00"),
        ("daily", "2026-11-22 08:00", "2026-11-23 08:00"),
        ("weekly", "2026-11-22 12:00", "2026-11-23 08:00"),  # a Sunday
        ("weekly", "2026-11-23 08:00", "2026-11-30 08:00"),
        ("at-once", "2026-11-22 12:00", "2026-11-22 12:00"),
    ],
)
def test_digest_is_sent_at_its_time_in_the_zone(cadence, moment, expected):
    assert due_at(cadence, ANYBODY, AlertSettings(), CHINA, at(moment)) == at(expected)


def test_digest_keeps_its_time_of_day_when_summer_time_ends():
    due = due_at("daily", ANYBODY, AlertSettings(), BERLIN, at("2026-10-24 12:00", BERLIN))
    assert due == at("2026-10-25 08:00", BERLIN)
    assert due.utcoffset() == timedelta()


@given(st.integers(0, 366 * 24 * 60), st.sampled_from([CHINA, BERLIN]))
def test_nothing_is_sent_in_quiet_hours_or_held_back_for_long(minutes, zone):
    moment = at("2026-01-01 00:00") + timedelta(minutes=minutes)
    settings = AlertSettings(quiet="22:15-06:45")
    due = after_quiet(moment, ANYBODY, settings, zone)
    assert timedelta() <= due - moment <= timedelta(hours=9, minutes=30)
    assert after_quiet(due, ANYBODY, settings, zone) == due
    local = due.astimezone(zone)
    assert (6, 45) <= (local.hour, local.minute) < (22, 15)
