"""Collections of MongoDB that convert errors of the driver to errors of pindna.

Each call enters one context manager; a cursor enters one for any number of documents. Errors that occur while
a cursor is read are converted too.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import datetime
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

import pymongo
from bson.raw_bson import RawBSONDocument
from pymongo import IndexModel, ReplaceOne, ReturnDocument, WriteConcern
from pymongo.collection import Collection
from pymongo.database import Database
from pymongo.errors import BulkWriteError
from pymongo.results import UpdateResult

from storage.collections.documents import LONG_S, Document, StorageFailed, mongo_errors
from storage.collections.failures import failures_of
from storage.collections.retrying import BulkCounts, read_rows, retried, write_in_bulk
from storage.collections.sizes import Write, weigh_write, weighed
from storage.records import utc_now
from system.batches import batched

P = ParamSpec("P")
R = TypeVar("R")
IN_ONE = 50  # number of values in one ``$in``
# Rows in one reply, as in a server's first reply. A reader that takes ten minutes for a reply loses its
# cursor.
_BATCH = 101
_UPSERTS = 5  # attempts to insert and return a document
_SERVER_FIELDS = frozenset({"v", "ns", "background"})  # fields of an index that servers add or ignore

# Inside :func:`indexes_together`: the requested indexes by collection; None: indexes are created one by one.
_gathered: ContextVar[dict[str, tuple[Collection[Document], list[IndexModel]]] | None] = ContextVar(
    "_gathered", default=None
)


def _with_retries_and_pindna_errors(
    method: Callable[Concatenate[Collection[Document], P], R], *, is_read: bool = False
) -> Callable[Concatenate["CheckedCollection", P], R]:
    """Wrap a method of the driver: it retries after transient errors, and raises errors of pindna."""

    @wraps(method)
    def call(self: "CheckedCollection", /, *args: P.args, **kwargs: P.kwargs) -> R:
        with mongo_errors(self.raw.database):
            return retried(lambda: method(self.raw, *args, **kwargs), is_read=is_read)

    return call


class CheckedCollection:
    """A collection whose methods raise the errors of :func:`storage.collections.documents.mongo_errors`.

    Args:
        raw: the driver's collection.
    """

    def __init__(self, raw: Collection[Document]) -> None:
        self.raw = raw

    delete_many = _with_retries_and_pindna_errors(Collection[Document].delete_many)
    delete_one = _with_retries_and_pindna_errors(Collection[Document].delete_one)
    find_one = _with_retries_and_pindna_errors(Collection[Document].find_one, is_read=True)
    update_many = _with_retries_and_pindna_errors(Collection[Document].update_many)
    update_one = _with_retries_and_pindna_errors(Collection[Document].update_one)

    def create_index(self, keys: str | Sequence[tuple[str, int]], **options: Any) -> str:
        """Create an index as the driver's method does, or at the end of :func:`indexes_together`.

        Idempotent. Returns the name of the index.
        """
        index = IndexModel(keys, **options)
        gathered = _gathered.get()
        if gathered is None:
            _create_missing(self.raw, [index])
        else:
            indexes = gathered.setdefault(self.raw.full_name, (self.raw, []))[1]
            if all(index.document != other.document for other in indexes):  # two stores may request it
                indexes.append(index)
        return str(index.document["name"])

    def insert_one(self, document: Document) -> None:
        """Store a document with a new ``_id``."""
        with mongo_errors(self.raw.database):
            encoded = weighed(document, self.raw.codec_options)
            retried(lambda: self.raw.insert_one(encoded))

    def replace_one(
        self, query: Mapping[str, Any], document: Document, *, upsert: bool = False
    ) -> UpdateResult:
        """Replace the first document that matches a query, as the driver's method does."""
        with mongo_errors(self.raw.database):
            encoded = weighed(document, self.raw.codec_options)
            return retried(lambda: self.raw.replace_one(query, encoded, upsert=upsert))

    def find_one_and_update(
        self, query: Mapping[str, Any], update: Mapping[str, Any], **options: Any
    ) -> Document | None:
        """Change a document and return it, as the driver's method does."""
        with mongo_errors(self.raw.database):
            return retried(lambda: self.raw.find_one_and_update(query, update, **options))

    def update_or_insert(self, query: Mapping[str, Any], update: Mapping[str, Any]) -> Document:
        """Change the document that matches a query, or insert it; return the changed document.

        If several clients insert a document at once, SecantusDB applies all updates and returns nothing to
        some of the clients. Those clients apply their updates once more, so an incremented counter may skip
        numbers.

        Raises:
            StorageFailed: nothing was returned, however often.
        """
        options = {"upsert": True, "return_document": ReturnDocument.AFTER}
        for _ in range(_UPSERTS):
            if (row := self.find_one_and_update(query, update, **options)) is not None:
                return row
        raise StorageFailed(problem="an inserted document was not returned")

    def find(
        self,
        query: Mapping[str, Any],
        projection: Mapping[str, int] | None = None,
        *,
        sort: Sequence[tuple[str, int]] | None = None,
        limit: int = 0,
    ) -> Iterator[Document]:
        """Yield the documents that match a query; the query is sent with the first document.

        Args:
            query: the query.
            projection: the fields to return.
            sort: fields and directions, 1 or -1; the server sorts.
            limit: how many at most; 0: all.
        """
        with mongo_errors(self.raw.database):
            yield from read_rows(
                lambda: self.raw.find(
                    query, projection, sort=sort, limit=limit, batch_size=_BATCH, allow_disk_use=True
                )
            )

    def ordered(
        self,
        query: Mapping[str, Any],
        also: Mapping[str, Any] | None = None,
        *,
        sort: Sequence[tuple[str, int]],
        limit: int = 0,
    ) -> Iterator[Document]:
        """Yield sorted documents; the server uses an index if there is one.

        Args:
            query: the indexed conditions.
            also: further conditions.
            sort: fields and directions, 1 or -1.
            limit: how many at most; 0: all.
        """
        stages: list[Mapping[str, Any]] = [{"$match": query}, *([{"$match": also}] if also else [])]
        return self.aggregate(*stages, {"$sort": dict(sort)}, *([{"$limit": limit}] if limit else []))

    def aggregate(self, *stages: Mapping[str, Any]) -> Iterator[Document]:
        """Yield the results of an aggregation, which the server executes."""
        with mongo_errors(self.raw.database):
            yield from read_rows(
                lambda: self.raw.aggregate(list(stages), batchSize=_BATCH, allowDiskUse=True)
            )

    def count(self, query: Mapping[str, Any], *also: Mapping[str, Any]) -> int:
        """Return the number of documents that match a query, counted by the server.

        Args:
            query: the indexed conditions; empty: all documents, a number that the server stores.
            also: further conditions without an index; the server reads the matching documents.
        """
        if not query and not also:
            with mongo_errors(self.raw.database):
                return retried(self.raw.estimated_document_count, is_read=True)
        conditions = [{"$match": condition} for condition in (query, *also)]
        return sum(int(row["count"]) for row in self.aggregate(*conditions, {"$count": "count"}))

    def distinct(self, field: str, query: Mapping[str, Any] | None = None) -> list[Any]:
        """Return the distinct values of an indexed field."""
        with mongo_errors(self.raw.database):
            return list(retried(lambda: self.raw.distinct(field, query), is_read=True))

    def find_among(
        self,
        key: str,
        values: Sequence[Any],
        projection: Mapping[str, int] | None = None,
        condition: Mapping[str, Any] | None = None,
    ) -> Iterator[Document]:
        """Yield the documents whose ``key`` has one of several values, fifty values at a time.

        SecantusDB compares every document with every value of a ``$in``.

        Args:
            key: an indexed field, or ``_id``.
            values: the values.
            projection: the fields to return.
            condition: further conditions.
        """
        for batch in batched(values, IN_ONE):
            yield from self.find({key: {"$in": batch}, **(condition or {})}, projection)

    def first_among(self, ids: Iterable[str], *, limit: int) -> list[str]:
        """Return those of the ids that exist in the collection, in order, at most ``limit``, by one query."""
        rows = self.find({"_id": {"$in": sorted(ids)}}, {"_id": 1}, sort=[("_id", 1)], limit=limit)
        return [row["_id"] for row in rows]

    def update_among(
        self, ids: Sequence[Any], change: Document, condition: Mapping[str, Any] | None = None
    ) -> int:
        """Change the documents with these ids that match a condition, fifty at a time.

        Returns:
            The number of matching documents.
        """
        return sum(
            self.update_many({"_id": {"$in": batch}, **(condition or {})}, change).matched_count
            for batch in batched(ids, IN_ONE)
        )

    def insert_new(self, documents: Sequence[Document]) -> list[bool]:
        """Store the documents whose ``_id`` does not exist yet; returns for each whether it is new.

        Idempotent. Most documents should be new: SecantusDB inserts ten times as fast as it upserts.
        """
        if not documents:
            return []
        with mongo_errors(self.raw.database):
            existing = self._insert_many(documents, ordered=False)
        return [number not in existing for number in range(len(documents))]

    def insert_in_order(self, documents: Sequence[Document]) -> bool:
        """Store documents in order up to the first one whose key exists; returns whether all keys were new.

        Raises:
            ServiceDown: MongoDB does not answer; the first documents may be stored.
        """
        with mongo_errors(self.raw.database):
            return not documents or not self._insert_many(documents, ordered=True)

    def _insert_many(self, documents: Sequence[Document], *, ordered: bool) -> set[int]:
        """Insert documents; returns the positions of the documents whose key exists already.

        Raises:
            TooLarge: no document is stored.
            PyMongoError: the driver's error for other documents.
        """

        def insert(batch: list[RawBSONDocument]) -> int:
            self.raw.insert_many(batch, ordered=ordered)
            return 0

        encoded = [weighed(document, self.raw.codec_options) for document in documents]
        try:
            write_in_bulk(insert, encoded, ordered=ordered)
        except BulkWriteError as error:
            failures = failures_of(error)
            if any(failure.kind != "conflict" for failure in failures):
                rows = zip(error.details["writeErrors"], failures, strict=False)
                refused = [row for row, failure in rows if failure.kind != "conflict"]
                raise BulkWriteError({**error.details, "writeErrors": refused}) from error
            return {failure.index for failure in failures if failure.index is not None}
        return set()

    def insert_or_replace(self, documents: Sequence[Document]) -> None:
        """Store documents by their ``_id``, new or not. Idempotent.

        Most documents should be new, see :meth:`insert_new`: an existing document costs two operations.
        """
        new = self.insert_new(documents)
        self.replace_many([document for document, is_new in zip(documents, new, strict=True) if not is_new])

    def replace_many(self, documents: Sequence[Document]) -> None:
        """Store documents by their ``_id``; fastest if most of them exist. Idempotent."""
        with mongo_errors(self.raw.database):
            encoded = [weighed(document, self.raw.codec_options) for document in documents]
        rows = zip(documents, encoded, strict=True)
        self.bulk_write([ReplaceOne({"_id": document["_id"]}, row, upsert=True) for document, row in rows])

    def bulk_write(self, requests: Sequence[Write], *, ordered: bool = False) -> BulkCounts:
        """Execute many writes; writes with a transient error are retried."""

        def write(batch: list[Write]) -> int:
            return self.raw.bulk_write(batch, ordered=ordered).matched_count

        with mongo_errors(self.raw.database):
            for request in requests:
                weigh_write(request, self.raw.codec_options)
            return write_in_bulk(write, requests, ordered=ordered) if requests else BulkCounts(0)

    def without_journal(self) -> "CheckedCollection":
        """Return the collection for faster writes that a crash of the server may lose."""
        concern = {**self.raw.write_concern.document, "j": False}
        return CheckedCollection(self.raw.with_options(write_concern=WriteConcern(**concern)))


