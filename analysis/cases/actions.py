"""What people do with a case beside moving it: decide, assign, note, answer, close and reopen it."""

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
    """There is nothing left to decide in a case. Data: ``name``, ``state``."""

    template = (
        "Nothing of {name} is open; it is “{state}”. "
        "`pindna review reopen` takes back what was decided about a match."
    )


class NotClosed(PindnaError):
    """A case that is not closed was to be reopened. Data: ``name``, ``state``."""

    template = "{name} is not closed but “{state}”."


class NoWords(PindnaError):
    """A note, a reply or a closing has no words."""

    template = "Say it in words: --because “…”."


def decide_open(
    case: Case, stores: Stores, *, state: DecisionState, by: str, reason: str, at: datetime
) -> tuple[Case, int]:
    """Decide about all open matches of a case; return the case and how many they were.

    What a licence permits needs no decision. Where nothing is open, a case that people moved on is taken back
    to ``confirmed``.

    Raises:
        NothingOpen: there is no open match, and nothing to take back.
        NoReason, NoNote, PassageGone, DecidedMeanwhile: see :func:`tracker.review.decisions.decide`.
        CaseMoved: somebody moved it at the same time.
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
    """Say who works on a case; an empty name: nobody. Returns the case.

    Raises:
        CaseMoved: somebody changed it at the same time.
    """
    return _change(case, stores, "assigned", {"assignee": to.strip()}, by=by, at=at, reason=reason)


def set_deadline(
    case: Case, stores: Stores, *, deadline: datetime | None, by: str, at: datetime, reason: str = ""
) -> Case:
    """Say until when something must be done in this state of a case; None: as the settings say.

    Raises:
        CaseMoved: somebody changed it at the same time.
    """
    detail = {"deadline": deadline.isoformat() if deadline else ""}
    return _change(case, stores, "deadline", detail, by=by, at=at, reason=reason)


def _change(
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
    """Note what the site answered, and move the case where the answer says so; return it.

    Args:
        case: as it was read.
        stores: the database.
        answer: that it will remove the copies, that it will not, or that it did not answer; None: neither.
        text: its words.
        by: who notes them.
        at: when it answered.

    Raises:
        NoWords: there is neither an answer nor a text.
        NotAllowed: the case is not in a state that an answer can follow.
        CaseMoved: somebody moved it at the same time.
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
    """Close a case for a reason; a new copy opens it again. Returns the case.

    Raises:
        NoWords: there is no reason.
        NotAllowed: it is closed already.
        CaseMoved: somebody moved it at the same time.
    """
    reason = reason.strip()
    if not reason:
        raise NoWords
    return move(case, stores, to="closed", by=by, reason=reason, at=at, detail={"reason": reason})


def reopen(case: Case, stores: Stores, *, by: str, at: datetime, reason: str = "") -> Case:
    """Open a closed case again, in the state that it had; return it.

    Raises:
        NotClosed: it is not closed.
        CaseMoved: somebody moved it at the same time.
    """
    if case.state != "closed":
        raise NotClosed(name=case.name, state=label(CASE_STATES, case.state))
    parts = list(stores.matches.summaries_of_case(case.work_id, case.site))
    return move(case, stores, to=state_before(case, parts, stores), by=by, reason=reason, at=at)
