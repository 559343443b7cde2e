"""Collection ``watches``: a row for each address of the takedown watch, found by its due time.

Claiming a row moves its ``due`` into the future, so ``due`` is also its lease: the rows of a killed process
become due again. A round is one check of an address. The row keeps the name of its round until the look of
that round is processed, so an address is checked once in a round, even after crashes.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from storage.collections.checked import CheckedDatabase
from storage.collections.documents import from_document, to_document
from storage.collections.visits import visit_id
from storage.records import NEVER, Look, Watch, WatchState

# Fields that a look changes; enrolling an address sets all other fields.
_SEEN = (
    "state", "reason", "moved_to", "look_id", "looked", "last_up", "first_gone", "gone_since", "confirmed",
    "returned", "step",
)  # fmt: skip
_MARK = "watch:events"  # name of the counter that stores the number of the last processed event


class WatchStore:
    """Watches by address, case and due date. Every method raises ``ServiceDown`` or ``StorageFailed``."""

    def __init__(self, database: CheckedDatabase) -> None:
        self._watches = database["watches"]
        self._counters = database["counters"]

    def ensure_schema(self) -> None:
        """Create the indexes; safe to repeat."""
        self._watches.create_index("due")
        self._watches.create_index("cases")
        self._watches.create_index("round")
        self._watches.create_index([("state", 1), ("due", 1)])

    def enrol(self, watch: Watch, case: int) -> None:
        """Watch an address for a case; an address that is watched already keeps its state."""
        document = to_document(watch)
        key = document.pop("_id")
        document.pop("cases")
        self._watches.update_one(
            {"_id": key}, {"$setOnInsert": document, "$addToSet": {"cases": case}}, upsert=True
        )

    def change(self, watch_id: str, fields: Mapping[str, Any]) -> None:
        """Change those fields of a row that looks do not change."""
        self._watches.update_one({"_id": watch_id}, {"$set": dict(fields)})

    def unenrol(self, watch: Watch, case: int) -> None:
        """Stop watching an address for a case; an address without any case is never due."""
        self._watches.update_one({"_id": watch.id}, {"$pull": {"cases": case}})
        self._watches.update_one({"_id": watch.id, "cases": []}, {"$set": {"due": NEVER, "round": ""}})

    def bring_forward(self, watch: Watch, moment: datetime) -> bool:
        """Make an address due by a moment, unless it is being checked; returns False if it is."""
        idle = {"_id": watch.id, "round": ""}
        return bool(self._watches.update_one(idle, {"$min": {"due": moment}}).matched_count)

    def follow_contradictions(self, looks: Sequence[Look], *, now: datetime) -> None:
        """Make an address due at once if the look of a crawl contradicts the watch.

        A crawl changes no row and no case, because it sees one answer and no neighbour. The watch itself
        checks the result again: a copy that is up although it was gone, or a copy that is absent although it
        was up.
        """
        up = [visit_id(look.url) for look in looks if look.state == "up"]
        absent = [visit_id(look.url) for look in looks if look.state in {"gone", "changed"}]
        idle, sooner = {"round": "", "due": {"$lt": NEVER}}, {"$min": {"due": now}}
        self._watches.update_among(up, sooner, {**idle, "first_gone": {"$ne": None}})
        self._watches.update_among(absent, sooner, {**idle, "first_gone": None})

    def due(self, now: datetime, *, limit: int) -> list[Watch]:
        """Return the due rows, the longest due first."""
        rows = self._watches.find({"due": {"$lte": now}}, sort=[("due", 1)], limit=limit)
        return [from_document(Watch, row) for row in rows]

    def count_due(self, now: datetime) -> int:
        """Return the number of due rows."""
        return self._watches.count({"due": {"$lte": now}})

    def claim(self, watch: Watch, round_id: str, *, until: datetime) -> bool:
        """Claim an address for a check; False if another process has claimed it.

        Args:
            watch: the row as read.
            round_id: the round; an interrupted round keeps its name.
            until: when other processes may claim it.
        """
        fields = {"round": round_id, "due": until, "attempts": watch.attempts + 1}
        as_read = {"_id": watch.id, "due": watch.due}
        return self._watches.update_one(as_read, {"$set": fields}).modified_count == 1

    def postpone(self, watch: Watch, *, until: datetime) -> None:
        """Postpone the check of an address, unless it was claimed since it was read."""
        self._watches.update_one({"_id": watch.id, "due": watch.due}, {"$set": {"due": until}})

    def extend(self, ids: Sequence[str], *, until: datetime) -> None:
        """Extend the claims of rows that are being checked."""
        self._watches.update_among(ids, {"$set": {"due": until}})

    def release(self, watches: Iterable[Watch], *, due: datetime) -> None:
        """Release claimed rows; no attempt is counted."""
        for watch in watches:
            claimed = {"_id": watch.id, "round": watch.round}
            fields = {"due": due, "attempts": watch.attempts - 1}
            self._watches.update_one(claimed, {"$set": fields})

    def record_look(self, watch: Watch) -> None:
        """Store the result of a look; the row stays in its round until :meth:`end_round`."""
        document = to_document(watch)
        fields = {name: document[name] for name in _SEEN}
        self._watches.update_one({"_id": watch.id, "round": watch.round}, {"$set": fields})

    def end_round(self, watch: Watch, *, due: datetime) -> None:
        """End the round of a row after its look and all consequences of the look were processed."""
        claimed = {"_id": watch.id, "round": watch.round}
        self._watches.update_one(claimed, {"$set": {"round": "", "attempts": 0, "due": due}})

    def get(self, watch_id: str) -> Watch | None:
        """Return a row by its id."""
        row = self._watches.find_one({"_id": watch_id})
        return None if row is None else from_document(Watch, row)

    def of_case(self, case: int) -> list[Watch]:
        """Return the watched addresses of a case, by address."""
        rows = [from_document(Watch, row) for row in self._watches.find({"cases": case})]
        return sorted(rows, key=lambda watch: watch.url)

    def of_cases(self, cases: Sequence[int]) -> list[Watch]:
        """Return the distinct watched addresses of cases, in no order."""
        rows = {row["_id"]: row for row in self._watches.find_among("cases", cases)}
        return [from_document(Watch, row) for row in rows.values()]

    def get_many(self, ids: Sequence[str]) -> list[Watch]:
        """Return the existing rows."""
        return [from_document(Watch, row) for row in self._watches.find_among("_id", ids)]

    def of_round(self, round_id: str) -> list[Watch]:
        """Return the rows of a round."""
        return [from_document(Watch, row) for row in self._watches.find({"round": round_id})]

    def listed(self, *, state: WatchState | None = None, limit: int = 0) -> Iterator[Watch]:
        """Yield the rows with a case, those due first."""
        query: dict[str, Any] = {"due": {"$lt": NEVER}}
        if state is not None:
            query = {"state": state, **query}
        for row in self._watches.find(query, sort=[("due", 1)], limit=limit):
            yield from_document(Watch, row)

    def last_event(self) -> int:
        """Return the number of the last processed event."""
        row = self._counters.find_one({"_id": _MARK})
        return int(row["value"]) if row else 0

    def record_event(self, number: int) -> None:
        """Record that the events up to a number were processed."""
        self._counters.update_one({"_id": _MARK}, {"$max": {"value": number}}, upsert=True)
