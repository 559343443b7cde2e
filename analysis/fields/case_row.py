"""A case with the values that are shown with it: its deadline, its priority and its rights holder."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from analysis.cases.priority import Points
from analysis.cases.views import CaseView
from storage.records import Case


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseRow:
    """A case with values that depend on settings, its work and the present time.

    Attributes:
        deadline: until when something must be done; None: nothing has to.
        priority: its points; None: it is not stored.
        points: what it gets them for.
        holder: rights holder of the work; empty where none is known.
    """

    case: Case
    deadline: datetime | None
    is_overdue: bool
    priority: int | None
    points: tuple[Points, ...] = ()
    holder: str = ""


def row_of(view: CaseView) -> CaseRow:
    """Return the row of a case from the result of a query."""
    return CaseRow(
        case=view.case,
        deadline=view.deadline,
        is_overdue=view.is_overdue,
        priority=view.priority.points,
        points=view.priority.parts,
        holder=view.holder,
    )


def of_case(read: Callable[[Case], Any]) -> Callable[[CaseRow], Any]:
    """Return a function that reads a value from the case of a row."""
    return lambda row: read(row.case)


def priority_object(row: CaseRow) -> dict[str, object]:
    """Return the priority of a case as ``--json`` prints it."""
    reasons = {
        component.reason: {"points": component.points, "value": component.value} for component in row.points
    }
    return {"points": row.priority, "reasons": reasons}


def review_counts(case: Case) -> dict[str, int]:
    """Return the numbers of a case's open, confirmed, dismissed and doubtful matches."""
    return {review or "open": count for review, count in case.reviews.items()}
