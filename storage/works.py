"""Collection ``works``: the protected texts, and the version of the mother corpus as a whole.

The corpus version is a counter that every change of the corpus raises; a page remembers the version that
it was compared with, so that a page compared before a work was added is known to be stale.
"""

import uuid
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from datetime import datetime
from typing import Any

from pymongo import ReturnDocument
from pymongo.collection import Collection
from pymongo.database import Database

from storage import leases
from storage.documents import Document, from_document, mongo_errors, to_document
from storage.records import SiteLicence, Work, utc_now

_NEVER_PASSED = 2**53
_WAITING: Mapping[str, Any] = {"status": "stored"}


class WorkStore:
    """Works by id and by key. Every method raises ``ServiceDown`` or ``StorageFailed``."""

    def __init__(self, database: Database[Document]) -> None:
        self._database = database
        self._works: Collection[Document] = database["works"]
        self._counters: Collection[Document] = database["counters"]

    def ensure_schema(self) -> None:
        """Create the indexes; safe to repeat."""
        with mongo_errors(self._database):
            self._works.create_index("key", unique=True)
            self._works.create_index("status")

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
        with mongo_errors(self._database):
            row = self._counters.find_one({"_id": "corpus_version"})
        return int(row["value"]) if row else 0

    def raise_corpus_version(self, *, added: bool = False) -> int:
        """Note that the corpus changed and return the new version.

        Args:
            added: only works were added or changed, which are marked with their version themselves; pages
                that hold nothing of them stay as they are. Anything else concerns every page.
        """
        version = self.new_ids("corpus_version", 1)[0]
        if not added:
            with mongo_errors(self._database):
                self._counters.update_one({"_id": "whole_version"}, {"$max": {"value": version}}, upsert=True)
        return version

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

    def get_many(self, ids: Iterable[int]) -> dict[int, Work]:
        """Return the works that exist among ``ids``."""
        with mongo_errors(self._database):
            rows = list(self._works.find({"_id": {"$in": [int(each) for each in ids]}}))
        return {row["_id"]: from_document(Work, row) for row in rows}

    def all(self) -> list[Work]:
        """Return every work, by id. A mother corpus has thousands of works, so they fit in memory."""
        with mongo_errors(self._database):
            rows = list(self._works.find({}))
        return sorted((from_document(Work, row) for row in rows), key=lambda work: work.id)

    def save(self, work: Work) -> None:
        """Insert or replace a work."""
        document = to_document(work)
        with mongo_errors(self._database):
            self._works.replace_one({"_id": document["_id"]}, document, upsert=True)

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
            version = self.raise_corpus_version(added=True)
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
            self.mark_failed(each)
        return reserved.token, reserved.ids

    def take(self, work_id: int, *, token: str, lease_s: float) -> bool:
        """Begin indexing a reserved work."""
        with mongo_errors(self._database):
            return leases.take(self._works, work_id, _WAITING, token=token, now=utc_now(), lease_s=lease_s)

    def extend(self, work_id: int, *, token: str, lease_s: float) -> bool:
        """Keep a work that is being indexed; False when the lease was lost."""
        with mongo_errors(self._database):
            return leases.extend(self._works, work_id, token=token, now=utc_now(), lease_s=lease_s)

    def mark_indexed(self, work: Work, *, postings: int, at: datetime) -> bool:
        """Note that every passage of this version of the work is in the index; False if it changed since."""
        done = {
            "status": "indexed",
            "postings": postings,
            "updated": at,
            "attempts": 0,
            "lease": leases.freed(),
            "indexed_version": self.corpus_version(),
        }
        with mongo_errors(self._database):
            same = {"_id": work.id, "sha256": work.sha256, "passage_ids": list(work.passage_ids)}
            result = self._works.update_one(same, {"$set": done})
        return result.matched_count == 1

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
