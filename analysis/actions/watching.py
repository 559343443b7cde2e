"""Check watched addresses of the takedown watch on request."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from math import inf

from analysis.accounts.permissions import Identity
from analysis.actions.auditing import record_action
from analysis.actions.following import follow_cases
from analysis.queries.cases import get_case
from analysis.queries.page_history import stored_address
from analysis.watch.enrolling import enrol_case
from analysis.watch.rounds import Round, closed_sources, run_due, run_rounds, take
from analysis.words.labels import CASE_STATES, label
from storage.collections.visits import visit_id
from storage.records import Watch, utc_now
from system.errors import PindnaError
from system.exit_status import ExitStatus
from tracker.runtime import Runtime

# Called for each address that is not checked now, with the time when its source opens. None: a check is
# running.
Report = Callable[[Watch, datetime | None], None]


class NotWatched(PindnaError):
    """An address is not watched.

    Attributes:
        url: the address.
    """

    template = "{url} is not watched. Addresses are watched from the moment when their case is confirmed."
    exit_status = ExitStatus.UNUSABLE


class CaseNotWatched(PindnaError):
    """A case has no watched addresses.

    Attributes:
        name: name of the case.
        state: its state.
    """

    template = (
        "{name} is not watched, because its state is “{state}”. Cases are watched from the state "
        "“Confirmed” until they are closed."
    )
    exit_status = ExitStatus.UNUSABLE


@dataclass(frozen=True, slots=True)
class Visited:
    """The result of a request to check addresses now.

    Attributes:
        watches: the watches after the check, sorted by address.
        unvisited: ids of the watches whose addresses were not checked.
    """

    watches: tuple[Watch, ...]
    unvisited: frozenset[str]


def look_now(
    identity: Identity,
    runtime: Runtime,
    names: Sequence[str] = (),
    *,
    is_address: Callable[[str], bool],
    report: Report,
) -> Visited:
    """Check watched addresses now.

    Args:
        identity: the user or program that requests it.
        runtime: the open services.
        names: cases and addresses to check, even if they are not due; empty: all addresses that are due.
        is_address: function that returns whether a name is an address.
        report: see :data:`Report`.

    Raises:
        NotPermitted: the user may not run scans.
        UnknownId: there is no such case, or the user may not see it.
        NotWatched, CaseNotWatched: an address or a case is not watched.
    """
    identity.require("scans:run")
    stores, rules = runtime.stores, runtime.settings.analysis
    processes = runtime.settings.crawler.processes
    follow_cases(runtime)
    ids = sorted({watch.id for watch in _watches_called(identity, runtime, names, is_address)})
    record_action(identity, runtime, "look", "takedown watch", detail={"of": ", ".join(names) or "due"})
    if names:
        rows = run_rounds(claim(runtime, ids, report=report), stores, rules, processes=processes)
    else:
        rows = run_due(stores, rules, processes=processes, budget_s=inf)
    visited = {watch.id for watch in rows}
    watches = sorted(stores.watches.get_many([*(ids or visited)]), key=lambda watch: watch.url)
    return Visited(tuple(watches), frozenset(watch.id for watch in watches) - visited)


def _watches_called(
    identity: Identity, runtime: Runtime, names: Iterable[str], is_address: Callable[[str], bool]
) -> Iterator[Watch]:
    """Yield the watches of cases and addresses.

    Raises:
        UnknownId, NotWatched, CaseNotWatched: see :func:`look_now`.
    """
    stores = runtime.stores
    for name in names:
        if is_address(name):
            url = stored_address(name, stores)
            watch = stores.watches.get(visit_id(url))
            if watch is None or not watch.cases:
                raise NotWatched(url=url)
            yield watch
            continue
        case = get_case(identity, stores, name)
        enrol_case(case, stores, runtime.settings.analysis.watch, now=utc_now())
        watches = stores.watches.of_case(case.number)
        if not watches:
            raise CaseNotWatched(name=case.name, state=label(CASE_STATES, case.state))
        yield from watches


def claim(runtime: Runtime, ids: Sequence[str], *, report: Report) -> list[Round]:
    """Claim addresses even if they are not due, and report the addresses that cannot be claimed."""
    stores, rules, now = runtime.stores, runtime.settings.analysis.watch, utc_now()
    for watch in stores.watches.get_many(ids):
        stores.watches.bring_forward(watch, now)
    rows, closed = stores.watches.get_many(ids), closed_sources(stores, now)
    for watch in rows:
        if watch.due > now or watch.source in closed:
            report(watch, None if watch.due > now else closed[watch.source])
    return take([watch for watch in rows if watch.due <= now], stores, rules, now=now)
