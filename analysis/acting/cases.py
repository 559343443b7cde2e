"""What is done with cases."""

from collections.abc import Callable, Mapping
from datetime import datetime

from analysis.accounts.permissions import Identity
from analysis.acting.auditing import note_act
from analysis.cases import actions, moves
from analysis.notices.replies import answer as answer_notice
from analysis.notices.replies import last_sent
from analysis.queries.cases import get_case
from storage.collections.stores import Stores
from storage.records import Case, DecisionState, utc_now
from tracker.runtime import Runtime

_Act = Callable[[Case, Stores, datetime], Case]


def _done(who: Identity, runtime: Runtime, name: str, act: str, do: _Act) -> Case:
    """Do something with a case and write it down; returns the case as it is now."""
    who.require("cases:write")
    before = get_case(who, runtime.stores, name)
    now = utc_now()
    after = do(before, runtime.stores, now)
    told = _told(before), _told(after)
    note_act(who, runtime, act, f"case {before.name}", before=told[0], after=told[1], at=now)
    return after


def _told(case: Case) -> Mapping[str, object]:
    return {
        "state": case.state,
        "reason": case.reason,
        "assignee": case.assignee,
        "deadline": case.deadline,
    }


def decide_open(
    who: Identity, runtime: Runtime, name: str, *, state: DecisionState, because: str = ""
) -> tuple[Case, int]:
    """Decide about all open matches of a case; returns the case and how many they were.

    Raises:
        NotPermitted: cases or decisions are not this one's to change.
        UnknownId: there is no such case, or not for this one.
        NothingOpen, NoReason, NoNote …: see :func:`analysis.cases.actions.decide_open`.
        ServiceDown: MongoDB does not answer.
    """
    who.require("matches:decide")
    counted = 0

    def do(case: Case, stores: Stores, now: datetime) -> Case:
        nonlocal counted
        case, counted = actions.decide_open(
            case, stores, state=state, by=who.name, because=because.strip(), at=now
        )
        return case

    return _done(who, runtime, name, state, do), counted


def assign(who: Identity, runtime: Runtime, name: str, *, to: str, because: str = "") -> Case:
    """Say who works on a case; an empty name: nobody.

    Raises:
        NotPermitted, UnknownId: see :func:`decide_open`.
        CaseMoved: somebody changed it at the same time.
        ServiceDown: MongoDB does not answer.
    """
    return _done(
        who,
        runtime,
        name,
        "assign",
        lambda case, stores, now: actions.assign(case, stores, to=to, by=who.name, at=now, because=because),
    )


def set_deadline(
    who: Identity, runtime: Runtime, name: str, *, deadline: datetime | None, because: str = ""
) -> Case:
    """Say until when something must be done about a case; None: as the settings say.

    Raises:
        NotPermitted, UnknownId, CaseMoved: see :func:`assign`.
        ServiceDown: MongoDB does not answer.
    """
    return _done(
        who,
        runtime,
        name,
        "deadline",
        lambda case, stores, now: actions.set_deadline(
            case, stores, deadline=deadline, by=who.name, at=now, because=because
        ),
    )


def note(who: Identity, runtime: Runtime, name: str, *, text: str) -> Case:
    """Add a note to the history of a case.

    Raises:
        NotPermitted, UnknownId: see :func:`decide_open`.
        NoWords: it is empty.
        ServiceDown: MongoDB does not answer.
    """

    def do(case: Case, stores: Stores, now: datetime) -> Case:
        actions.note(case, stores, text=text, by=who.name, at=now)
        return case

    return _done(who, runtime, name, "note", do)


def notify(who: Identity, runtime: Runtime, name: str, *, because: str = "") -> Case:
    """Note that the site was written to by other means than pindna's.

    Raises:
        NotPermitted, UnknownId, CaseMoved: see :func:`assign`.
        NotAllowed: the case is in no state that this follows.
        ServiceDown: MongoDB does not answer.
    """
    return _done(
        who,
        runtime,
        name,
        "notify",
        lambda case, stores, now: moves.move(
            case, stores, to="notified", by=who.name, because=because, at=now
        ),
    )


def reply(
    who: Identity, runtime: Runtime, name: str, *, answer: actions.Answer | None = None, text: str = ""
) -> Case:
    """Note what the site answered, or that it did not; a notice that waits for a reply gets it.

    Raises:
        NotPermitted, UnknownId, CaseMoved, NotAllowed: see :func:`notify`.
        NoWords: there is neither an answer nor a text.
        ServiceDown: MongoDB does not answer.
    """

    def do(case: Case, stores: Stores, now: datetime) -> Case:
        notice = last_sent(case.number, stores)
        if notice is not None and answer in ("accepted", "refused"):
            answer_notice(notice, answer, stores, by=who.name, because=text, at=now)
            return stores.cases.get(case.id)
        return actions.reply(case, stores, answer=answer, text=text, by=who.name, at=now)

    return _done(who, runtime, name, "reply", do)


def close(who: Identity, runtime: Runtime, name: str, *, because: str) -> Case:
    """Close a case for a reason; a new copy opens it again.

    Raises:
        NotPermitted, UnknownId, CaseMoved, NotAllowed: see :func:`notify`.
        NoWords: there is no reason.
        ServiceDown: MongoDB does not answer.
    """
    return _done(
        who,
        runtime,
        name,
        "close",
        lambda case, stores, now: actions.close(case, stores, because=because, by=who.name, at=now),
    )


def reopen(who: Identity, runtime: Runtime, name: str, *, because: str = "") -> Case:
    """Open a closed case again, in the state that it had.

    Raises:
        NotPermitted, UnknownId, CaseMoved: see :func:`assign`.
        NotClosed: it is not closed.
        ServiceDown: MongoDB does not answer.
    """
    return _done(
        who,
        runtime,
        name,
        "reopen",
        lambda case, stores, now: actions.reopen(case, stores, by=who.name, at=now, because=because),
    )
