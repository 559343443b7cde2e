"""Collection ``cases``: a case is a work on a site. The figures of a case are derived from its matches.

The number of a case may be printed in documents, so a case is never deleted. A case without matches is
closed.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import islice
from typing import Any

from storage.collections.checked import CheckedDatabase
from storage.collections.documents import Document, from_document, to_document
from storage.collections.events import EventStore
from storage.collections.naming import new_numbers, number_of
from storage.collections.owners import Owners
from storage.records import (
    CASE_STATES,
    IDLE_STATES,
    UNDECIDED,
    VERDICTS,
    Case,
    CaseState,
    Event,
    Verdict,
    apply_event,
)
from system.errors import PindnaError, UnknownId

_MOST_COPIED = (("copied_chars", -1), ("_id", 1))
_NUMBER_PREFIX = "case:"  # prefix of the counters with the numbers of cases that schema 5 deleted
# Fields that people set; counting the matches of a case does not change them.
_SET_BY_PEOPLE = ("state", "since", "reason", "assignee", "deadline", "moves", "first_seen", "number")
_SET_BY_EVENTS = ("state", "since", "reason", "assignee", "deadline", "moves")


class CaseMoved(PindnaError):
    """Another user changed the case at the same time. Data: ``name``, ``by``, ``kind``."""

    template = (
        "{by} has just changed {name} ({kind}). Check it, then repeat the action if it is still needed."
    )


class CaseStore:
    """Cases by (work, site). Every method raises ``ServiceDown`` or ``StorageFailed``."""

    def __init__(self, database: CheckedDatabase, events: EventStore) -> None:
        self._cases = database["cases"]
        self._counters = database["counters"]
        self._owners = Owners(database)
        self._events = events

    def ensure_schema(self) -> None:
        """Create the indexes; safe to repeat."""
        # In the index the verdict comes before the state, because queries name several states.
        for leading in (("verdict",), *((scope, "verdict") for scope in ("work_id", "site"))):
            self._cases.create_index([*((field, 1) for field in leading), *_MOST_COPIED])
        for fields in ((), ("owner",), ("assignee",)):
            keys = [(field, 1) for field in (*fields, "verdict", "state")]
            self._cases.create_index([*keys, *_MOST_COPIED])
        for fields in ((), ("owner",)):
            keys = [(field, 1) for field in (*fields, "is_waiting", "verdict")]
            self._cases.create_index([*keys, *_MOST_COPIED])
        self._cases.create_index("number")
        for counted in ("site", "work_id"):
            self._cases.create_index([(counted, 1), ("state", 1)])
        for fields in ((), ("owner",)):
            for keys in (
                [("deadline", 1), ("_id", 1)],
                [("state", 1), ("since", 1), ("_id", 1)],
                [("state", 1), ("first_seen", -1), ("_id", 1)],
            ):
                self._cases.create_index([*((field, 1) for field in fields), *keys])
        self._count_waiting()

    def save(self, case: Case) -> Case:
        """Insert a case, or update its figures; returns the stored case.

        An existing case keeps the time of its first sight, its number and the fields that people set.
        """
        owner = self._owners.of([case.work_id])[case.work_id]
        document = {**to_document(case), "owner": owner, "is_waiting": case.waiting > 0}
        key = document.pop("_id")
        first = {name: document.pop(name) for name in _SET_BY_PEOPLE} | {"number": self._assign_number(key)}
        self._cases.update_one({"_id": key}, {"$set": document, "$setOnInsert": first}, upsert=True)
        return self.get(key)

    def _count_waiting(self) -> None:
        """Set ``waiting`` in cases that lack it; the next count of each case corrects the number."""
        for row in self._cases.find({"is_waiting": None}, {"reviews": 1, "verdict": 1}):
            waiting = 0 if row["verdict"] not in UNDECIDED else int(row.get("reviews", {}).get("", 0))
            change = {"waiting": waiting, "is_waiting": waiting > 0}
            self._cases.update_one({"_id": row["_id"], "is_waiting": None}, {"$set": change})

    def _assign_number(self, key: str) -> int:
        """Return the number of a case that is stored for the first time."""
        if self._cases.find_one({"_id": key}, {"_id": 1}) is not None:
            return 0
        row = self._counters.find_one({"_id": _NUMBER_PREFIX + key})
        return int(row["value"]) if row else new_numbers(self._counters, "cases", 1)[0]

    def advance(self, case: Case, event: Event) -> Case:
        """Store the next event of a case, then change the case; returns the case.

        Of two simultaneous events one is refused. The caller may repeat an interrupted call, which does not
        store its event twice.

        Args:
            case: as it was read.
            event: the event; its id and its case are set here.

        Raises:
            CaseMoved: another event came first.
        """
        event = _as_next_event(event, case)
        if any(self._events.add_many([event])):
            self._apply(case, event)
            return apply_event(case, event)
        stored = self._events.get(event.id)
        if stored is None:  # pragma: no cover - events are never deleted
            raise CaseMoved(name=case.name, by=event.by, kind=event.kind)
        if self._apply(case, stored) and _content_without_time(stored) == _content_without_time(event):
            return apply_event(case, stored)
        raise CaseMoved(name=case.name, by=stored.by, kind=stored.kind)

    def apply_pending_event(self, case: Case) -> Case:
        """Apply the event that an interrupted call stored, if there is one, and return the case."""
        stored = self._events.get(f"{case.name}#{case.moves + 1}")
        if stored is None:
            return case
        self._apply(case, stored)
        return self.apply_pending_event(apply_event(case, stored))

    def _apply(self, case: Case, event: Event) -> bool:
        """Apply the next event to a case; returns False if it was applied before."""
        document = to_document(apply_event(case, event))
        change = {"$set": {name: document[name] for name in _SET_BY_EVENTS}}
        return bool(self._cases.update_one({"_id": case.id, "moves": case.moves}, change).matched_count)

    def move(self, old: str, new: str, *, work_id: int) -> None:
        """Store a case under another id, with its number and events. Idempotent.

        Args:
            old: the earlier id.
            new: the new id. If a case has it already, both cases stay unchanged.
            work_id: the work of the new id.
        """
        row = self._cases.find_one({"_id": old})
        if row is None:
            return
        stored = self._cases.find_one({"_id": new}, {"number": 1})
        if stored is None:
            owner = self._owners.of([work_id])[work_id]
            self._cases.insert_new([{**row, "_id": new, "work_id": work_id, "owner": owner}])
        elif stored["number"] != row["number"]:
            return
        self._cases.delete_one({"_id": old})

    def get(self, name: str) -> Case:
        """Return a case by its short name (``c7``) or its id.

        Raises:
            UnknownId: there is no such case.
        """
        number = number_of(name, "c")
        row = None if number is None else self._cases.find_one({"number": number})
        row = row or self._cases.find_one({"_id": name})
        if row is None:
            raise UnknownId(kind="case", name=name)
        return from_document(Case, row)

    def find(self, case_id: str) -> Case | None:
        """Return the case with an id; None if it does not exist."""
        row = self._cases.find_one({"_id": case_id})
        return from_document(Case, row) if row else None

    def retitle(self, work_id: int, title: str) -> None:
        """Set the title of a work in its cases."""
        self._cases.update_many({"work_id": work_id}, {"$set": {"work_title": title}})

    def listed(
        self,
        *,
        work_id: int | None = None,
        site: str | None = None,
        state: CaseState | None = None,
        verdicts: Sequence[Verdict] = VERDICTS,
        limit: int = 0,
    ) -> Iterator[Case]:
        """Yield cases, the gravest verdict first, then the most copied, in bounded memory.

        The server sorts by an index (of site, work, state or all cases), and checks the other conditions row
        by row.

        Args:
            work_id: only those of this work.
            site: only those on this site.
            state: only those in this state.
            verdicts: only those with one of these, in this order.
            limit: how many at most; 0: all.
        """
        fields = {"site": site, "work_id": work_id, "state": state}
        query = {field: value for field, value in fields.items() if value is not None}
        indexed: Document = next(
            ({field: query.pop(field)} for field in ("site", "work_id", "state") if field in query), {}
        )
        rows = (
            row
            for verdict in verdicts
            for row in self._cases.ordered(
                {**indexed, "verdict": verdict}, query, sort=_MOST_COPIED, limit=limit
            )
        )
        return (from_document(Case, row) for row in islice(rows, limit or None))

    def with_deadline(self, first: datetime, last: datetime) -> list[Case]:
        """Return the cases whose deadline is between two moments, in no order."""
        rows = self._cases.find({"deadline": {"$gte": first, "$lte": last}})
        return [from_document(Case, row) for row in rows]

    def in_state_since(self, state: CaseState, first: datetime, last: datetime) -> Iterator[Case]:
        """Yield the cases whose present state began between two moments, in no order."""
        rows = self._cases.find({"state": state, "since": {"$gte": first, "$lte": last}})
        return (from_document(Case, row) for row in rows)

    def get_many(self, ids: Sequence[str]) -> dict[str, Case]:
        """Return the cases that exist among ``ids``, by id."""
        return {row["_id"]: from_document(Case, row) for row in self._cases.find_among("_id", ids)}

    def count_pursued(self, sites: Iterable[str]) -> dict[str, int]:
        """Return the number of pursued cases on each site, counted by the server."""
        return self._count_by("site", set(sites), leaving_out=IDLE_STATES)

    def open_of(self, work_ids: Iterable[int]) -> dict[int, int]:
        """Return the number of open cases of each work, counted by the server."""
        return self._count_by("work_id", set(work_ids), leaving_out={"closed"})

    def _count_by(
        self, field: str, values: set[Any], *, leaving_out: Collection[CaseState]
    ) -> dict[Any, int]:
        """Return the number of cases for each value of a field, including 0, except cases in some states."""
        condition = {
            field: {"$in": sorted(values)},
            "state": {"$in": [state for state in CASE_STATES if state not in leaving_out]},
        }
        counted = self._cases.aggregate(
            {"$match": condition}, {"$group": {"_id": f"${field}", "count": {"$sum": 1}}}
        )
        return dict.fromkeys(values, 0) | {row["_id"]: row["count"] for row in counted}

    def on_sites(self, sites: Iterable[str]) -> Iterator[Case]:
        """Yield every case on sites, in no order."""
        rows = self._cases.find_among("site", sorted(set(sites)))
        return (from_document(Case, row) for row in rows)

    def keys_of(self, work_id: int) -> Iterator[tuple[int, str]]:
        """Yield (work id, site) of every case of a work."""
        rows = self._cases.find({"work_id": work_id}, {"work_id": 1, "site": 1})
        return ((row["work_id"], row["site"]) for row in rows)

    def keys_on(self, sites: Iterable[str]) -> Iterator[tuple[int, str]]:
        """Yield (work id, site) of every case on sites."""
        rows = self._cases.find_among("site", sorted(set(sites)), {"work_id": 1, "site": 1})
        return ((row["work_id"], row["site"]) for row in rows)


def case_id(work_id: int, site: str) -> str:
    """Return the natural key of a case as one string."""
    return f"{work_id}@{site}"


def _as_next_event(event: Event, case: Case) -> Event:
    """Return an event with the number of the case's next event."""
    return replace(event, id=f"{case.name}#{case.moves + 1}", case=case.number)


def _content_without_time(event: Event) -> tuple[object, ...]:
    """Return the content of an event, without the time at which it happened."""
    return event.kind, event.by, event.because, event.subject, event.after, event.detail
