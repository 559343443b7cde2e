"""Scans at the same time: one opens at a time, and no source belongs to two that run.

Whoever opens a scan, ends one or gives it pages has a turn, a lease in the database, so that what it sees of
running scans holds until it has written. Who is killed while it opens a scan leaves a note of it in the turn;
who has the turn next opens it first. A scan that was killed is told from one that goes on by its leases:
none of it is in hand.
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

LEASE_S = 60.0  # of a turn; a killed program has it no longer than that
_DAILY = "daily-scan"
_OPENING_S = 600.0  # that opening a scheduled scan takes at most: the index may be built anew
_POLL_S = 0.1
_FRESH_S = 120.0  # a scan that began so lately goes on, whoever has it in hand


class StillScanning(PindnaError):
    """A running scan has some of the sources, or compares what is stored. Data: ``id``."""

    template = "Scan {id} is running and has these sources; they are scanned again when it is finished."

    @property
    def scan_id(self) -> str:
        """The id of the scan that runs."""
        return str(self.data["id"])


@contextmanager
def turn(stores: Stores) -> Iterator[str]:
    """Have the turn while the block runs, as soon as it is free; gives its token."""
    while (token := stores.scans.turns.claim(lease_s=LEASE_S)) is None:
        time.sleep(_POLL_S)
    with _holding_turn(token, stores):
        yield token


@contextmanager
def free_turn(stores: Stores) -> Iterator[str | None]:
    """Have the turn while the block runs if nobody else has it; gives its token, or None."""
    token = stores.scans.turns.claim(lease_s=LEASE_S)
    with nullcontext() if token is None else _holding_turn(token, stores):
        yield token


@contextmanager
def _holding_turn(token: str, stores: Stores) -> Iterator[None]:
    """Have the turn while the block runs; a scan that a killed program was about to open is opened first."""
    try:
        if (scan := stores.scans.finish_opening()) is not None:
            log.warning("scan %s is opened now: who was about to open it came to an end", scan.id)
        yield
    finally:
        stores.scans.turns.end(token)


def finish_opening(stores: Stores) -> None:
    """Open the scan that a killed program was about to open, once that one's turn is over."""
    if stores.scans.turns.saved() is not None:
        with free_turn(stores):
            pass  # whoever has the turn does it first


@contextmanager
def due_turn(stores: Stores, due: datetime) -> Iterator[bool]:
    """Attend to a due time of the daily scan while the block runs; tells whether nobody did or does.

    It counts as attended to when the block ends without an error.
    """
    token, finished = stores.due_times.begin(_DAILY, due, lease_s=_OPENING_S), None
    try:
        yield token is not None
        finished = due
    finally:
        if token is not None:
            stores.due_times.end(_DAILY, token, finished=finished)


def is_missed(stores: Stores, due: datetime, *, now: datetime) -> bool:
    """Return whether nobody attended to a due time of the daily scan."""
    return stores.due_times.is_missed(_DAILY, due, now=now)


def refuse_second(stores: Stores, names: Sequence[str], trigger: Trigger) -> None:
    """Refuse a scan of which a running one has a source already.

    Args:
        stores: the database.
        names: the sources; none: what is stored is compared, which one scan does at a time.
        trigger: a schedule leaves a running scan's sources alone only until they are crawled, for another one
            of its sources may take a day.

    Raises:
        StillScanning: there is such a scan.
    """
    for scan in sorted(stores.scans.running(), key=lambda scan: scan.started):
        busy = busy_sources(scan, stores) if trigger in SCHEDULED else set(scan.sources)
        if busy & set(names) or not (names or scan.sources):
            raise StillScanning(id=scan.id)


def busy_sources(scan: Scan, stores: Stores) -> set[str]:
    """Return the sources that a running scan crawls, or is about to; all of them once it only compares."""
    due = {crawl.source for crawl in stores.scans.crawls(scan.id) if crawl.state == "due"}
    return due or set(scan.sources)


def is_in_progress(scan: Scan, stores: Stores) -> bool:
    """Return whether somebody has a running scan in hand: a worker, or a program that just opened it."""
    now = stores.clock.now()
    if now - scan.started < timedelta(seconds=_FRESH_S):
        return True
    crawls = stores.scans.crawls(scan.id)
    if stores.scans.in_progress(crawls):
        return True
    return stores.pages.has_pages_in_progress(scan.id)
