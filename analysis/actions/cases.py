"""What is done with cases.

Every action is recorded in the history of its case and in the audit log. A user who acts on a
case may say which state of it he has before his eyes (``seen``: its :attr:`storage.records.Case.moves`); of
two who act on one case at a time the second is refused, with what the first did.
"""

from collections.abc import Callable, Mapping
from datetime import datetime

from analysis.accounts.permissions import Identity
from analysis.actions.auditing import note_act
from analysis.cases import actions, moves
from analysis.notices.replies import answer_case
from analysis.queries.cases import get_case
from storage.collections.cases import CaseMoved
from storage.collections.stores import Stores
from storage.records import Case, CaseState, DecisionState, utc_now
from system.errors import PindnaError
from tracker.runtime import Runtime

_Act = Callable[[Case, Stores, datetime], Case]


class DateInFuture(PindnaError):
    """What is said to have happened lies in the future. Data: ``day``."""

    code = "day-to-come"
    template = "{day} is in the future. Record it when it has happened."


def _done(
    identity: Identity,
    runtime: Runtime,
    name: str,
    act: str,
    do: _Act,
    *,
    expected_version: int | None = None,
) -> Case:
    """Do something with a case and write it down; returns the case as it is now.

    Raises:
        CaseMoved: another user changed it since it was seen.
    """
    identity.require("cases:write")
    before = get_case(identity, runtime.stores, name)
    if expected_version is not None and expected_version != before.moves:
        event = runtime.stores.events.get(f"{before.name}#{expected_version + 1}")
        by, kind = (event.by, event.kind) if event else ("?", "?")
        raise CaseMoved(name=before.name, by=by, kind=kind)
    now = utc_now()
    after = do(before, runtime.stores, now)
    fields = _log_fields(before), _log_fields(after)
    note_act(identity, runtime, act, f"case {before.name}", before=fields[0], after=fields[1], at=now)
    return after


def _log_fields(case: Case) -> Mapping[str, object]:
    return {
        "state": case.state,
        "reason": case.reason,
        "assignee": case.assignee,
        "deadline": case.deadline,
    }


def decide_open(
    identity: Identity,
    runtime: Runtime,
    name: str,
    *,
    state: DecisionState,
    reason: str = "",
    expected_version: int | None = None,
) -> tuple[Case, int]:
    """Decide about all open matches of a case; returns the case and how many they were.

    Raises:
        NotPermitted: cases or decisions are not this one's to change.
        UnknownId: there is no such case, or not for this one.
        NothingOpen, NoReason, NoNote …: see :func:`analysis.cases.actions.decide_open`.
    """
    identity.require("matches:decide")
    counted = 0

    def do(case: Case, stores: Stores, now: datetime) -> Case:
        nonlocal counted
        case, counted = actions.decide_open(
            case, stores, state=state, by=identity.name, reason=reason.strip(), at=now
        )
        return case

    return _done(identity, runtime, name, state, do, expected_version=expected_version), counted


def assign(
    identity: Identity,
    runtime: Runtime,
    name: str,
    *,
    to: str,
    reason: str = "",
    expected_version: int | None = None,
) -> Case:
    """Assign a case; an empty name: no assignee.

    Raises:
        NotPermitted, UnknownId: see :func:`decide_open`.
        CaseMoved: another user changed it at the same time.
    """
    return _done(
        identity,
        runtime,
        name,
        "assign",
        lambda case, stores, now: actions.assign(
            case, stores, to=to, by=identity.name, at=now, reason=reason
        ),
        expected_version=expected_version,
    )


def set_deadline(
    identity: Identity,
    runtime: Runtime,
    name: str,
    *,
    deadline: datetime | None,
    reason: str = "",
    expected_version: int | None = None,
) -> Case:
    """Say until when something must be done about a case; None: as the settings say.

    Raises:
        NotPermitted, UnknownId, CaseMoved: see :func:`assign`.
    """
    return _done(
        identity,
        runtime,
        name,
        "deadline",
        lambda case, stores, now: actions.set_deadline(
            case, stores, deadline=deadline, by=identity.name, at=now, reason=reason
        ),
        expected_version=expected_version,
    )


def note(identity: Identity, runtime: Runtime, name: str, *, text: str) -> Case:
    """Add a note to the history of a case.

    Raises:
        NotPermitted, UnknownId: see :func:`decide_open`.
        NoWords: it is empty.
    """

    def do(case: Case, stores: Stores, now: datetime) -> Case:
        actions.note(case, stores, text=text, by=identity.name, at=now)
        return case

    return _done(identity, runtime, name, "note", do)


