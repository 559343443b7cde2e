"""Retention of evidence: captures of copies are kept permanently, other captures expire.

Fetches are read by their date, a day and a thousand at a time; pages and other fetches are found by an index.
At most a thousand rows are in memory. The time is linear in the number of old fetches, including fetches that
are kept because they show a copy.

Each deletion is stated in the evidence log first, to distinguish it from tampering. A fetch that is not
logged yet stays until the next run. Fetches are deleted first, then the bodies that only these fetches
referenced. A crash in between leaves the unreferenced bodies of at most a thousand deleted fetches.
"""

import uuid
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from storage.collections.checked import IN_ONE, CheckedCollection, CheckedDatabase
from storage.collections.documents import Document
from storage.collections.evidence_log import UNLOGGED, EvidenceLogStore
from storage.collections.stores import Stores
from storage.records import SYSTEM, VERDICTS, meaning_of
from storage.records.evidence_log import LoggedKind, Statement
from system.batches import batched

_EVIDENCE = frozenset(verdict for verdict in VERDICTS if meaning_of(verdict).is_evidence)
_CHUNK = 1_000
_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class PruneResult:
    """The numbers of deleted fetches and bodies.

    Attributes:
        captures: deleted fetches.
        snapshots: deleted bodies with their headers.
        size: bytes of both as documents. The database reuses the space; its files do not shrink.
    """

    captures: int = 0
    snapshots: int = 0
    size: int = 0

    def __add__(self, other: "PruneResult") -> "PruneResult":
        """Return the sum of two results."""
        return PruneResult(
            self.captures + other.captures, self.snapshots + other.snapshots, self.size + other.size
        )


def prune_evidence(stores: Stores, *, before: datetime) -> PruneResult:
    """Delete old fetches of pages without a match, and unreferenced snapshots.

    Args:
        stores: the database.
        before: fetches before this moment are old.
    """
    retention = _Retention(CheckedDatabase(stores.database), stores.evidence_log)
    return sum((retention.prune(chunk) for chunk in retention.older(before)), start=PruneResult())


class _Retention:
    """Deletes fetches, and decides which ones may be deleted."""

    def __init__(self, database: CheckedDatabase, log: EvidenceLogStore) -> None:
        self._log = log
        self._captures = database["captures"]
        self._snapshots = database["snapshots"]
        self._pages = database["pages"]
        self._matches = database["matches"]
        self._removed = database["removed"]

    def older(self, before: datetime) -> Iterator[Sequence[Document]]:
        """Yield the fetches before a moment, with address, body and id, one day at a time."""
        first = next(self._captures.find({}, {"fetched": 1}, sort=[("fetched", 1)], limit=1), None)
        start = before if first is None else first["fetched"]
        while start < before:
            end = min(start + _DAY, before)
            fields = {"url": 1, "sha256": 1, UNLOGGED: 1}
            day = self._captures.find({"fetched": {"$gte": start, "$lt": end}}, fields)
            yield from batched((row for row in day if UNLOGGED not in row), _CHUNK)
            start = end

    def prune(self, captures: Sequence[Document]) -> PruneResult:
        """Delete the fetches that show no copy, and the bodies that only they reference."""
        kept_urls = self._kept_urls({row["url"] for row in captures})
        unneeded = [row for row in captures if row["url"] not in kept_urls]
        kept_bodies = self._kept_bodies({row["sha256"] for row in unneeded})
        gone = [row for row in unneeded if row["sha256"] not in kept_bodies]
        ids = [row["_id"] for row in gone]
        if ids:
            self._log_deletion(ids)
        deleted, size = _delete_counted(self._captures, ids)
        bodies = {row["sha256"] for row in gone} - {""}
        unnamed = sorted(bodies - self._referenced_bodies(bodies))
        snapshots, freed = _delete_counted(self._snapshots, unnamed)
        return PruneResult(deleted, snapshots, size + freed)

    def _log_deletion(self, captures: Sequence[str]) -> None:
        """State in the evidence log that fetches are deleted."""
        records: tuple[tuple[LoggedKind, str, str], ...] = tuple(("capture", key, "") for key in captures)
        statement = Statement(id=uuid.uuid4().hex, kind="pruned", by=SYSTEM, records=records)
        self._log.add_statement(statement)
        self._log.link_statement("capture", captures, statement=statement.id)

    def _kept_urls(self, urls: Iterable[str]) -> set[str]:
        """Return those of the addresses that have a version which shows a copy."""
        return {row["url"] for row in self._pages_with_copies("url", urls)}

    def _kept_bodies(self, bodies: Iterable[str]) -> set[str]:
        """Return those of the bodies from which a page with a copy was read."""
        return {sha256 for row in self._pages_with_copies("snapshots", bodies) for sha256 in row["snapshots"]}

    def _pages_with_copies(self, field: str, values: Iterable[str]) -> Iterator[Document]:
        """Yield the pages with given values of a field that show a copy, including copies of removed works.

        A dismissed match counts, because the dismissal can be undone.
        """
        rows = list(self._pages.find_among(field, sorted(values), {field: 1, "verdict": 1}))
        clear = [row["_id"] for row in rows if row["verdict"] not in _EVIDENCE]
        kept = self._with_dismissed_matches(clear) | self._with_matches_of_removed_works(clear)
        return (row for row in rows if row["verdict"] in _EVIDENCE or row["_id"] in kept)

    def _with_dismissed_matches(self, page_ids: Sequence[str]) -> set[str]:
        """Return those of the pages that have a dismissed match."""
        rows = self._matches.find_among("page_id", page_ids, {"page_id": 1, "verdict": 1})
        return {row["page_id"] for row in rows if row["verdict"] in _EVIDENCE}

    def _with_matches_of_removed_works(self, page_ids: Sequence[str]) -> set[str]:
        """Return those of the pages that have a match of a removed work that can still be restored."""
        if not self._removed.find_one({"kind": "matches"}, {"_id": 1}):
            return set()
        fields = {"kind": 1, "document.page_id": 1}
        rows = self._removed.find_among("document.page_id", page_ids, fields)
        return {row["document"]["page_id"] for row in rows if row["kind"] == "matches"}

    def _referenced_bodies(self, bodies: Iterable[str]) -> set[str]:
        """Return those of the bodies that any fetch still references."""
        return {
            sha256
            for chunk in batched(sorted(bodies), IN_ONE)
            for sha256 in self._captures.distinct("sha256", {"sha256": {"$in": chunk}})
        }


def _delete_counted(collection: CheckedCollection, ids: Sequence[str]) -> tuple[int, int]:
    """Delete documents; returns the number of deleted documents and of their bytes."""
    deleted = freed = 0
    size = {"$group": {"_id": None, "size": {"$sum": {"$bsonSize": "$$ROOT"}}}}
    for chunk in batched(ids, IN_ONE):
        among = {"_id": {"$in": chunk}}
        freed += sum(int(row["size"]) for row in collection.aggregate({"$match": among}, size))
        deleted += collection.delete_many(among).deleted_count
    return deleted, freed
