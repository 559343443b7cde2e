"""Moments as the terminal shows them: in the time zone of the settings, with its offset."""

from datetime import datetime, tzinfo
from functools import cache

from storage.records import moment_text, zone_of
from storage.settings import load_settings


@cache
def own_zone() -> tzinfo:
    """Return the zone of ``tracker.timezone``."""
    return zone_of(load_settings().tracker.timezone)


def local_day(moment: datetime) -> str:
    """Return the day of a moment in the zone of the settings."""
    return moment.astimezone(own_zone()).date().isoformat()


def local_moment(moment: datetime | None) -> str:
    """Return a moment to the minute, with the offset of its zone; a dash for None."""
    return "–" if moment is None else moment_text(moment, own_zone())
