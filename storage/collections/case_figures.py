"""Figures over open cases, each of one aggregation that the server carries out over a range of an index."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from storage.collections.checked import CheckedDatabase
from storage.collections.documents import Document
from storage.records import CaseState, Verdict

MOST = 20_000  # cases that are counted; of more it is told that there are more


@dataclass(frozen=True, slots=True)
class StateCount:
    """Cases in one state.

    Attributes:
        cases: how many.
        overdue: how many of them are longer in it than it may last, and have no deadline of their own.
        new: how many of them were first seen since a moment.
    """

    cases: int
    overdue: int
    new: int


class CaseFigures:
    """Figures over the cases of one database. Every method raises ``ServiceDown`` or ``StorageFailed``."""

    def __init__(self, database: CheckedDatabase) -> None:
        self._cases = database["cases"]

    def by_state(
        self,
        owners: Collection[str] | None,
        states: Collection[CaseState],
        verdicts: Collection[Verdict],
        *,
        too_long: Mapping[CaseState, datetime],
        since: datetime | None,
    ) -> tuple[dict[CaseState, StateCount], bool]:
        """Return cases counted by state, and whether there are more than :data:`MOST`.

        Args:
            owners: marks of rights holders; None: of all.
            states: of the cases that count.
            verdicts: theirs.
            too_long: by state: cases that are in it since before that moment are overdue; others never.
            since: cases that were first seen then or later are new; None: no case is.
        """
        condition = {"state": {"$in": sorted(states)}, "verdict": {"$in": sorted(verdicts)}}
        rows = self._cases.aggregate(
            {"$match": {**_of(owners), **condition}},
            {"$limit": MOST + 1},
            {
                "$group": {
                    "_id": "$state",
                    "cases": {"$sum": 1},
                    "overdue": _number_of(_is_too_long(too_long)),
                    "new": _number_of({"$gte": ["$first_seen", since]} if since else False),
                }
            },
        )
        counts = {row["_id"]: StateCount(row["cases"], row["overdue"], row["new"]) for row in rows}
        return counts, sum(count.cases for count in counts.values()) > MOST

    def waiting(self, owners: Collection[str] | None) -> tuple[int, bool]:
        """Return how many matches wait for a decision, by what their cases keep of it, and whether more do.

        Args:
            owners: marks of rights holders; None: of all.
        """
        rows = self._cases.aggregate(
            {"$match": {**_of(owners), "is_waiting": True}},
            {"$limit": MOST + 1},
            {"$group": {"_id": None, "cases": {"$sum": 1}, "waiting": {"$sum": "$waiting"}}},
        )
        row = next(rows, {"cases": 0, "waiting": 0})
        return int(row["waiting"]), row["cases"] > MOST


def _of(owners: Collection[str] | None) -> Document:
    return {} if owners is None else {"owner": {"$in": sorted(owners)}}


def _number_of(condition: Any) -> Document:
    return {"$sum": {"$cond": [condition, 1, 0]}}


def _is_too_long(moments: Mapping[CaseState, datetime]) -> Any:
    """Return the condition that a state lasts too long; dates come after null in MongoDB's order."""
    if not moments:
        return False
    branches = [{"case": {"$eq": ["$state", state]}, "then": moment} for state, moment in moments.items()]
    moment = {"$switch": {"branches": branches, "default": None}}
    has_none = {"$lte": ["$deadline", None]}  # null, or not there
    return {"$and": [has_none, {"$gt": ["$since", None]}, {"$lt": ["$since", moment]}]}
