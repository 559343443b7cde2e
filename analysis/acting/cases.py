"""What people do with cases: decide, move, assign, set a deadline, note, reply, close and reopen.

Each act is told in the history of its case, which it is a part of, and in the audit log. Whoever acts on a
case may say which state of it he has before his eyes (``seen``, its :attr:`storage.records.Case.moves`): of
two who act on one case the second is refused, and told what the first did.
"""

from collections.abc import Callable
from datetime import datetime

from analysis.accounts.audit import record
from analysis.accounts.permissions import Identity
from analysis.cases import actions
from analysis.cases.actions import Answer
from analysis.cases.moves import move, not_allowed
from analysis.notices.replies import answer_case
from analysis.queries.cases import get_case
from storage.collections.cases import CaseMoved
from storage.collections.stores import Stores
from storage.records import Case, CaseState, DecisionState, utc_now
from tracker.runtime import Runtime

Act = Callable[[Case, datetime], Case]


def decide_case(
    who: Identity,
    runtime: Runtime,
    name: str,
    *,
    state: DecisionState,
    because: str = "",
    seen: int | None = None,
) -> Case:
    """Decide about all open matches of a case; return the case.

    Raises:
        NotPermitted, UnknownId: it is not for this one.
        CaseMoved: somebody changed it since it was seen.
        NothingOpen, NoReason, NoNote, PassageGone, DecidedMeanwhile: see
            :func:`analysis.cases.actions.decide_open`.
        ServiceDown: MongoDB does not answer; the call may be repeated.
    """
    who.require("matches:decide")

    def decide(case: Case, at: datetime) -> Case:
        decided, _ = actions.decide_open(
            case, runtime.stores, state=state, by=who.name, because=because, at=at
        )
        return decided

    return _change(who, runtime, name, decide, because=because, seen=seen)


def move_case(
    who: Identity, runtime: Runtime, name: str, *, to: CaseState, because: str = "", seen: int | None = None
) -> Case:
    """Move a case to a state, by what the state says; return it.

    ``confirmed`` and ``dismissed`` are decisions about its open matches; ``accepted`` and ``refused`` are
    replies, also to the notice that waits for one; ``closed`` needs a reason, and so does what is said of the
    copies in place of the takedown watch: ``removed``, ``partly_removed``, ``still_up``, ``back``.

    Raises:
        NotPermitted, UnknownId: it is not for this one.
        NotAllowed: the state cannot follow the case's, or follows from its matches alone, as ``new`` does.
        NoWords: it lacks its reason.
        CaseMoved: somebody changed it since it was seen.
        NothingOpen, NoReason, PassageGone, DecidedMeanwhile: see :func:`decide_case`.
        ServiceDown: MongoDB does not answer; the call may be repeated.
    """
    match to:
        case "confirmed" | "dismissed":
            return decide_case(who, runtime, name, state=to, because=because, seen=seen)
    stores = runtime.stores

    def go(own: Case, at: datetime) -> Case:
        match to:
            case "accepted" | "refused" | "unanswered":
                return answer_case(own, stores, outcome=to, text=because, by=who.name, at=at)
            case "closed":
                return actions.close(own, stores, because=because, by=who.name, at=at)
            case "removed" | "partly_removed" | "still_up" | "back" if not because.strip():
                raise actions.NoWords
            case "new":  # follows from the matches
                raise not_allowed(own, to)
            case _:
                return move(own, stores, to=to, by=who.name, at=at, because=because.strip())

    return _change(who, runtime, name, go, because=because, seen=seen)


def reopen_case(
    who: Identity, runtime: Runtime, name: str, *, because: str = "", seen: int | None = None
) -> Case:
    """Open a closed case again, in the state that it had; return it.

    Raises:
        NotPermitted, UnknownId: it is not for this one.
        NotClosed: it is not closed.
        CaseMoved: somebody changed it since it was seen.
        ServiceDown: MongoDB does not answer; the call may be repeated.
    """

    def open_again(case: Case, at: datetime) -> Case:
        return actions.reopen(case, runtime.stores, by=who.name, at=at, because=because)

    return _change(who, runtime, name, open_again, because=because, seen=seen)


