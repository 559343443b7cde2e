"""A database with its schema for one test after the other: a new one takes longer.

Each test finds what ``Stores.ensure_schema`` makes of a new database. What a test stored is deleted after it;
a database whose collections, indexes or validators it changed is dropped and made anew.
"""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any

from pymongo.database import Database

from storage.collections.stores import Stores, open_stores
from storage.records import utc_now
from storage.settings import StorageSettings


class PreparedDatabase:
    """The database that settings name; no process may write into it once its test is over."""

    def __init__(self, settings: StorageSettings) -> None:
        self.name = settings.mongo_database
        self._own = open_stores(settings)
        self._schema: dict[str, Any] | None = None

    @contextmanager
    def stores(self, settings: StorageSettings) -> Iterator[Stores]:
        """Open stores of the database, which is empty but for its schema.

        Args:
            settings: a test's own, which name this database.
        """
        if self._schema is None:
            self._own.ensure_schema()
            self._schema = _schema_of(self._own.database)
        else:
            self._own.evidence_log.ensure_schema(utc_now())  # its head is a document, deleted with the others
        try:
            with closing(open_stores(settings)) as stores:
                yield stores
        finally:
            self._clear()

    def close(self) -> None:
        """Drop the database."""
        self._own.database.client.drop_database(self.name)
        self._own.close()

    def _clear(self) -> None:
        """Leave the database as it was, or, where the schema is another one, none at all."""
        database = self._own.database
        if _schema_of(database) != self._schema:
            self._schema = None
            database.client.drop_database(self.name)
            return
        for name in self._schema:
            if name != "schema":  # which holds its version
                database[name].delete_many({})


def _schema_of(database: Database[dict[str, Any]]) -> dict[str, Any]:
    """Return collection → its options, with the validator, and its indexes; and the version of the schema."""
    described = {
        row["name"]: (row["options"], database[row["name"]].index_information())
        for row in database.list_collections()
    }
    return {**described, "schema": list(database["schema"].find())}
