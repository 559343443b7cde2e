"""Collection ``sources``: what to crawl."""

from storage.collections.checked import CheckedDatabase
from storage.collections.documents import from_document, to_document
from storage.collections.naming import neighbours
from storage.records import Source
from system.names import unknown_record


class SourceStore:
    """Sources by name. Every method raises ``ServiceDown`` or ``StorageFailed``."""

    def __init__(self, database: CheckedDatabase) -> None:
        self._sources = database["sources"]

    def save(self, source: Source) -> None:
        """Insert or replace a source."""
        document = to_document(source, key="name")
        self._sources.replace_one({"_id": source.name}, document, upsert=True)

    def get(self, name: str) -> Source:
        """Return a source.

        Raises:
            UnknownRecord: there is no such source; the error contains similar names.
        """
        row = self._sources.find_one({"_id": name})
        if row is None:
            names = [row["_id"] for row in neighbours(self._sources, "_id", name)]
            raise unknown_record(kind="source", name=name, known_names=names)
        return from_document(Source, row, key="name")

    def all(self) -> list[Source]:
        """Return all sources by name. There are few, because users write each source by hand."""
        return [from_document(Source, row, key="name") for row in self._sources.find({}, sort=[("_id", 1)])]

    def delete(self, name: str) -> None:
        """Delete a source; its pages stay."""
        self._sources.delete_one({"_id": name})
