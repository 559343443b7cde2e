"""Collection ``looks``: what each scan saw at addresses with a match; no row is ever changed or deleted."""

import hashlib
from collections.abc import Sequence

from storage.collections.checked import CheckedDatabase
from storage.collections.documents import Document, from_document, to_document
from storage.records import Look


def look_id(url: str, scan_id: str) -> str:
    """Return the natural key of a look: an address that a scan asks again after a crash is told once."""
    return hashlib.sha256(f"{url}\0{scan_id}".encode("utf-8", "replace")).hexdigest()[:32]


class LookStore:
    """Looks by address and scan. Every method raises ``ServiceDown`` or ``StorageFailed``."""

    def __init__(self, database: CheckedDatabase) -> None:
        self._looks = database["looks"]

    def ensure_schema(self) -> None:
        """Create the indexes; safe to repeat."""
        for name in ("url", "scan_id"):
            self._looks.create_index(name)

    def add_many(self, looks: Sequence[Look]) -> None:
        """Keep looks; those that are known stay as they are."""
        self._looks.insert_new([to_document(look) for look in looks])

    def of_url(self, url: str) -> list[Look]:
        """Return what was seen at an address, the oldest first."""
        return self._find({"url": url})

    def of_scan(self, scan_id: str) -> list[Look]:
        """Return what a scan saw, the oldest first."""
        return self._find({"scan_id": scan_id})

    def _find(self, query: Document) -> list[Look]:
        rows = list(self._looks.find(query))
        return sorted((from_document(Look, row) for row in rows), key=lambda look: (look.at, look.id))
