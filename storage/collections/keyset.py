"""Keyset paging: lists in the order of an index, continued after a row.

A list is a chain of *runs*. Each run is a range of one index: conditions on the index's first fields, sorted
by the fields that follow them. To continue after a row with the fields (v1, …, vn), query the rows that start
with v1 … vn-1 and follow vn, then the rows that start with v1 … vn-2, and so on. Each of these queries is
again a range of the index. MongoDB reads it only as far as needed, at any position of the list. Further
conditions are checked in at most :data:`EXAMINED` rows of a range; if too few rows match, the list ends early
and returns the position at which it stopped.

A range that goes back in time is queried in pieces of time until there are enough rows; each piece is eight
times as long as the piece before. MongoDB would not need the pieces, because it reads only as far as needed.
SecantusDB reads everything that the conditions match, so with pieces it reads one piece instead of the whole
range.

Rows that are added, changed or deleted during paging do not shift the other rows, so no other row is skipped
or repeated.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from operator import itemgetter
from typing import Any

from storage.collections.checked import CheckedCollection
from storage.collections.documents import Document
from system.batches import batched

MAX_RANGES = 200  # maximum number of index ranges that MongoDB merges in order
EXAMINED = 2_000  # rows of a range in which one query checks further conditions
_MILLISECOND = timedelta(milliseconds=1)
_PIECE, _GROWTH, _LAST_PIECE = timedelta(seconds=10), 8, timedelta(days=365)
_ABOVE, _BELOW = ("$gt", "$gte"), ("$lt", "$lte")


@dataclass(frozen=True, slots=True)
class IndexRun:
    """A range of an index, in its order.

    Attributes:
        equal: conditions on the first fields of the index: values, or ``$in``.
        order: the following fields of the index, with directions 1 or -1; the last field is unique.
        bounds: ``$gt``, ``$gte``, ``$lt``, ``$lte`` of the first of these fields.
        also: further conditions, which are not in the index.
        newest: for a run ordered by moment, newest first: about the moment of its first row. The range is
            read in pieces from there.
    """

    equal: Mapping[str, Any]
    order: tuple[tuple[str, int], ...]
    bounds: Mapping[str, Any] = field(default_factory=dict)
    also: Mapping[str, Any] = field(default_factory=dict)
    newest: datetime | None = None


@dataclass(frozen=True, slots=True)
class ListCursor:
    """The position at which a list continues.

    Attributes:
        run: number of the run in the chain.
        values: values of the ordering fields in the last row.
    """

    run: int
    values: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class RowSlice:
    """A slice of the rows of a list.

    Attributes:
        rows: in order; possibly fewer than requested although more follow.
        end: where to continue; None at the end of the list.
    """

    rows: list[Document] = field(default_factory=list)
    end: ListCursor | None = None


@dataclass(frozen=True, slots=True)
class Counted:
    """The number of rows that match in a range; ``is_more``: the range has more rows than were examined."""

    number: int
    is_more: bool = False


def count_run(collection: CheckedCollection, run: IndexRun, *, most: int) -> Counted:
    """Count the rows of a run up to a maximum.

    Conditions without an index are checked only in a limited number of rows.
    """
    within = {"$match": {**run.equal, **_range_of(run)}}
    if not run.also:
        rows = collection.aggregate(within, {"$limit": most}, {"$count": "count"})
        return Counted(sum(int(row["count"]) for row in rows))
    count: Mapping[str, Any] = {"$count": "count"}
    parts = {"met": [{"$match": dict(run.also)}, count], "examined": [count]}
    order = [{"$sort": dict(run.order)}] if run.order else []  # examine the same rows as the list does
    (row,) = collection.aggregate(within, *order, {"$limit": EXAMINED}, {"$facet": parts})
    met, examined = (sum(int(row_count["count"]) for row_count in row[name]) for name in parts)
    return Counted(min(met, most), is_more=met < most and examined == EXAMINED)


def read_slice(
    collection: CheckedCollection,
    runs: Sequence[IndexRun],
    *,
    after: ListCursor | None,
    limit: int,
    fields: Mapping[str, int] | None = None,
) -> RowSlice:
    """Return the next rows of a list.

    Args:
        collection: the collection.
        runs: the list.
        after: where to continue; None: from the start.
        limit: maximum number of rows, at least 1.
        fields: a projection that includes the ordering fields.
    """
    rows: list[Document] = []
    for number, run, query in _remaining_ranges(runs, after):
        matching, last = _read_range(collection, run, query, limit + 1 - len(rows), fields)
        rows += [{**row, _RUN: number} for row in matching]
        if len(rows) > limit:
            return _slice_from(rows[:limit], runs)
        if last is not None:
            return RowSlice(_without_run_numbers(rows), ListCursor(number, _order_values(last, run)))
    return RowSlice(_without_run_numbers(rows))


def _read_range(
    collection: CheckedCollection,
    run: IndexRun,
    query: Document,
    limit: int,
    fields: Mapping[str, int] | None,
) -> tuple[list[Document], Document | None]:
    """Return the first rows of a range, and the last examined row if the range may continue there."""
    rows: list[Document] = []
    lasts: list[Document] = []
    parts = _split_range(query)
    for piece in parts:
        matching = list(collection.aggregate(*_pipeline(run, piece, limit, fields)))
        rows += matching
        if run.also and len(matching) < limit and (last := _last_examined(collection, run, piece)):
            lasts.append(last)
    if len(parts) > 1:
        rows, lasts = _sorted_rows(rows, run), _sorted_rows(lasts, run)[:1]
        if lasts:  # rows of this range that come after it may be missing
            rows = [row for row in rows if _sorted_rows([row, lasts[0]], run)[0] is row]
    return rows[:limit], lasts[0] if lasts and len(rows) < limit else None


def _split_range(query: Document) -> list[Document]:
    """Split a range into ranges of at most :data:`MAX_RANGES` index ranges each.

    MongoDB reads each combination of values of ``$in`` as a separate range and merges their orders, but only
    up to 200 (``internalQueryMaxScansToExplode``). Beyond that it sorts whole documents in memory.
    """
    lists = {
        name: condition["$in"]
        for name, condition in query.items()
        if isinstance(condition, Mapping) and "$in" in condition
    }
    ranges = math.prod(len(values) for values in lists.values())
    if ranges <= MAX_RANGES:
        return [query]
    name = max(lists, key=lambda name: len(lists[name]))
    size = max(1, MAX_RANGES * len(lists[name]) // ranges)
    return [{**query, name: {"$in": batch}} for batch in batched(lists[name], size)]


def _sorted_rows(rows: Iterable[Document], run: IndexRun) -> list[Document]:
    """Return rows in the order of a run."""
    ordered = list(rows)
    for name, direction in reversed(run.order):
        ordered.sort(key=itemgetter(name), reverse=direction < 0)
    return ordered


_RUN = "\0run"


def _remaining_ranges(
    runs: Sequence[IndexRun], after: ListCursor | None
) -> Iterator[tuple[int, IndexRun, Document]]:
    """Yield what remains of each run after the cursor, as conditions on its index."""
    first = 0
    if after is not None:
        first = after.run + 1
        run = runs[after.run]
        for query in _ranges_after(run, after.values):
            for piece in _time_pieces(run, query):
                yield after.run, run, piece
    for number in range(first, len(runs)):
        run = runs[number]
        for piece in _time_pieces(run, {**run.equal, **_range_of(run)}):
            yield number, run, piece


def _time_pieces(run: IndexRun, query: Document) -> Iterator[Document]:
    """Yield a range that goes back in time in consecutive pieces; any other range unchanged."""
    name, _ = run.order[0]
    bounds = query.get(name, {})
    if run.newest is None or not isinstance(bounds, Mapping):
        yield query
        return
    upper = {sign: bounds[sign] for sign in _BELOW if sign in bounds}
    lower = {sign: bounds[sign] for sign in _ABOVE if sign in bounds}
    begin, width = min(run.newest, *upper.values()) if upper else run.newest, _PIECE
    while width < _LAST_PIECE and all(begin - width > floor for floor in lower.values()):
        yield {**query, name: {**upper, "$gt": begin - width}}
        upper = {"$lte": begin - width}
        width *= _GROWTH
    yield {**query, name: {**upper, **lower}}


def _range_of(run: IndexRun) -> Document:
    """Return the condition on the first ordering field of a run.

    An inclusive last bound is replaced by an exclusive bound at the next possible value. Reason: SecantusDB
    0.7 omits rows equal to an inclusive bound when further fields follow in the index.
    """
    if not run.bounds:
        return {}
    name, direction = run.order[0]
    bounds: dict[str, Any] = dict(run.bounds)
    last, beyond, narrower = ("$lte", "$lt", min) if direction > 0 else ("$gte", "$gt", max)
    value = bounds.get(last)
    if isinstance(value, (datetime, int, float)):
        del bounds[last]
        bound = _next_value(value, direction)
        bounds[beyond] = narrower(bound, bounds.get(beyond, bound))
    return {name: bounds}


def _next_value(value: datetime | float, direction: int) -> datetime | float:
    """Return the next value above (1) or below (-1) in MongoDB's precision."""
    if isinstance(value, datetime):
        return value + direction * _MILLISECOND
    return math.nextafter(value, direction * math.inf)


