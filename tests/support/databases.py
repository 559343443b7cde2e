"""A database with its schema for one test after the other: a new one takes longer.

Each test finds what ``Stores.ensure_schema`` makes of a new database. What a test stored is deleted after
it, and collections that its writes made are dropped. A database whose other collections, indexes or
validators it changed, or that holds much, is dropped and made anew.
"""

from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from typing import Any

from pymongo import monitoring
from pymongo.database import Database

from storage.collections.stores import Stores, open_stores
from storage.settings import StorageSettings

_READS = frozenset(
    {"aggregate", "count", "dbStats", "distinct", "explain", "find", "getMore", "killCursors"}
    | {"listCollections", "listIndexes"}
)
_WRITES = frozenset(["delete", "findAndModify", "insert", "update"])
_MUCH = 4 * 1024 * 1024  # bytes of documents; what is deleted stays in the server's cache for a while


class _Changes(monitoring.CommandListener):
    """What this process asked a database to change since it was last empty."""

    def __init__(self, database: str) -> None:
        self._database = database
        self.collections: set[str] = set()
        self.of_schema = False

    def forget(self) -> None:
        """Begin anew."""
        self.collections.clear()
        self.of_schema = False

    def started(self, event: monitoring.CommandStartedEvent) -> None:
        if event.database_name != self._database or event.command_name in _READS:
            return
        if event.command_name in _WRITES:
            self.collections.add(event.command[event.command_name])
        else:
            self.of_schema = True

    def succeeded(self, event: monitoring.CommandSucceededEvent) -> None:
        pass

    def failed(self, event: monitoring.CommandFailedEvent) -> None:
        pass


class PreparedDatabase:
    """The database that settings name; no process may write into it once its test is over."""

    def __init__(self, settings: StorageSettings) -> None:
        self.name = settings.mongo_database
        self._changes = _Changes(self.name)
        monitoring.register(self._changes)  # of every client that this process opens from now on
        self._own = open_stores(settings)
        self._schema: dict[str, Any] | None = None
        self._documents: dict[str, list[dict[str, Any]]] = {}
        self._size: tuple[int, ...] = ()

    @contextmanager
    def stores(self, settings: StorageSettings) -> Iterator[Stores]:
        """Open stores of the database, which is empty but for its schema.

        Args:
            settings: a test's own, which name this database.
        """
        if self._schema is None:
            self._prepare()
        try:
            with closing(open_stores(settings)) as stores:
                yield stores
        finally:
            self._clear()

    def close(self) -> None:
        """Drop the database."""
        self._own.database.client.drop_database(self.name)
        self._own.close()

    def _prepare(self) -> None:
        self._own.ensure_schema()
        database = self._own.database
        self._schema = _schema_of(database)
        self._documents = {name: rows for name in self._schema if (rows := list(database[name].find()))}
        self._size = _size_of(database)
        self._changes.forget()

    def _clear(self) -> None:
        """Leave the database as it was, or none at all: where the schema is another one or much is stored."""
        database, is_changed = self._own.database, self._changes.of_schema
        if database.command("dbStats")["dataSize"] > _MUCH:
            self._drop()
        else:
            self._empty(self._changes.collections)
            if is_changed or _size_of(database) != self._size:  # or another process wrote into it
                self._clear_whole()
        self._changes.forget()

    def _clear_whole(self) -> None:
        self._empty(self._own.database.list_collection_names())
        if _schema_of(self._own.database) != self._schema:
            self._drop()

    def _drop(self) -> None:
        self._schema = None
        self._own.database.client.drop_database(self.name)

    def _empty(self, collections: Iterable[str]) -> None:
        """Leave in collections the rows that they had when the schema was new; drop those that it has not."""
        for name in list(collections):
            collection = self._own.database[name]
            if name not in (self._schema or {}):
                collection.drop()
                continue
            collection.delete_many({})
            if rows := self._documents.get(name):
                collection.insert_many(rows)


def _size_of(database: Database[dict[str, Any]]) -> tuple[int, ...]:
    """Return how many collections, indexes and documents there are."""
    stats = database.command("dbStats")
    return tuple(stats[name] for name in ("collections", "indexes", "objects"))


def _schema_of(database: Database[dict[str, Any]]) -> dict[str, Any]:
    """Return collection → its options, with the validator, and its indexes."""
    return {
        row["name"]: (row["options"], database[row["name"]].index_information())
        for row in database.list_collections()
    }
