"""Results of the takedown watch and of scans at the addresses of a case."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from analysis.accounts.permissions import Identity
from analysis.queries.cases import get_case
from storage.collections.stores import Stores
from storage.collections.visits import visit_id
from storage.records import Look, Watch, WatchState

MAX_ADDRESSES = 30  # maximum number of addresses of a case whose looks are read at once


@dataclass(frozen=True, slots=True)
class Watched:
    """An address of a case with its looks.

    Attributes:
        watch: its watch; None: the address is not watched.
        looks: its looks, the oldest first.
    """

    url: str
    watch: Watch | None
    looks: tuple[Look, ...]


def list_watches(
    identity: Identity,
    stores: Stores,
    *,
    case: str = "",
    state: WatchState | None = None,
    limit: int | None = None,
) -> Iterator[Watch]:
    """Return watches: of one case sorted by address, or of all cases sorted by the time of the next look.

    Args:
        identity: the user or program that asks.
        stores: the database.
        case: name of a case; empty: all cases.
        state: only addresses in this state; None: in any state.
        limit: maximum number; None: all.

    Raises:
        NotPermitted, UnknownId: see :func:`analysis.queries.cases.get_case`. Rights holders must name a case.
    """
    if case:
        watches = stores.watches.of_case(get_case(identity, stores, case).number)
        return islice((watch for watch in watches if state in {None, watch.state}), limit)
    identity.require("cases:read")
    if not identity.sees_everything:
        identity.require("scans:read")
    return stores.watches.listed(state=state, limit=limit or 0)


def watch_of_address(identity: Identity, stores: Stores, url: str) -> Watch | None:
    """Return the watch of a stored address; None if no case watches it.

    Raises:
        NotPermitted: the user may not read scans.
    """
    identity.require("scans:read")
    watch = stores.watches.get(visit_id(url))
    return watch if watch is not None and watch.cases else None


def watched_of(identity: Identity, stores: Stores, name: str) -> tuple[list[Watched], int]:
    """Return addresses of a case with their looks, sorted by address, and the number of further addresses.

    Raises:
        NotPermitted, UnknownId: see :func:`analysis.queries.cases.get_case`.
    """
    case = get_case(identity, stores, name)
    watches = {watch.url: watch for watch in stores.watches.of_case(case.number)}
    urls = list(watches) or sorted(
        {summary.url for summary in stores.matches.summaries_of_case(case.work_id, case.site)}
    )
    shown = urls[:MAX_ADDRESSES]
    addresses = [Watched(url, watches.get(url), tuple(stores.looks.of_url(url))) for url in shown]
    return [address for address in addresses if address.watch or address.looks], len(urls) - len(shown)
