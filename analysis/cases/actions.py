"""Actions on a case other than state changes: decide, assign, note, reply, close and reopen."""

import hashlib
from datetime import datetime
from typing import Literal

from analysis.cases.moves import move
from analysis.words.labels import CASE_STATES, label
from storage.collections.stores import Stores
from storage.records import DERIVED_STATES, Case, DecisionState, Event, meaning_of
from system.errors import PindnaError
from tracker.judgement.case_states import state_before
from tracker.review.decisions import Ruling, decide

Answer = Literal["accepted", "refused", "unanswered"]


class NothingOpen(PindnaError):
    """A case has no open match to decide.

    Attributes:
        name: name of the case.
        state: its state.
    """

    template = "{name} has no open matches; it is “{state}”. To change a decision, reopen its match first."


class NotClosed(PindnaError):
    """Only a closed case can be reopened.

    Attributes:
        name: name of the case.
        state: its state.
    """

    template = "{name} is not closed; its state is “{state}”. Only closed cases can be reopened."


class NoWords(PindnaError):
    """A note, a reply or a closing has no text."""

    template = "The text is empty. Enter a reason or a note."


def decide_open(
    case: Case, stores: Stores, *, state: DecisionState, by: str, reason: str, at: datetime
) -> tuple[Case, int]:
    """Decide all open matches of a case. Return the case and the number of matches.

    Licensed matches need no decision. If no match is open, a case that users moved on returns to
    ``confirmed``.

    Raises:
        NothingOpen: no match is open, and the case cannot return to ``confirmed``.
        NoReason, NoNote, PassageGone, DecisionConflict: see :func:`tracker.review.decisions.decide`.
        CaseMoved: another user moved it at the same time.
    """
    matches = [
        match
        for match in stores.matches.listed(work_id=case.work_id, site=case.site, review="")
        if meaning_of(match.verdict).needs_decision
    ]
    if matches:
        decide(matches, stores, ruling=Ruling(state=state, reason=reason, by=by))
        return stores.cases.get(case.id), len(matches)
    if state == "confirmed" and case.state not in DERIVED_STATES | {"closed"}:
        return move(case, stores, to="confirmed", by=by, reason=reason, at=at), 0
    raise NothingOpen(name=case.name, state=label(CASE_STATES, case.state))


def assign(case: Case, stores: Stores, *, to: str, by: str, at: datetime, reason: str = "") -> Case:
    """Assign a case to a user; an empty name removes the assignee. Return the case.

    Raises:
        CaseMoved: another user changed it at the same time.
    """
    return _change_case(case, stores, "assigned", {"assignee": to.strip()}, by=by, at=at, reason=reason)


def set_deadline(
    case: Case, stores: Stores, *, deadline: datetime | None, by: str, at: datetime, reason: str = ""
) -> Case:
    """Set the deadline of a case in its present state; None: use the settings.

    Raises:
        CaseMoved: another user changed it at the same time.
    """
    detail = {"deadline": deadline.isoformat() if deadline else ""}
    return _change_case(case, stores, "deadline", detail, by=by, at=at, reason=reason)


def _change_case(
    case: Case,
    stores: Stores,
    kind: Literal["assigned", "deadline"],
    detail: dict[str, str],
    *,
    by: str,
    at: datetime,
    reason: str,
) -> Case:
    event = Event(id="", case=case.number, kind=kind, at=at, by=by, because=reason, detail=detail)
    return stores.cases.advance(case, event)


def note(case: Case, stores: Stores, *, text: str, by: str, at: datetime) -> Event:
    """Add a note to the history of a case, and return it.

    Raises:
        NoWords: it is empty.
    """
    return _record_event(case, stores, "noted", text, by=by, at=at)


def reply(case: Case, stores: Stores, *, answer: Answer | None, text: str, by: str, at: datetime) -> Case:
    """Record the reply of a site, and move the case if the reply requires it. Return the case.

    Args:
        case: the case as it was read.
        stores: the database.
        answer: the site will remove the copies, refuses, or did not reply; None: none of these.
        text: text of the reply.
        by: the user who records it.
        at: when the site replied.

    Raises:
        NoWords: there is neither an answer nor a text.
        NotAllowed: the state of the case does not allow a reply.
        CaseMoved: another user moved it at the same time.
    """
    if answer is not None:
        return move(case, stores, to=answer, by=by, reason=text.strip(), at=at)
    _record_event(case, stores, "replied", text, by=by, at=at)
    return case


def _record_event(
    case: Case, stores: Stores, kind: Literal["noted", "replied"], text: str, *, by: str, at: datetime
) -> Event:
    words = text.strip()
    if not words:
        raise NoWords
    digest = hashlib.sha256(f"{by}\0{words}".encode("utf-8", "replace")).hexdigest()[:16]
    key = f"{case.name}:{kind}:{at.isoformat()}:{digest}"
    event = Event(id=key, case=case.number, kind=kind, at=at, by=by, because=words)
    stores.events.add_many([event])
    return event


def close(case: Case, stores: Stores, *, reason: str, by: str, at: datetime) -> Case:
    """Close a case for a reason. A new copy reopens it. Return the case.

    Raises:
        NoWords: there is no reason.
        NotAllowed: it is already closed.
        CaseMoved: another user moved it at the same time.
    """
    reason = reason.strip()
    if not reason:
        raise NoWords
    return move(case, stores, to="closed", by=by, reason=reason, at=at, detail={"reason": reason})


def reopen(case: Case, stores: Stores, *, by: str, at: datetime, reason: str = "") -> Case:
    """Reopen a closed case in its earlier state. Return the case.

    Raises:
        NotClosed: it is not closed.
        CaseMoved: another user moved it at the same time.
    """
    if case.state != "closed":
        raise NotClosed(name=case.name, state=label(CASE_STATES, case.state))
    parts = list(stores.matches.summaries_of_case(case.work_id, case.site))
    return move(case, stores, to=state_before(case, parts, stores), by=by, reason=reason, at=at)
