"""Collection ``captures``: one row for each fetch of an address; the bodies are in ``snapshots``."""

import hashlib
from collections.abc import Iterator, Sequence
from datetime import datetime

from pymongo import ReplaceOne
from pymongo.database import Database

from storage.collections.documents import Document, find_among, from_document, mongo_errors, to_document
from storage.collections.schema import digests_since
from storage.records import Capture


def capture_id(url: str, sha256: str, fetched: datetime) -> str:
    """Return the natural key of a fetch: storing it again changes nothing."""
    key = f"{url}\0{sha256}\0{fetched.isoformat()}".encode("utf-8", "surrogatepass")
    return hashlib.sha256(key).hexdigest()[:32]


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
        self.add_many([capture])

    def add_many(self, captures: Sequence[Capture]) -> None:
        """Keep captures; adding them again changes nothing."""
        documents = [to_document(each) for each in captures]
        with mongo_errors(self._database):
            if documents:
                kept = [ReplaceOne({"_id": each["_id"]}, each, upsert=True) for each in documents]
                self._captures.bulk_write(kept, ordered=False)

    def of_url(self, url: str) -> list[Capture]:
        """Return the fetches of an address, the newest first."""
        with mongo_errors(self._database):
            rows = list(self._captures.find({"url": url}))
        return sorted(
            (from_document(Capture, row) for row in rows), key=lambda each: each.fetched, reverse=True
        )

    def of_bodies(self, sha256s: Sequence[str]) -> list[Capture]:
        """Return every fetch of some bodies, by their SHA-256, the oldest first."""
        with mongo_errors(self._database):
            rows = list(find_among(self._captures, "sha256", sha256s))
        return sorted((from_document(Capture, row) for row in rows), key=lambda each: (each.fetched, each.id))

    def each(self) -> Iterator[Capture]:
        """Yield every capture, one at a time."""
        with mongo_errors(self._database):
            for row in self._captures.find({}):
                yield from_document(Capture, row)

    def digests_since(self) -> datetime:
        """Return the moment from which on every capture has its digest."""
        return digests_since(self._database)

    def all(self) -> Iterator[tuple[str, str, str, datetime]]:
        """Yield (id, url, sha256, fetched) of every capture."""
        with mongo_errors(self._database):
            for row in self._captures.find({}, {"url": 1, "sha256": 1, "fetched": 1}):
                yield row["_id"], row["url"], row["sha256"], row["fetched"]

    def delete(self, ids: list[str]) -> None:
        """Forget captures."""
        with mongo_errors(self._database):
            self._captures.delete_many({"_id": {"$in": ids}})