def _ranges_after(run: IndexRun, values: Sequence[Any]) -> Iterator[Document]:
    """Yield the part of a run after a row with these values, as consecutive ranges."""
    names = [name for name, _ in run.order]
    for depth in reversed(range(len(names))):
        name, direction = run.order[depth]
        beyond = {"$gt" if direction > 0 else "$lt": values[depth]}
        if depth == 0:
            kept = _BELOW if direction > 0 else _ABOVE
            bounds = _range_of(run).get(name, {})
            beyond |= {sign: bound for sign, bound in bounds.items() if sign in kept}
        yield {**run.equal, **dict(zip(names[:depth], values, strict=False)), name: beyond}


def _pipeline(
    run: IndexRun, query: Document, limit: int, fields: Mapping[str, int] | None
) -> Iterator[Mapping[str, Any]]:
    yield {"$match": query}
    yield {"$sort": dict(run.order)}
    if run.also:
        yield {"$limit": EXAMINED}
        yield {"$match": dict(run.also)}
    yield {"$limit": limit}
    if fields:
        yield {"$project": dict(fields)}


def _last_examined(collection: CheckedCollection, run: IndexRun, query: Document) -> Document | None:
    """Return the last examined row of a range; None if the whole range was examined."""
    rows = collection.aggregate(
        {"$match": query},
        {"$sort": dict(run.order)},
        {"$skip": EXAMINED - 1},
        {"$limit": 1},
        {"$project": {name: 1 for name, _ in run.order}},
    )
    return next(rows, None)


def _slice_from(rows: list[Document], runs: Sequence[IndexRun]) -> RowSlice:
    number = rows[-1][_RUN]
    return RowSlice(_without_run_numbers(rows), ListCursor(number, _order_values(rows[-1], runs[number])))


def _order_values(row: Document, run: IndexRun) -> tuple[Any, ...]:
    return tuple(row[name] for name, _ in run.order)


def _without_run_numbers(rows: list[Document]) -> list[Document]:
    for row in rows:
        row.pop(_RUN, None)
    return rows
