"""When the daily scan is due, and which beats send for it."""

import logging
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from storage.running.beats import Beat
from storage.running.marks import process_name
from storage.settings import TrackerSettings
from system.version import VERSION

log = logging.getLogger(__name__)

DUE = "due"  # header of the message that opens the daily scan
_MAX_AHEAD = timedelta(hours=1)  # of a beat's clock
_STEP = timedelta(minutes=1)  # of a cron line


def this_beat(settings: TrackerSettings, *, now: datetime, redis_ahead_s: float = 0.0) -> Beat:
    """Return what this process says of itself as a beat.

    Args:
        settings: its own, which decide when it opens scans.
        now: aware.
        redis_ahead_s: by how many seconds the clock of Redis is ahead of this machine's.
    """
    latest, ahead = now + timedelta(seconds=redis_ahead_s), -redis_ahead_s
    return Beat(process_name(), latest, settings.scan_schedule, settings.timezone, VERSION, ahead)


def next_scan(schedule: str, timezone: str, *, now: datetime) -> datetime:
    """Return when a schedule opens its next scan, in its time zone.

    Args:
        schedule: a cron line.
        timezone: of the cron line.
        now: aware.
    """
    from celery import Celery  # noqa: PLC0415 - .2 s, for who asks when the next scan is
    from celery.schedules import crontab  # noqa: PLC0415 - the same

    local_now = now.astimezone(ZoneInfo(timezone))
    app = Celery(set_as_current=False, config_source={"timezone": timezone, "enable_utc": True})
    minute, hour, day, month, weekday = schedule.split(" ")
    line = crontab(minute, hour, weekday, day, month, app=app, nowfun=lambda: local_now)
    return local_now + line.remaining_estimate(local_now)


def last_due(schedule: str, timezone: str, *, now: datetime) -> datetime:
    """Return when a schedule was due last, now included.

    Args:
        schedule: a cron line.
        timezone: of the cron line.
        now: aware.
    """
    back = _STEP
    while (due := next_scan(schedule, timezone, now=now - back)) > now:
        back *= 2  # Celery refuses lines that never occur
    while (later := next_scan(schedule, timezone, now=due)) <= now:
        due = later
    return due


def due_of(header: str | None, *, now: datetime) -> datetime | None:
    """Return the due time that a message is about; None if nothing can be remembered by it.

    A beat whose clock is far ahead would otherwise keep the scans of all others from being opened.

    Args:
        header: of the message; None in those of versions before 0.2.
        now: aware.
    """
    due = datetime.fromisoformat(header) if header else None
    if due is not None and due - now > _MAX_AHEAD:
        log.warning("the clock of a beat is ahead: it sent for the scan of %s", due)
        return None
    return due
