"""The editions, open cases and chapter map on the page of a work."""

from dataclasses import dataclass

from analysis.accounts.permissions import Identity
from analysis.queries.scope import visible_work
from analysis.reports.maps import WorkMap, work_maps
from storage.collections.filters import MatchFilter
from storage.collections.stores import Stores
from storage.records import Passage, Work

MAX_MAPPED = 1_000  # maximum number of matches in a map, the gravest first


@dataclass(frozen=True, slots=True, kw_only=True)
class MappedWork:
    """The map of a work's matches.

    Attributes:
        map: the map; None if there are no matches.
        matches: number of matches in the map.
        is_cut: further matches were left out.
    """

    map: WorkMap | None
    matches: int
    is_cut: bool


def map_of(identity: Identity, stores: Stores, work_id: int) -> MappedWork:
    """Return the map of the matches of a work's chapters. If there are too many, it has only the gravest.

    Raises:
        NotPermitted, UnknownId: the user may not see it.
    """
    identity.require("matches:read")
    work = visible_work(identity, stores, work_id)
    book = stores.works.get_many([work.book_id]).get(work.book_id, work)
    batch = stores.lists.matches(MatchFilter(work_id=work.book_id).runs(), after=None, limit=MAX_MAPPED)
    counted = [match for match in batch.records if match.review != "dismissed"]
    maps = work_maps(counted, {work.book_id: book}, count=1)
    return MappedWork(map=maps[0] if maps else None, matches=len(counted), is_cut=batch.end is not None)


def open_cases(identity: Identity, stores: Stores, works: tuple[Work, ...]) -> dict[int, int]:
    """Return id of each work → number of open cases of its book.

    Raises:
        NotPermitted: the user may not read cases.
    """
    identity.require("cases:read")
    counts = stores.cases.open_of(work.book_id for work in works)
    return {work.id: counts[work.book_id] for work in works}


def editions_of(identity: Identity, stores: Stores, work: Work) -> list[Work]:
    """Return the other editions of a work's book that the user may see.

    Raises:
        NotPermitted: the user may not read works.
    """
    identity.require("works:read")
    editions = stores.works.of_book(work.book_id)
    return [
        edition for edition in editions if edition.id != work.id and identity.may_see(edition.holder or "")
    ]


def passage_at(identity: Identity, stores: Stores, work_id: int, number: int) -> Passage | None:
    """Return a passage of a work with its text, by its number from 1; None if there is no such number.

    Raises:
        NotPermitted, UnknownId: the user may not see it.
    """
    identity.require("works:read")
    ids = visible_work(identity, stores, work_id).passage_ids[number - 1 : number]
    return stores.passages.get_many(ids).get(ids[0]) if ids else None
