"""What one act would do with many cases, told before it is done. Pure."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime

from analysis.cases.moves import moves_by_hand
from storage.records import Case, CaseState


@dataclass(frozen=True, slots=True)
class BulkMove:
    """Cases are moved to a state, for a reason."""

    to: CaseState
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Assign:
    """Somebody works on cases; an empty name: nobody."""

    to: str


@dataclass(frozen=True, slots=True)
class SetDeadline:
    """Something must be done about cases until then; None: as the settings say."""

    deadline: datetime | None


Change = BulkMove | Assign | SetDeadline


@dataclass(frozen=True, slots=True)
class Plan:
    """What a change would do.

    Attributes:
        changing: cases that it would change.
        same: cases that are so already.
        refused: cases that it cannot be done with, because of their state.
    """

    changing: tuple[Case, ...] = ()
    same: tuple[Case, ...] = ()
    refused: tuple[Case, ...] = field(default=())

    @property
    def works(self) -> int:
        """How many works the cases that would change are about."""
        return len({case.work_id for case in self.changing})

    @property
    def sites(self) -> int:
        """On how many sites the cases that would change are."""
        return len({case.site for case in self.changing})


def plan_of(cases: Iterable[Case], change: Change) -> Plan:
    """Return what a change would do with cases, each in one part of the plan."""
    changing, same, refused = [], [], []
    for case in cases:
        if _is_so(case, change):
            same.append(case)
        elif isinstance(change, BulkMove) and change.to not in moves_by_hand(case):
            refused.append(case)
        else:
            changing.append(case)
    return Plan(tuple(changing), tuple(same), tuple(refused))


def _is_so(case: Case, change: Change) -> bool:
    match change:
        case BulkMove(to=state):
            return case.state == state and state != "notified"  # notified again: a reminder
        case Assign(to=name):
            return case.assignee == name.strip()
        case SetDeadline(deadline=moment):
            return case.deadline == moment
