"""Lists of records that match the filters of :mod:`storage.collections.filters`, read one slice at a time.

Every method raises ``ServiceDown`` or ``StorageFailed``.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

from storage.collections.checked import CheckedDatabase
from storage.collections.documents import WITHOUT_TEXT, from_document
from storage.collections.filters import PageFilter
from storage.collections.keyset import IndexRun, ListCursor, count_run, read_slice
from storage.collections.newest import Newest
from storage.records import (
    Candidate,
    Case,
    Decision,
    Event,
    KeptPackage,
    Match,
    Notice,
    Page,
    Scan,
    Source,
    Work,
)

R = TypeVar("R")
_ROUNDS = 10  # maximum queries to fill one slice of a holder's pages
_AT_ONCE = 3  # matches to read for each page: a page has few matches of one holder
SOURCES = [IndexRun({}, (("_id", 1),))]
_NUMBERED = ("cases", "events", "matches", "notices")
_BY_PAGE = (("page_id", 1),)


@dataclass(frozen=True, slots=True)
class ListSlice(Generic[R]):
    """A slice of a list of records.

    Attributes:
        records: in order; possibly fewer than requested although more follow.
        end: where to continue; None at the end of the list.
    """

    records: list[R]
    end: ListCursor | None


class Lists:
    """Read access to one database in sorted lists: matches, cases, packages and others."""

    def __init__(self, database: CheckedDatabase) -> None:
        self._database = database
        self._newest_matches, self._newest_pages = Newest(database, "matches"), Newest(database, "pages")

    def works(self, runs: Sequence[IndexRun], *, after: ListCursor | None, limit: int) -> ListSlice[Work]:
        """Return a slice of a list of works."""
        return self._read_records(Work, "works", runs, after=after, limit=limit)

    def matches(self, runs: Sequence[IndexRun], *, after: ListCursor | None, limit: int) -> ListSlice[Match]:
        """Return a slice of a list of matches."""
        runs = _with_start_moments(runs, self._newest_matches)
        return self._read_records(Match, "matches", runs, after=after, limit=limit)

    def cases(self, runs: Sequence[IndexRun], *, after: ListCursor | None, limit: int) -> ListSlice[Case]:
        """Return a slice of a list of cases."""
        return self._read_records(Case, "cases", runs, after=after, limit=limit)

    def pages(self, runs: Sequence[IndexRun], *, after: ListCursor | None, limit: int) -> ListSlice[Page]:
        """Return a slice of a list of pages, without their texts."""
        runs = _with_start_moments(runs, self._newest_pages)
        return self._read_records(Page, "pages", runs, after=after, limit=limit, fields=WITHOUT_TEXT)

    def scans(self, runs: Sequence[IndexRun], *, after: ListCursor | None, limit: int) -> ListSlice[Scan]:
        """Return a slice of a list of scans."""
        return self._read_records(Scan, "scans", runs, after=after, limit=limit)

    def sources(self, *, after: ListCursor | None, limit: int) -> ListSlice[Source]:
        """Return a slice of the list of sources, sorted by name."""
        return self._read_records(Source, "sources", SOURCES, after=after, limit=limit, key="name")

    def candidates(
        self, runs: Sequence[IndexRun], *, after: ListCursor | None, limit: int
    ) -> ListSlice[Candidate]:
        """Return a slice of a list of candidates."""
        return self._read_records(Candidate, "candidates", runs, after=after, limit=limit)

    def notices(self, runs: Sequence[IndexRun], *, after: ListCursor | None, limit: int) -> ListSlice[Notice]:
        """Return a slice of a list of notices, without their texts."""
        return self._read_records(Notice, "notices", runs, after=after, limit=limit)

    def packages(
        self, runs: Sequence[IndexRun], *, after: ListCursor | None, limit: int
    ) -> ListSlice[KeptPackage]:
        """Return a slice of a list of evidence packages."""
        return self._read_records(KeptPackage, "packages", runs, after=after, limit=limit, key="number")

    def events(self, runs: Sequence[IndexRun], *, after: ListCursor | None, limit: int) -> ListSlice[Event]:
        """Return a slice of a list of events."""
        return self._read_records(Event, "events", runs, after=after, limit=limit)

    def decisions(
        self, runs: Sequence[IndexRun], *, after: ListCursor | None, limit: int
    ) -> ListSlice[Decision]:
        """Return a slice of a list of decisions."""
        return self._read_records(Decision, "decisions", runs, after=after, limit=limit)

    def _read_records(
        self,
        kind: type[R],
        collection: str,
        runs: Sequence[IndexRun],
        *,
        after: ListCursor | None,
        limit: int,
        fields: Mapping[str, int] | None = None,
        key: str = "id",
    ) -> ListSlice[R]:
        stretch = read_slice(self._database[collection], runs, after=after, limit=limit, fields=fields)
        return ListSlice([from_document(kind, row, key=key) for row in stretch.rows], stretch.end)

    def pages_of(
        self, owners: Collection[str], page_filter: PageFilter, *, after: ListCursor | None, limit: int
    ) -> ListSlice[Page]:
        """Return the pages with matches of rights holders, without their texts, by id.

        Args:
            owners: marks of the rights holders.
            page_filter: filter for these pages.
            after: where to continue.
            limit: maximum number of pages.
        """
        run = IndexRun({"owner": {"$in": sorted(owners)}, "replaced": None}, _BY_PAGE)
        pages_found: list[Page] = []
        for _ in range(_ROUNDS):
            size = _AT_ONCE * limit
            matches = self._database["matches"]
            stretch = read_slice(matches, [run], after=after, limit=size, fields={"page_id": 1})
            ids = list(dict.fromkeys(row["page_id"] for row in stretch.rows))
            pages = {page.id: page for page in self._pages_among(ids, page_filter)}
            for page_id in ids:
                after = ListCursor(0, (page_id,))
                pages_found += [pages[page_id]] if page_id in pages else []
                if len(pages_found) == limit:
                    return ListSlice(pages_found, after)
            if stretch.end is None:
                return ListSlice(pages_found, None)
        return ListSlice(pages_found, after)

    def _pages_among(self, ids: Sequence[str], page_filter: PageFilter) -> list[Page]:
        condition = {**page_filter.conditions(), "standing": {"$ne": "replaced"}}
        rows = self._database["pages"].find_among("_id", ids, WITHOUT_TEXT, condition)
        return [from_document(Page, row) for row in rows]

    def count_up_to(self, collection: str, runs: Sequence[IndexRun], *, most: int) -> tuple[int, bool]:
        """Count the rows of a list on the server up to a maximum; returns also whether there are more rows.

        Args:
            collection: the collection of the rows.
            runs: the list; of a range with unindexed conditions at most
                :data:`storage.collections.keyset.EXAMINED` rows are examined.
            most: maximum of counted rows.
        """
        counted = 0
        for run in runs:
            remaining = most + 1 - counted
            count = count_run(self._database[collection], run, most=remaining)
            counted += count.number
            if counted > most or count.is_more:
                return min(counted, most), True
        return counted, False

    def numbers(self) -> Mapping[str, Any]:
        """Return the last assigned numbers, and about when the newest match was found.

        The result is constant as long as nothing is found, decided, sent or answered.
        """
        rows = self._database["counters"].find({"_id": {"$in": [*_NUMBERED, self._newest_matches.name]}})
        return {row["_id"]: row["value"] for row in rows}

    def count(self, collection: str, condition: Mapping[str, Any]) -> int:
        """Return how many rows match an indexed condition, counted by the server."""
        return self._database[collection].count(condition)


def _with_start_moments(runs: Sequence[IndexRun], newest: Newest) -> Sequence[IndexRun]:
    """Return a list in which runs that are ordered only by time, newest first, have a start moment."""
    if not any(map(_is_newest_first, runs)):
        return runs
    moment = newest.moment()
    return [replace(run, newest=moment) if _is_newest_first(run) else run for run in runs]


def _is_newest_first(run: IndexRun) -> bool:
    return run.order[0] == ("first_seen", -1) and not run.also
