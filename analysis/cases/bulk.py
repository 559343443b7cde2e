"""Preview a bulk action on cases. Pure."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime

from analysis.cases.moves import moves_by_hand
from storage.records import Case, CaseState


@dataclass(frozen=True, slots=True)
class BulkMove:
    """Move cases to a state, with a reason."""

    to: CaseState
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Assign:
    """Assign cases to a user; an empty name removes the assignee."""

    to: str


@dataclass(frozen=True, slots=True)
class SetDeadline:
    """Set the deadline of cases; None: use the settings."""

    deadline: datetime | None


Change = BulkMove | Assign | SetDeadline


@dataclass(frozen=True, slots=True)
class Plan:
    """The effect of a bulk action.

    Attributes:
        changing: cases that it would change.
        same: cases that already have the new value.
        refused: cases whose state does not allow it.
    """

    changing: tuple[Case, ...] = ()
    same: tuple[Case, ...] = ()
    refused: tuple[Case, ...] = field(default=())

    @property
    def works(self) -> int:
        """Number of works among the changing cases."""
        return len({case.work_id for case in self.changing})

    @property
    def sites(self) -> int:
        """Number of sites among the changing cases."""
        return len({case.site for case in self.changing})


def plan_of(cases: Iterable[Case], change: Change) -> Plan:
    """Return the effect of a change on cases. Each case is in one field of the plan."""
    changing, same, refused = [], [], []
    for case in cases:
        if _has_new_value(case, change):
            same.append(case)
        elif isinstance(change, BulkMove) and change.to not in moves_by_hand(case):
            refused.append(case)
        else:
            changing.append(case)
    return Plan(tuple(changing), tuple(same), tuple(refused))


def _has_new_value(case: Case, change: Change) -> bool:
    match change:
        case BulkMove(to=state):
            # a case can be notified twice, because a second notice is a reminder
            return case.state == state and state != "notified"
        case Assign(to=name):
            return case.assignee == name.strip()
        case SetDeadline(deadline=moment):
            return case.deadline == moment
