"""The states of a case, and the moves from one state to another. Labels are in ``analysis.words.labels``."""

from collections.abc import Iterable, Mapping
from typing import Literal, get_args

from storage.records.matches import ReviewState

CaseState = Literal[
    "new",
    "confirmed",
    "dismissed",
    "notified",
    "accepted",
    "refused",
    "unanswered",
    "removed",
    "partly_removed",
    "still_up",
    "back",
    "closed",
]
CASE_STATES: tuple[CaseState, ...] = get_args(CaseState)

# States that follow from the decisions on the matches; a sent notice ends this.
DERIVED_STATES: frozenset[CaseState] = frozenset({"new", "confirmed", "dismissed"})
# States of cases that are not pursued. In every other state a case is confirmed and not closed.
IDLE_STATES: frozenset[CaseState] = frozenset({"new", "dismissed", "closed"})
_States = frozenset[CaseState]
_ANSWERED: _States = frozenset({"accepted", "refused", "unanswered"})
_WATCHED: _States = frozenset({"removed", "partly_removed", "still_up"})
_ENDS: _States = frozenset({"dismissed", "closed"})
_UNDER_WAY: _States = frozenset({"confirmed", "notified"})
_ANY: _States = _UNDER_WAY | _ANSWERED | _WATCHED | _ENDS
_AGAIN: _States = _ANY | {"back"}

# The states that may follow a state. To undo a move, make another move.
MOVES: Mapping[CaseState, _States] = {
    "new": _ENDS | {"confirmed"},
    "confirmed": _WATCHED | _ENDS | {"new", "notified"},
    "dismissed": frozenset({"new", "confirmed", "closed"}),
    "notified": _AGAIN,  # the move to the same state is a reminder
    "accepted": _AGAIN - {"accepted"},
    "refused": _AGAIN - {"refused"},
    "unanswered": _AGAIN - {"unanswered"},
    "removed": _AGAIN - {"removed"},
    "partly_removed": _AGAIN - {"partly_removed"},
    "still_up": _AGAIN - {"still_up"},
    "back": _ANY,
    "closed": frozenset(CASE_STATES) - {"closed"},
}


def derived_state(reviews: Iterable[ReviewState]) -> CaseState:
    """Return the state that follows from the reviews of a case's matches.

    Confirmed matches outweigh dismissed and doubtful ones.
    """
    states = set(reviews)
    if states == {"dismissed"}:
        return "dismissed"
    return "confirmed" if "confirmed" in states and "" not in states else "new"
