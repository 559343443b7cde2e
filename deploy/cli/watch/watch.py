"""``pindna watch``: whether the copies of confirmed cases are still up, and since when they are not."""

from collections.abc import Iterable
from datetime import datetime
from typing import Annotated

import typer

from analysis.actions.watching import follow_cases
from analysis.actions.watching import look_now as visit_now
from analysis.queries import watching as queries
from analysis.words.i18n import gettext as _
from analysis.words.i18n import translator
from analysis.words.labels import WATCH_STATES, reason_word, word
from deploy.cli.addresses import looks_like_address
from deploy.cli.clock import local_moment
from deploy.cli.console import print_progress
from deploy.cli.identity import As, user_session
from deploy.cli.objects import object_of
from deploy.cli.options import AsJsonLines, CaseOption, Limit
from deploy.cli.tables import print_list
from storage.records import Watch, WatchState
from system.exit_status import ExitStatus

app = typer.Typer(no_args_is_help=True)
State = Annotated[WatchState | None, typer.Option(help=_("Only addresses in this state."))]
_FIELDS = (
    "url source cases state reason moved_to since due looked last_up first_gone gone_since returned notified "
    "hours"
)
_UP = frozenset({"up", "moved"})
_UNCERTAIN = frozenset({"unreachable", "restricted", "waiting"})


@app.command("list", help=_("List the addresses that are watched, those that are asked next first."))
def list_watches(
    *,
    case: CaseOption = None,
    state: State = None,
    limit: Limit = None,
    as_json: AsJsonLines = False,
) -> None:
    """Print what is watched."""
    with user_session() as (user, runtime):
        follow_cases(runtime)
        rows = queries.list_watches(user, runtime.stores, case=case or "", state=state, limit=limit)
        _print(rows, as_json=as_json)


@app.command("now", help=_("Look now, whenever it is due; by default at what is due already."))
def look_now(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="CASE|URL…", help=_("Cases such as c7, and addresses.")),
    ] = None,
    *,
    by: As = "",
    as_json: AsJsonLines = False,
) -> None:
    """Ask addresses and print what was seen.

    Raises:
        typer.Exit: a copy is up (1), or some address could not be looked at (4).
        NotWatched, CaseNotWatched: what is named is not watched.
    """
    with user_session(by) as (user, runtime):
        visited = visit_now(user, runtime, names or (), is_address=looks_like_address, report=print_unclaimed)
        _print(visited.watches, as_json=as_json)
    rows = visited.watches
    if any(watch.state in _UP and watch.gone_since is None for watch in rows):
        raise typer.Exit(ExitStatus.FOUND)
    if visited.unvisited or any(map(_is_uncertain, rows)):
        raise typer.Exit(ExitStatus.PARTLY)


def print_unclaimed(watch: Watch, until: datetime | None) -> None:
    """Print why an address is not visited now: it is being visited, or its source is closed until then."""
    line = _("{url} is being asked already.")
    if until is not None:
        line = _("{url} is not asked: its source {source} is outside its hours until {until}.")
    print_progress(line.format(url=watch.url, source=watch.source, until=local_moment(until)))


def _is_uncertain(watch: Watch) -> bool:
    return watch.state in _UNCERTAIN or (watch.first_gone is not None and watch.gone_since is None)


def _print(rows: Iterable[Watch], *, as_json: bool) -> None:
    headers = _("state"), _("cases"), _("address"), _("looked at"), _("gone since")
    print_list(rows, as_object, headers, _cells, as_json=as_json, none=_("Nothing is watched."))


def _cells(watch: Watch) -> tuple[str | tuple[str, ...], ...]:
    state = word(translator(), WATCH_STATES, watch.state)
    notes = [state, *([reason_word(translator(), watch.reason)] if watch.reason else [])]
    if watch.first_gone is not None and watch.gone_since is None:
        notes.append(_("absent once, to be confirmed"))
    if watch.hours is not None:
        notes.append(_("{hours} hours after the notice").format(hours=f"{watch.hours:.1f}"))
    address = (watch.url, f"→ {watch.moved_to}") if watch.moved_to else watch.url
    return (
        tuple(notes),
        " ".join(f"c{number}" for number in watch.cases),
        address,
        local_moment(watch.looked),
        local_moment(watch.gone_since),
    )


def as_object(watch: Watch) -> dict[str, object]:
    """Return a row of the watch as it is printed."""
    return object_of(watch, _FIELDS, cases=[f"c{number}" for number in watch.cases])
