"""The buckets of a generation: strings of records, which are read, appended and cut out.

Every tag has a mark, written when a generation is created. Readers read the mark after the buckets of the
tag, and the mark is deleted before the buckets. So access to a dropped generation, or to a node that lost its
data, raises an error.
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

_KEYS = 2_000  # number of keys that one script changes
_RECORDS = 24  # average number of records in a new bucket: the overhead of a bucket is 40 % of their size
_MAX_CROWDING = 4  # the index needs more buckets if they have this many times as many records

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
    """Return whether the buckets contain too many records, so that the index needs more buckets."""
    return bits < MAX_BITS and postings > (methods << bits) * _RECORDS * _MAX_CROWDING


def set_marks(shards: Shards, generation: str) -> None:
    """Write the marks of all tags."""
    keys = keys_of(generation, _EVERY_MARK)
    shards.run_script(scripts.SET, {group: (1, key, b"1") for group, key in enumerate(keys)})


def read_buckets(shards: Shards, generation: str, codes: Sequence[Codes]) -> tuple[list[bytes], list[Rows]]:
    """Read several buckets in one round trip; a bucket that is listed twice is read once.

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
    for calls in _batches_with_one_range_per_group(codes):
        answers = shards.run_script(
            scripts.APPEND,
            {group: (b - a + 1, marks[group], *keys[a:b], *records[a:b]) for group, (a, b) in calls.items()},
        )
        if not all(answers):
            raise IndexUnusable(problem="the index in use is missing from Redis")


def cut_out(shards: Shards, generation: str, codes: Codes, passage_ids: Sequence[int]) -> None:
    """Remove the records of passages from buckets.

    Raises:
        ServiceDown: Redis does not answer; a part may have been cut.
    """
    gone = np.array(passage_ids, dtype="<u4").tobytes()
    keys = keys_of(generation, codes)
    for calls in _batches_with_one_range_per_group(codes):
        shards.run_script(scripts.CUT, {group: (b - a, *keys[a:b], gone) for group, (a, b) in calls.items()})


def _add_generation_marks(codes: Sequence[Codes]) -> tuple[Codes, list[Rows]]:
    """Return the distinct codes, with a mark after each group, and where each list's codes are in them.

    One sort computes both results. ``numpy.unique`` and a search for each code would take fifteen times as
    long.
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


def _batches_with_one_range_per_group(codes: Codes) -> Iterator[dict[int, tuple[int, int]]]:
    """Yield rounds. A round contains at most one script call for each group: the range of its codes."""
    borders = pairwise(np.searchsorted(group_of(codes), np.arange(GROUPS + 1)).tolist())
    pieces = {
        group: iter([(a, min(a + _KEYS, end)) for a in range(start, end, _KEYS)])
        for group, (start, end) in enumerate(borders)
    }
    while calls := {group: piece for group, rest in pieces.items() for piece in islice(rest, 1)}:
        yield calls
