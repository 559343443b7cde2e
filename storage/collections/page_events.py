"""Collection ``page_events``: events of addresses. Rows never change and are never deleted."""

import hashlib
from collections.abc import Iterator, Sequence

from storage.collections.checked import CheckedDatabase
from storage.collections.documents import from_document, to_document
from storage.records import PageEvent, PageEventKind


def event_id(url: str, kind: PageEventKind, page_id: str, scan_id: str) -> str:
    """Return the natural key of an event, so that a repeated crawl stores the event once."""
    return hashlib.sha256(f"{url}\0{kind}\0{page_id}\0{scan_id}".encode("utf-8", "replace")).hexdigest()[:32]


class PageEventStore:
    """Events by address, scan and source. Every method raises ``ServiceDown`` or ``StorageFailed``."""

    def __init__(self, database: CheckedDatabase) -> None:
        self._events = database["page_events"]

    def ensure_schema(self) -> None:
        """Create the indexes; safe to repeat."""
        for name in ("url", "scan_id", "source"):
            self._events.create_index(name)

    def add_many(self, events: Sequence[PageEvent]) -> None:
        """Store events; existing ones stay unchanged."""
        self._events.insert_new([to_document(event) for event in events])

    def of_url(self, url: str) -> list[PageEvent]:
        """Return an address's history, the oldest first."""
        rows = list(self._events.find({"url": url}))
        return sorted((from_document(PageEvent, row) for row in rows), key=lambda event: event.at)

    def of_scan(self, scan_id: str) -> Iterator[PageEvent]:
        """Yield the events of a scan, in no order."""
        for row in self._events.find({"scan_id": scan_id}):
            yield from_document(PageEvent, row)

    def counts_of_scan(self, scan_id: str) -> dict[PageEventKind, int]:
        """Return the number of a scan's events by kind, counted by the server."""
        kinds = {"$group": {"_id": "$kind", "count": {"$sum": 1}}}
        return {
            row["_id"]: row["count"]
            for row in self._events.aggregate({"$match": {"scan_id": scan_id}}, kinds)
        }
