"""The buckets of a generation: binary strings of records, read, appended to and cut, a script for each tag.

Every tag has a mark that is written when a generation is created, read after the buckets of that tag, and
dropped before them: a reader or writer of a generation that was dropped, or on a node that came back
empty, gets an error.
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
_RECORDS = 24  # a bucket of a new generation, on average: its own cost is then two fifths of its records
_MAX_CROWDING = 4  # times as many; with more it is time for more buckets

_EVERY_MARK = intact_codes(np.arange(GROUPS))


def bits_for(postings: int, methods: int) -> int:
    """Return the number of bits that choose a bucket in a new generation.

    Args:
        postings: how many it will hold.
        methods: how many parameter ids they belong to.
    """
    buckets = max(1, postings // (methods * _RECORDS))
    return min(MAX_BITS, max(MIN_BITS, round(float(np.log2(buckets)))))


def are_crowded(postings: int, *, methods: int, bits: int) -> bool:
    """Return whether the index should be built with more buckets, for these hold too many records."""
    return bits < MAX_BITS and postings > (methods << bits) * _RECORDS * _MAX_CROWDING


def set_marks(shards: Shards, generation: str) -> None:
    """Write the mark of every tag."""
    keys = keys_of(generation, _EVERY_MARK)
    shards.run_script(scripts.SET, {group: (1, key, b"1") for group, key in enumerate(keys)})


def read_buckets(shards: Shards, generation: str, codes: Sequence[Codes]) -> tuple[list[bytes], list[Rows]]:
    """Return what some buckets hold, each read once.

    Args:
        shards: where they are.
        generation: its name.
        codes: some lists of buckets, in any order, also repeated.

    Returns:
        The values, and for each list the row of each of its buckets in them.

    Raises:
        IndexUnusable: the generation was dropped, so an empty answer proves nothing.
    """
    distinct, rows = _with_marks(codes)
    values = shards.read_many(generation, distinct)
    for row in np.flatnonzero(is_intact(distinct)).tolist():
        if not values[row]:
            raise IndexUnusable(problem="the generation in use is gone from Redis")
        values[row] = b""
    return values, rows


def append(shards: Shards, generation: str, codes: Codes, records: Sequence[bytes]) -> None:
    """Append records to their buckets.

    Args:
        shards: where they are.
        generation: its name.
        codes: ascending.
        records: those of each bucket.

    Raises:
        IndexUnusable: the generation was dropped; nothing is written that would stay.
        ServiceDown: Redis does not answer; some may have been written.
    """
    keys = keys_of(generation, codes)
    marks = keys_of(generation, _EVERY_MARK)
    for calls in _by_group(codes):
        answers = shards.run_script(
            scripts.APPEND,
            {group: (b - a + 1, marks[group], *keys[a:b], *records[a:b]) for group, (a, b) in calls.items()},
        )
        if not all(answers):
            raise IndexUnusable(problem="the generation in use is gone from Redis")


def cut_out(shards: Shards, generation: str, codes: Codes, passage_ids: Sequence[int]) -> None:
    """Take the records of some passages out of buckets.

    Raises:
        ServiceDown: Redis does not answer; some may be gone.
    """
    gone = np.array(passage_ids, dtype="<u4").tobytes()
    keys = keys_of(generation, codes)
    for calls in _by_group(codes):
        shards.run_script(scripts.CUT, {group: (b - a, *keys[a:b], gone) for group, (a, b) in calls.items()})


def _with_marks(codes: Sequence[Codes]) -> tuple[Codes, list[Rows]]:
    """Return the distinct codes, after those of each group its mark, and where each list's codes are in them.

    One sort for both: ``numpy.unique`` and a search for each code take fifteen times as long.
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


def _by_group(codes: Codes) -> Iterator[dict[int, tuple[int, int]]]:
    """Yield rounds of calls: by group the range of codes that one script takes."""
    borders = pairwise(np.searchsorted(group_of(codes), np.arange(GROUPS + 1)).tolist())
    pieces = {
        group: iter([(a, min(a + _KEYS, end)) for a in range(start, end, _KEYS)])
        for group, (start, end) in enumerate(borders)
    }
    while calls := {group: piece for group, rest in pieces.items() for piece in islice(rest, 1)}:
        yield calls
