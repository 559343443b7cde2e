"""Collection ``captures``: one row for each fetch of an address. The bodies are in ``snapshots``."""

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime

from storage.collections.checked import CheckedDatabase
from storage.collections.documents import from_document, to_document
from storage.collections.evidence_log import with_mark
from storage.collections.upgrades import digests_since
from storage.records import Capture


def capture_id(url: str, sha256: str, fetched: datetime) -> str:
    """Return the natural key of a fetch, so that storing the same fetch again changes nothing."""
    key = f"{url}\0{sha256}\0{fetched.isoformat()}".encode("utf-8", "surrogatepass")
    return hashlib.sha256(key).hexdigest()[:32]


class CaptureStore:
    """Captures by address. Every method raises ``ServiceDown`` or ``StorageFailed``."""

    def __init__(self, database: CheckedDatabase) -> None:
        self._captures = database["captures"]
        self._schema = database["schema"]

    def ensure_schema(self) -> None:
        """Create the indexes; safe to repeat."""
        self._captures.create_index("url")
        self._captures.create_index("sha256")
        self._captures.create_index("fetched")

    def add_many(self, captures: Sequence[Capture]) -> None:
        """Store captures; existing ones stay unchanged."""
        self._captures.insert_new([with_mark(to_document(capture)) for capture in captures])

    def of_url(self, url: str) -> list[Capture]:
        """Return the fetches of an address, the newest first."""
        rows = list(self._captures.find({"url": url}))
        return sorted(
            (from_document(Capture, row) for row in rows), key=lambda capture: capture.fetched, reverse=True
        )

    def count_of(self, urls: Iterable[str]) -> int:
        """Return the number of fetches of addresses, counted by the server."""
        return sum(self._captures.count({"url": url}) for url in dict.fromkeys(urls))

    def of_bodies(self, sha256s: Sequence[str]) -> list[Capture]:
        """Return every fetch that received one of these bodies (by SHA-256), the oldest first."""
        rows = list(self._captures.find_among("sha256", sha256s))
        return sorted(
            (from_document(Capture, row) for row in rows), key=lambda capture: (capture.fetched, capture.id)
        )

    def iter_all(self) -> Iterator[Capture]:
        """Yield every capture, one at a time."""
        for row in self._captures.find({}):
            yield from_document(Capture, row)

    def digests_since(self) -> datetime:
        """Return the moment from which on every new capture has a digest."""
        return digests_since(self._schema)
