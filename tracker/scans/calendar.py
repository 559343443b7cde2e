"""When the daily scan is due, and which beat opens it."""

import os
import socket
from datetime import datetime
from zoneinfo import ZoneInfo

from celery import Celery
from celery.schedules import crontab

from storage.beats import Beat
from storage.settings import TrackerSettings


def this_beat(settings: TrackerSettings, *, now: datetime) -> Beat:
    """Return what this process says of itself as a beat.

    Args:
        settings: its own, which decide when it opens scans.
        now: aware.
    """
    name = f"{socket.gethostname()}:{os.getpid()}"
    return Beat(name, now, settings.scan_schedule, settings.timezone)


def next_scan(schedule: str, timezone: str, *, now: datetime) -> datetime:
    """Return when a schedule opens its next scan, in its time zone.

    Args:
        schedule: a cron line.
        timezone: of the cron line.
        now: aware.
    """
    here = now.astimezone(ZoneInfo(timezone))
    app = Celery(set_as_current=False, config_source={"timezone": timezone, "enable_utc": True})
    minute, hour, day, month, weekday = schedule.split(" ")
    line = crontab(minute, hour, weekday, day, month, app=app, nowfun=lambda: here)
    return here + line.remaining_estimate(here)
