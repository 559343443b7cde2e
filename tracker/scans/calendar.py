"""Due times of the daily scan, and the beats that send them."""

import logging
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from storage.running.beats import Beat
from storage.running.marks import process_name
from storage.settings import TrackerSettings
from system.version import VERSION

log = logging.getLogger(__name__)

DUE = "due"  # header of the message that opens the daily scan
_MAX_AHEAD = timedelta(hours=1)  # maximum time by which the clock of a beat may be ahead
_STEP = timedelta(minutes=1)  # precision of a cron line


def this_beat(settings: TrackerSettings, *, now: datetime, redis_ahead_s: float = 0.0) -> Beat:
    """Return the record of this process as a beat.

    Args:
        settings: its settings, with the schedule of scans.
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
    """Return the due time in a message's header; None if it is missing or implausible.

    Otherwise, a beat whose clock is far ahead would prevent the scans of all others.

    Args:
        header: of the message; None in messages of versions before 0.2.
        now: aware.
    """
    due = datetime.fromisoformat(header) if header else None
    if due is not None and due - now > _MAX_AHEAD:
        log.warning("ignored the scan of %s: the clock of the beat that sent it is ahead", due)
        return None
    return due
