"""Where the chapters of a work were copied."""

from dataclasses import dataclass
from itertools import islice

from analysis.accounts.permissions import Identity
from analysis.queries.scope import visible_work
from analysis.reports.maps import WorkMap, work_maps
from storage.collections.stores import Stores

_MATCHES = 2_000  # of a work: some tenths of a second


@dataclass(frozen=True, slots=True)
class DrawnMap:
    """A map of a work.

    Attributes:
        drawn: the map.
        matches: that it shows.
        left_out: whether the work has more.
    """

    drawn: WorkMap
    matches: int
    left_out: bool


def map_of(who: Identity, stores: Stores, work_id: int) -> DrawnMap | None:
    """Return the map of a work, of its gravest and most copied matches; None where nothing was found.

    Raises:
        NotPermitted: matches are not this one's to read.
        UnknownId: there is no such work, or not for this one.
        ServiceDown: MongoDB does not answer.
    """
    who.require("matches:read")
    work = visible_work(who, stores, work_id)
    found = list(islice(stores.matches.listed(work_id=work.book_id), _MATCHES + 1))
    drawn = next(iter(work_maps(found[:_MATCHES], {work.book_id: work}, count=1)), None)
    if drawn is None:
        return None
    return DrawnMap(drawn, min(len(found), _MATCHES), len(found) > _MATCHES)
