"""Collection ``review_leases``: matches that a user has opened for a decision.

A lease is short, and is renewed while the page is open in a browser, so a browser that was closed or crashed
blocks a match only briefly. An account can claim its own lease from another window: leases separate people,
not windows.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta

from storage.collections.checked import CheckedDatabase
from storage.collections.documents import from_document, to_document
from storage.records import ReviewLease

LEASE_S = 30.0


class ReviewLeaseStore:
    """Leases by match. Every method raises ``ServiceDown`` or ``StorageFailed``."""

    def __init__(self, database: CheckedDatabase) -> None:
        self._leases = database["review_leases"].without_journal()
        self._now = database.now

    def ensure_schema(self) -> None:
        """Create the index by which MongoDB deletes expired leases. Idempotent."""
        self._leases.create_index("until", expireAfterSeconds=0)

    def claim(self, match_id: str, *, by: str, window: str, now: datetime | None = None) -> ReviewLease:
        """Claim or renew the lease of a match; returns the present lease, possibly of another account.

        Args:
            match_id: the match.
            by: the account.
            window: the browser window.
            now: the present; None: by the clock of the database.
        """
        at = now or self._now()
        until = at + timedelta(seconds=LEASE_S)
        lease = ReviewLease(id=match_id, by=by, window=window, until=until)
        change = {"$set": {"by": by, "window": window, "until": until}}
        while True:
            for free in ({"by": by}, {"until": {"$lte": at}}):
                if self._leases.update_one({"_id": match_id, **free}, change).matched_count:
                    return lease
            if self._leases.insert_new([to_document(lease)])[0]:
                self._forget_ended(at)
                return lease
            other = self.held([match_id], now=at).get(match_id)
            if other is not None:  # otherwise the lease was released at this moment
                return other

    def held(self, match_ids: Sequence[str], *, now: datetime | None = None) -> dict[str, ReviewLease]:
        """Return the valid leases on these matches."""
        at = now or self._now()
        leases = (from_document(ReviewLease, row) for row in self._leases.find_among("_id", match_ids))
        return {lease.id: lease for lease in leases if lease.until > at}

    def release(self, match_id: str, *, window: str) -> None:
        """Release the lease of one browser window on a match; the lease of another window stays."""
        self._leases.delete_one({"_id": match_id, "window": window})

    def _forget_ended(self, now: datetime) -> None:
        """Delete expired leases, for servers that do not delete expired documents."""
        self._leases.delete_many({"until": {"$lt": now}})
