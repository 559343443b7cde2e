"""Reopening of stale pages, a thousand at a time, when little other work waits.

Opening a scan does not read the stored pages. The scan stores how many partitions are still to be searched
(:mod:`storage.collections.stale`), and dispatching continues with them, so few pages wait at a time. The scan
is complete only after the last partition.

A worker may close a page with an older version after its partition was searched. So the first dispatch
records the present leases, and no partition is searched before these have ended. Pages claimed later are
compared with the scan's version or a newer one.

Pages claimed by another running scan stay with that scan, and that scan waits for them. So no scan may end
between reading the running scans and the writes: both happen under the turn (:mod:`tracker.scans.turns`),
here for a thousand pages, there for the last check of waiting pages.
"""

from storage.collections.stale import PARTS
from storage.collections.stores import Stores
from storage.records import Scan
from tracker.scans.turns import LEASE_S, free_turn

AT_ONCE = 1_000


def reopen_stale(stores: Stores) -> int:
    """Let the next stale pages of the running scans wait; return their number.

    Nothing happens while another program has the turn; the next dispatch continues.
    """
    if not any(scan.stale_parts for scan in stores.scans.running()):
        return 0
    with free_turn(stores) as token:
        if token is None:
            return 0
        running = stores.scans.running()
        names, reopened = frozenset(scan.id for scan in running), 0
        for scan in sorted(running, key=lambda scan: scan.started):
            if scan.stale_parts and reopened < AT_ONCE:
                reopened += _reopen_stale(scan, stores, token, running=names, count=AT_ONCE - reopened)
        return reopened


def _reopen_stale(scan: Scan, stores: Stores, token: str, *, running: frozenset[str], count: int) -> int:
    """Search the remaining partitions of a scan until some pages wait; return their number."""
    remaining, reopened = scan.stale_parts, 0
    if remaining == PARTS and _is_one_in_hand(scan, stores):
        return 0
    while remaining and reopened < count and stores.scans.turns.extend(token, lease_s=LEASE_S):
        number, is_done = stores.pages.stale.reopen(
            remaining - 1,
            count=count - reopened,
            corpus_version=scan.corpus_version,
            before=scan.started,
            scan_id=scan.id,
            running=running,
        )
        reopened += number
        remaining -= is_done
    stores.scans.record_stale_parts(scan.id, remaining)
    return reopened


def _is_one_in_hand(scan: Scan, stores: Stores) -> bool:
    """Return whether a worker may be comparing a page with a version older than a scan's."""
    tokens = scan.in_hand
    if tokens is None:
        tokens = tuple(stores.pages.lease_tokens())
        stores.scans.record_stale_leases(scan.id, tokens)
    return bool(tokens) and stores.pages.has_pages_leased_under(tokens)
