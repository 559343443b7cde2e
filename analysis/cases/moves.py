"""Moves of a case from state to state; which ones there are stands in :data:`storage.records.MOVES`."""

from collections.abc import Mapping
from datetime import datetime
from types import MappingProxyType

from analysis.words.labels import CASE_STATES, label
from storage.collections.stores import Stores
from storage.records import DERIVED_STATES, MOVES, Case, CaseState, Event
from system.errors import PindnaError

_NOTHING: Mapping[str, str] = MappingProxyType({})


class NotAllowed(PindnaError):
    """A case cannot go from its state to another one. Data: ``name``, ``state``, ``to``, ``allowed``."""

    template = "{name} is “{state}”, which “{to}” cannot follow. It may become: {allowed}."


def move(
    case: Case,
    stores: Stores,
    *,
    to: CaseState,
    by: str,
    at: datetime,
    reason: str = "",
    subject: str = "",
    detail: Mapping[str, str] = _NOTHING,
) -> Case:
    """Move a case to another state and return it; the event is stored first, then the state.

    Of two that move it at once one is refused. A call that was broken off may be repeated: nothing is
    doubled in the history.

    Args:
        case: as it was read.
        stores: the database.
        to: the state that follows.
        by: who says so.
        at: when it happened.
        reason: why.
        subject: the notice or look that it follows from.
        detail: what else is known of it; ``reason`` and ``deadline`` are those of the new state.

    Raises:
        NotAllowed: the state cannot follow the case's.
        CaseMoved: somebody moved it at the same time.
    """
    if to not in MOVES[case.state]:
        raise not_allowed(case, to)
    event = Event(
        id="",
        case=case.number,
        kind="reopened" if case.state == "closed" or to == "new" else to,
        at=at,
        by=by,
        because=reason,
        subject=subject,
        before=case.state,
        after=to,
        detail=dict(detail),
    )
    return stores.cases.advance(case, event)


def not_allowed(case: Case, to: CaseState) -> NotAllowed:
    """Return the error that a state cannot follow a case's, with those that can."""
    allowed = tuple(label(CASE_STATES, state) for state in sorted(MOVES[case.state]))
    state, target = label(CASE_STATES, case.state), label(CASE_STATES, to)
    return NotAllowed(name=case.name, state=state, to=target, allowed=allowed)


def moves_by_hand(case: Case) -> tuple[CaseState, ...]:
    """Return the states that a person may move a case to, in their order; of a closed one none.

    A closed case is reopened, into the state that it had. What ``new`` says follows from the matches. A case
    is confirmed or dismissed by deciding about its open matches; where there are none, one that was pursued
    may be taken back to ``confirmed``.
    """
    if case.state == "closed":
        return ()
    allowed = set(MOVES[case.state]) - {"new"}
    if not case.reviews.get(""):
        allowed -= {"dismissed"} if case.state not in DERIVED_STATES else {"confirmed", "dismissed"}
    return tuple(state for state in MOVES if state in allowed)
