"""Collections ``scans`` and ``crawls``: one row a run, and one row for each source within it."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from storage.collections.checked import CheckedDatabase
from storage.collections.documents import from_document, to_document
from storage.collections.leases import Leases
from storage.errors import UnknownRecord, one_line
from storage.records import Crawl, CrawlEnd, CrawlState, Scan, utc_now

_GAVE_UP = "the crawl never came to an end; the worker's log says why"
_DUE: Mapping[str, Any] = {"state": "due"}


def crawl_id(scan_id: str, source: str, number: int = 1) -> str:
    """Return the id of a source's n-th crawl process within a scan."""
    return f"{scan_id}:{source}" if number == 1 else f"{scan_id}:{source}#{number}"


class ScanStore:
    """Scans and their crawls. Every method raises ``ServiceDown`` or ``StorageFailed``."""

    def __init__(self, database: CheckedDatabase) -> None:
        self._scans = database["scans"]
        self._crawls = database["crawls"]
        self._leases = Leases[str](self._crawls, _DUE, sharded=False)

    def ensure_schema(self) -> None:
        """Create the indexes; safe to repeat."""
        self._scans.create_index("status")
        self._crawls.create_index("scan_id")
        self._crawls.create_index([("state", 1), ("lease.until", 1)])

    def open(self, scan: Scan, *, processes: Mapping[str, int] | None = None) -> None:
        """Store a new scan with the crawls of its sources; the scan row comes last.

        Args:
            scan: to store.
            processes: source → crawl processes that share its frontier, where it is more than one.
        """
        crawls = [
            to_document(Crawl(id=crawl_id(scan.id, name, number), scan_id=scan.id, source=name))
            for name in scan.sources
            for number in range(1, (processes or {}).get(name, 1) + 1)
        ]
        if crawls:
            self._crawls.insert_many(crawls)
        self._scans.insert_one(to_document(scan))

    def get(self, scan_id: str) -> Scan:
        """Return a scan.

        Raises:
            UnknownRecord: there is none of that id.
        """
        row = self._scans.find_one({"_id": scan_id})
        if row is None:
            raise UnknownRecord(kind="scan", name=scan_id)
        return from_document(Scan, row)

    def all(self) -> list[Scan]:
        """Return every scan, the newest first."""
        rows = list(self._scans.find({}))
        return sorted((from_document(Scan, row) for row in rows), key=lambda s: s.started, reverse=True)

    def running(self) -> list[Scan]:
        """Return the scans that are not finished."""
        return [from_document(Scan, row) for row in self._scans.find({"status": "running"})]

    def finish(self, scan: Scan) -> bool:
        """Store the end of a scan once; False when it was closed before."""
        document = to_document(scan)
        result = self._scans.replace_one({"_id": scan.id, "status": "running"}, document)
        return result.modified_count == 1

    def crawls(self, scan_id: str) -> list[Crawl]:
        """Return a scan's crawls by source."""
        rows = list(self._crawls.find({"scan_id": scan_id}))
        return sorted((from_document(Crawl, row) for row in rows), key=lambda crawl: crawl.source)

    def reserve_due(self, *, count: int, lease_s: float) -> tuple[str, list[str]]:
        """Reserve up to ``count`` crawls that wait; returns the token and their ids.

        A crawl that kills its workers is set aside.
        """
        given_up = {"state": "failed", "error": _GAVE_UP, "finished": utc_now()}
        return self._leases.reserve(count=count, lease_s=lease_s, given_up=given_up)

    def take_crawl(self, crawl_id: str, *, token: str, lease_s: float) -> Crawl | None:
        """Begin a reserved crawl; None when the reservation is gone."""
        if not self._leases.take(crawl_id, token=token, lease_s=lease_s):
            return None
        self._crawls.update_one({"_id": crawl_id}, {"$set": {"started": utc_now()}})
        row = self._crawls.find_one({"_id": crawl_id})
        return None if row is None else from_document(Crawl, row)

    def extend_crawl(self, crawl_id: str, *, token: str, lease_s: float) -> bool:
        """Keep a running crawl; False when the lease was lost."""
        return self._leases.extend([crawl_id], token=token, lease_s=lease_s)

    def close_crawl(self, crawl_id: str, *, token: str, state: CrawlState, error: str = "") -> None:
        """Store the end of a crawl, if the lease is still ours; the error is cut to one line."""
        end = {"state": state, "error": one_line(error), "finished": utc_now()}
        self._leases.finish(crawl_id, end, token=token)

    def counts_of(self, crawl_id: str) -> dict[str, int]:
        """Return what a crawl counted so far; one that was killed goes on from there."""
        row = self._crawls.find_one({"_id": crawl_id}, {"counts": 1})
        return dict(row["counts"]) if row else {}

    def note_progress(
        self, crawl_id: str, *, counts: Mapping[str, int], addresses: Mapping[str, int], end: CrawlEnd = ""
    ) -> None:
        """Store what the crawler did so far, and that it is alive; the crawler itself calls this."""
        progress = {"counts": dict(counts), "addresses": dict(addresses), "end": end, "heartbeat": utc_now()}
        self._crawls.update_one({"_id": crawl_id}, {"$set": progress})

    def heartbeats(self, crawl_ids: Sequence[str]) -> dict[str, datetime]:
        """Return when the processes of some crawls last said that they are alive, where they did."""
        rows = list(self._crawls.find_among("_id", list(crawl_ids), {"heartbeat": 1}))
        return {row["_id"]: row["heartbeat"] for row in rows if row.get("heartbeat")}
