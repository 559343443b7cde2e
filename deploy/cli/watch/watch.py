"""``pindna watch``: whether the copies of confirmed cases are still up, and since when they are not."""

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import Annotated

import typer

from analysis.actions.watching import look_now as visit_now
from analysis.queries.page_history import stored_address
from analysis.watch.enrolling import enrol_case, follow_events
from analysis.watch.rounds import Round, closed_sources, take
from analysis.words.i18n import gettext as _
from analysis.words.i18n import translator
from analysis.words.labels import CASE_STATES, WATCH_STATES, label, reason_word, word
from deploy.cli.addresses import looks_like_address
from deploy.cli.clock import local_moment
from deploy.cli.console import print_json_line, print_progress, print_result, print_table
from deploy.cli.identity import As, terminal_identity
from deploy.cli.options import AsJsonLines, Limit
from deploy.cli.session import session
from storage.collections.stores import Stores
from storage.collections.visits import visit_id
from storage.records import Case, Watch, WatchState, utc_now
from system.errors import PindnaError
from system.exit_status import ExitStatus
from tracker.runtime import Runtime

app = typer.Typer(no_args_is_help=True)
State = Annotated[WatchState | None, typer.Option(help=_("Only addresses in this state."))]
_UP = frozenset({"up", "moved"})
_UNCERTAIN = frozenset({"unreachable", "restricted", "waiting"})


class NotWatched(PindnaError):
    """No case is watched at an address. Data: ``url``."""

    template = "{url} is not watched. Addresses are watched from the moment when their case is confirmed."
    exit_status = ExitStatus.UNUSABLE


class CaseNotWatched(PindnaError):
    """A case has no address that is watched. Data: ``name``, ``state``."""

    template = "{name} is “{state}” and not watched: cases are from “Confirmed” on, until they are closed."
    exit_status = ExitStatus.UNUSABLE


@app.command("list", help=_("List the addresses that are watched, those that are asked next first."))
def list_watches(
    *,
    case: Annotated[str | None, typer.Option(metavar="CASE", help=_("Only this case, such as c7."))] = None,
    state: State = None,
    limit: Limit = None,
    as_json: AsJsonLines = False,
) -> None:
    """Print what is watched."""
    with session() as runtime:
        _follow(runtime)
        stores = runtime.stores
        rows: Iterable[Watch] = stores.watches.listed(state=state, limit=limit or 0)
        if case is not None:
            watches = stores.watches.of_case(stores.cases.get(case).number)
            rows = [watch for watch in watches if state in {None, watch.state}][: limit or None]
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
    with session() as runtime:
        stores = runtime.stores
        _follow(runtime)
        ids = {watch.id for watch in _named(names or (), runtime)}
        claim = partial(_take, sorted(ids), runtime) if names else None
        visited = visit_now(terminal_identity(runtime.settings, by), runtime, names or (), claim=claim)
        visited_ids = {watch.id for watch in visited}
        rows = sorted(stores.watches.get_many([*(ids or visited_ids)]), key=lambda watch: watch.url)
        _print(rows, as_json=as_json)
    if any(watch.state in _UP and watch.gone_since is None for watch in rows):
        raise typer.Exit(ExitStatus.FOUND)
    if any(_is_uncertain(watch) or watch.id not in visited_ids for watch in rows):
        raise typer.Exit(ExitStatus.PARTLY)


def _take(ids: Sequence[str], runtime: Runtime) -> list[Round]:
    """Claim rows, due or not, and report those that cannot be claimed: being visited, or not allowed now."""
    stores, rules, now = runtime.stores, runtime.settings.analysis.watch, utc_now()
    for watch in stores.watches.get_many(ids):
        stores.watches.bring_forward(watch, now)
    rows, closed = stores.watches.get_many(ids), closed_sources(stores, now)
    for watch in rows:
        if watch.due > now:
            print_progress(_("{url} is being asked already.").format(url=watch.url))
        elif until := closed.get(watch.source):
            line = _("{url} is not asked: its source {source} is outside its hours until {until}.")
            until_text = local_moment(until)
            print_progress(line.format(url=watch.url, source=watch.source, until=until_text))
    return take([watch for watch in rows if watch.due <= now], stores, rules, now=now)


def _is_uncertain(watch: Watch) -> bool:
    return watch.state in _UNCERTAIN or (watch.first_gone is not None and watch.gone_since is None)


def _follow(runtime: Runtime) -> None:
    """Watch what became of cases since the schedule looked last."""
    while follow_events(runtime.stores, runtime.settings.analysis.watch, now=utc_now()):
        pass


def _named(names: Iterable[str], runtime: Runtime) -> Iterator[Watch]:
    """Yield the rows that cases and addresses name.

    Raises:
        NotWatched, CaseNotWatched: one is not watched.
        UnknownId: there is no such case.
    """
    stores = runtime.stores
    for name in names:
        if looks_like_address(name):
            yield _at(name, stores)
            continue
        case = stores.cases.get(name)
        enrol_case(case, stores, runtime.settings.analysis.watch, now=utc_now())
        yield from _of(case, stores)


def _at(text: str, stores: Stores) -> Watch:
    url = stored_address(text, stores)
    watch = stores.watches.get(visit_id(url))
    if watch is None or not watch.cases:
        raise NotWatched(url=url)
    return watch


def _of(case: Case, stores: Stores) -> list[Watch]:
    watches = stores.watches.of_case(case.number)
    if not watches:
        raise CaseNotWatched(name=case.name, state=label(CASE_STATES, case.state))
    return watches


def _print(rows: Iterable[Watch], *, as_json: bool) -> None:
    if as_json:
        for watch in rows:
            print_json_line(as_object(watch))
        return
    cells = [_cells(watch) for watch in rows]
    if cells:
        headers = _("state"), _("cases"), _("address"), _("looked at"), _("gone since")
        print_table(headers, cells)
    else:
        print_result(_("Nothing is watched."))


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
    moments = ("since", "due", "looked", "last_up", "first_gone", "gone_since", "returned", "notified")
    values = {name: getattr(watch, name) for name in moments}
    return {
        "url": watch.url,
        "source": watch.source,
        "cases": [f"c{number}" for number in watch.cases],
        "state": watch.state,
        "reason": watch.reason,
        "moved_to": watch.moved_to,
        **{name: value.isoformat() if value else None for name, value in values.items()},
        "hours": watch.hours,
    }
