"""Collection ``events``: what happened to cases and matches; nothing ever changes or deletes a row."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from storage.collections.checked import CheckedDatabase
from storage.collections.documents import from_document, to_document
from storage.collections.evidence_log import with_mark
from storage.collections.naming import new_numbers
from storage.records import Event, utc_now

# A number is drawn a moment before its event is stored; so long a later event waits for an earlier one.
_ON_THE_WAY = timedelta(minutes=1)


class EventStore:
    """Events by case, and all in their order. Every method raises ``ServiceDown`` or ``StorageFailed``."""

    def __init__(self, database: CheckedDatabase) -> None:
        self._events = database["events"]
        self._counters = database["counters"]

    def ensure_schema(self) -> None:
        """Create the indexes; safe to repeat."""
        self._events.create_index([("case", 1), ("number", 1)])
        self._events.create_index("number")

    def add_many(self, events: Sequence[Event]) -> list[bool]:
        """Keep events, numbered in their order, and return which are new; the others stay as they are."""
        ids = [event.id for event in events]
        stored_ids = {row["_id"] for row in self._events.find_among("_id", ids, {"_id": 1})}
        fresh = [event for event in events if event.id not in stored_ids]
        numbers = new_numbers(self._counters, "events", len(fresh))
        stored = utc_now()
        rows = [
            with_mark(to_document(replace(event, number=number, stored=stored)))
            for event, number in zip(fresh, numbers, strict=True)
        ]
        added = dict(zip((event.id for event in fresh), self._events.insert_new(rows), strict=True))
        return [added.get(event.id, False) for event in events]

    def get(self, event_id: str) -> Event | None:
        """Return an event, None if there is none of that id."""
        row = self._events.find_one({"_id": event_id})
        return from_document(Event, row) if row else None

    def last_number(self) -> int:
        """Return the highest number that was drawn so far; 0 before the first."""
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
        """Yield the events of some cases, in no order."""
        for row in self._events.find_among("case", cases):
            yield from_document(Event, row)

    def since(self, number: int, *, now: datetime | None = None) -> Iterator[Event]:
        """Yield the events after a mark, in the order in which they were stored.

        Whoever reads on from the ``number`` of the last event gets each one once: where a number is missing,
        a later event is held back for a minute, in which the missing one may still be stored.

        Args:
            number: of the last event that is known; 0: none.
            now: the present time of the clock that stores events.
        """
        settled = (now or utc_now()) - _ON_THE_WAY
        rows = self._events.ordered({"number": {"$gt": number}}, sort=(("number", 1),))
        for row in rows:
            if row["number"] != number + 1 and row["stored"] > settled:
                return
            number = row["number"]
            yield from_document(Event, row)
