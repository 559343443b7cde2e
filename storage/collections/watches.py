"""Collection ``watches``: a row for each address that the takedown watch asks, found by when it is due.

Whoever takes a row pushes its ``due`` into the future, so ``due`` is its lease as well: what a killed process
held is due again by itself. The row keeps the name of its round until the look of that round was taken into
account, so that an address is asked once in a round, whoever is killed.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from storage.collections.checked import CheckedDatabase
from storage.collections.documents import from_document, to_document
from storage.collections.visits import visit_id
from storage.records import NEVER, Look, Watch, WatchState

# What a look changes; the rest belongs to those who enrol addresses.
_SEEN = (
    "state", "reason", "moved_to", "look_id", "looked", "last_up", "first_gone", "gone_since", "confirmed",
    "returned", "step",
)  # fmt: skip
_MARK = "watch:events"  # the counter that holds the number of the last event that was followed


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
        """Watch an address for a case; one that is watched keeps what is known of it."""
        document = to_document(watch)
        key = document.pop("_id")
        document.pop("cases")
        self._watches.update_one(
            {"_id": key}, {"$setOnInsert": document, "$addToSet": {"cases": case}}, upsert=True
        )

    def change(self, watch_id: str, fields: Mapping[str, Any]) -> None:
        """Change fields of a row that looks do not change."""
        self._watches.update_one({"_id": watch_id}, {"$set": dict(fields)})

    def unenrol(self, watch: Watch, case: int) -> None:
        """Watch an address for a case no more; without any case it is never due."""
        self._watches.update_one({"_id": watch.id}, {"$pull": {"cases": case}})
        self._watches.update_one({"_id": watch.id, "cases": []}, {"$set": {"due": NEVER, "round": ""}})

    def bring_forward(self, watch: Watch, moment: datetime) -> bool:
        """Let an address be asked by a moment, unless it is being asked now; returns whether that holds."""
        idle = {"_id": watch.id, "round": ""}
        return bool(self._watches.update_one(idle, {"$min": {"due": moment}}).matched_count)

    def follow_contradictions(self, looks: Sequence[Look], *, now: datetime) -> None:
        """Let addresses be asked at once where the looks of a crawl contradict what the watch knows.

        A crawl moves no row and no case: it sees one answer, without a neighbour. What it saw is looked at
        again: a copy that is up where it was gone, or one that is absent where it was not.
        """
        up = [visit_id(look.url) for look in looks if look.state == "up"]
        absent = [visit_id(look.url) for look in looks if look.state in {"gone", "changed"}]
        idle, sooner = {"round": "", "due": {"$lt": NEVER}}, {"$min": {"due": now}}
        self._watches.update_among(up, sooner, {**idle, "first_gone": {"$ne": None}})
        self._watches.update_among(absent, sooner, {**idle, "first_gone": None})

    def due(self, now: datetime, *, limit: int) -> list[Watch]:
        """Return rows that are due, those that waited longest first."""
        rows = self._watches.find({"due": {"$lte": now}}, sort=[("due", 1)], limit=limit)
        return [from_document(Watch, row) for row in rows]

    def count_due(self, now: datetime) -> int:
        """Return how many rows are due."""
        return self._watches.count({"due": {"$lte": now}})

    def claim(self, watch: Watch, round_id: str, *, until: datetime) -> bool:
        """Begin to ask an address; False when somebody else was faster.

        Args:
            watch: as it was read.
            round_id: the round; one that was broken off goes on under its own name.
            until: when others may take it up.
        """
        fields = {"round": round_id, "due": until, "attempts": watch.attempts + 1}
        as_read = {"_id": watch.id, "due": watch.due}
        return self._watches.update_one(as_read, {"$set": fields}).modified_count == 1

    def postpone(self, watch: Watch, *, until: datetime) -> None:
        """Let an address wait, unless somebody else took it since it was read."""
        self._watches.update_one({"_id": watch.id, "due": watch.due}, {"$set": {"due": until}})

    def extend(self, ids: Sequence[str], *, until: datetime) -> None:
        """Keep rows that are being asked longer."""
        self._watches.update_among(ids, {"$set": {"due": until}})

    def release(self, watches: Iterable[Watch], *, due: datetime) -> None:
        """Let others go on with the round of rows that were taken; no attempt is counted."""
        for watch in watches:
            claimed = {"_id": watch.id, "round": watch.round}
            fields = {"due": due, "attempts": watch.attempts - 1}
            self._watches.update_one(claimed, {"$set": fields})

    def record_look(self, watch: Watch) -> None:
        """Store what a look showed; the row stays in its round until :meth:`end_round`."""
        document = to_document(watch)
        fields = {name: document[name] for name in _SEEN}
        self._watches.update_one({"_id": watch.id, "round": watch.round}, {"$set": fields})

    def end_round(self, watch: Watch, *, due: datetime) -> None:
        """End the round of a row whose look was taken into account, with all that follows from it."""
        claimed = {"_id": watch.id, "round": watch.round}
        self._watches.update_one(claimed, {"$set": {"round": "", "attempts": 0, "due": due}})

    def get(self, watch_id: str) -> Watch | None:
        """Return a row by its id."""
        row = self._watches.find_one({"_id": watch_id})
        return None if row is None else from_document(Watch, row)

    def of_case(self, case: int) -> list[Watch]:
        """Return the addresses that a case is watched at, by address."""
        rows = [from_document(Watch, row) for row in self._watches.find({"cases": case})]
        return sorted(rows, key=lambda watch: watch.url)

    def of_cases(self, cases: Sequence[int]) -> list[Watch]:
        """Return the addresses that some cases are watched at, in no order; each once."""
        rows = {row["_id"]: row for row in self._watches.find_among("cases", cases)}
        return [from_document(Watch, row) for row in rows.values()]

    def get_many(self, ids: Sequence[str]) -> list[Watch]:
        """Return the rows that exist among ``ids``."""
        return [from_document(Watch, row) for row in self._watches.find_among("_id", ids)]

    def of_round(self, round_id: str) -> list[Watch]:
        """Return the rows that are asked in a round."""
        return [from_document(Watch, row) for row in self._watches.find({"round": round_id})]

    def listed(self, *, state: WatchState | None = None, limit: int = 0) -> Iterator[Watch]:
        """Yield the rows that are watched for a case, those that are due first."""
        query: dict[str, Any] = {"due": {"$lt": NEVER}}
        if state is not None:
            query = {"state": state, **query}
        for row in self._watches.find(query, sort=[("due", 1)], limit=limit):
            yield from_document(Watch, row)

    def last_event(self) -> int:
        """Return the number of the last event that was followed."""
        row = self._counters.find_one({"_id": _MARK})
        return int(row["value"]) if row else 0

    def record_event(self, number: int) -> None:
        """Note that the events up to a number were followed."""
        self._counters.update_one({"_id": _MARK}, {"$max": {"value": number}}, upsert=True)