def notify(
    identity: Identity,
    runtime: Runtime,
    name: str,
    *,
    on: datetime | None = None,
    reason: str = "",
    expected_version: int | None = None,
) -> Case:
    """Note that the site was written to by other means than pindna's.

    Args:
        identity: says so.
        runtime: the open services.
        name: of the case.
        on: when; None: now.
        reason: by what means, to whom.
        expected_version: the version of the case that the caller saw; None: any.

    Raises:
        NotPermitted, UnknownId, CaseMoved: see :func:`assign`.
        DateInFuture: the day is in the future.
        NotAllowed: the case is in no state that this follows.
    """

    def do(case: Case, stores: Stores, now: datetime) -> Case:
        if on is not None and on > now:
            raise DateInFuture(day=on.date())
        return moves.move(case, stores, to="notified", by=identity.name, reason=reason, at=on or now)

    return _done(identity, runtime, name, "notify", do, expected_version=expected_version)


def reply(
    identity: Identity,
    runtime: Runtime,
    name: str,
    *,
    answer: actions.Answer | None = None,
    text: str = "",
    expected_version: int | None = None,
) -> Case:
    """Note what the site answered, or that it did not; a notice that waits for a reply gets it.

    Raises:
        NotPermitted, UnknownId, CaseMoved, NotAllowed: see :func:`notify`.
        NoWords: there is neither an answer nor a text.
    """

    def do(case: Case, stores: Stores, now: datetime) -> Case:
        return answer_case(case, stores, outcome=answer, text=text, by=identity.name, at=now)

    return _done(identity, runtime, name, "reply", do, expected_version=expected_version)


def close(
    identity: Identity, runtime: Runtime, name: str, *, reason: str, expected_version: int | None = None
) -> Case:
    """Close a case for a reason; a new copy opens it again.

    Raises:
        NotPermitted, UnknownId, CaseMoved, NotAllowed: see :func:`notify`.
        NoWords: there is no reason.
    """
    return _done(
        identity,
        runtime,
        name,
        "close",
        lambda case, stores, now: actions.close(case, stores, reason=reason, by=identity.name, at=now),
        expected_version=expected_version,
    )


def reopen(
    identity: Identity, runtime: Runtime, name: str, *, reason: str = "", expected_version: int | None = None
) -> Case:
    """Open a closed case again, in the state that it had.

    Raises:
        NotPermitted, UnknownId, CaseMoved: see :func:`assign`.
        NotClosed: it is not closed.
    """
    return _done(
        identity,
        runtime,
        name,
        "reopen",
        lambda case, stores, now: actions.reopen(case, stores, by=identity.name, at=now, reason=reason),
        expected_version=expected_version,
    )


def move(
    identity: Identity,
    runtime: Runtime,
    name: str,
    *,
    to: CaseState,
    reason: str = "",
    expected_version: int | None = None,
) -> Case:
    """Move a case to a state, by what the state says.

    ``confirmed`` and ``dismissed`` are decisions about its open matches; ``accepted``, ``refused`` and
    ``unanswered`` are replies, also to the notice that waits for one; ``closed`` needs a reason, and so does
    what a person reports of the copies instead of the takedown watch: ``removed``, ``partly_removed``,
    ``still_up``, ``back``.

    Raises:
        NotPermitted, UnknownId, CaseMoved: see :func:`assign`.
        NotAllowed: the state cannot follow the case's, or follows from its matches alone, as ``new`` does.
        NoWords: it lacks its reason.
        NothingOpen, NoReason …: see :func:`decide_open`.
    """
    match to:
        case "confirmed" | "dismissed":
            return decide_open(
                identity, runtime, name, state=to, reason=reason, expected_version=expected_version
            )[0]
        case "accepted" | "refused" | "unanswered":
            return reply(identity, runtime, name, answer=to, text=reason, expected_version=expected_version)
        case "notified":
            return notify(identity, runtime, name, reason=reason, expected_version=expected_version)
        case "closed":
            return close(identity, runtime, name, reason=reason, expected_version=expected_version)
        case "new" | "removed" | "partly_removed" | "still_up" | "back":
            pass

    def do(case: Case, stores: Stores, now: datetime) -> Case:
        if to == "new":  # follows from the matches
            raise moves.not_allowed(case, to)
        if not reason.strip():
            raise actions.NoWords
        return moves.move(case, stores, to=to, by=identity.name, at=now, reason=reason.strip())

    return _done(identity, runtime, name, to, do, expected_version=expected_version)
