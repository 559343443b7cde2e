"""Collection ``events``: what happened to cases and matches. Rows never change and are never deleted."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from storage.collections.checked import CheckedDatabase
from storage.collections.documents import from_document, to_document
from storage.collections.evidence_log import with_mark
from storage.collections.naming import new_numbers
from storage.records import Event

# Readers wait this long for an event with a missing number, because a number is assigned shortly before its
# event is stored.
_ON_THE_WAY = timedelta(minutes=1)


class EventStore:
    """Events by case, and all events by number. Every method raises ``ServiceDown`` or ``StorageFailed``."""

    def __init__(self, database: CheckedDatabase) -> None:
        self._events = database["events"]
        self._counters = database["counters"]
        self._now = database.now

    def ensure_schema(self) -> None:
        """Create the indexes; safe to repeat."""
        self._events.create_index([("case", 1), ("number", 1)])
        self._events.create_index("number")

    def add_many(self, events: Sequence[Event]) -> list[bool]:
        """Number and store events in order; returns which events are new. Existing events stay unchanged."""
        ids = [event.id for event in events]
        stored_ids = {row["_id"] for row in self._events.find_among("_id", ids, {"_id": 1})}
        fresh = [event for event in events if event.id not in stored_ids]
        numbers = new_numbers(self._counters, "events", len(fresh))
        stored = self._now()
        rows = [
            with_mark(to_document(replace(event, number=number, stored=stored)))
            for event, number in zip(fresh, numbers, strict=True)
        ]
        added = dict(zip((event.id for event in fresh), self._events.insert_new(rows), strict=True))
        return [added.get(event.id, False) for event in events]

    def get(self, event_id: str) -> Event | None:
        """Return an event; None if it does not exist."""
        row = self._events.find_one({"_id": event_id})
        return from_document(Event, row) if row else None

    def last_number(self) -> int:
        """Return the highest number assigned so far; 0 before the first."""
        row = self._counters.find_one({"_id": "events"})
        return int(row["value"]) if row else 0

    def of_case(self, case: int, *, limit: int = 0) -> Iterator[Event]:
        """Yield the events of a case, the oldest first.

        Args:
            case: its number.
            limit: how many at most, the newest of them; 0: all.
        """
        if limit:
            rows = self._events.ordered({"case": case}, sort=(("number", -1),), limit=limit)
            yield from reversed([from_document(Event, row) for row in rows])
        else:
            for row in self._events.ordered({"case": case}, sort=(("number", 1),)):
                yield from_document(Event, row)

    def of_cases(self, cases: Sequence[int]) -> Iterator[Event]:
        """Yield the events of cases, in no order."""
        for row in self._events.find_among("case", cases):
            yield from_document(Event, row)

    def since(self, number: int, *, now: datetime | None = None) -> Iterator[Event]:
        """Yield the events after a number, in the order of storage.

        A reader that continues after the ``number`` of its last event gets each event once. If a number is
        missing, later events are withheld for a minute, because the missing event may still be stored.

        Args:
            number: number of the last known event; 0: none.
            now: the present time of the document server's clock.
        """
        settled = (now or self._now()) - _ON_THE_WAY
        rows = self._events.ordered({"number": {"$gt": number}}, sort=(("number", 1),))
        for row in rows:
            if row["number"] != number + 1 and row["stored"] > settled:
                return
            number = row["number"]
            yield from_document(Event, row)
