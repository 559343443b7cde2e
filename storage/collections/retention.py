"""How long evidence is kept: what shows a copy without end, the rest until its time is up.

Fetches are read by their date, a day at a time, a thousand at once; what is asked of pages and other
fetches goes by an index. Memory is that of a thousand rows, whatever is stored. The time is linear in the old
fetches, those that are kept for a copy's sake included.

What is deleted is stated in the evidence log first, so that it is told from tampering; a fetch that is not
logged yet stays until the next time. Fetches go before the bodies that nothing else names: whoever is killed
in between leaves the bodies of a thousand fetches at most, which nothing names any more.
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
    """What was deleted.

    Attributes:
        captures: fetches.
        snapshots: bodies with their headers.
        size: bytes of both as documents. The database uses their room again; its files do not become smaller.
    """

    captures: int = 0
    snapshots: int = 0
    size: int = 0

    def __add__(self, other: "PruneResult") -> "PruneResult":
        """Return both together."""
        return PruneResult(
            self.captures + other.captures, self.snapshots + other.snapshots, self.size + other.size
        )


def prune_evidence(stores: Stores, *, before: datetime) -> PruneResult:
    """Delete old fetches of pages without a match, and the snapshots that nothing names any more.

    Args:
        stores: the database.
        before: the moment that divides.
    """
    retention = _Retention(CheckedDatabase(stores.database), stores.evidence_log)
    return sum((retention.prune(chunk) for chunk in retention.older(before)), start=PruneResult())


class _Retention:
    """Deletes fetches, and tells which ones may go."""

    def __init__(self, database: CheckedDatabase, log: EvidenceLogStore) -> None:
        self._log = log
        self._captures = database["captures"]
        self._snapshots = database["snapshots"]
        self._pages = database["pages"]
        self._matches = database["matches"]
        self._removed = database["removed"]

    def older(self, before: datetime) -> Iterator[Sequence[Document]]:
        """Yield the fetches before a moment: address, body and id of some of one day at a time."""
        first = next(self._captures.find({}, {"fetched": 1}, sort=[("fetched", 1)], limit=1), None)
        start = before if first is None else first["fetched"]
        while start < before:
            end = min(start + _DAY, before)
            fields = {"url": 1, "sha256": 1, UNLOGGED: 1}
            day = self._captures.find({"fetched": {"$gte": start, "$lt": end}}, fields)
            yield from batched((row for row in day if UNLOGGED not in row), _CHUNK)
            start = end

    def prune(self, captures: Sequence[Document]) -> PruneResult:
        """Delete those of some fetches that show no copy, and the bodies that only they name."""
        kept_urls = self._kept_urls({row["url"] for row in captures})
        unneeded = [row for row in captures if row["url"] not in kept_urls]
        kept_bodies = self._kept_bodies({row["sha256"] for row in unneeded})
        gone = [row for row in unneeded if row["sha256"] not in kept_bodies]
        ids = [row["_id"] for row in gone]
        if ids:
            self._state(ids)
        deleted, size = _delete(self._captures, ids)
        bodies = {row["sha256"] for row in gone} - {""}
        unnamed = sorted(bodies - self._named(bodies))
        snapshots, freed = _delete(self._snapshots, unnamed)
        return PruneResult(deleted, snapshots, size + freed)

    def _state(self, captures: Sequence[str]) -> None:
        """State in the evidence log that some fetches are deleted."""
        records: tuple[tuple[LoggedKind, str, str], ...] = tuple(("capture", key, "") for key in captures)
        statement = Statement(id=uuid.uuid4().hex, kind="pruned", by=SYSTEM, records=records)
        self._log.add_statement(statement)
        self._log.link_statement("capture", captures, statement=statement.id)

    def _kept_urls(self, urls: Iterable[str]) -> set[str]:
        """Return those of some addresses of which a version shows a copy."""
        return {row["url"] for row in self._evident("url", urls)}

    def _kept_bodies(self, bodies: Iterable[str]) -> set[str]:
        """Return what pages that show a copy were read from, of those that were read from some bodies."""
        return {sha256 for row in self._evident("snapshots", bodies) for sha256 in row["snapshots"]}

    def _evident(self, field: str, values: Iterable[str]) -> Iterator[Document]:
        """Yield the pages that show a copy, or did so of a work that was removed, by values of a field.

        A match that was dismissed is one: whoever dismissed it may change his mind.
        """
        rows = list(self._pages.find_among(field, sorted(values), {field: 1, "verdict": 1}))
        clear = [row["_id"] for row in rows if row["verdict"] not in _EVIDENCE]
        kept = self._of_dismissed_matches(clear) | self._of_removed_works(clear)
        return (row for row in rows if row["verdict"] in _EVIDENCE or row["_id"] in kept)

    def _of_dismissed_matches(self, page_ids: Sequence[str]) -> set[str]:
        """Return those of some pages that would show a copy if nothing of them were dismissed."""
        rows = self._matches.find_among("page_id", page_ids, {"page_id": 1, "verdict": 1})
        return {row["page_id"] for row in rows if row["verdict"] in _EVIDENCE}

    def _of_removed_works(self, page_ids: Sequence[str]) -> set[str]:
        """Return those of some pages that had a match with a work that was removed and may come back."""
        if not self._removed.find_one({"kind": "matches"}, {"_id": 1}):
            return set()
        fields = {"kind": 1, "document.page_id": 1}
        rows = self._removed.find_among("document.page_id", page_ids, fields)
        return {row["document"]["page_id"] for row in rows if row["kind"] == "matches"}

    def _named(self, bodies: Iterable[str]) -> set[str]:
        """Return those of some bodies that a fetch names."""
        return {
            sha256
            for chunk in batched(sorted(bodies), IN_ONE)
            for sha256 in self._captures.distinct("sha256", {"sha256": {"$in": chunk}})
        }


def _delete(collection: CheckedCollection, ids: Sequence[str]) -> tuple[int, int]:
    """Delete documents; returns how many there were and their bytes."""
    deleted = freed = 0
    size = {"$group": {"_id": None, "size": {"$sum": {"$bsonSize": "$$ROOT"}}}}
    for chunk in batched(ids, IN_ONE):
        among = {"_id": {"$in": chunk}}
        freed += sum(int(row["size"]) for row in collection.aggregate({"$match": among}, size))
        deleted += collection.delete_many(among).deleted_count
    return deleted, freed
