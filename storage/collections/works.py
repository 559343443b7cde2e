"""Collection ``works``: the protected texts, and the version of the mother corpus as a whole.

The corpus version is a counter that every change of the corpus raises; a page remembers the version that
it was compared with, so that a page compared before a work was added is known to be stale.
"""

import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any

from pymongo import ReturnDocument, UpdateOne

from storage.collections.checked import CheckedDatabase
from storage.collections.documents import Document, from_document, to_document
from storage.collections.leases import Leases, free_lease, shard_of
from storage.records import SiteLicence, Work

_NEVER_PASSED = 2**53
_WAITING: Mapping[str, Any] = {"status": "stored"}


class WorkStore:
    """Works by id and by key. Every method raises ``ServiceDown`` or ``StorageFailed``."""

    def __init__(self, database: CheckedDatabase) -> None:
        self._works = database["works"]
        self._leases = Leases[int](self._works, _WAITING)
        self._counters = database["counters"]
        self._versions = database["versions"]

    def ensure_schema(self) -> None:
        """Create the indexes; safe to repeat."""
        self._works.create_index("key", unique=True)
        self._works.create_index([("status", 1), ("shard", 1)])
        self._works.create_index([("status", 1), ("lease.until", 1)])

    def new_ids(self, counter: str, count: int) -> range:
        """Hand out ``count`` fresh ids of a named counter; ids start at 1 and are never reused."""
        row = self._counters.find_one_and_update(
            {"_id": counter},
            {"$inc": {"value": count}},
            upsert=True,
            return_document=ReturnDocument.AFTER,
        )
        last = int(row["value"]) if row else count
        return range(last - count + 1, last + 1)

    def corpus_id(self) -> str:
        """Return the identity of this database, made at the first call: an index says whose it is."""
        self._counters.update_one(
            {"_id": "corpus_id"}, {"$setOnInsert": {"value": uuid.uuid4().hex}}, upsert=True
        )
        row = self._counters.find_one({"_id": "corpus_id"})
        return str(row["value"]) if row else ""

    def corpus_version(self) -> int:
        """Return the version of the mother corpus; 0 when nothing was ever loaded."""
        return self.corpus_state()[0]

    def corpus_state(self) -> tuple[int, str]:
        """Return the version of the mother corpus and its mark; 0 and nothing when none was ever loaded."""
        row = self._counters.find_one({"_id": "corpus_version"})
        return (int(row["value"]), str(row.get("mark", ""))) if row else (0, "")

    def note_rules(self, rules: str) -> bool:
        """Note what pages are judged by from now on; True when they were judged by something else before.

        Every page is then to be compared again: the version of the corpus is raised first, so that a process
        that ends in between does it once more.
        """
        row = self._counters.find_one({"_id": "rules"})
        if row is not None and row["value"] == rules:
            return False
        if row is not None:
            self.raise_corpus_version()
        self._counters.replace_one({"_id": "rules"}, {"value": rules}, upsert=True)
        return row is not None

    def raise_corpus_version(self, *, added: bool = False) -> tuple[int, str]:
        """Note that the corpus changed; return the new version and its mark, which no other ever has.

        A database that was restored from a backup comes to the same versions again, with other marks.

        Args:
            added: only works were added or changed, which are marked with their version themselves; pages
                that hold nothing of them stay as they are. Anything else concerns every page.
        """
        mark = uuid.uuid4().hex
        row = self._counters.find_one_and_update(
            {"_id": "corpus_version"},
            {"$inc": {"value": 1}, "$set": {"mark": mark}},
            upsert=True,
            return_document=ReturnDocument.AFTER,
        )
        version = int(row["value"]) if row else 1
        self._versions.replace_one({"_id": version}, {"mark": mark}, upsert=True)
        if not added:
            self._counters.update_one({"_id": "whole_version"}, {"$max": {"value": version}}, upsert=True)
        return version, mark

    def knows_version(self, version: int, mark: str) -> bool:
        """Return whether the mother corpus once had this version and mark."""
        now, its_mark = self.corpus_state()
        if version >= now:
            return (version, mark) in ((0, ""), (now, its_mark))
        row = self._versions.find_one({"_id": version})
        return (version, mark) == (0, "") or (row is not None and row["mark"] == mark)

    def whole_version(self) -> int:
        """Return the last version that concerned every page: one compared earlier is compared as a whole."""
        row = self._counters.find_one({"_id": "whole_version"})
        return int(row["value"]) if row else 0

    def by_key(self, key: str) -> Work | None:
        """Return the work with this natural key."""
        row = self._works.find_one({"key": key})
        return None if row is None else from_document(Work, row)

    def by_keys(self, keys: Sequence[str]) -> dict[str, Work]:
        """Return the works that have one of these natural keys."""
        rows = list(self._works.find_among("key", keys))
        return {row["key"]: from_document(Work, row) for row in rows}

    def sizes(self, ids: Sequence[int]) -> dict[int, int]:
        """Return the characters of the works that exist among ``ids``."""
        rows = self._works.find_among("_id", ids, {"characters": 1})
        return {row["_id"]: int(row["characters"]) for row in rows}

    def get_many(self, ids: Iterable[int]) -> dict[int, Work]:
        """Return the works that exist among ``ids``."""
        rows = list(self._works.find_among("_id", [int(each) for each in ids]))
        return {row["_id"]: from_document(Work, row) for row in rows}

    def all(self) -> list[Work]:
        """Return every work, by id. A mother corpus has thousands of works, so they fit in memory."""
        rows = list(self._works.find({}))
        return sorted((from_document(Work, row) for row in rows), key=lambda work: work.id)

    def save(self, work: Work) -> None:
        """Insert or replace a work."""
        self.save_many([work])

    def save_many(self, works: Iterable[Work]) -> None:
        """Insert or replace works."""
        documents = [{**to_document(work), "shard": shard_of(work.id)} for work in works]
        self._works.insert_or_replace(documents)

    def describe(self, work: Work) -> None:
        """Update what is said of a work, unless its text changed meanwhile."""
        names = (
            "title",
            "origin",
            "author",
            "url",
            "published",
            "holder",
            "licensed_sites",
            "licences",
            "status",
            "attempts",
        )
        document = to_document(work)
        self._works.update_one(
            {"_id": work.id, "sha256": work.sha256},
            {"$set": {name: document[name] for name in names}},
        )

    def set_licences(self, work_id: int, *, sites: Iterable[str], licences: Iterable[SiteLicence]) -> None:
        """Replace the licences of a work, whatever else happens to it meanwhile."""
        fields = {"licensed_sites": list(sites), "licences": [asdict(each) for each in licences]}
        self._works.update_one({"_id": work_id}, {"$set": fields})
        self.note_change(work_id)

    def note_change(self, work_id: int) -> None:
        """Let the pages that hold something of a work be compared again.

        The work bears a version without end while the corpus version rises: what is compared in between is
        compared again, whatever is killed.
        """
        self._works.update_one({"_id": work_id}, {"$set": {"indexed_version": _NEVER_PASSED}})
        version, _ = self.raise_corpus_version(added=True)
        self._works.update_one(
            {"_id": work_id, "indexed_version": _NEVER_PASSED}, {"$set": {"indexed_version": version}}
        )

    def delete(self, work_id: int) -> None:
        """Forget a work; its passages are the caller's business."""
        self._works.delete_one({"_id": work_id})

    def reserve_stored(self, *, count: int, lease_s: float) -> tuple[str, list[int]]:
        """Reserve up to ``count`` works that wait to be indexed; returns the token and their ids.

        A work that kills its workers is set aside.
        """
        given_up = {"status": "failed", "lease": free_lease()}
        return self._leases.reserve(count=count, lease_s=lease_s, given_up=given_up)

    def take_many(self, ids: Sequence[int], *, token: str, lease_s: float) -> tuple[str, list[Work]]:
        """Begin indexing reserved works; returns the token to go on with, and those that were got."""
        own, taken = self._leases.take_many(ids, token=token, lease_s=lease_s)
        return own, list(self.get_many(taken).values())

    def extend_many(self, ids: Sequence[int], *, token: str, lease_s: float) -> bool:
        """Keep works that are being indexed; False when the lease of one was lost."""
        return self._leases.extend(ids, token=token, lease_s=lease_s)

    def mark_indexed_many(self, works: Iterable[tuple[Work, int]], *, at: datetime) -> int:
        """Note that every passage of these versions is in the index; returns of how many works.

        Not journalled: a crashed server that lost it has the works indexed again, of which all is there.
        """
        version = self.corpus_version()
        updates = [
            UpdateOne(_same(work), {"$set": _indexed(postings, at, version)}) for work, postings in works
        ]
        if not updates:
            return 0
        return self._works.unjournalled().bulk_write(updates, ordered=False).matched_count

    def mark_failed(self, work_id: int, *, token: str | None = None) -> None:
        """Set a work aside that could not be indexed; adding it again tries anew.

        With a token only while that lease is still held: a work that changed meanwhile waits on.
        """
        own = {"_id": work_id} if token is None else {"_id": work_id, "lease.token": token}
        self._works.update_one(own, {"$set": {"status": "failed", "lease": free_lease()}})

    def count(self, status: str) -> int:
        """Return the number of works in a status."""
        return sum(1 for _ in self._works.find({"status": status}, {"_id": 1}))


def _same(work: Work) -> Document:
    """Return the condition that a work is the one that was read."""
    return {"_id": work.id, "sha256": work.sha256, "passage_ids": list(work.passage_ids)}


def _indexed(postings: int, at: datetime, version: int) -> Document:
    """Return what changes when a work is wholly in the index."""
    return {
        "status": "indexed",
        "postings": postings,
        "updated": at,
        "attempts": 0,
        "lease": free_lease(),
        "indexed_version": version,
    }
