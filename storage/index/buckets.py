"""The buckets of a generation: strings of records that are read, appended to and cut.

Every tag has a mark, written when a generation is created. It is read after the buckets of the tag and
deleted before them. So access to a dropped generation, or to a node that came back empty, raises an error.
"""

from collections.abc import Iterator, Sequence
from itertools import accumulate, islice, pairwise

import numpy as np

from storage.index import scripts
from storage.index.keys import (
    GROUPS,
    MAX_BITS,
    MIN_BITS,
    Codes,
    group_of,
    intact_codes,
    is_intact,
    keys_of,
)
from storage.index.records import Rows
from storage.index.shards import Shards
from system.errors import IndexUnusable

_KEYS = 2_000  # keys that one script changes
_RECORDS = 24  # average records in a bucket of a new generation: the overhead is two fifths of them
_MAX_CROWDING = 4  # this factor above, the index needs more buckets

_EVERY_MARK = intact_codes(np.arange(GROUPS))


def bits_for(postings: int, methods: int) -> int:
    """Return the number of bits that choose a bucket in a new generation.

    Args:
        postings: number of postings that it will contain.
        methods: number of their parameter ids.
    """
    buckets = max(1, postings // (methods * _RECORDS))
    return min(MAX_BITS, max(MIN_BITS, round(float(np.log2(buckets)))))


def are_crowded(postings: int, *, methods: int, bits: int) -> bool:
    """Return whether the index needs more buckets, because these contain too many records."""
    return bits < MAX_BITS and postings > (methods << bits) * _RECORDS * _MAX_CROWDING


def set_marks(shards: Shards, generation: str) -> None:
    """Write the marks of all tags."""
    keys = keys_of(generation, _EVERY_MARK)
    shards.run_script(scripts.SET, {group: (1, key, b"1") for group, key in enumerate(keys)})


def read_buckets(shards: Shards, generation: str, codes: Sequence[Codes]) -> tuple[list[bytes], list[Rows]]:
    """Read several buckets in one round trip, each once.

    Args:
        shards: the servers.
        generation: its name.
        codes: lists of buckets, in any order, with repetitions.

    Returns:
        The values, and for each list the row of each of its buckets in the values.

    Raises:
        IndexUnusable: the generation was dropped, so an empty answer proves nothing.
    """
    distinct, rows = _add_generation_marks(codes)
    values = shards.read_many(generation, distinct)
    for row in np.flatnonzero(is_intact(distinct)).tolist():
        if not values[row]:
            raise IndexUnusable(problem="the index in use is missing from Redis")
        values[row] = b""
    return values, rows


def append(shards: Shards, generation: str, codes: Codes, records: Sequence[bytes]) -> None:
    """Append records to their buckets.

    Args:
        shards: the servers.
        generation: its name.
        codes: ascending.
        records: the records of each bucket.

    Raises:
        IndexUnusable: the generation was dropped; nothing permanent is written.
        ServiceDown: Redis does not answer; a part may have been written.
    """
    keys = keys_of(generation, codes)
    marks = keys_of(generation, _EVERY_MARK)
    for calls in _rounds_by_group(codes):
        answers = shards.run_script(
            scripts.APPEND,
            {group: (b - a + 1, marks[group], *keys[a:b], *records[a:b]) for group, (a, b) in calls.items()},
        )
        if not all(answers):
            raise IndexUnusable(problem="the index in use is missing from Redis")


def cut_out(shards: Shards, generation: str, codes: Codes, passage_ids: Sequence[int]) -> None:
    """Cut the records of passages out of buckets.

    Raises:
        ServiceDown: Redis does not answer; a part may have been cut.
    """
    gone = np.array(passage_ids, dtype="<u4").tobytes()
    keys = keys_of(generation, codes)
    for calls in _rounds_by_group(codes):
        shards.run_script(scripts.CUT, {group: (b - a, *keys[a:b], gone) for group, (a, b) in calls.items()})


def _add_generation_marks(codes: Sequence[Codes]) -> tuple[Codes, list[Rows]]:
    """Return the distinct codes with the mark after each group, and the positions of each list's codes.

    One sort does both: ``numpy.unique`` and a search for each code take fifteen times as long.
    """
    requested = np.concatenate([np.empty(0, dtype=np.int64), *codes])
    marks = intact_codes(np.flatnonzero(np.bincount(group_of(requested), minlength=GROUPS)))
    every = np.concatenate([requested, marks])
    order = np.argsort(every)
    ascending = every[order]
    new = np.ones(len(every), dtype=bool)
    np.not_equal(ascending[1:], ascending[:-1], out=new[1:])
    rows = np.empty(len(every), dtype=np.int64)
    rows[order] = np.cumsum(new) - 1
    borders = pairwise(accumulate(map(len, codes), initial=0))
    return ascending[new], [rows[a:b] for a, b in borders]


def _rounds_by_group(codes: Codes) -> Iterator[dict[int, tuple[int, int]]]:
    """Yield rounds of calls: the range of codes for one script, by group."""
    borders = pairwise(np.searchsorted(group_of(codes), np.arange(GROUPS + 1)).tolist())
    pieces = {
        group: iter([(a, min(a + _KEYS, end)) for a in range(start, end, _KEYS)])
        for group, (start, end) in enumerate(borders)
    }
    while calls := {group: piece for group, rest in pieces.items() for piece in islice(rest, 1)}:
        yield calls
