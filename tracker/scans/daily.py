"""The daily scan: opened once for each due time, even if several workers try or one is killed.

Its id is derived from its due time. A worker killed during opening leaves a record, from which the next one
opens the same scan (:mod:`storage.collections.scan_turns`). The lease on the due time only saves the others
the work.
"""

from datetime import UTC, datetime, timedelta

from storage.collections.stores import Stores
from storage.records import Scan
from storage.settings import TrackerSettings
from tracker.indexing.guard import IndexGuard
from tracker.scans.calendar import last_due
from tracker.scans.scanning import close_complete, sources_of_day, start_scan
from tracker.scans.turns import StillScanning

_MOMENT = timedelta(minutes=1)


def open_daily(stores: Stores, guard: IndexGuard, rules: TrackerSettings, *, due: datetime | None) -> Scan:
    """Open the daily scan, or return it if it is open; choose sources again if another scan takes them.

    Args:
        stores: the database.
        guard: of the index.
        rules: the schedule.
        due: the due time of the scan; None: unknown, so the scan is a new one.

    Raises:
        NoSources: no source is enabled.
        AllPaused: there is no source to crawl.
        NothingToCompareWith: no work is indexed.
        StillScanning: only stored pages are to be compared, and another scan does this.
    """
    scan_id = _id_of(due) if due else ""
    last = last_due(rules.scan_schedule, rules.timezone, now=stores.clock.now())
    before = last_due(rules.scan_schedule, rules.timezone, now=last - _MOMENT)
    while True:
        close_complete(stores)
        if (opened := stores.scans.find(scan_id)) is not None:
            return opened
        sources, closed = sources_of_day(stores, since=before)
        try:
            return start_scan(
                stores, guard, rules, sources=sources, trigger="schedule", closed=closed, scan_id=scan_id
            )
        except StillScanning:
            if not sources:  # without sources, another choice is not possible
                raise


def _id_of(due: datetime) -> str:
    return f"{due.astimezone(UTC):%Y%m%dT%H%M%SZ}-daily"
