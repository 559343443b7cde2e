"""``pindna watch now``: visit watched addresses, even if they are not due."""

from datetime import datetime
from typing import Annotated

import typer

from analysis.actions.watching import look_now as visit_now
from analysis.words.i18n import gettext as _
from deploy.cli.addresses import looks_like_address
from deploy.cli.clock import local_moment
from deploy.cli.console import print_progress
from deploy.cli.identity import As, user_session
from deploy.cli.options import AsJsonLines
from deploy.cli.watch.watch_list import print_watches
from storage.records import Watch
from system.exit_status import ExitStatus

_UP = frozenset({"up", "moved"})
_UNCERTAIN = frozenset({"unreachable", "restricted", "waiting"})


def look_now(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="CASE|URL…", help=_("Cases such as c7, and addresses."))
    ] = None,
    *,
    by: As = "",
    as_json: AsJsonLines = False,
) -> None:
    """Visit addresses and print the results.

    Raises:
        typer.Exit: a copy is up (1), or some address could not be looked at (4).
        NotWatched, CaseNotWatched: what is named is not watched.
    """
    with user_session(by) as (user, runtime):
        visited = visit_now(user, runtime, names or (), is_address=looks_like_address, report=print_unclaimed)
        print_watches(visited.watches, as_json=as_json)
    rows = visited.watches
    if any(watch.state in _UP and watch.gone_since is None for watch in rows):
        raise typer.Exit(ExitStatus.FOUND)
    if visited.unvisited or any(map(_is_uncertain, rows)):
        raise typer.Exit(ExitStatus.PARTLY)


def print_unclaimed(watch: Watch, until: datetime | None) -> None:
    """Print why an address is not visited now: another visit is running, or its source is closed."""
    line = _("{url} is being checked already.")
    if until is not None:
        line = _("{url} is not checked now: its source {source} is outside its hours until {until}.")
    print_progress(line.format(url=watch.url, source=watch.source, until=local_moment(until)))


def _is_uncertain(watch: Watch) -> bool:
    return watch.state in _UNCERTAIN or (watch.first_gone is not None and watch.gone_since is None)
