"""Sources with opening hours: when to crawl those that are closed at the time of the daily scan.

The daily scan crawls the sources that are open at its time. A closed source is due when its hours begin, and
so is the rest of a crawl that the end of its hours interrupted. Each beginning is handled once
(:mod:`storage.collections.due_times`), however many beats send for it. If a user stops such a scan, the
source waits until its next hours.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta

from storage.collections.stores import Stores
from storage.records import Source, SourceHealth
from storage.settings import TrackerSettings
from tracker.scans.calendar import last_due, next_scan

_NAME = "hours of {name}"  # name of the due time
_LEASE_S = 600.0  # lease for opening the scan
_MOMENT = timedelta(seconds=1)  # tolerance for a scan that is due exactly when an interval ends


def sources_to_open(
    stores: Stores, rules: TrackerSettings, *, now: datetime
) -> list[tuple[Source, datetime]]:
    """Return the sources whose hours began and that no scan has, each with that beginning.

    Args:
        stores: the database.
        rules: the schedule of the daily scan.
        now: the time.
    """
    timed = [source for source in stores.sources.all() if source.enabled and source.hours]
    if not timed:
        return []
    from tracker.scans.scanning import being_crawled  # noqa: PLC0415 - lists of sources need no scan

    health, busy = stores.health.all(), being_crawled(stores)
    return [
        (source, began)
        for source in timed
        if source.name not in busy
        and (began := _beginning_of_hours(source, now)) is not None
        and _is_pending(source, health.get(source.name), rules, began=began, now=now)
        and not stores.due_times.is_done(_NAME.format(name=source.name), began)
    ]


def mark_opened(stores: Stores, opened: Sequence[tuple[Source, datetime]]) -> None:
    """Record that the beginning of the sources' hours was handled."""
    for source, began in opened:
        name = _NAME.format(name=source.name)
        if token := stores.due_times.begin(name, began, lease_s=_LEASE_S):
            stores.due_times.end(name, token, finished=began)


def next_crawl(
    source: Source, health: SourceHealth, rules: TrackerSettings, *, now: datetime
) -> datetime | None:
    """Return when a scheduled scan will crawl a source next, as far as known; None: not automatically.

    Args:
        source: a source that is not being crawled.
        health: of the source.
        rules: the schedule of the daily scan.
        now: the time.
    """
    if not source.enabled:
        return None
    at = max(now, health.paused_until or now)
    if source.opens(at) > at and _is_pending(source, health, rules, began=at, now=at):
        return source.opens(at)
    if health.last_crawl is not None:
        at = max(at, health.last_crawl + source.due_after - _MOMENT)
    return source.opens(next_scan(rules.scan_schedule, rules.timezone, now=at))


def _beginning_of_hours(source: Source, now: datetime) -> datetime | None:
    """Return when the present hours began; None: it is outside the hours, or there are none."""
    hours = source.opening_hours
    return hours.last_change(now) if hours and hours.is_open(now) else None


def _is_pending(
    source: Source, health: SourceHealth | None, rules: TrackerSettings, *, began: datetime, now: datetime
) -> bool:
    """Return whether a source has a rest, or was not crawled since the last daily scan before its hours."""
    from tracker.scans.scanning import is_due  # noqa: PLC0415 - lists of sources need no scan

    if health is None:
        return True
    if health.rest:
        return health.paused_until is None or health.paused_until <= now
    if not is_due(source, health, now, scheduled=True):
        return False
    due = last_due(rules.scan_schedule, rules.timezone, now=began)
    return health.last_crawl is None or health.last_crawl < due
