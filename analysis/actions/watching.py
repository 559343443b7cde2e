"""Looks of the takedown watch that people ask for."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from math import inf

from analysis.accounts.permissions import Identity
from analysis.actions.auditing import note_act
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

# Receives each address that is not visited now: until when its source is closed; None: it is being visited.
Report = Callable[[Watch, datetime | None], None]


class NotWatched(PindnaError):
    """No case is watched at an address. Data: ``url``."""

    template = "{url} is not watched. Addresses are watched from the moment when their case is confirmed."
    exit_status = ExitStatus.UNUSABLE


class CaseNotWatched(PindnaError):
    """A case has no address that is watched. Data: ``name``, ``state``."""

    template = (
        "{name} is not watched, because its state is “{state}”. Cases are watched from the state "
        "“Confirmed” until they are closed."
    )
    exit_status = ExitStatus.UNUSABLE


@dataclass(frozen=True, slots=True)
class Visited:
    """Addresses that a user wanted visited.

    Attributes:
        watches: as they are now, by address.
        unvisited: ids of those that were not visited.
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
    """Visit watched addresses now.

    Args:
        identity: asks for it.
        runtime: the open services.
        names: of cases and addresses, which are visited due or not; none: all that is due is visited.
        is_address: returns whether a name is an address.
        report: see :data:`Report`.

    Raises:
        NotPermitted: scans are not this one's to run.
        UnknownId: there is no such case, or not for this one.
        NotWatched, CaseNotWatched: what is named is not watched.
    """
    identity.require("scans:run")
    stores, rules = runtime.stores, runtime.settings.analysis
    processes = runtime.settings.crawler.processes
    follow_cases(runtime)
    ids = sorted({watch.id for watch in _named(identity, runtime, names, is_address)})
    note_act(identity, runtime, "look", "takedown watch", detail={"of": ", ".join(names) or "due"})
    if names:
        rows = run_rounds(claim(runtime, ids, report=report), stores, rules, processes=processes)
    else:
        rows = run_due(stores, rules, processes=processes, budget_s=inf)
    visited = {watch.id for watch in rows}
    watches = sorted(stores.watches.get_many([*(ids or visited)]), key=lambda watch: watch.url)
    return Visited(tuple(watches), frozenset(watch.id for watch in watches) - visited)


def _named(
    identity: Identity, runtime: Runtime, names: Iterable[str], is_address: Callable[[str], bool]
) -> Iterator[Watch]:
    """Yield the rows that cases and addresses name.

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
    """Claim addresses, due or not, and report those that cannot be claimed."""
    stores, rules, now = runtime.stores, runtime.settings.analysis.watch, utc_now()
    for watch in stores.watches.get_many(ids):
        stores.watches.bring_forward(watch, now)
    rows, closed = stores.watches.get_many(ids), closed_sources(stores, now)
    for watch in rows:
        if watch.due > now or watch.source in closed:
            report(watch, None if watch.due > now else closed[watch.source])
    return take([watch for watch in rows if watch.due <= now], stores, rules, now=now)
