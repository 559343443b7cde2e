"""Derive the state of a case from the looks: removed, removed in part, still up, or back."""

import logging
from collections.abc import Sequence
from datetime import UTC, datetime

from analysis.cases.deadlines import deadline_of
from analysis.cases.moves import NotAllowed, move
from analysis.watch.enrolling import notified_at
from analysis.watch.looks import last_look
from storage.collections.cases import CaseMoved
from storage.collections.stores import Stores
from storage.records import SYSTEM, Case, CaseState, Watch, takedown_hours
from storage.settings.results import AnalysisSettings

log = logging.getLogger(__name__)

_TRIES = 3
_LONG_AGO = datetime(1970, 1, 1, tzinfo=UTC)
_AWAITED: frozenset[CaseState] = frozenset({"notified", "accepted", "refused", "unanswered"})


def outcome_of(case: Case, watches: Sequence[Watch], *, deadline: datetime | None = None) -> CaseState | None:
    """Return the state that a case moves to; None if it stays. Pure.

    Args:
        case: the present case.
        watches: the watches of all its addresses.
        deadline: when the copies should be gone; None: no date is set.
    """
    since = case.since or _LONG_AGO
    gone = [watch for watch in watches if watch.gone_since is not None]
    if _is_back(case, watches, since):
        return "back"
    if gone and len(gone) == len(watches):
        return None if case.state == "removed" else "removed"
    if case.state in {"removed", "partly_removed"}:
        return None
    newly = [watch for watch in gone if watch.confirmed and watch.confirmed > since]
    if newly or (gone and case.state == "confirmed"):
        return "partly_removed"
    return "still_up" if _is_overdue(case, watches, deadline) else None


def _is_back(case: Case, watches: Sequence[Watch], since: datetime) -> bool:
    """Return whether a removed copy is up again, or a new one appeared after all were removed."""
    if case.state == "removed":
        return any(_is_up(watch) for watch in watches)
    if case.state in {"confirmed", "back"}:
        return False
    return any(watch.returned and watch.returned > since for watch in watches)


def _is_up(watch: Watch) -> bool:
    return watch.state in {"up", "moved"} and watch.gone_since is None


def _is_overdue(case: Case, watches: Sequence[Watch], deadline: datetime | None) -> bool:
    """Return whether a copy was seen after the deadline of its removal."""
    if case.state not in _AWAITED or deadline is None:
        return False
    return any(_is_up(watch) and watch.last_up and watch.last_up > deadline for watch in watches)


def judge(number: int, stores: Stores, settings: AnalysisSettings) -> CaseState | None:
    """Move a case to the state that the looks prove. Return the new state; None if it stays.

    Two concurrent calls move it once. If the case was moved in between, it is judged again; a move that is no
    longer allowed is not made.

    Raises:
        ServiceDown, StorageFailed: the database refused.
        UnknownId: there is no such case.
    """
    for _ in range(_TRIES):
        case = stores.cases.apply_pending_event(stores.cases.get(f"c{number}"))
        watches = stores.watches.of_case(number)
        to = outcome_of(case, watches, deadline=deadline_of(case, settings))
        at = last_look(watches)
        if to is None or at is None:
            return None
        try:
            move(case, stores, to=to, by=SYSTEM, at=at, detail=_move_detail(case, watches, stores))
        except (NotAllowed, CaseMoved) as error:
            log.info("case %s was not moved to %s: %s", case.name, to, error)
        else:
            return to
    return None


def _move_detail(case: Case, watches: Sequence[Watch], stores: Stores) -> dict[str, str]:
    """Return the figures of a move: addresses, removed addresses, and hours from notice to removal."""
    gone = [watch.gone_since for watch in watches if watch.gone_since is not None]
    detail = {"addresses": str(len(watches)), "gone": str(len(gone))}
    moved = sorted({watch.moved_to for watch in watches if watch.gone_since and watch.moved_to})
    if moved:
        detail["moved_to"] = moved[0]
    notified = notified_at(case, stores)
    if gone:
        detail["gone_since"] = max(gone).isoformat()
        if (hours := takedown_hours(notified, gone)) is not None:
            detail["hours"] = str(round(hours, 3))
    return detail