def assign_case(
    who: Identity, runtime: Runtime, name: str, *, to: str, because: str = "", seen: int | None = None
) -> Case:
    """Say who works on a case; an empty name: nobody. Returns the case; who has it already keeps it.

    Raises:
        NotPermitted, UnknownId: it is not for this one.
        CaseMoved: somebody changed it since it was seen.
        ServiceDown: MongoDB does not answer; the call may be repeated.
    """

    def assign(case: Case, at: datetime) -> Case:
        if case.assignee == to.strip():
            return case
        return actions.assign(case, runtime.stores, to=to, by=who.name, at=at, because=because)

    return _change(who, runtime, name, assign, because=because, seen=seen)


def set_case_deadline(
    who: Identity,
    runtime: Runtime,
    name: str,
    *,
    deadline: datetime | None,
    because: str = "",
    seen: int | None = None,
) -> Case:
    """Say until when something must be done in this state of a case; None: as the settings say.

    Raises:
        NotPermitted, UnknownId: it is not for this one.
        CaseMoved: somebody changed it since it was seen.
        ServiceDown: MongoDB does not answer; the call may be repeated.
    """

    def set_it(case: Case, at: datetime) -> Case:
        if case.deadline == deadline:
            return case
        return actions.set_deadline(
            case, runtime.stores, deadline=deadline, by=who.name, at=at, because=because
        )

    return _change(who, runtime, name, set_it, because=because, seen=seen)


def note_on_case(who: Identity, runtime: Runtime, name: str, *, text: str) -> Case:
    """Add a note to the history of a case; return the case.

    Raises:
        NotPermitted, UnknownId: it is not for this one.
        NoWords: the note is empty.
        ServiceDown: MongoDB does not answer.
    """

    def add(case: Case, at: datetime) -> Case:
        actions.note(case, runtime.stores, text=text, by=who.name, at=at)
        return case

    return _change(who, runtime, name, add, because=text)


def reply_to_case(
    who: Identity,
    runtime: Runtime,
    name: str,
    *,
    outcome: Answer | None,
    text: str = "",
    seen: int | None = None,
) -> Case:
    """Note what a site answered, or that it did not, and move the case by it; return the case.

    Args:
        who: acts.
        runtime: the open services.
        name: of the case.
        outcome: what the answer is; None: only its words are kept.
        text: its words.
        seen: see the module.

    Raises:
        NotPermitted, UnknownId: it is not for this one.
        NoWords: there is neither an answer nor a text.
        NotAllowed: the case is in no state that an answer can follow.
        CaseMoved: somebody changed it since it was seen.
        ServiceDown: MongoDB does not answer; the call may be repeated.
    """

    def answered(case: Case, at: datetime) -> Case:
        return answer_case(case, runtime.stores, outcome=outcome, text=text, by=who.name, at=at)

    return _change(who, runtime, name, answered, because=text, seen=seen)


def _change(
    who: Identity, runtime: Runtime, name: str, act: Act, *, because: str, seen: int | None = None
) -> Case:
    who.require("cases:write")
    now = utc_now()
    before = get_case(who, runtime.stores, name)
    if seen is not None and seen != before.moves:
        raise _moved(before, seen, runtime.stores)
    case = act(before, now)
    record(
        runtime.stores,
        "case-changed",
        by=who.name,
        at=now,
        subject=f"case {case.name}",
        before=_fields(before),
        after=_fields(case),
        detail={"because": because.strip()} if because.strip() else {},
    )
    return case


def _moved(case: Case, seen: int, stores: Stores) -> CaseMoved:
    """Return the error that tells who changed a case since somebody saw it, and how."""
    event = stores.events.get(f"{case.name}#{seen + 1}")
    return CaseMoved(name=case.name, by=event.by if event else "?", kind=event.kind if event else "?")


def _fields(case: Case) -> dict[str, object]:
    return {
        "state": case.state,
        "reason": case.reason,
        "assignee": case.assignee,
        "deadline": case.deadline.isoformat() if case.deadline else "",
    }
