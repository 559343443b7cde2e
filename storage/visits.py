"""Collection ``visits``: what is known of every address from the times it was asked for."""

import hashlib
from collections.abc import Iterator

from pymongo.database import Database

from storage.crawl_records import Visit
from storage.documents import Document, from_document, mongo_errors, to_document


def visit_id(url: str) -> str:
    """Return the key of an address: 32 hex digits of its SHA-256."""
    return hashlib.sha256(url.encode("utf-8", "surrogatepass")).hexdigest()[:32]


class VisitStore:
    """Visits by canonical URL. Every method raises ``ServiceDown`` or ``StorageFailed``."""

    def __init__(self, database: Database[Document]) -> None:
        self._database = database
        self._visits = database["visits"]

    def ensure_schema(self) -> None:
        """Create the index; safe to repeat."""
        with mongo_errors(self._database):
            self._visits.create_index("source")

    def get(self, url: str) -> Visit | None:
        """Return what is known of an address, None when it was never asked for."""
        with mongo_errors(self._database):
            row = self._visits.find_one({"_id": visit_id(url)})
        return None if row is None else from_document(Visit, {**row, "_id": row["url"]}, key="url")

    def save(self, visit: Visit) -> None:
        """Insert or replace what is known of an address."""
        document = to_document(visit, key="url")
        document["url"], document["_id"] = visit.url, visit_id(visit.url)
        with mongo_errors(self._database):
            self._visits.replace_one({"_id": document["_id"]}, document, upsert=True)

    def of_source(self, source: str) -> Iterator[Visit]:
        """Yield the addresses that a source was the last to ask for."""
        with mongo_errors(self._database):
            for row in self._visits.find({"source": source}):
                yield from_document(Visit, {**row, "_id": row["url"]}, key="url")