@contextmanager
def indexes_together() -> Iterator[None]:
    """Create the missing indexes that a block requests at its end, with one command for each collection.

    An index whose name exists with other options is sent too, so that the server reports the conflict.

    Raises:
        StorageFailed: the server refuses an index.
    """
    gathered: dict[str, tuple[Collection[Document], list[IndexModel]]] = {}
    token = _gathered.set(gathered)
    try:
        yield
    finally:
        _gathered.reset(token)
    names: set[str] | None = None
    for collection, indexes in gathered.values():
        with mongo_errors(collection.database):
            if names is None:
                names = set(collection.database.list_collection_names())
            there = (
                [_index_facts(index) for index in collection.list_indexes()]
                if collection.name in names
                else []
            )
        missing = [index for index in indexes if _index_facts(index.document) not in there]
        if missing:
            _create_missing(collection, missing)


def _index_facts(index: Mapping[str, Any]) -> tuple[list[tuple[str, Any]], Document]:
    """Return the keys of an index in their order, and its other options."""
    options = {name: value for name, value in index.items() if name not in _SERVER_FIELDS | {"key"}}
    return list(index["key"].items()), options


def _create_missing(collection: Collection[Document], indexes: list[IndexModel]) -> None:
    with mongo_errors(collection.database), pymongo.timeout(LONG_S):
        collection.create_indexes(indexes)


class CheckedDatabase:
    """A database whose collections are :class:`CheckedCollection`.

    Args:
        raw: the driver's database.
        now: the clock of leases (:mod:`storage.collections.server_clock`).
    """

    def __init__(self, raw: Database[Document], *, now: Callable[[], datetime] = utc_now) -> None:
        self.raw = raw
        self.now = now

    def __getitem__(self, name: str) -> CheckedCollection:
        return CheckedCollection(self.raw[name])
