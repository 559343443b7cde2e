"""``pindna case confirm`` and the other commands that change cases: each change is an event."""

from collections.abc import Callable
from datetime import datetime
from typing import Annotated, Literal

import typer

from analysis.cases import actions
from analysis.cases.moves import move
from analysis.i18n import gettext as _
from analysis.notices.replies import answer as answer_notice
from analysis.notices.replies import last_sent
from deploy.cli.acting import As, actor
from deploy.cli.case_view import assigned_line, decided_line, moved_line
from deploy.cli.clock import own_zone
from deploy.cli.console import print_result
from deploy.cli.dates import parse_day
from deploy.cli.outcomes import for_each
from deploy.cli.session import session
from storage.collections.stores import Stores
from storage.errors import PindnaError
from storage.records import Case, DecisionState, utc_now
from tracker.review.decisions import NoReason

Names = Annotated[list[str], typer.Argument(metavar="CASE…", help=_("c7, or an id."))]
Name = Annotated[str, typer.Argument(metavar="CASE", help=_("c7, or an id."))]
Because = Annotated[str, typer.Option(help=_("Why."))]
Reason = Annotated[str, typer.Option("--because", help=_("The reason."))]
Answered = Literal["accepted", "refused", "unanswered"]


class NothingToAssign(PindnaError):
    """Neither a person nor a deadline was given."""

    template = "Say who works on it (--to NAME), until when (--deadline DAY), or both."


def confirm(names: Names, *, because: Because = "", by: As = "") -> None:
    """Confirm all open matches of cases."""
    _decide(names, "confirmed", because, by)


def dismiss(
    names: Names,
    *,
    because: Annotated[str, typer.Option(help=_("Why. A dismissal needs a reason."))] = "",
    by: As = "",
) -> None:
    """Dismiss all open matches of cases."""
    if not because.strip():
        raise NoReason
    _decide(names, "dismissed", because, by)


def _decide(names: list[str], state: DecisionState, because: str, by: str) -> None:
    def apply(case: Case, stores: Stores) -> str:
        decided = actions.decide_open(case, stores, state=state, by=actor(by), because=because, at=utc_now())
        return decided_line(*decided)

    _for_each(names, apply)


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
) -> None:
    """Say who works on cases, and until when."""
    if to is None and deadline is None:
        raise NothingToAssign
    end = None if deadline is None else _end_of(deadline)

    def apply(case: Case, stores: Stores) -> str:
        who, now = actor(by), utc_now()
        if to is not None and to.strip() != case.assignee:
            case = actions.assign(case, stores, to=to, by=who, at=now, because=because)
        if end is not None and end != case.deadline:
            case = actions.set_deadline(case, stores, deadline=end, by=who, at=now, because=because)
        return assigned_line(case, now=now)

    _for_each(names, apply)


def _end_of(day: datetime) -> datetime:
    """Return the last second of a day in the user's zone, aware."""
    return day.replace(hour=23, minute=59, second=59, tzinfo=own_zone())


def note(name: Name, *, because: Annotated[str, typer.Option(help=_("The note."))], by: As = "") -> None:
    """Add a note to the history of a case."""
    with session() as runtime:
        case = runtime.stores.cases.get(name)
        actions.note(case, runtime.stores, text=because, by=actor(by), at=utc_now())
        print_result(_("Noted in the history of {name}.").format(name=case.name))


def notify(
    name: Name,
    *,
    on: Annotated[
        datetime | None,
        typer.Option(parser=parse_day, metavar="DAY", help=_("The day of the notice; default: now.")),
    ] = None,
    because: Annotated[str, typer.Option(help=_("By what means, to whom."))] = "",
    by: As = "",
) -> None:
    """Note that the site was written to by other means than pindna's."""
    at = utc_now() if on is None else on.replace(tzinfo=own_zone())
    with session() as runtime:
        case = runtime.stores.cases.get(name)
        case = move(case, runtime.stores, to="notified", by=actor(by), because=because, at=at)
        print_result(moved_line(case))


def reply(
    name: Name,
    *,
    answer: Annotated[
        Answered | None, typer.Option(help=_("What the answer is; without it only the words are kept."))
    ] = None,
    because: Annotated[str, typer.Option(help=_("The words of the answer."))] = "",
    by: As = "",
) -> None:
    """Note what the site answered, or that it did not."""
    with session() as runtime:
        stores, who, now = runtime.stores, actor(by), utc_now()
        case = stores.cases.get(name)
        notice = last_sent(case.number, stores)
        if notice is not None and answer in ("accepted", "refused"):
            answer_notice(notice, answer, stores, by=who, because=because, at=now)
            case = stores.cases.get(name)
        else:
            case = actions.reply(case, stores, answer=answer, text=because, by=who, at=now)
        print_result(moved_line(case))


def close(names: Names, *, because: Reason, by: As = "") -> None:
    """Close cases for a reason."""
    _for_each(
        names,
        lambda case, stores: moved_line(
            actions.close(case, stores, because=because, by=actor(by), at=utc_now())
        ),
    )


def reopen(names: Names, *, because: Because = "", by: As = "") -> None:
    """Open closed cases again."""
    _for_each(
        names,
        lambda case, stores: moved_line(
            actions.reopen(case, stores, by=actor(by), because=because, at=utc_now())
        ),
    )


def _for_each(names: list[str], apply: Callable[[Case, Stores], str]) -> None:
    """Change each case; what cannot be changed is reported and skipped."""
    with session() as runtime:
        stores = runtime.stores
        tally = for_each(names, lambda name: apply(stores.cases.get(name), stores))
    if tally.status:
        raise typer.Exit(tally.status)
