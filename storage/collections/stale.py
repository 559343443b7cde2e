"""Pages whose comparison is outdated or was interrupted, found by an index in limited numbers.

Theory of operation. Indexes find the pages that are stale for a corpus version. Compared pages are found by
``(state, shard)`` and a range of ``corpus_version``; replaced versions have :data:`NEVER_STALE` there.
Interrupted comparisons are found by a range of ``broke_off``, a date that only such pages have. The stored
pages are divided into :data:`PARTS` parts: one for each shard, and one for interrupted comparisons. A scan
that reopens pages stores only which parts remain. No page returns to a finished part: pages that were
compared since then have a newer version, and interrupted comparisons have a later date.

A page is reopened by one write, on the condition that it is still stale and still belongs to the same scan.
So two processes may reopen the same part at once, and the part of a killed process is searched again. No page
is lost or reopened twice.

Each part costs one range of an index, and one write for fifty pages. MongoDB stops reading at the limit.
SecantusDB reads everything that a query matches, so the parts are as small as shards.
"""

from collections.abc import Collection, Iterator, Sequence
from datetime import datetime

from storage.collections.checked import CheckedCollection
from storage.collections.documents import Document
from storage.collections.leases import SHARDS, free_lease
from storage.records import utc_now

PARTS = SHARDS + 1
RETRIED = ("internal-error", "gave-up")  # after these failures a new scan or version may succeed
NEVER_STALE = 2**53  # corpus version of replaced versions: a text is compared again only if it comes back


class StalePages:
    """The stale pages of a collection. Every method raises ``ServiceDown`` or ``StorageFailed``."""

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
        """Reopen up to ``count`` stale pages of a part: set them to ``fetched``.

        Args:
            shard: 0 … ``PARTS`` - 1.
            count: maximum number of pages.
            corpus_version: comparisons with an older version are stale.
            before: comparisons interrupted before this moment are repeated.
            scan_id: the scan that waits for the pages, …
            running: … unless the scan of a page is one of these and waits already.

        Returns:
            The number of reopened pages, and whether the part is finished.
        """
        query, reopened = self._stale_query(shard, corpus_version=corpus_version, before=before), 0
        rows = list(self._pages.find(query, {"scan_id": 1}, limit=count))
        by_scan: dict[str, list[str]] = {}
        for row in rows:
            by_scan.setdefault(row["scan_id"], []).append(row["_id"])
        for own_scan, ids in by_scan.items():
            taker = own_scan if own_scan in running else scan_id
            reopened += self._reopen_pages(ids, {**query, "scan_id": own_scan}, taker)
        return reopened, reopened == len(rows) < count

    def _reopen_pages(self, ids: list[str], condition: Document, scan_id: str) -> int:
        """Reopen pages that still match a condition, for a scan; returns how many."""
        waiting = {"state": "fetched", "reason": "", "attempts": 0, "lease": free_lease(), "scan_id": scan_id}
        change = {"$set": waiting, "$unset": {"broke_off": ""}}
        return self._pages.update_among(ids, change, condition)

    def reopen_older(self, ids: Sequence[str], *, corpus_version: int) -> int:
        """Reopen those of some pages that were compared with an older version; return their number.

        Each page stays with its scan. If that scan is closed, the page is compared without one.
        """
        waiting = {"state": "fetched", "reason": "", "attempts": 0, "lease": free_lease()}
        older = {"state": "compared", "corpus_version": {"$lt": corpus_version}}
        return self._pages.update_among(ids, {"$set": waiting}, older)

    def count_older(self, ids: Sequence[str], *, corpus_version: int) -> int:
        """Return how many of some pages are not compared with a version yet; failed pages do not count."""
        older = {"state": {"$in": ["compared", "fetched"]}, "corpus_version": {"$lt": corpus_version}}
        return sum(1 for _ in self._pages.find_among("_id", ids, {"_id": 1}, older))

    def is_any(self, *, corpus_version: int) -> bool:
        """Return whether any page is stale for a corpus version, or its comparison was interrupted."""
        return any(
            any(True for _ in self._pages.find(query, {"_id": 1}, limit=1))
            for query in self._all_queries(corpus_version)
        )

    def count(self, *, corpus_version: int) -> int:
        """Return how many pages were compared with an older corpus version, or only in part."""
        return sum(self._pages.count(query) for query in self._all_queries(corpus_version))

    def _all_queries(self, corpus_version: int) -> Iterator[Document]:
        now = utc_now()
        return (self._stale_query(shard, corpus_version=corpus_version, before=now) for shard in range(PARTS))

    @staticmethod
    def _stale_query(shard: int, *, corpus_version: int, before: datetime) -> Document:
        """Return the query for the stale pages of a part."""
        if shard == SHARDS:
            return {"broke_off": {"$lt": before}}
        return {"state": "compared", "shard": shard, "corpus_version": {"$lt": corpus_version}}
