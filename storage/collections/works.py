"""Collection ``works``: the protected texts. The store also assigns the ids of works and passages."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any

from pymongo import UpdateOne

from storage.collections.checked import CheckedDatabase
from storage.collections.corpus_version import CorpusVersions
from storage.collections.documents import Document, from_document, to_document
from storage.collections.leases import Leases, free_lease, shard_of
from storage.collections.naming import neighbours, new_numbers
from storage.collections.owners import Owners, owner_of
from storage.records import SiteLicence, Work, WorkRole, utc_now
from system.names import name_key

_NEVER_PASSED = 2**53
_WAITING: Mapping[str, Any] = {"status": "stored"}
_DESCRIPTION = (
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
_VERSION = (
    "kind",
    "passage_ids",
    "characters",
    "sha256",
    "additions",
    "status",
    "attempts",
    "updated",
    "lease",
)
_JUDGED = frozenset({"published", "licensed_sites", "licences"})  # a change of these may change verdicts


class WorkStore:
    """Works by id and by key. Every method raises ``ServiceDown`` or ``StorageFailed``."""

    def __init__(self, database: CheckedDatabase, versions: CorpusVersions) -> None:
        self._works = database["works"]
        self._leases = Leases[int](database, "works", _WAITING)
        self._counters = database["counters"]
        self._versions = versions
        self._owners = Owners(database)

    def ensure_schema(self) -> None:
        """Create the indexes; safe to repeat."""
        self._works.create_index("key", unique=True)
        self._works.create_index([("status", 1), ("shard", 1)])
        self._works.create_index("name")
        self._works.create_index("edition_of")
        for field in ("turns", "licences.site", "licensed_sites"):
            self._works.create_index(field)
        self._works.create_index("indexed_version")
        for leading in (("status",), ("owner", "status")):
            for column in ("name", "characters"):
                self._works.create_index([(field, 1) for field in (*leading, column, "_id")])
        self._leases.ensure_schema()
        self._owners.ensure_schema()

    def new_ids(self, counter: str, count: int) -> range:
        """Assign ``count`` new ids of a named counter; ids start at 1 and are never reused."""
        return new_numbers(self._counters, counter, count)

    def by_key(self, key: str) -> Work | None:
        """Return the work with this natural key; a removed work has a different key."""
        row = self._works.find_one({"key": key})
        return None if row is None else from_document(Work, row)

    def by_keys(self, keys: Sequence[str]) -> dict[str, Work]:
        """Return the works with one of these natural keys."""
        rows = list(self._works.find_among("key", keys))
        return {row["key"]: from_document(Work, row) for row in rows}

    def by_title(self, title: str) -> list[Work]:
        """Return the works with a title, in any script and punctuation."""
        rows = list(self._works.find({"name": name_key(title)}))
        return self._sorted_works(row for row in rows if row["status"] != "removed")

    def titled_by_hand(self, titles: Sequence[str]) -> dict[str, Work]:
        """Return the works to which a user gave one of these titles by hand."""
        keys = list(dict.fromkeys(map(name_key, titles)))
        rows = [row for row in self._works.find_among("name", keys) if row.get("is_renamed")]
        works = self._sorted_works(row for row in rows if row["status"] != "removed")
        return {work.title: work for work in works if work.title in set(titles)}

    def neighbouring_titles(self, title: str) -> list[str]:
        """Return some hundred titles that are next to a title in alphabetical order, in any script."""
        rows = neighbours(self._works, "name", name_key(title), {"title": 1, "status": 1})
        return [row["title"] for row in rows if row["status"] != "removed"]

    def of_book(self, book_id: int) -> list[Work]:
        """Return the editions of a book by id, without removed ones."""
        editions = {row["_id"]: row for row in self._works.find({"edition_of": book_id})}
        first = self._works.find_one({"_id": book_id})
        rows = [*editions.values(), *([first] if first is not None else [])]
        return self._sorted_works(row for row in rows if row["status"] != "removed")

    def sizes(self, ids: Sequence[int]) -> dict[int, int]:
        """Return the number of characters of each existing work, by id."""
        rows = self._works.find_among("_id", ids, {"characters": 1})
        return {row["_id"]: int(row["characters"]) for row in rows}

    def waiting_outlines(self) -> dict[int, tuple[int, str]]:
        """Return the number of characters and the digest of each work that waits to be indexed, by id."""
        rows = self._works.find(_WAITING, {"characters": 1, "sha256": 1})
        return {row["_id"]: (int(row["characters"]), row["sha256"]) for row in rows}

    def get_many(self, ids: Iterable[int]) -> dict[int, Work]:
        """Return the existing works, without removed ones."""
        rows = list(self._works.find_among("_id", [int(key) for key in ids]))
        return {row["_id"]: from_document(Work, row) for row in rows if row["status"] != "removed"}

    def all(self) -> list[Work]:
        """Return every work, by id. A corpus has thousands of works, which fit into memory."""
        return list(self.iter_all())

    def iter_all(self) -> Iterator[Work]:
        """Yield every work, by id."""
        for row in self._works.find({}, sort=[("_id", 1)]):
            if row["status"] != "removed":
                yield from_document(Work, row)

    def licensed(self) -> list[Work]:
        """Return the works with a licence, by id."""
        rows = {
            row["_id"]: row
            for field in ("licences.site", "licensed_sites")
            for row in self._works.find({field: {"$gt": ""}})
        }
        return self._sorted_works(row for row in rows.values() if row["status"] != "removed")

    def with_licence_changes(self, until: datetime) -> list[int]:
        """Return the works with a licence that began or ended by a moment, if that is not processed yet."""
        rows = self._works.find({"turns": {"$lte": until}}, {"status": 1})
        return sorted(row["_id"] for row in rows if row["status"] != "removed")

    def record_licence_change(self, work_id: int, until: datetime) -> None:
        """Request a new comparison of the pages that contain text of a work whose licences changed.

        Args:
            work_id: a work of :meth:`with_licence_changes`.
            until: changes of licences up to this moment are processed.
        """
        self.record_change(work_id)
        self._works.update_one({"_id": work_id}, {"$pull": {"turns": {"$lte": until}}})

    def changed_since(self, version: int) -> list[Work]:
        """Return the works that were indexed or changed after a version of the corpus, by id.

        This includes works that are being indexed, because their passages may be in the index before the
        works are marked.
        """
        newer = self._works.find({"indexed_version": {"$gt": version}})
        rows = {row["_id"]: row for row in (*newer, *self._works.find(_WAITING))}
        return self._sorted_works(row for row in rows.values() if row["status"] != "removed")

    def removed(self) -> list[Work]:
        """Return the removed works that can be restored, by id."""
        return self._sorted_works(list(self._works.find({"status": "removed"})))

    def save(self, work: Work) -> None:
        """Insert or replace a work."""
        self.save_many([work])

    def save_many(self, works: Iterable[Work]) -> None:
        """Insert or replace works."""
        documents = [
            {
                **to_document(work),
                "shard": shard_of(work.id),
                "name": name_key(work.title),
                "owner": owner_of(work.holder),
                "turns": licence_changes(work.licences),
            }
            for work in works
        ]
        before = self._owners.of(document["_id"] for document in documents)
        self._works.insert_or_replace(documents)
        self._owners.follow(before)

    def describe(self, before: Work, work: Work) -> None:
        """Update the description of a work, unless its text changed since it was read.

        Only changed fields are written, because another user may have changed others, such as a licence.
        After a change of the date or a licence, the work is :meth:`unfinished` until :meth:`record_change`.

        Args:
            before: the work as read.
            work: the changed work.
        """
        if changes := _changes_of_description(before, work):
            self._update({"_id": work.id, "sha256": work.sha256}, work, changes)

    def save_version(self, before: Work, work: Work) -> None:
        """Store a new version of a work's text, and the changed fields of its description.

        Other fields stay, because another user may have changed them, such as a licence.

        Args:
            before: the work as read.
            work: the new version.
        """
        new = to_document(work)
        changes = _changes_of_description(before, work) | {name: new[name] for name in _VERSION}
        if not self._update({"_id": work.id, "key": before.key}, work, changes):
            self.save(work)  # it was removed in the meantime

    def _update(self, condition: Document, work: Work, changes: Document) -> bool:
        """Set fields of a work, and the fields that are derived from them. Return whether it was found."""
        if "title" in changes:
            changes["name"] = name_key(work.title)
        if "holder" in changes:
            changes["owner"] = owner_of(work.holder)
        if _JUDGED & changes.keys():
            changes["indexed_version"] = _NEVER_PASSED
        update: Document = {"$set": changes}
        if "licences" in changes:
            update["$addToSet"] = _turns_to_come(work.licences)
        owners = self._owners.of([work.id])
        is_found = self._works.update_one(condition, update).matched_count > 0
        self._owners.follow(owners)
        return is_found

    def change_licences(
        self, work_id: int, change: Callable[[Work], tuple[Sequence[str], Sequence[SiteLicence]]]
    ) -> None:
        """Replace the licences of a work; no other field changes.

        Of two users who change licences of a work at the same time, the later one is called again with the
        result of the earlier one.

        Args:
            work_id: the work.
            change: returns the licensed sites and the licences for a work as it is stored.
        """
        while (row := self._works.find_one({"_id": work_id})) is not None:
            sites, licences = change(from_document(Work, row))
            fields = {"licensed_sites": list(sites), "licences": [asdict(licence) for licence in licences]}
            before = {name: row.get(name) for name in fields}
            # With the mark, the next scan completes a change that is interrupted here, see `unfinished`.
            marked = {**fields, "indexed_version": _NEVER_PASSED}
            update = {"$set": marked, "$addToSet": _turns_to_come(licences)}
            if self._works.update_one({"_id": work_id, **before}, update).matched_count:
                break
        self.record_change(work_id)

    def set_edition(self, work_id: int, book_id: int | None) -> None:
        """Make a work an edition of a book, or the main work of its book."""
        self._works.update_one({"_id": work_id}, {"$set": {"edition_of": book_id}})

    def set_roles(self, ids: Sequence[int], role: WorkRole) -> None:
        """Set the role of several works in one step; pages that contain their text are compared again.

        The works are :meth:`unfinished` until :meth:`record_changes` is called for them.
        """
        fields = {"role": role, "indexed_version": _NEVER_PASSED}
        self._works.update_many({"_id": {"$in": list(ids)}}, {"$set": fields})
        self._versions.raise_version(added=True)

    def unfinished(self) -> list[Work]:
        """Return the works with an interrupted change, by id, without removed ones."""
        rows = list(self._works.find({"indexed_version": _NEVER_PASSED}))
        return self._sorted_works(row for row in rows if row["status"] != "removed")

    def title_of(self, work_id: int) -> str:
        """Return the title of a work, removed or not; empty if it does not exist."""
        row = self._works.find_one({"_id": work_id}, {"title": 1})
        return "" if row is None else str(row["title"])

    def titles_of(self, ids: Sequence[int]) -> dict[int, str]:
        """Return the titles of existing works, removed or not."""
        return {row["_id"]: str(row["title"]) for row in self._works.find_among("_id", ids, {"title": 1})}

    def record_change(self, work_id: int) -> None:
        """Request a new comparison of the pages that contain text of a work."""
        self.record_changes([work_id])

    def record_changes(self, ids: Sequence[int]) -> None:
        """Request a new comparison of the pages that contain text of works.

        While the corpus version is raised, the works have an unlimited version. So pages that are compared in
        between are compared again, even after a crash.
        """
        those = {"_id": {"$in": list(ids)}}
        self._works.update_many(those, {"$set": {"indexed_version": _NEVER_PASSED}})
        version, _ = self._versions.raise_version(added=True)
        still = {**those, "indexed_version": _NEVER_PASSED}
        self._works.update_many(still, {"$set": {"indexed_version": version}})

    @staticmethod
    def _sorted_works(rows: Iterable[Document]) -> list[Work]:
        return sorted((from_document(Work, row) for row in rows), key=lambda work: work.id)

    def delete(self, work_id: int) -> None:
        """Delete a work; the caller must delete its passages."""
        self._works.delete_one({"_id": work_id})

    def reserve_stored(self, *, count: int, lease_s: float) -> tuple[str, list[int]]:
        """Reserve up to ``count`` works that wait to be indexed; returns the token and their ids.

        A work that kills its workers is set aside.
        """
        given_up = {"status": "failed", "lease": free_lease()}
        reserved = self._leases.reserve(count=count, lease_s=lease_s, given_up=given_up)
        return reserved.token, reserved.ids

    def claim_many(self, ids: Sequence[int], *, token: str, lease_s: float) -> tuple[str, list[Work]]:
        """Begin indexing reserved works; returns the lease token and the claimed works."""
        lease_token, rows = self._leases.claim_many(ids, token=token, lease_s=lease_s)
        return lease_token, [from_document(Work, row) for row in rows]

    def extend_many(self, ids: Sequence[int], *, token: str, lease_s: float) -> bool:
        """Extend the leases of works that are being indexed; False if one was lost."""
        return self._leases.extend(ids, token=token, lease_s=lease_s)

    def release(self, ids: Sequence[int], *, token: str) -> None:
        """Release works that were begun; no attempt is counted."""
        self._leases.release(ids, token=token)

    def mark_indexed_many(self, works: Iterable[tuple[Work, int]], *, at: datetime) -> int:
        """Mark works as indexed, if they are unchanged since; returns the number of marked works.

        The mark of a change that is in progress stays, see :meth:`record_changes`.

        Not journalled: after a server crash the works may be indexed again, which finds everything in place.
        """
        version = self._versions.current()
        updates = [
            UpdateOne(
                _is_unchanged_condition(work),
                {"$set": _indexed_fields(postings, at), "$max": {"indexed_version": version}},
            )
            for work, postings in works
        ]
        if not updates:
            return 0
        return self._works.without_journal().bulk_write(updates, ordered=False).matched_count

    def mark_failed(self, work_id: int, *, token: str | None = None) -> None:
        """Set aside a work that could not be indexed; a user who adds it again causes a retry.

        With a token, the work is set aside only if that lease is valid; a work that changed since then keeps
        waiting.
        """
        query = {"_id": work_id} if token is None else {"_id": work_id, "lease.token": token}
        self._works.update_one(query, {"$set": {"status": "failed", "lease": free_lease()}})

    def titles_in(self, status: str) -> dict[int, str]:
        """Return the titles of the works in a status, by id."""
        rows = self._works.find({"status": status}, {"title": 1})
        return {row["_id"]: str(row["title"]) for row in rows}

    def count(self, status: str, *, owners: Collection[str] | None = None) -> int:
        """Return the number of works in a status.

        Args:
            status: status of the works.
            owners: marks of the rights holders; None: all works, including those without a holder.
        """
        return self._works.count({"status": status}, {} if owners is None else {"owner": {"$in": [*owners]}})

    def count_owned(self, status: str) -> int:
        """Return the number of works in a status, except background texts, which cannot be copied."""
        return self._works.count({"status": status}, {"role": {"$ne": "background"}})


def licence_changes(licences: Iterable[SiteLicence]) -> list[datetime]:
    """Return the moments at which licences begin or end."""
    moments = {moment for licence in licences for moment in (licence.since, licence.until)}
    return sorted(moment for moment in moments if moment is not None)


def _changes_of_description(before: Work, work: Work) -> Document:
    """Return the fields of a work's description that changed, with their new values."""
    old, new = to_document(before), to_document(work)
    return {name: new[name] for name in _DESCRIPTION if new[name] != old[name]}


def _turns_to_come(licences: Iterable[SiteLicence]) -> Document:
    """Return the future moments at which new licences begin or end; the caller handles past changes."""
    now = utc_now()
    return {"turns": {"$each": [moment for moment in licence_changes(licences) if moment > now]}}


def _is_unchanged_condition(work: Work) -> Document:
    """Return the condition that a work has not changed since the caller read it."""
    return {"_id": work.id, "sha256": work.sha256, "passage_ids": list(work.passage_ids)}


def _indexed_fields(postings: int, at: datetime) -> Document:
    """Return the fields to set in a work that is completely indexed."""
    return {
        "status": "indexed",
        "postings": postings,
        "updated": at,
        "attempts": 0,
        "lease": free_lease(),
    }
