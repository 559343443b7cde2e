"""Events and state changes of a case that follow from its notices. Every function may be repeated."""

import hashlib
from datetime import datetime

from analysis.cases.moves import move
from storage.collections.cases import CaseMoved
from storage.collections.stores import Stores
from storage.records import MOVES, Case, CaseState, Event, EventKind, Notice

_TRIES = 5


def record_sent(notice: Notice, stores: Stores) -> Notice:
    """Record in the case that a notice was sent, and move the case; may be repeated."""
    if notice.is_told or notice.sent is None:
        return notice
    record_event(notice, "notice-sent", stores, at=notice.sent, by=notice.sent_by, reason=notice.because)
    if notice.kind != "counsel" and not _was_moved(notice, stores):
        move_case(notice, "notified", stores, by=notice.sent_by, at=notice.sent, reason=notice.because)
    stores.notices.mark_reported(notice)
    return stores.notices.get(notice.name)


def _was_moved(notice: Notice, stores: Stores) -> bool:
    events = stores.events.of_case(notice.case)
    return any(event.subject == notice.name and event.after == "notified" for event in events)


def move_case(
    notice: Notice, to: CaseState, stores: Stores, *, by: str, at: datetime, reason: str = ""
) -> None:
    """Move the case of a notice if the state of the case allows it. After a concurrent move, try again.

    Raises:
        CaseMoved: other processes keep moving the case.
    """
    for turn in range(_TRIES):
        case = stores.cases.apply_pending_event(case_of(notice, stores))
        if to not in MOVES[case.state]:
            return
        try:
            move(case, stores, to=to, by=by, at=at, reason=reason, subject=notice.name)
        except CaseMoved:
            if turn == _TRIES - 1:
                raise
        else:
            return


def case_of(notice: Notice, stores: Stores) -> Case:
    """Return the case of a notice."""
    return stores.cases.get(f"c{notice.case}")


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
    """Store an event of a notice. A repetition stores nothing.

    Args:
        notice: the notice.
        kind: kind of the event.
        stores: the database.
        at: when it happened.
        by: the user who acted.
        reason: the reason that the user gave.
        key: distinguishes events of one kind that may happen several times.
    """
    event = Event(
        id=":".join(filter(None, ("notice", notice.name, kind, key))),
        case=notice.case,
        kind=kind,
        at=at,
        by=by,
        because=reason,
        subject=notice.name,
        detail={"to": notice.addressee.name},
    )
    stores.events.add_many([event])


def record_made(notice: Notice, stores: Stores) -> None:
    """Record in the case that a notice was made. Sending records it again in case of a kill."""
    made = Event(
        id=f"notice:{notice.name}:made",
        case=notice.case,
        kind="notice-made",
        at=notice.made,
        by=notice.by,
        subject=notice.name,
        detail={
            "kind": notice.kind,
            "to": notice.addressee.name,
            "text": hashlib.sha256(notice.text.encode()).hexdigest(),
        },
    )
    stores.events.add_many([made])
