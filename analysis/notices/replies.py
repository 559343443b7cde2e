"""Record replies to notices, and what follows when there is no reply.

The cases change first and the notice second, so an interrupted call can be repeated: it finds the cases
already in the right state.
"""

from datetime import datetime

from analysis.cases.actions import Answer
from analysis.cases.actions import reply as reply_to_case
from analysis.notices.case_events import event_id, move_cases, state_of
from analysis.words.labels import NOTICE_STATES, label
from storage.collections.stores import Stores
from storage.records import SYSTEM, Case, Event, Notice, NoticeCase, Outcome
from system.errors import PindnaError

_WAITS = frozenset({"notified", "still_up", "back"})  # states of a case in which a missing reply is recorded
_SETTLED = frozenset({"dismissed", "closed", "removed"})  # a reply to a letter does not move these cases


class NothingToAnswer(PindnaError):
    """A notice was not sent, or already has a reply.

    Attributes:
        name: name of the notice.
        state: its state.
    """

    template = "{name} is “{state}”. A reply can be recorded only for a notice that waits for one."


def answer(notice: Notice, outcome: Outcome, stores: Stores, *, by: str, reason: str, at: datetime) -> Notice:
    """Record the reply to a notice, and move its cases.

    Of several cases, those that were dismissed, closed or removed since stay as they are.

    Args:
        notice: the notice as it was read.
        outcome: what the recipient will do.
        stores: the database.
        by: the user who records the reply.
        reason: text of the reply.
        at: when the reply arrived.

    Raises:
        NothingToAnswer: the notice does not wait for a reply.
    """
    if notice.state not in ("sent", "unanswered"):
        raise NothingToAnswer(name=notice.name, state=label(NOTICE_STATES, notice.state))
    replies = [_reply_event(case, notice, outcome, by=by, reason=reason, at=at) for case in notice.cases]
    stores.events.add_many(replies)
    if notice.kind != "counsel":
        move_cases(notice, _answered_cases(notice, stores), outcome, stores, by=by, at=at, reason=reason)
    fields = {"answered": at, "outcome": outcome, "reply": reason}
    stores.notices.advance(notice, "answered", fields, since=("sent", "unanswered"))
    return stores.notices.get(notice.name)


def _answered_cases(notice: Notice, stores: Stores) -> list[NoticeCase]:
    """Return the cases that a reply moves: the only one, or of several those that are not settled."""
    if len(notice.cases) == 1:
        return list(notice.cases)
    return [case for case in notice.cases if state_of(case, stores) not in _SETTLED]


def _reply_event(
    case: NoticeCase, notice: Notice, outcome: Outcome, *, by: str, reason: str, at: datetime
) -> Event:
    return Event(
        id=event_id(notice, case, "replied"),
        case=case.number,
        kind="replied",
        at=at,
        by=by,
        because=reason,
        subject=notice.name,
        detail={"outcome": outcome},
    )


def last_sent(case_number: int, stores: Stores) -> Notice | None:
    """Return the last notice about a case that waits for a reply; None if there is none."""
    notices = stores.notices.listed(case=case_number)
    waiting = (notice for notice in notices if notice.state in ("sent", "unanswered"))
    return next((notice for notice in waiting if notice.kind != "counsel"), None)


def answer_case(
    case: Case, stores: Stores, *, outcome: Answer | None, text: str, by: str, at: datetime
) -> Case:
    """Record a site's reply in the case and in the notice that waits for it, if any. Return the case.

    If the notice is about several cases, the reply counts for this case alone. The notice is answered when no
    case of it waits any more.

    Args:
        case: the case as it was read.
        stores: the database.
        outcome: what the site will do; None: record only the text.
        text: text of the reply.
        by: the user who records it.
        at: when the reply arrived.

    Raises:
        NoWords, NotAllowed, CaseMoved: see :func:`analysis.cases.actions.reply`.
    """
    notice = last_sent(case.number, stores)
    if notice is None or outcome is None or outcome == "unanswered":
        return reply_to_case(case, stores, answer=outcome, text=text, by=by, at=at)
    if len(notice.cases) == 1:
        answer(notice, outcome, stores, by=by, reason=text, at=at)
        return stores.cases.get(case.name)
    answered = reply_to_case(case, stores, answer=outcome, text=text, by=by, at=at)
    _close_answered(notice, stores, reason=text, at=at)
    return answered


def _close_answered(notice: Notice, stores: Stores, *, reason: str, at: datetime) -> None:
    """Mark a notice as answered if none of its cases waits for a reply; refused if one case is refused."""
    states = {state_of(case, stores) for case in notice.cases}
    if states & _WAITS or "unanswered" in states:
        return
    outcome: Outcome = "refused" if "refused" in states else "accepted"
    fields = {"answered": at, "outcome": outcome, "reply": reason}
    stores.notices.advance(notice, "answered", fields, since=("sent", "unanswered"))


def record_silence(stores: Stores, *, now: datetime) -> int:
    """Mark notices without a timely reply as unanswered, and move their cases.

    A case moves only if no other notice about it still waits for a reply.

    Returns:
        The number of notices.
    """
    overdue = stores.notices.overdue(now)
    for notice in overdue:
        if notice.kind != "counsel":
            silent = [case for case in notice.cases if _is_silent(case, stores, now)]
            move_cases(notice, silent, "unanswered", stores, by=SYSTEM, at=now)
        stores.notices.advance(notice, "unanswered", since=["sent"])
    return len(overdue)


def _is_silent(case: NoticeCase, stores: Stores, now: datetime) -> bool:
    """Return whether a case waits for a reply and no other notice about it is still within its time."""
    if state_of(case, stores) not in _WAITS:
        return False
    case_notices = stores.notices.listed(case=case.number)
    return not any(
        other.state == "sent" and other.reply_due and other.reply_due >= now and other.kind != "counsel"
        for other in case_notices
    )
