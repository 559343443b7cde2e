"""``pindna case confirm`` and the other commands that change cases: each change is an event."""

from collections.abc import Callable
from datetime import datetime
from functools import partial
from typing import Annotated, Literal

import typer

from analysis.accounts.permissions import Identity
from analysis.actions import cases as actions
from analysis.cases.deadlines import end_of_day
from analysis.queries.cases import get_case, view_case
from analysis.words.i18n import gettext as _
from deploy.cli.case.case_view import assigned_line, case_as_object, decided_line, moved_line
from deploy.cli.clock import own_zone
from deploy.cli.console import print_json_line, print_result
from deploy.cli.dates import parse_day
from deploy.cli.identity import As, user_session
from deploy.cli.options import AsJsonLines, AsJsonObject, Because, CaseName, Note, WhyDecided
from deploy.cli.outcomes import for_each
from storage.records import Case, DecisionState, utc_now
from system.errors import PindnaError
from tracker.review.decisions import NoReason
from tracker.runtime import Runtime

Names = Annotated[
    list[str], typer.Argument(metavar="CASE…", help=_("Number of the case, such as c7, or its id."))
]
Reason = Annotated[str, typer.Option("--because", help=_("The reason."))]
Answered = Literal["accepted", "refused", "unanswered"]
_Act = Callable[[Identity, Runtime, str], tuple[Case, str]]


class NothingToAssign(PindnaError):
    """The command got neither a person nor a deadline."""

    template = "Give an assignee (--to NAME), a deadline (--deadline DAY), or both."


def confirm(names: Names, *, reason: Because = "", by: As = "", as_json: AsJsonLines = False) -> None:
    _for_each(names, _deciding("confirmed", reason), by, as_json=as_json)


def dismiss(names: Names, *, reason: WhyDecided = "", by: As = "", as_json: AsJsonLines = False) -> None:
    if not reason.strip():
        raise NoReason
    _for_each(names, _deciding("dismissed", reason), by, as_json=as_json)


def _deciding(state: DecisionState, reason: str) -> _Act:
    def decide(user: Identity, runtime: Runtime, name: str) -> tuple[Case, str]:
        case, count = actions.decide_open(user, runtime, name, state=state, reason=reason)
        return case, decided_line(case, count)

    return decide


def assign(
    names: Names,
    *,
    to: Annotated[str | None, typer.Option(help=_("Name of the assignee; empty: no assignee."))] = None,
    deadline: Annotated[
        datetime | None,
        typer.Option(parser=parse_day, metavar="DAY", help=_("The last day to act on the case.")),
    ] = None,
    reason: Because = "",
    by: As = "",
    as_json: AsJsonLines = False,
) -> None:
    if to is None and deadline is None:
        raise NothingToAssign
    end = None if deadline is None else end_of_day(deadline, own_zone())

    def do(user: Identity, runtime: Runtime, name: str) -> tuple[Case, str]:
        case = get_case(user, runtime.stores, name)
        if to is not None and to.strip() != case.assignee:
            case = actions.assign(user, runtime, name, to=to, reason=reason)
        if end is not None and end != case.deadline:
            case = actions.set_deadline(user, runtime, name, deadline=end, reason=reason)
        return case, assigned_line(case, now=utc_now())

    _for_each(names, do, by, as_json=as_json)


def note(name: CaseName, *, reason: Note, by: As = "", as_json: AsJsonObject = False) -> None:
    with user_session(by) as (user, runtime):
        case = actions.note(user, runtime, name, text=reason)
        line = _("Added to the history of {name}.").format(name=case.name)
        _print(case, line, user, runtime, as_json=as_json)


def notify(
    name: CaseName,
    *,
    on: Annotated[
        datetime | None,
        typer.Option(parser=parse_day, metavar="DAY", help=_("The day of the notice; default: now.")),
    ] = None,
    reason: Annotated[str, typer.Option("--because", help=_("Means and recipient."))] = "",
    by: As = "",
    as_json: AsJsonObject = False,
) -> None:
    at = None if on is None else on.replace(tzinfo=own_zone())
    _do(name, partial(actions.notify, on=at, reason=reason), by, as_json=as_json)


def reply(
    name: CaseName,
    *,
    answer: Annotated[
        Answered | None, typer.Option(help=_("Kind of the answer; without it, only the text is stored."))
    ] = None,
    reason: Annotated[str, typer.Option("--because", help=_("Text of the answer."))] = "",
    by: As = "",
    as_json: AsJsonObject = False,
) -> None:
    _do(name, partial(actions.reply, answer=answer, text=reason), by, as_json=as_json)


def close(names: Names, *, reason: Reason, by: As = "", as_json: AsJsonLines = False) -> None:
    _for_each(names, _moving(partial(actions.close, reason=reason)), by, as_json=as_json)


def reopen(names: Names, *, reason: Because = "", by: As = "", as_json: AsJsonLines = False) -> None:
    _for_each(names, _moving(partial(actions.reopen, reason=reason)), by, as_json=as_json)


def _moving(act: Callable[[Identity, Runtime, str], Case]) -> _Act:
    def move(user: Identity, runtime: Runtime, name: str) -> tuple[Case, str]:
        case = act(user, runtime, name)
        return case, moved_line(case)

    return move


def _do(name: str, act: Callable[[Identity, Runtime, str], Case], by: str, *, as_json: bool) -> None:
    """Change the state of a case and print the case."""
    with user_session(by) as (user, runtime):
        _print(*_moving(act)(user, runtime, name), user, runtime, as_json=as_json)


def _for_each(names: list[str], act: _Act, by: str, *, as_json: bool) -> None:
    """Change each case and print it; a case that cannot be changed is reported and skipped."""
    with user_session(by) as (user, runtime):
        tally = for_each(
            names, lambda name: _print(*act(user, runtime, name), user, runtime, as_json=as_json)
        )
    tally.end()


def _print(case: Case, line: str, user: Identity, runtime: Runtime, *, as_json: bool) -> None:
    """Print a line or, with ``--json``, the case as ``case list`` prints it."""
    if as_json:
        view = view_case(user, runtime.stores, runtime.settings.analysis, case.name)
        print_json_line(case_as_object(view))
    else:
        print_result(line)
