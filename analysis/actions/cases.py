"""Actions on cases.

Every action is recorded in the history of its case and in the audit log. A caller may pass the version of the
case that the user saw (``expected_version``, from :attr:`storage.records.Case.moves`). If another user has
changed the case since then, the action is refused, and the error says what the other user did.
"""

from collections.abc import Callable, Mapping
from datetime import datetime

from analysis.accounts.permissions import Identity
from analysis.actions.auditing import record_action
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
    """The time of an event is in the future.

    Attributes:
        day: the day of the event.
    """

    code = "day-to-come"
    template = "{day} is in the future. Record it when it has happened."


def _act_on_case(
    identity: Identity,
    runtime: Runtime,
    name: str,
    act: str,
    change: _Act,
    *,
    expected_version: int | None = None,
) -> Case:
    """Change a case, record the action, and return the case after the change.

    Raises:
        CaseMoved: another user changed the case since the user saw it.
    """
    identity.require("cases:write")
    before = get_case(identity, runtime.stores, name)
    if expected_version is not None and expected_version != before.moves:
        event = runtime.stores.events.get(f"{before.name}#{expected_version + 1}")
        by, kind = (event.by, event.kind) if event else ("?", "?")
        raise CaseMoved(name=before.name, by=by, kind=kind)
    now = utc_now()
    after = change(before, runtime.stores, now)
    fields = _log_fields(before), _log_fields(after)
    record_action(identity, runtime, act, f"case {before.name}", before=fields[0], after=fields[1], at=now)
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
    """Decide about all open matches of a case. Return the case and the number of matches.

    Raises:
        NotPermitted: the user may not change cases or decisions.
        UnknownId: there is no such case, or the user may not see it.
        NothingOpen, NoReason, NoNote …: see :func:`analysis.cases.actions.decide_open`.
    """
    identity.require("matches:decide")
    counted = 0

    def change(case: Case, stores: Stores, now: datetime) -> Case:
        nonlocal counted
        case, counted = actions.decide_open(
            case, stores, state=state, by=identity.name, reason=reason.strip(), at=now
        )
        return case

    return _act_on_case(identity, runtime, name, state, change, expected_version=expected_version), counted


def assign(
    identity: Identity,
    runtime: Runtime,
    name: str,
    *,
    to: str,
    reason: str = "",
    expected_version: int | None = None,
) -> Case:
    """Assign a case to a user. An empty name removes the assignee.

    Raises:
        NotPermitted, UnknownId: see :func:`decide_open`.
        CaseMoved: another user changed it at the same time.
    """
    return _act_on_case(
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
    """Set the deadline of a case; None: the deadline follows from the settings.

    Raises:
        NotPermitted, UnknownId, CaseMoved: see :func:`assign`.
    """
    return _act_on_case(
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
        NoWords: the note is empty.
    """

    def change(case: Case, stores: Stores, now: datetime) -> Case:
        actions.note(case, stores, text=text, by=identity.name, at=now)
        return case

    return _act_on_case(identity, runtime, name, "note", change)


def notify(
    identity: Identity,
    runtime: Runtime,
    name: str,
    *,
    on: datetime | None = None,
    reason: str = "",
    expected_version: int | None = None,
) -> Case:
    """Record that a notice was sent to the site without pindna.

    Args:
        identity: the user or program that records it.
        runtime: the open services.
        name: name of the case.
        on: when it was sent; None: now.
        reason: how and to whom it was sent.
        expected_version: the version of the case that the user saw; None: any version.

    Raises:
        NotPermitted, UnknownId, CaseMoved: see :func:`assign`.
        DateInFuture: the day is in the future.
        NotAllowed: the state of the case does not allow a notice.
    """

    def change(case: Case, stores: Stores, now: datetime) -> Case:
        if on is not None and on > now:
            raise DateInFuture(day=on.date())
        return moves.move(case, stores, to="notified", by=identity.name, reason=reason, at=on or now)

    return _act_on_case(identity, runtime, name, "notify", change, expected_version=expected_version)


def reply(
    identity: Identity,
    runtime: Runtime,
    name: str,
    *,
    answer: actions.Answer | None = None,
    text: str = "",
    expected_version: int | None = None,
) -> Case:
    """Record the reply of the site, or that it did not reply, also for a notice that waits for a reply.

    Raises:
        NotPermitted, UnknownId, CaseMoved, NotAllowed: see :func:`notify`.
        NoWords: there is neither an answer nor a text.
    """

    def change(case: Case, stores: Stores, now: datetime) -> Case:
        return answer_case(case, stores, outcome=answer, text=text, by=identity.name, at=now)

    return _act_on_case(identity, runtime, name, "reply", change, expected_version=expected_version)


def close(
    identity: Identity, runtime: Runtime, name: str, *, reason: str, expected_version: int | None = None
) -> Case:
    """Close a case for a reason. A new copy reopens it.

    Raises:
        NotPermitted, UnknownId, CaseMoved, NotAllowed: see :func:`notify`.
        NoWords: there is no reason.
    """
    return _act_on_case(
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
    """Reopen a closed case in the state that it had.

    Raises:
        NotPermitted, UnknownId, CaseMoved: see :func:`assign`.
        NotClosed: the case is not closed.
    """
    return _act_on_case(
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
    """Move a case to a state, with the action that leads to this state.

    ``confirmed`` and ``dismissed`` decide about the open matches. ``accepted``, ``refused`` and
    ``unanswered`` record a reply, also for the notice that waits for one. ``closed`` needs a reason.
    ``removed``, ``partly_removed``, ``still_up`` and ``back`` also need a reason, because a person reports
    them instead of the takedown watch.

    Raises:
        NotPermitted, UnknownId, CaseMoved: see :func:`assign`.
        NotAllowed: the case cannot move to this state, or only its matches can lead to it, as for ``new``.
        NoWords: the reason is missing.
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

    def change(case: Case, stores: Stores, now: datetime) -> Case:
        if to == "new":  # only the matches of a case lead to this state
            raise moves.not_allowed(case, to)
        if not reason.strip():
            raise actions.NoWords
        return moves.move(case, stores, to=to, by=identity.name, at=now, reason=reason.strip())

    return _act_on_case(identity, runtime, name, to, change, expected_version=expected_version)
