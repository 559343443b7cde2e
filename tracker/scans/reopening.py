"""Stale pages wait again, a thousand at a time, whenever little else does.

A scan is opened without a look at the pages that are stored. It remembers how many parts of them are still to
be looked through (:mod:`storage.collections.stale`), and whoever dispatches pages goes on with it, so that
what waits stays little however much is stored. The scan is not complete before the last part is done.

A page that is in a worker's hands meanwhile may be closed with an older version after its part was looked
through. So whoever comes first notes the leases that there are, and no part is looked through before these
are done or have ended; what is taken later is compared with the scan's version or a newer one.

Pages that belong to another running scan stay in that one, which waits for them. So no scan may end between
the look at the running ones and the writes: both happen in the turn (:mod:`tracker.scans.turns`), here for a
thousand pages, there for the last look at what waits.
"""

from storage.collections.stale import PARTS
from storage.collections.stores import Stores
from storage.records import Scan
from tracker.scans.turns import LEASE_S, free_turn

AT_ONCE = 1_000


def reopen_stale(stores: Stores) -> int:
    """Let the next stale pages of the running scans wait; return how many.

    Nothing happens while another program has the turn; the next dispatch goes on.
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
                reopened += _reopen(scan, stores, token, running=names, count=AT_ONCE - reopened)
        return reopened


def _reopen(scan: Scan, stores: Stores, token: str, *, running: frozenset[str], count: int) -> int:
    """Go through the parts that a scan has left until some pages wait; return how many."""
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
    """Return whether a worker may compare a page with an older version than a scan's."""
    tokens = scan.in_hand
    if tokens is None:
        tokens = tuple(stores.pages.lease_tokens())
        stores.scans.record_stale_leases(scan.id, tokens)
    return bool(tokens) and stores.pages.has_pages_leased_under(tokens)
