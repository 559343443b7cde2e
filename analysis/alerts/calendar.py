"""When an alert may be sent: quiet hours and digests, in the configured time zone. Pure."""

from datetime import UTC, date, datetime, time, timedelta, tzinfo

from storage.records import Cadence
from storage.settings.alerts import WEEKDAYS, Addressee, AlertSettings, quiet_hours

_DAY = timedelta(days=1)


def due_at(
    cadence: Cadence, addressee: Addressee, settings: AlertSettings, zone: tzinfo, now: datetime
) -> datetime:
    """Return the time at which an event that happens now is sent.

    Args:
        cadence: at once, except in quiet hours; or in the next digest at the configured time.
        addressee: its quiet hours replace the general ones.
        settings: settings of alerts.
        zone: the configured time zone.
        now: an aware time.
    """
    if cadence == "at-once":
        return after_quiet(now, addressee, settings, zone)
    day = now.astimezone(zone).date()
    while True:
        moment = _combine(day, settings.digest_time, zone)
        is_its_day = cadence == "daily" or WEEKDAYS[day.weekday()] == settings.weekly_on
        if is_its_day and moment > now:
            return moment
        day += _DAY


def after_quiet(moment: datetime, addressee: Addressee, settings: AlertSettings, zone: tzinfo) -> datetime:
    """Return the time itself, or the end of the quiet hours that contain it."""
    quiet = quiet_hours(settings.quiet if addressee.quiet is None else addressee.quiet)
    if quiet is None:
        return moment
    begin, end = quiet
    today = moment.astimezone(zone).date()
    for day in (today - _DAY, today):
        until = day if begin < end else day + _DAY
        first, last = _combine(day, begin, zone), _combine(until, end, zone)
        if first <= moment < last:
            return last
    return moment


def _combine(day: date, at: time, zone: tzinfo) -> datetime:
    return datetime.combine(day, at, tzinfo=zone).astimezone(UTC)
