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
from pymongo.collection import Collection
from pymongo.database import Database

from storage.collections import leases
from storage.collections.documents import (
    Document,
    find_among,
    from_document,
    insert_or_replace,
    mongo_errors,
    to_document,
    unjournalled,
)
from storage.records import SiteLicence, Work, utc_now

_NEVER_PASSED = 2**53
_WAITING: Mapping[str, Any] = {"status": "stored"}


class WorkStore:
    """Works by id and by key. Every method raises ``ServiceDown`` or ``StorageFailed``."""

    def __init__(self, database: Database[Document]) -> None:
        self._database = database
        self._works: Collection[Document] = database["works"]
        self._counters: Collection[Document] = database["counters"]
        self._versions: Collection[Document] = database["versions"]

    def ensure_schema(self) -> None:
        """Create the indexes; safe to repeat."""
        with mongo_errors(self._database):
            self._works.create_index("key", unique=True)
            self._works.create_index([("status", 1), ("shard", 1)])
            self._works.create_index([("status", 1), ("lease.until", 1)])

    def new_ids(self, counter: str, count: int) -> range:
        """Hand out ``count`` fresh ids of a named counter; ids start at 1 and are never reused."""
        with mongo_errors(self._database):
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
        with mongo_errors(self._database):
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
        with mongo_errors(self._database):
            row = self._counters.find_one({"_id": "corpus_version"})
        return (int(row["value"]), str(row.get("mark", ""))) if row else (0, "")

    def note_rules(self, rules: str) -> bool:
        """Note what pages are judged by from now on; True when they were judged by something else before.

        Every page is then to be compared again: the version of the corpus is raised first, so that a process
        that ends in between does it once more.
        """
        with mongo_errors(self._database):
            row = self._counters.find_one({"_id": "rules"})
        if row is not None and row["value"] == rules:
            return False
        if row is not None:
            self.raise_corpus_version()
        with mongo_errors(self._database):
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
        with mongo_errors(self._database):
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
        with mongo_errors(self._database):
            row = self._versions.find_one({"_id": version})
        return (version, mark) == (0, "") or (row is not None and row["mark"] == mark)

    def whole_version(self) -> int:
        """Return the last version that concerned every page: one compared earlier is compared as a whole."""
        with mongo_errors(self._database):
            row = self._counters.find_one({"_id": "whole_version"})
        return int(row["value"]) if row else 0

    def by_key(self, key: str) -> Work | None:
        """Return the work with this natural key."""
        with mongo_errors(self._database):
            row = self._works.find_one({"key": key})
        return None if row is None else from_document(Work, row)

    def by_keys(self, keys: Sequence[str]) -> dict[str, Work]:
        """Return the works that have one of these natural keys."""
        with mongo_errors(self._database):
            rows = list(find_among(self._works, "key", keys))
        return {row["key"]: from_document(Work, row) for row in rows}

    def sizes(self, ids: Sequence[int]) -> dict[int, int]:
        """Return the characters of the works that exist among ``ids``."""
        with mongo_errors(self._database):
            rows = find_among(self._works, "_id", ids, {"characters": 1})
            return {row["_id"]: int(row["characters"]) for row in rows}

    def get_many(self, ids: Iterable[int]) -> dict[int, Work]:
        """Return the works that exist among ``ids``."""
        with mongo_errors(self._database):
            rows = list(find_among(self._works, "_id", [int(each) for each in ids]))
        return {row["_id"]: from_document(Work, row) for row in rows}

    def all(self) -> list[Work]:
        """Return every work, by id. A mother corpus has thousands of works, so they fit in memory."""
        with mongo_errors(self._database):
            rows = list(self._works.find({}))
        return sorted((from_document(Work, row) for row in rows), key=lambda work: work.id)

    def save(self, work: Work) -> None:
        """Insert or replace a work."""
        self.save_many([work])

    def save_many(self, works: Iterable[Work]) -> None:
        """Insert or replace works."""
        documents = [{**to_document(work), "shard": leases.shard_of(work.id)} for work in works]
        with mongo_errors(self._database):
            insert_or_replace(self._works, documents)

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
        with mongo_errors(self._database):
            self._works.update_one(
                {"_id": work.id, "sha256": work.sha256},
                {"$set": {name: document[name] for name in names}},
            )

    def set_licences(self, work_id: int, *, sites: Iterable[str], licences: Iterable[SiteLicence]) -> None:
        """Replace the licences of a work, whatever else happens to it meanwhile."""
        fields = {"licensed_sites": list(sites), "licences": [asdict(each) for each in licences]}
        with mongo_errors(self._database):
            self._works.update_one({"_id": work_id}, {"$set": fields})
        self.note_change(work_id)

    def note_change(self, work_id: int) -> None:
        """Let the pages that hold something of a work be compared again.

        The work bears a version without end while the corpus version rises: what is compared in between is
        compared again, whatever is killed.
        """
        with mongo_errors(self._database):
            self._works.update_one({"_id": work_id}, {"$set": {"indexed_version": _NEVER_PASSED}})
            version, _ = self.raise_corpus_version(added=True)
            self._works.update_one(
                {"_id": work_id, "indexed_version": _NEVER_PASSED}, {"$set": {"indexed_version": version}}
            )

    def delete(self, work_id: int) -> None:
        """Forget a work; its passages are the caller's business."""
        with mongo_errors(self._database):
            self._works.delete_one({"_id": work_id})

    def reserve_stored(self, *, count: int, lease_s: float) -> tuple[str, list[int]]:
        """Reserve up to ``count`` works that wait to be indexed; returns the token and their ids."""
        with mongo_errors(self._database):
            reserved = leases.reserve(self._works, _WAITING, count=count, now=utc_now(), lease_s=lease_s)
        for each in reserved.exhausted:
            self._give_up(each)
        return reserved.token, reserved.ids

    def _give_up(self, work_id: int) -> None:
        """Set a work aside that kills its workers, unless somebody has begun it once more meanwhile."""
        ended = {"_id": work_id, **_WAITING, "lease.until": {"$lte": utc_now()}}
        ended["attempts"] = {"$gte": leases.MAX_ATTEMPTS}
        with mongo_errors(self._database):
            self._works.update_one(ended, {"$set": {"status": "failed", "lease": leases.freed()}})

    def take(self, work_id: int, *, token: str, lease_s: float) -> bool:
        """Begin indexing a reserved work."""
        with mongo_errors(self._database):
            return leases.take(self._works, work_id, _WAITING, token=token, now=utc_now(), lease_s=lease_s)

    def take_many(self, ids: Sequence[int], *, token: str, lease_s: float) -> tuple[str, list[Work]]:
        """Begin indexing reserved works; returns the token to go on with, and those that were got."""
        with mongo_errors(self._database):
            own, taken = leases.take_many(
                self._works, ids, _WAITING, token=token, now=utc_now(), lease_s=lease_s
            )
        return own, list(self.get_many(taken).values())

    def extend_many(self, ids: Sequence[int], *, token: str, lease_s: float) -> bool:
        """Keep works that are being indexed; False when the lease of one was lost."""
        with mongo_errors(self._database):
            return leases.extend_many(self._works, ids, token=token, now=utc_now(), lease_s=lease_s)

    def extend(self, work_id: int, *, token: str, lease_s: float) -> bool:
        """Keep a work that is being indexed; False when the lease was lost."""
        with mongo_errors(self._database):
            return leases.extend(self._works, work_id, token=token, now=utc_now(), lease_s=lease_s)

    def mark_indexed(self, work: Work, *, postings: int, at: datetime) -> bool:
        """Note that every passage of this version of the work is in the index; False if it changed since."""
        return self.mark_indexed_many([(work, postings)], at=at) == 1

    def mark_indexed_many(self, works: Iterable[tuple[Work, int]], *, at: datetime) -> int:
        """Note of some works and their postings what :meth:`mark_indexed` does; returns of how many.

        Not journalled: a crashed server that lost it has the works indexed again, of which all is there.
        """
        version = self.corpus_version()
        updates = [
            UpdateOne(_same(work), {"$set": _indexed(postings, at, version)}) for work, postings in works
        ]
        if not updates:
            return 0
        with mongo_errors(self._database):
            return unjournalled(self._works).bulk_write(updates, ordered=False).matched_count

    def mark_failed(self, work_id: int, *, token: str | None = None) -> None:
        """Set a work aside that could not be indexed; adding it again tries anew.

        With a token only while that lease is still held: a work that changed meanwhile waits on.
        """
        own = {"_id": work_id} if token is None else {"_id": work_id, "lease.token": token}
        with mongo_errors(self._database):
            self._works.update_one(own, {"$set": {"status": "failed", "lease": leases.freed()}})

    def count(self, status: str) -> int:
        """Return the number of works in a status."""
        with mongo_errors(self._database):
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
        "lease": leases.freed(),
        "indexed_version": version,
    }
