"""Collection ``looks``: what scans saw at addresses with a match; rows never change."""

import hashlib
from collections.abc import Iterator, Sequence

from storage.collections.checked import CheckedDatabase
from storage.collections.documents import from_document, to_document
from storage.records import Look, LookState


def look_id(url: str, scan_id: str) -> str:
    """Return the natural key of a look, so that a look repeated after a crash is stored once."""
    return hashlib.sha256(f"{url}\0{scan_id}".encode("utf-8", "replace")).hexdigest()[:32]


class LookStore:
    """Looks by address and scan. Every method raises ``ServiceDown`` or ``StorageFailed``."""

    def __init__(self, database: CheckedDatabase) -> None:
        self._looks = database["looks"]

    def ensure_schema(self) -> None:
        """Create the indexes; safe to repeat."""
        self._looks.create_index("url")
        self._looks.create_index("scan_id")

    def add_many(self, looks: Sequence[Look]) -> None:
        """Store looks; existing ones stay unchanged."""
        self._looks.insert_new([to_document(look) for look in looks])

    def of_url(self, url: str) -> list[Look]:
        """Return the looks at an address, the oldest first."""
        rows = list(self._looks.find({"url": url}))
        return sorted((from_document(Look, row) for row in rows), key=lambda look: (look.at, look.id))

    def of_scan(self, scan_id: str) -> Iterator[Look]:
        """Yield the looks of a scan, in no order."""
        for row in self._looks.find({"scan_id": scan_id}):
            yield from_document(Look, row)

    def pages_of_scan(self, scan_id: str) -> Iterator[str]:
        """Yield the ids of pages that a scan expected, and of pages that it found instead, in no order."""
        for row in self._looks.find({"scan_id": scan_id}, {"page_id": 1, "answer_id": 1}):
            yield from filter(None, (row["page_id"], row.get("answer_id")))

    def counts_of_scan(self, scan_id: str) -> dict[LookState, int]:
        """Return the number of a scan's looks by state, counted by the server."""
        states = {"$group": {"_id": "$state", "count": {"$sum": 1}}}
        rows = self._looks.aggregate({"$match": {"scan_id": scan_id}}, states)
        return {row["_id"]: row["count"] for row in rows}
