"""Collection ``captures``: one row for each fetch of an address; the bodies are in ``snapshots``."""

from collections.abc import Iterator
from datetime import datetime

from pymongo.database import Database

from storage.crawl_records import Capture
from storage.documents import Document, from_document, mongo_errors, to_document


class CaptureStore:
    """Captures by address. Every method raises ``ServiceDown`` or ``StorageFailed``."""

    def __init__(self, database: Database[Document]) -> None:
        self._database = database
        self._captures = database["captures"]

    def ensure_schema(self) -> None:
        """Create the indexes; safe to repeat."""
        with mongo_errors(self._database):
            self._captures.create_index("url")
            self._captures.create_index("sha256")

    def add(self, capture: Capture) -> None:
        """Keep a capture; adding it again changes nothing."""
        document = to_document(capture)
        with mongo_errors(self._database):
            self._captures.replace_one({"_id": capture.id}, document, upsert=True)

    def of_url(self, url: str) -> list[Capture]:
        """Return the fetches of an address, the newest first."""
        with mongo_errors(self._database):
            rows = list(self._captures.find({"url": url}))
        return sorted(
            (from_document(Capture, row) for row in rows), key=lambda each: each.fetched, reverse=True
        )

    def all(self) -> Iterator[tuple[str, str, str, datetime]]:
        """Yield (id, url, sha256, fetched) of every capture."""
        with mongo_errors(self._database):
            for row in self._captures.find({}, {"url": 1, "sha256": 1, "fetched": 1}):
                yield row["_id"], row["url"], row["sha256"], row["fetched"]

    def delete(self, ids: list[str]) -> None:
        """Forget captures."""
        with mongo_errors(self._database):
            self._captures.delete_many({"_id": {"$in": ids}})
