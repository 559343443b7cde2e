"""Figures of open cases, each by one aggregation of the server over a range of an index."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from storage.collections.checked import CheckedDatabase
from storage.collections.documents import Document
from storage.records import CaseState, Verdict

MOST = 20_000  # maximum number of cases to count; a larger number is reported as "more than" this


@dataclass(frozen=True, slots=True)
class StateCount:
    """Cases in one state.

    Attributes:
        cases: number of cases.
        overdue: cases without a deadline that have been in the state for too long.
        new: cases first seen since a moment.
    """

    cases: int
    overdue: int
    new: int


class CaseFigures:
    """Figures of the cases of one database. Every method raises ``ServiceDown`` or ``StorageFailed``."""

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
        """Return the number of cases in each state, and whether there are more than :data:`MOST` in all.

        Args:
            owners: marks of rights holders; None: all.
            states: states of the counted cases.
            verdicts: verdicts of the counted cases.
            too_long: by state: cases in it since before that moment are overdue; cases in other states never
                are.
            since: cases first seen then or later are new; None: no case is new.
        """
        condition = {"state": {"$in": sorted(states)}, "verdict": {"$in": sorted(verdicts)}}
        rows = self._cases.aggregate(
            {"$match": {**_owned_by(owners), **condition}},
            {"$limit": MOST + 1},
            {
                "$group": {
                    "_id": "$state",
                    "cases": {"$sum": 1},
                    "overdue": _count_where(_is_too_long(too_long)),
                    "new": _count_where({"$gte": ["$first_seen", since]} if since else False),
                }
            },
        )
        counts = {row["_id"]: StateCount(row["cases"], row["overdue"], row["new"]) for row in rows}
        return counts, sum(count.cases for count in counts.values()) > MOST

    def waiting(self, owners: Collection[str] | None) -> tuple[int, bool]:
        """Return how many matches wait for a decision (the sum over their cases), and whether there are more.

        Args:
            owners: marks of rights holders; None: all.
        """
        rows = self._cases.aggregate(
            {"$match": {**_owned_by(owners), "is_waiting": True}},
            {"$limit": MOST + 1},
            {"$group": {"_id": None, "cases": {"$sum": 1}, "waiting": {"$sum": "$waiting"}}},
        )
        row = next(rows, {"cases": 0, "waiting": 0})
        return int(row["waiting"]), row["cases"] > MOST


def _owned_by(owners: Collection[str] | None) -> Document:
    return {} if owners is None else {"owner": {"$in": sorted(owners)}}


def _count_where(condition: Any) -> Document:
    return {"$sum": {"$cond": [condition, 1, 0]}}


def _is_too_long(moments: Mapping[CaseState, datetime]) -> Any:
    """Return the condition that a case has been in its state too long; dates sort after null in MongoDB."""
    if not moments:
        return False
    branches = [{"case": {"$eq": ["$state", state]}, "then": moment} for state, moment in moments.items()]
    moment = {"$switch": {"branches": branches, "default": None}}
    has_none = {"$lte": ["$deadline", None]}  # true for a deadline that is null or missing
    return {"$and": [has_none, {"$gt": ["$since", None]}, {"$lt": ["$since", moment]}]}
