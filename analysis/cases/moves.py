"""State changes of cases. :data:`storage.records.MOVES` lists the allowed ones."""

from collections.abc import Mapping
from datetime import datetime
from types import MappingProxyType

from analysis.words.labels import CASE_STATES, label
from storage.collections.stores import Stores
from storage.records import DERIVED_STATES, MOVES, Case, CaseState, Event
from system.errors import PindnaError

_NOTHING: Mapping[str, str] = MappingProxyType({})


class NotAllowed(PindnaError):
    """A case cannot change from its state to another one.

    Attributes:
        name: name of the case.
        state: its state.
        to: the requested state.
        allowed: the allowed states.
    """

    template = "{name} cannot change from “{state}” to “{to}”. Allowed states: {allowed}."


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
    """Move a case to another state and return it. The event is stored first, then the state.

    Of two concurrent moves, one is refused. An interrupted call may be repeated without a second event.

    Args:
        case: the case as it was read.
        stores: the database.
        to: the new state.
        by: the user who moves it.
        at: when it happened.
        reason: the reason.
        subject: the notice or look that caused it.
        detail: further data; ``reason`` and ``deadline`` belong to the new state.

    Raises:
        NotAllowed: the state cannot follow the present one.
        CaseMoved: another user moved it at the same time.
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
    """Return the error for a state change, with the allowed states."""
    allowed = tuple(label(CASE_STATES, state) for state in sorted(MOVES[case.state]))
    state, target = label(CASE_STATES, case.state), label(CASE_STATES, to)
    return NotAllowed(name=case.name, state=state, to=target, allowed=allowed)


def moves_by_hand(case: Case) -> tuple[CaseState, ...]:
    """Return the states that a user may choose for a case, in order; none for a closed case.

    A closed case is reopened in its earlier state. ``new`` follows from the matches. Deciding the open
    matches confirms or dismisses a case. If there are none, a pursued case may return to ``confirmed``.
    """
    if case.state == "closed":
        return ()
    allowed = set(MOVES[case.state]) - {"new"}
    if not case.reviews.get(""):
        allowed -= {"dismissed"} if case.state not in DERIVED_STATES else {"confirmed", "dismissed"}
    return tuple(state for state in MOVES if state in allowed)
