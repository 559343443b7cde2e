"""Events and state changes of cases that follow from their notices. Every function may be repeated."""

import hashlib
from collections.abc import Iterable
from datetime import datetime

from analysis.cases.moves import move
from storage.collections.cases import CaseMoved
from storage.collections.stores import Stores
from storage.records import MOVES, Case, CaseState, Event, EventKind, Notice, NoticeCase
from system.errors import UnknownId

_TRIES = 5


def record_sent(notice: Notice, stores: Stores) -> Notice:
    """Record in each case that a notice was sent, and move the cases; may be repeated.

    Raises:
        CaseMoved: other processes keep moving a case; the other cases are moved.
    """
    if notice.is_told or notice.sent is None:
        return notice
    record_event(notice, "notice-sent", stores, at=notice.sent, by=notice.sent_by, reason=notice.because)
    if notice.kind != "counsel":
        waiting = [case for case in notice.cases if not _was_moved(case, notice, stores)]
        move_cases(
            notice, waiting, "notified", stores, by=notice.sent_by, at=notice.sent, reason=notice.because
        )
    stores.notices.mark_reported(notice)
    return stores.notices.get(notice.name)


def _was_moved(case: NoticeCase, notice: Notice, stores: Stores) -> bool:
    events = stores.events.of_case(case.number)
    return any(event.subject == notice.name and event.after == "notified" for event in events)


def move_cases(
    notice: Notice,
    cases: Iterable[NoticeCase],
    to: CaseState,
    stores: Stores,
    *,
    by: str,
    at: datetime,
    reason: str = "",
) -> None:
    """Move cases of a notice to a state, those whose state allows it.

    Raises:
        CaseMoved: other processes keep moving a case; the other cases are moved.
    """
    problems = []
    for case in cases:
        try:
            _move_case(case, notice, to, stores, by=by, at=at, reason=reason)
        except CaseMoved as error:
            problems.append(error)
    if problems:
        raise problems[0]


def _move_case(
    notice_case: NoticeCase,
    notice: Notice,
    to: CaseState,
    stores: Stores,
    *,
    by: str,
    at: datetime,
    reason: str,
) -> None:
    """Move a case if it still exists and its state allows it. After a concurrent move, try again.

    Raises:
        CaseMoved: other processes keep moving the case.
    """
    for turn in range(_TRIES):
        try:
            case = stores.cases.apply_pending_event(stored_case(notice_case, stores))
        except UnknownId:
            return
        if to not in MOVES[case.state]:
            return
        try:
            move(case, stores, to=to, by=by, at=at, reason=reason, subject=notice.name)
        except CaseMoved:
            if turn == _TRIES - 1:
                raise
        else:
            return


def stored_case(notice_case: NoticeCase, stores: Stores) -> Case:
    """Return a case of a notice as it is stored now."""
    return stores.cases.get(notice_case.name)


def state_of(notice_case: NoticeCase, stores: Stores) -> CaseState:
    """Return the present state of a case of a notice; a case that no longer exists is closed."""
    try:
        return stored_case(notice_case, stores).state
    except UnknownId:
        return "closed"


def event_id(notice: Notice, case: NoticeCase, *key: str) -> str:
    """Return the id of an event of a notice in a case. The first case has none in it, as in schema 8."""
    is_first = case.number == notice.cases[0].number
    return ":".join(filter(None, ("notice", notice.name, *key, "" if is_first else case.name)))


def record_event(
    notice: Notice,
    kind: EventKind,
    stores: Stores,
    *,
    at: datetime,
    by: str,
    reason: str = "",
    key: str = "",
) -> None:
    """Store an event of a notice in each of its cases. A repetition stores nothing.

    Args:
        notice: the notice.
        kind: kind of the event.
        stores: the database.
        at: when it happened.
        by: the user who acted.
        reason: the reason that the user gave.
        key: distinguishes events of one kind that may happen several times.
    """
    events = [
        Event(
            id=event_id(notice, case, kind, key),
            case=case.number,
            kind=kind,
            at=at,
            by=by,
            because=reason,
            subject=notice.name,
            detail={"to": notice.addressee.name},
        )
        for case in notice.cases
    ]
    stores.events.add_many(events)


def record_made(notice: Notice, stores: Stores) -> None:
    """Record in each case that a notice was made. Sending records it again in case of a kill."""
    detail = {
        "kind": notice.kind,
        "to": notice.addressee.name,
        "text": hashlib.sha256(notice.text.encode()).hexdigest(),
    }
    events = [
        Event(
            id=event_id(notice, case, "made"),
            case=case.number,
            kind="notice-made",
            at=notice.made,
            by=notice.by,
            subject=notice.name,
            detail={**detail, "addresses": str(len(case.urls))},
        )
        for case in notice.cases
    ]
    stores.events.add_many(events)
