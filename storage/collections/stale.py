"""Pages whose comparison is out of date or broke off: found by index, a bounded number at a time.

Theory of operation. What is stale for a version of the corpus is found by keys: compared pages by ``(state,
shard)`` and a range of ``corpus_version``, where history bears :data:`NEVER_STALE`; what broke off by a range
of ``broke_off``, a date that only such pages have. The stored pages fall into :data:`PARTS` parts, a shard
each and one of what broke off, and whoever reopens remembers only which parts are left. Nothing goes back
into a part that was done: what is compared meanwhile bears the version of that moment, and what breaks off
meanwhile a later date.

A page is reopened by one write, on the condition that it is still stale and still of the scan that it was
found in. So two may reopen the same part at once, and one that is killed leaves a part that is looked through
again: nothing is lost and nothing done twice.

Cost: a range of an index a part, and one write for fifty pages. MongoDB stops at the limit; SecantusDB reads
all that a query meets, which is why the parts are shards.
"""

from collections.abc import Collection, Iterator
from datetime import datetime

from storage.collections.checked import CheckedCollection
from storage.collections.documents import Document
from storage.collections.leases import SHARDS, free_lease
from storage.records import utc_now

PARTS = SHARDS + 1
RETRIED = ("internal-error", "gave-up")  # a new scan or a new version of pindna may do better
NEVER_STALE = 2**53  # the corpus version of what is history: a text that comes back is compared when it does


class StalePages:
    """The stale ones of a collection of pages. Every method raises ``ServiceDown`` or ``StorageFailed``."""

    def __init__(self, pages: CheckedCollection) -> None:
        self._pages = pages

    def ensure_schema(self) -> None:
        """Create the indexes; safe to repeat."""
        self._pages.create_index([("state", 1), ("shard", 1), ("corpus_version", 1)])
        self._pages.create_index("broke_off", sparse=True)

    def reopen(
        self,
        shard: int,
        *,
        count: int,
        corpus_version: int,
        before: datetime,
        scan_id: str,
        running: Collection[str] = (),
    ) -> tuple[int, bool]:
        """Send up to ``count`` stale pages of a part back to ``fetched``.

        Args:
            shard: 0 … ``PARTS`` - 1.
            count: how many at most.
            corpus_version: comparisons with an older one are out of date.
            before: what broke off before this moment is tried again.
            scan_id: the scan that shall wait for them …
            running: … unless a page's own scan is one of these and waits for it anyway.

        Returns:
            How many were reopened by this call, and whether none is left in the part.
        """
        query, reopened = self._query(shard, corpus_version=corpus_version, before=before), 0
        rows = list(self._pages.find(query, {"scan_id": 1}, limit=count))
        by_scan: dict[str, list[str]] = {}
        for row in rows:
            by_scan.setdefault(row["scan_id"], []).append(row["_id"])
        for own_scan, ids in by_scan.items():
            taker = own_scan if own_scan in running else scan_id
            reopened += self._reopen(ids, {**query, "scan_id": own_scan}, taker)
        return reopened, reopened == len(rows) < count

    def _reopen(self, ids: list[str], condition: Document, scan_id: str) -> int:
        """Let some pages wait that still meet a condition, and belong to a scan; returns how many did."""
        waiting = {"state": "fetched", "reason": "", "attempts": 0, "lease": free_lease(), "scan_id": scan_id}
        change = {"$set": waiting, "$unset": {"broke_off": ""}}
        return self._pages.update_among(ids, change, condition)

    def is_any(self, *, corpus_version: int) -> bool:
        """Return whether a page is to be compared with a corpus version, or broke off."""
        return any(
            any(True for _ in self._pages.find(query, {"_id": 1}, limit=1))
            for query in self._all_queries(corpus_version)
        )

    def count(self, *, corpus_version: int) -> int:
        """Return how many pages were compared with an older corpus version, or broke off."""
        return sum(self._pages.count(query) for query in self._all_queries(corpus_version))

    def _all_queries(self, corpus_version: int) -> Iterator[Document]:
        now = utc_now()
        return (self._query(shard, corpus_version=corpus_version, before=now) for shard in range(PARTS))

    @staticmethod
    def _query(shard: int, *, corpus_version: int, before: datetime) -> Document:
        """Return the query that meets what is stale in a part."""
        if shard == SHARDS:
            return {"broke_off": {"$lt": before}}
        return {"state": "compared", "shard": shard, "corpus_version": {"$lt": corpus_version}}
