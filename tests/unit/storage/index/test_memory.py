"""What only the memory index has: columns that are merged late, and its statistics."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fingerprint.fingerprints import Fingerprints
from storage.index.interface import POSTINGS_CAP, PassageFingerprints, capped_ranges
from storage.index.memory import MemoryIndex

ranges = st.lists(
    st.tuples(st.integers(min_value=0, max_value=999), st.integers(min_value=0, max_value=3 * POSTINGS_CAP)),
    max_size=20,
)


def passage(passage_id, *hashes, params="a"):
    fingerprints = Fingerprints(np.array(hashes, dtype=np.uint64), np.arange(len(hashes), dtype=np.uint32))
    return PassageFingerprints(passage_id, {params: fingerprints})


def look_up(index, *hashes, params="a"):
    hits = index.lookup({params: np.array(hashes, dtype=np.uint64)})[params]
    return sorted(zip(hits.queries.tolist(), hits.passages.tolist(), hits.positions.tolist(), strict=True))


@given(ranges)
def test_ranges_are_written_out_row_by_row(rows):
    starts, lengths = (np.array([row[side] for row in rows], dtype=np.int64) for side in (0, 1))
    queries, places, capped = capped_ranges(starts, lengths)
    kept = [min(length, POSTINGS_CAP) for _, length in rows]
    assert queries.tolist() == [query for query, length in enumerate(kept) for _ in range(length)]
    assert places.tolist() == [
        start + step for (start, _), length in zip(rows, kept, strict=True) for step in range(length)
    ]
    assert capped.tolist() == [row for row, (_, length) in enumerate(rows) if length > POSTINGS_CAP]


def test_lookups_between_additions_see_everything_so_far():
    index = MemoryIndex()
    for number in range(1, 6):
        index.add([passage(number, 10, number)])
        assert look_up(index, 10) == [(0, passage_id, 0) for passage_id in range(1, number + 1)]
        assert look_up(index, number) == [(0, number, 1)]


def test_statistics_count_only_live_passages():
    index = MemoryIndex()
    index.add([passage(1, 5, 6), passage(2, 7)])
    index.add([passage(3, 8, params="b")])
    index.remove([2, 99])
    statistics = index.statistics()
    assert (statistics.passages, statistics.postings, statistics.dead) == (2, 3, 0)
    assert statistics.params_ids == ("a", "b")
    assert 20 * 3 <= statistics.memory_bytes <= 24 * 3
    assert statistics.generation == "memory"


def test_removed_passages_do_not_crowd_out_live_passages():
    """The cap applies to live postings; dead postings must not use it up."""
    index = MemoryIndex()
    index.add([passage(number, 5) for number in range(POSTINGS_CAP + 1)])
    index.remove(range(POSTINGS_CAP))
    assert look_up(index, 5) == [(0, POSTINGS_CAP, 0)]


@pytest.mark.parametrize("params", ["a", "never-added"])
def test_empty_index_has_no_hits(params):
    assert look_up(MemoryIndex(), 1, 2, 3, params=params) == []
    assert MemoryIndex().statistics().postings == 0
