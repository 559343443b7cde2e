"""Collection ``works``: the protected texts, and the ids that are handed out for them and their passages."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any

from pymongo import UpdateOne

from storage.collections.checked import CheckedDatabase
from storage.collections.corpus_version import CorpusVersions
from storage.collections.documents import Document, from_document, to_document
from storage.collections.leases import Leases, free_lease, shard_of
from storage.collections.naming import new_numbers
from storage.names import name_key
from storage.records import SiteLicence, Work, WorkRole

_NEVER_PASSED = 2**53
_WAITING: Mapping[str, Any] = {"status": "stored"}


class WorkStore:
    """Works by id and by key. Every method raises ``ServiceDown`` or ``StorageFailed``."""

    def __init__(self, database: CheckedDatabase, versions: CorpusVersions) -> None:
        self._works = database["works"]
        self._leases = Leases[int](self._works, _WAITING)
        self._counters = database["counters"]
        self._versions = versions

    def ensure_schema(self) -> None:
        """Create the indexes; safe to repeat."""
        self._works.create_index("key", unique=True)
        self._works.create_index([("status", 1), ("shard", 1)])
        self._works.create_index([("status", 1), ("lease.until", 1)])
        self._works.create_index("name")
        self._works.create_index("edition_of")
        self._works.create_index("indexed_version")

    def new_ids(self, counter: str, count: int) -> range:
        """Hand out ``count`` fresh ids of a named counter; ids start at 1 and are never reused."""
        return new_numbers(self._counters, counter, count)

    def by_key(self, key: str) -> Work | None:
        """Return the work with this natural key; a removed one has another."""
        row = self._works.find_one({"key": key})
        return None if row is None else from_document(Work, row)

    def by_keys(self, keys: Sequence[str]) -> dict[str, Work]:
        """Return the works that have one of these natural keys."""
        rows = list(self._works.find_among("key", keys))
        return {row["key"]: from_document(Work, row) for row in rows}

    def titled(self, title: str) -> list[Work]:
        """Return the works of a title, in whatever script and between whatever marks it is written."""
        rows = list(self._works.find({"name": name_key(title)}))
        return self._sorted(row for row in rows if row["status"] != "removed")

    def renamed_to(self, titles: Sequence[str]) -> dict[str, Work]:
        """Return the works that were given one of these titles by hand."""
        keys = list(dict.fromkeys(map(name_key, titles)))
        rows = [row for row in self._works.find_among("name", keys) if row.get("is_renamed")]
        works = self._sorted(row for row in rows if row["status"] != "removed")
        return {work.title: work for work in works if work.title in set(titles)}

    def titles(self) -> list[str]:
        """Return the titles of all works."""
        rows = self._works.find({}, {"title": 1, "status": 1})
        return [row["title"] for row in rows if row["status"] != "removed"]

    def of_book(self, book_id: int) -> list[Work]:
        """Return the editions of a book by id, those that were removed left out."""
        editions = {row["_id"]: row for row in self._works.find({"edition_of": book_id})}
        first = self._works.find_one({"_id": book_id})
        rows = [*editions.values(), *([first] if first is not None else [])]
        return self._sorted(row for row in rows if row["status"] != "removed")

    def sizes(self, ids: Sequence[int]) -> dict[int, int]:
        """Return the characters of the works that exist among ``ids``."""
        rows = self._works.find_among("_id", ids, {"characters": 1})
        return {row["_id"]: int(row["characters"]) for row in rows}

    def get_many(self, ids: Iterable[int]) -> dict[int, Work]:
        """Return the works that exist among ``ids``, those that were removed left out."""
        rows = list(self._works.find_among("_id", [int(key) for key in ids]))
        return {row["_id"]: from_document(Work, row) for row in rows if row["status"] != "removed"}

    def all(self) -> list[Work]:
        """Return every work, by id. A mother corpus has thousands of works, so they fit in memory."""
        return self._sorted(row for row in list(self._works.find({})) if row["status"] != "removed")

    def removed(self) -> list[Work]:
        """Return the works that were removed and may come back, by id."""
        return self._sorted(list(self._works.find({"status": "removed"})))

    def save(self, work: Work) -> None:
        """Insert or replace a work."""
        self.save_many([work])

    def save_many(self, works: Iterable[Work]) -> None:
        """Insert or replace works."""
        documents = [
            {**to_document(work), "shard": shard_of(work.id), "name": name_key(work.title)} for work in works
        ]
        self._works.insert_or_replace(documents)

    def describe(self, work: Work) -> None:
        """Update the description of a work, unless its text changed since it was read."""
        names = (
            "title",
            "is_renamed",
            "origin",
            "author",
            "url",
            "published",
            "language",
            "rights",
            "holder",
            "licensed_sites",
            "licences",
            "status",
            "attempts",
        )
        document = to_document(work)
        self._works.update_one(
            {"_id": work.id, "sha256": work.sha256},
            {"$set": {name: document[name] for name in names} | {"name": name_key(work.title)}},
        )

    def set_licences(self, work_id: int, *, sites: Iterable[str], licences: Iterable[SiteLicence]) -> None:
        """Replace the licences of a work, whatever else happens to it."""
        fields = {"licensed_sites": list(sites), "licences": [asdict(licence) for licence in licences]}
        self._works.update_one({"_id": work_id}, {"$set": fields})
        self.note_change(work_id)

    def set_edition(self, work_id: int, book_id: int | None) -> None:
        """Make a work an edition of a book, or the one that stands for its book."""
        self._works.update_one({"_id": work_id}, {"$set": {"edition_of": book_id}})

    def set_roles(self, ids: Sequence[int], role: WorkRole) -> None:
        """Say what some works are here for, of all at once; the pages that hold them are compared again.

        They are among the :meth:`unfinished` until :meth:`note_changes` is called of them.
        """
        fields = {"role": role, "indexed_version": _NEVER_PASSED}
        self._works.update_many({"_id": {"$in": list(ids)}}, {"$set": fields})
        self._versions.raise_version(added=True)

    def unfinished(self) -> list[Work]:
        """Return the works of which a change was broken off, by id, those that were removed left out."""
        rows = list(self._works.find({"indexed_version": _NEVER_PASSED}))
        return self._sorted(row for row in rows if row["status"] != "removed")

    def title_of(self, work_id: int) -> str:
        """Return the title of a work, removed or not; empty if there is none."""
        row = self._works.find_one({"_id": work_id}, {"title": 1})
        return "" if row is None else str(row["title"])

    def note_change(self, work_id: int) -> None:
        """Let the pages that hold something of a work be compared again."""
        self.note_changes([work_id])

    def note_changes(self, ids: Sequence[int]) -> None:
        """Let the pages that hold something of some works be compared again.

        The works bear a version without end while the corpus version rises: what is compared in between is
        compared again, whatever is killed.
        """
        those = {"_id": {"$in": list(ids)}}
        self._works.update_many(those, {"$set": {"indexed_version": _NEVER_PASSED}})
        version, _ = self._versions.raise_version(added=True)
        still = {**those, "indexed_version": _NEVER_PASSED}
        self._works.update_many(still, {"$set": {"indexed_version": version}})

    @staticmethod
    def _sorted(rows: Iterable[Document]) -> list[Work]:
        return sorted((from_document(Work, row) for row in rows), key=lambda work: work.id)

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
        version = self._versions.current()
        updates = [
            UpdateOne(_same(work), {"$set": _indexed_fields(postings, at, version)})
            for work, postings in works
        ]
        if not updates:
            return 0
        return self._works.without_journal().bulk_write(updates, ordered=False).matched_count

    def mark_failed(self, work_id: int, *, token: str | None = None) -> None:
        """Set a work aside that could not be indexed; adding it again tries anew.

        With a token only while that lease is still held: a work that changed since then waits on.
        """
        own = {"_id": work_id} if token is None else {"_id": work_id, "lease.token": token}
        self._works.update_one(own, {"$set": {"status": "failed", "lease": free_lease()}})

    def titles_in(self, status: str) -> dict[int, str]:
        """Return the titles of the works in a status, by id."""
        rows = self._works.find({"status": status}, {"title": 1})
        return {row["_id"]: str(row["title"]) for row in rows}

    def count(self, status: str) -> int:
        """Return the number of works in a status."""
        return sum(1 for _ in self._works.find({"status": status}, {"_id": 1}))

    def count_owned(self, status: str) -> int:
        """Return the number of works in a status that a page can be a copy of: all but background texts."""
        rows = self._works.find({"status": status}, {"role": 1})  # indexed by the status alone
        return sum(row.get("role") != "background" for row in rows)


def _same(work: Work) -> Document:
    """Return the condition that a work is the one that was read."""
    return {"_id": work.id, "sha256": work.sha256, "passage_ids": list(work.passage_ids)}


def _indexed_fields(postings: int, at: datetime, version: int) -> Document:
    """Return what changes when a work is wholly in the index."""
    return {
        "status": "indexed",
        "postings": postings,
        "updated": at,
        "attempts": 0,
        "lease": free_lease(),
        "indexed_version": version,
    }
