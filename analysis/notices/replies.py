"""What is answered to a notice, and what follows when nothing is.

The case moves first and the notice after it: a call that was broken off is repeated, and finds the case where
it shall be.
"""

from datetime import datetime

from analysis.cases.actions import Answer
from analysis.cases.actions import reply as reply_to_case
from analysis.notices.case_events import case_of, move_case
from analysis.words.labels import NOTICE_STATES, label
from storage.collections.stores import Stores
from storage.records import SYSTEM, Case, Event, Notice, Outcome
from system.errors import PindnaError

_WAITS = frozenset({"notified", "still_up", "back"})  # states of a case in which silence says something


class NothingToAnswer(PindnaError):
    """A notice was not sent, or is answered. Data: ``name``, ``state``."""

    template = "{name} is “{state}”; only a notice that was sent is answered."


def answer(notice: Notice, outcome: Outcome, stores: Stores, *, by: str, reason: str, at: datetime) -> Notice:
    """Note the reply to a notice, and move its case.

    Args:
        notice: as it was read.
        outcome: what the addressee will do.
        stores: the database.
        by: who tells of it.
        reason: the words of the reply.
        at: when it came.

    Raises:
        NothingToAnswer: the notice waits for no reply.
    """
    if notice.state not in ("sent", "unanswered"):
        raise NothingToAnswer(name=notice.name, state=label(NOTICE_STATES, notice.state))
    reply = Event(
        id=f"notice:{notice.name}:replied",
        case=notice.case,
        kind="replied",
        at=at,
        by=by,
        because=reason,
        subject=notice.name,
        detail={"outcome": outcome},
    )
    stores.events.add_many([reply])
    if notice.kind != "counsel":
        move_case(notice, outcome, stores, by=by, at=at, reason=reason)
    fields = {"answered": at, "outcome": outcome, "reply": reason}
    stores.notices.advance(notice, "answered", fields, since=("sent", "unanswered"))
    return stores.notices.get(notice.name)


def last_sent(case_number: int, stores: Stores) -> Notice | None:
    """Return the last notice about a case that waits for a reply, None if there is none."""
    notices = stores.notices.listed(case=case_number)
    waiting = (notice for notice in notices if notice.state in ("sent", "unanswered"))
    return next((notice for notice in waiting if notice.kind != "counsel"), None)


def answer_case(
    case: Case, stores: Stores, *, outcome: Answer | None, text: str, by: str, at: datetime
) -> Case:
    """Note what a site answered, of the notice that waits for it where there is one; return the case.

    Args:
        case: as it was read.
        stores: the database.
        outcome: what the answer is; None: only its words are kept.
        text: its words.
        by: who notes them.
        at: when it came.

    Raises:
        NoWords, NotAllowed, CaseMoved: see :func:`analysis.cases.actions.reply`.
    """
    notice = last_sent(case.number, stores)
    if notice is None or outcome is None or outcome == "unanswered":
        return reply_to_case(case, stores, answer=outcome, text=text, by=by, at=at)
    answer(notice, outcome, stores, by=by, reason=text, at=at)
    return stores.cases.get(case.name)


def record_silence(stores: Stores, *, now: datetime) -> int:
    """Count notices as unanswered whose time for a reply is up, and move their cases.

    A case moves when no other notice about it still waits in its time.

    Returns:
        How many notices.
    """
    overdue = stores.notices.overdue(now)
    for notice in overdue:
        if notice.kind != "counsel" and _is_silent(notice, stores, now):
            move_case(notice, "unanswered", stores, by=SYSTEM, at=now)
        stores.notices.advance(notice, "unanswered", since=["sent"])
    return len(overdue)


def _is_silent(notice: Notice, stores: Stores, now: datetime) -> bool:
    """Return whether the case waits, and no other notice about it is still in its time."""
    if case_of(notice, stores).state not in _WAITS:
        return False
    case_notices = stores.notices.listed(case=notice.case)
    return not any(
        other.state == "sent" and other.reply_due and other.reply_due >= now and other.kind != "counsel"
        for other in case_notices
    )
