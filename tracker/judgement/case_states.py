"""States of a case that follow from its matches: opened, confirmed, dismissed, reopened, closed.

A state set by people or the watch is kept, with two exceptions. A case with only dismissed matches becomes
dismissed, and a closed case that gets a new copy is open again. A copy is new if its address had no copy of
the passage before, or a much smaller one; other versions of a page do not count as new.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from storage.collections.cases import CaseMoved
from storage.collections.stores import Stores
from storage.records import (
    DERIVED_STATES,
    LEADS,
    SYSTEM,
    Case,
    CaseState,
    Event,
    EventKind,
    MatchSummary,
    derived_state,
    utc_now,
)
from tracker.judgement.reviewing import NEW_CHARS

NO_MATCHES, NOT_PROTECTED, JOINED = "no-matches", "not-protected", "joined"
_OURS = frozenset(
    {NO_MATCHES, NOT_PROTECTED, JOINED}
)  # reasons for which a closed case is reopened when it has matches again


def follow_matches(
    case: Case,
    matches: Sequence[MatchSummary],
    stores: Stores,
    *,
    by: str = SYSTEM,
    note: str = "",
    now: datetime | None = None,
) -> Case:
    """Add the events to a case that follow from its matches, and return the case; may be repeated.

    Args:
        case: as stored.
        matches: all its matches that count.
        stores: the database.
        by: the user or service that changed the matches.
        note: why.
        now: the moment of the events; None: the present.
    """
    at = now or utc_now()
    case = stores.cases.apply_pending_event(case)
    try:
        if not case.moves:
            case = stores.cases.advance(case, _event("opened", case, "new", at=at))
        waiting = [match for match in matches if _is_new(match)]
        copies = _join(case, waiting, stores, at) if waiting else 0
        event = _next(case, matches, stores, copies=copies, at=at, by=by, note=note)
        if event is not None:  # a user may have decided about the matches after they were read
            matches = list(stores.matches.summaries_of_case(case.work_id, case.site))
            event = _next(case, matches, stores, copies=copies, at=at, by=by, note=note)
        case = case if event is None else stores.cases.advance(case, event)
    except CaseMoved:  # a user moved the case at the same time: derive the events from its present state
        case = stores.cases.get(case.id)
        return follow_matches(case, matches, stores, by=by, note=note, now=now)
    # the last step, so that an interrupted call is repeated
    stores.matches.mark_joined([match.id for match in waiting])
    return case


def close(case: Case, stores: Stores, *, reason: str, subject: str, now: datetime | None = None) -> Case:
    """Close a case for an automatic reason and return it; a closed one stays unchanged.

    Raises:
        CaseMoved: another user moved it at the same time.
    """
    case = stores.cases.apply_pending_event(case)
    if case.state == "closed":
        return case
    event = _event("closed", case, "closed", at=now or utc_now(), reason=reason)
    return stores.cases.advance(case, replace(event, subject=subject))


def _is_new(match: MatchSummary) -> bool:
    return not match.joined and match.verdict in LEADS and match.review != "dismissed"


def _join(case: Case, waiting: Sequence[MatchSummary], stores: Stores, at: datetime) -> int:
    """Store an event for each new copy; return their number."""
    before = stores.matches.most_copied_before(case.work_id, case.site)
    copies = [match for match in waiting if _is_more(match, before.get((match.url, match.passage_id)))]
    stores.events.add_many([_copy_event(case, match, at) for match in copies])
    return len(copies)


def _is_more(match: MatchSummary, before: int | None) -> bool:
    return before is None or match.copied_chars >= before + NEW_CHARS


def _copy_event(case: Case, match: MatchSummary, at: datetime) -> Event:
    detail = {"url": match.url, "verdict": match.verdict, "copied_chars": str(match.copied_chars)}
    if match.part != "article":
        detail["part"] = match.part
    return Event(
        id=f"{case.name}+{match.name}",
        case=case.number,
        kind="joined",
        at=at,
        by=SYSTEM,
        subject=match.name,
        detail=detail,
    )


def _next(
    case: Case,
    matches: Sequence[MatchSummary],
    stores: Stores,
    *,
    copies: int,
    at: datetime,
    by: str,
    note: str,
) -> Event | None:
    """Return the move of a case that its matches require; None if it stays."""
    if not matches:
        reason = _why_nothing(case, stores)
        return _event("closed", case, "closed", at=at, reason=reason) if reason else None
    if case.state == "closed":
        to = _state_of_reopened(case, matches, stores, copies=copies)
        return _event("reopened", case, to, at=at) if to else None
    to = _state_of_open(case, matches)
    if to == case.state:
        return None
    kind: EventKind = "reopened" if to == "new" else "dismissed" if to == "dismissed" else "confirmed"
    return _event(kind, case, to, at=at, by=by, note=note)


def _why_nothing(case: Case, stores: Stores) -> str:
    """Return the reason to close a case without matches; empty: people or the watch decide."""
    if case.state == "closed":
        return ""
    # also true if no work exists
    if all(work.role == "background" for work in stores.works.of_book(case.work_id)):
        return NOT_PROTECTED
    return NO_MATCHES if case.state in ("new", "dismissed") else ""


def _state_of_reopened(
    case: Case, matches: Sequence[MatchSummary], stores: Stores, *, copies: int
) -> CaseState | None:
    """Return the new state of a closed case that is reopened; None if it stays closed."""
    if case.reason in _OURS:
        return state_before(case, matches, stores)
    return derived_state(match.review for match in matches) if copies else None


def state_before(case: Case, matches: Sequence[MatchSummary], stores: Stores) -> CaseState:
    """Return the state to which a closed case returns: the last one set by people, else by decisions."""
    closings = [event for event in stores.events.of_case(case.number) if event.after == "closed"]
    before = closings[-1].before if closings else ""
    if before and before not in DERIVED_STATES:
        return before
    return derived_state(match.review for match in matches)


def _state_of_open(case: Case, matches: Sequence[MatchSummary]) -> CaseState:
    """Return the state of a case that follows from the decisions on its matches."""
    derived = derived_state(match.review for match in matches)
    if case.state not in DERIVED_STATES:
        return "dismissed" if derived == "dismissed" else case.state
    if case.state == "confirmed" and derived == "new" and _is_confirmed_in_part(matches):
        return "confirmed"  # new copies wait for a decision; the case stays confirmed
    return derived


def _is_confirmed_in_part(matches: Sequence[MatchSummary]) -> bool:
    return any(match.review == "confirmed" or match.confirmed_in_part for match in matches)


def _event(
    kind: EventKind,
    case: Case,
    to: CaseState,
    *,
    at: datetime,
    by: str = SYSTEM,
    note: str = "",
    reason: str = "",
) -> Event:
    return Event(
        id="",
        case=case.number,
        kind=kind,
        at=at,
        by=by,
        because=note,
        before=case.state if case.moves else "",
        after=to,
        detail={"reason": reason} if reason else {},
    )
