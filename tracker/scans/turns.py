"""The turn, a lease for opening and closing scans: running scans share no source.

A program that opens a scan, ends one or gives it pages has the turn, so the running scans that it reads stay
the same until it has written. A program killed while it opens a scan leaves a record of the scan in the turn,
and the next holder opens it first. An abandoned scan is recognized by its leases: none of its records is in
work.
"""

import logging
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from datetime import datetime, timedelta

from storage.collections.stores import Stores
from storage.records import SCHEDULED, Scan, Trigger
from system.errors import PindnaError

log = logging.getLogger(__name__)

LEASE_S = 60.0  # duration of a turn; a killed program keeps it no longer than that
_DAILY = "daily-scan"
_OPENING_S = 600.0  # limit for opening a scheduled scan: the index may have to be rebuilt
_POLL_S = 0.1
_FRESH_S = 120.0  # a scan this young counts as in progress


class StillScanning(PindnaError):
    """A running scan has some of the sources, or compares stored pages.

    Attributes:
        id: its id.
    """

    template = "Scan {id} is running and has these sources. Wait until it is finished, then scan again."

    @property
    def scan_id(self) -> str:
        """The id of the running scan."""
        return str(self.data["id"])


@contextmanager
def turn(stores: Stores) -> Iterator[str]:
    """Hold the turn during the block, as soon as it is free; yields its token."""
    while (token := stores.scans.turns.claim(lease_s=LEASE_S)) is None:
        time.sleep(_POLL_S)
    with _holding_turn(token, stores):
        yield token


@contextmanager
def free_turn(stores: Stores) -> Iterator[str | None]:
    """Hold the turn during the block if it is free; yields its token, or None."""
    token = stores.scans.turns.claim(lease_s=LEASE_S)
    with nullcontext() if token is None else _holding_turn(token, stores):
        yield token


@contextmanager
def _holding_turn(token: str, stores: Stores) -> Iterator[None]:
    """Hold the turn during the block; first opens the scan that a killed program was opening."""
    try:
        if (scan := stores.scans.finish_opening()) is not None:
            log.warning("scan %s opened: the program that was opening it had ended", scan.id)
        yield
    finally:
        stores.scans.turns.end(token)


def finish_opening(stores: Stores) -> None:
    """Open the scan that a killed program was opening, once that program's turn has ended."""
    if stores.scans.turns.saved() is not None:
        with free_turn(stores):
            pass  # the holder of the turn opens it first


@contextmanager
def due_turn(stores: Stores, due: datetime) -> Iterator[bool]:
    """Handle a due time of the daily scan during the block; yields whether no other process does or did.

    It counts as handled if the block ends without an error.
    """
    token, finished = stores.due_times.begin(_DAILY, due, lease_s=_OPENING_S), None
    try:
        yield token is not None
        finished = due
    finally:
        if token is not None:
            stores.due_times.end(_DAILY, token, finished=finished)


def is_missed(stores: Stores, due: datetime, *, now: datetime) -> bool:
    """Return whether a due time of the daily scan was not handled."""
    return stores.due_times.is_missed(_DAILY, due, now=now)


def begin_new_schedule(stores: Stores, *, now: datetime) -> None:
    """Let a changed schedule of the daily scan begin now: its earlier due times were not missed."""
    stores.due_times.skip_until(_DAILY, now)


def refuse_second(stores: Stores, names: Sequence[str], trigger: Trigger) -> None:
    """Refuse a scan if a running one has one of its sources.

    Args:
        stores: the database.
        names: the sources; none: stored pages are compared, which one scan does at a time.
        trigger: a scheduled scan may have a source that a running scan has finished crawling, because the
            running
            scan may take a day for its other sources.

    Raises:
        StillScanning: there is such a scan.
    """
    for scan in sorted(stores.scans.running(), key=lambda scan: scan.started):
        busy = busy_sources(scan, stores) if trigger in SCHEDULED else set(scan.sources)
        if busy & set(names) or not (names or scan.sources):
            raise StillScanning(id=scan.id)


def busy_sources(scan: Scan, stores: Stores) -> set[str]:
    """Return the sources that a running scan crawls or will crawl; all of them once it only compares."""
    due = {crawl.source for crawl in stores.scans.crawls(scan.id) if crawl.state == "due"}
    return due or set(scan.sources)


def is_in_progress(scan: Scan, stores: Stores) -> bool:
    """Return whether a running scan is in work, by a worker or by the program that just opened it."""
    now = stores.clock.now()
    if now - scan.started < timedelta(seconds=_FRESH_S):
        return True
    crawls = stores.scans.crawls(scan.id)
    if stores.scans.in_progress(crawls):
        return True
    return stores.pages.has_pages_in_progress(scan.id)
