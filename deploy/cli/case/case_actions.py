"""``pindna case confirm`` and the other commands that change cases: each change is an event."""

from collections.abc import Callable
from datetime import datetime
from typing import Annotated, Literal

import typer

from analysis.cases import actions
from analysis.cases.deadlines import end_of_day
from analysis.cases.moves import move
from analysis.cases.views import views
from analysis.notices.replies import answer_case
from analysis.words.i18n import gettext as _
from deploy.cli.case.case_view import assigned_line, case_as_object, decided_line, moved_line
from deploy.cli.clock import own_zone
from deploy.cli.console import print_json_line, print_result
from deploy.cli.dates import parse_day
from deploy.cli.identity import As, actor
from deploy.cli.options import AsJsonLines, AsJsonObject
from deploy.cli.outcomes import for_each
from deploy.cli.session import session
from storage.collections.stores import Stores
from storage.records import Case, DecisionState, utc_now
from system.errors import PindnaError
from tracker.review.decisions import NoReason
from tracker.runtime import Runtime

Names = Annotated[list[str], typer.Argument(metavar="CASE…", help=_("c7, or an id."))]
Name = Annotated[str, typer.Argument(metavar="CASE", help=_("c7, or an id."))]
Because = Annotated[str, typer.Option(help=_("Why."))]
Reason = Annotated[str, typer.Option("--because", help=_("The reason."))]
Answered = Literal["accepted", "refused", "unanswered"]


class DayToCome(PindnaError):
    """What is said to have happened lies in the future. Data: ``day``."""

    template = "{day} is still to come. Say it when it has happened."


class NothingToAssign(PindnaError):
    """Neither a person nor a deadline was given."""

    template = "Say who works on it (--to NAME), until when (--deadline DAY), or both."


def confirm(names: Names, *, because: Because = "", by: As = "", as_json: AsJsonLines = False) -> None:
    """Confirm all open matches of cases."""
    _decide(names, "confirmed", because, by, as_json=as_json)


def dismiss(
    names: Names,
    *,
    because: Annotated[str, typer.Option(help=_("Why. A dismissal needs a reason."))] = "",
    by: As = "",
    as_json: AsJsonLines = False,
) -> None:
    """Dismiss all open matches of cases."""
    if not because.strip():
        raise NoReason
    _decide(names, "dismissed", because, by, as_json=as_json)


def _decide(names: list[str], state: DecisionState, because: str, by: str, *, as_json: bool) -> None:
    def apply(case: Case, stores: Stores) -> tuple[Case, str]:
        who, now = actor(by), utc_now()
        case, count = actions.decide_open(case, stores, state=state, by=who, because=because, at=now)
        return case, decided_line(case, count)

    _for_each(names, apply, as_json=as_json)


def assign(
    names: Names,
    *,
    to: Annotated[str | None, typer.Option(help=_("Who works on it; an empty name: nobody."))] = None,
    deadline: Annotated[
        datetime | None,
        typer.Option(parser=parse_day, metavar="DAY", help=_("The last day for what is to be done.")),
    ] = None,
    because: Because = "",
    by: As = "",
    as_json: AsJsonLines = False,
) -> None:
    """Say who works on cases, and until when."""
    if to is None and deadline is None:
        raise NothingToAssign
    end = None if deadline is None else end_of_day(deadline, own_zone())

    def apply(case: Case, stores: Stores) -> tuple[Case, str]:
        who, now = actor(by), utc_now()
        if to is not None and to.strip() != case.assignee:
            case = actions.assign(case, stores, to=to, by=who, at=now, because=because)
        if end is not None and end != case.deadline:
            case = actions.set_deadline(case, stores, deadline=end, by=who, at=now, because=because)
        return case, assigned_line(case, now=now)

    _for_each(names, apply, as_json=as_json)


def note(
    name: Name,
    *,
    because: Annotated[str, typer.Option(help=_("The note."))],
    by: As = "",
    as_json: AsJsonObject = False,
) -> None:
    """Add a note to the history of a case."""
    with session() as runtime:
        case = runtime.stores.cases.get(name)
        actions.note(case, runtime.stores, text=because, by=actor(by), at=utc_now())
        line = _("Noted in the history of {name}.").format(name=case.name)
        _print(case, line, runtime, as_json=as_json)


def notify(
    name: Name,
    *,
    on: Annotated[
        datetime | None,
        typer.Option(parser=parse_day, metavar="DAY", help=_("The day of the notice; default: now.")),
    ] = None,
    because: Annotated[str, typer.Option(help=_("By what means, to whom."))] = "",
    by: As = "",
    as_json: AsJsonObject = False,
) -> None:
    """Note that the site was written to by other means than pindna's."""
    at = utc_now() if on is None else on.replace(tzinfo=own_zone())
    if on is not None and at > utc_now():
        raise DayToCome(day=on.date())
    with session() as runtime:
        case = runtime.stores.cases.get(name)
        case = move(case, runtime.stores, to="notified", by=actor(by), because=because, at=at)
        _print(case, moved_line(case), runtime, as_json=as_json)


def reply(
    name: Name,
    *,
    answer: Annotated[
        Answered | None, typer.Option(help=_("What the answer is; without it only the words are kept."))
    ] = None,
    because: Annotated[str, typer.Option(help=_("The words of the answer."))] = "",
    by: As = "",
    as_json: AsJsonObject = False,
) -> None:
    """Note what the site answered, or that it did not."""
    with session() as runtime:
        stores, who = runtime.stores, actor(by)
        case = stores.cases.get(name)
        case = answer_case(case, stores, outcome=answer, text=because, by=who, at=utc_now())
        _print(case, moved_line(case), runtime, as_json=as_json)


def close(names: Names, *, because: Reason, by: As = "", as_json: AsJsonLines = False) -> None:
    """Close cases for a reason."""

    def apply(case: Case, stores: Stores) -> tuple[Case, str]:
        case = actions.close(case, stores, because=because, by=actor(by), at=utc_now())
        return case, moved_line(case)

    _for_each(names, apply, as_json=as_json)


def reopen(names: Names, *, because: Because = "", by: As = "", as_json: AsJsonLines = False) -> None:
    """Open closed cases again."""

    def apply(case: Case, stores: Stores) -> tuple[Case, str]:
        case = actions.reopen(case, stores, by=actor(by), because=because, at=utc_now())
        return case, moved_line(case)

    _for_each(names, apply, as_json=as_json)


def _for_each(names: list[str], apply: Callable[[Case, Stores], tuple[Case, str]], *, as_json: bool) -> None:
    """Change each case and print what it is now; what cannot be changed is reported and skipped."""
    with session() as runtime:

        def change(name: str) -> None:
            case, line = apply(runtime.stores.cases.get(name), runtime.stores)
            _print(case, line, runtime, as_json=as_json)

        tally = for_each(names, change)
    if tally.status:
        raise typer.Exit(tally.status)


def _print(case: Case, line: str, runtime: Runtime, *, as_json: bool) -> None:
    """Print a line, or the case as ``case list`` prints it."""
    if not as_json:
        print_result(line)
        return
    for view in views([case], runtime.stores, runtime.settings.analysis, now=utc_now()):
        print_json_line(case_as_object(view))
