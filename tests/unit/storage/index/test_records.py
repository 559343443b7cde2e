"""Packed postings: what goes into records comes out of them, and no wrong passage with it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fingerprint.fingerprints import Fingerprints
from storage.index.interface import POSTINGS_CAP, PassageFingerprints
from storage.index.records import (
    MAX_POSITION,
    RECORD,
    PositionTooLarge,
    bucket_of,
    hits_in,
    pack,
    tag_of,
    unpack,
    without,
)

BITS = 16
NONE_DEAD = np.empty(0, dtype=np.uint32)
postings = st.lists(
    st.tuples(st.integers(0, 2**64 - 1), st.integers(0, MAX_POSITION)), min_size=1, max_size=30
)


def passage(passage_id, *pairs):
    hashes, positions = zip(*pairs, strict=True)
    fingerprints = Fingerprints(np.array(hashes, dtype=np.uint64), np.array(positions, dtype=np.uint32))
    return PassageFingerprints(passage_id, {"a": fingerprints})


def look_up(packed, *hashes, dead=NONE_DEAD):
    queries = np.array(hashes, dtype=np.uint64)
    rows = np.searchsorted(packed.buckets, bucket_of(queries, BITS))
    hits, capped = hits_in(queries, rows, unpack(packed.values()), dead)
    triples = zip(hits.queries.tolist(), hits.passages.tolist(), hits.positions.tolist(), strict=True)
    return sorted(triples), capped.tolist()


@given(postings, st.integers(0, 2**32 - 1))
def test_every_posting_is_looked_up_at_its_position(pairs, passage_id):
    packed = pack([passage(passage_id, *pairs)], "a", BITS)
    for hash_, position in pairs:
        assert (0, passage_id, position) in look_up(packed, hash_)[0]


@given(postings)
def test_records_are_in_ascending_buckets_and_have_nine_bytes(pairs):
    packed = pack([passage(1, *pairs)], "a", BITS)
    assert packed.buckets.tolist() == sorted({hash_ & 0xFFFF for hash_, _ in pairs})
    assert len(packed.data) == 9 * len(pairs) == packed.bounds[-1]
    assert b"".join(packed.values()) == packed.data


def test_hash_with_another_tag_in_the_same_bucket_is_no_hit():
    packed = pack([passage(1, (5, 0), (5 | 1 << 24, 7))], "a", BITS)
    assert look_up(packed, 5) == ([(0, 1, 0)], [])
    assert look_up(packed, 5 | 1 << 24) == ([(0, 1, 7)], [])
    assert look_up(packed, 5 | 1 << 43) == ([], [])


def test_position_beyond_the_record_is_refused():
    pack([passage(1, (5, MAX_POSITION))], "a", BITS)
    with pytest.raises(PositionTooLarge, match=f"position {MAX_POSITION + 1} "):
        pack([passage(1, (5, MAX_POSITION + 1))], "a", BITS)


def test_tag_and_bucket_are_different_bits_of_a_hash():
    hashes = np.array([0xABCDE_FFFFFF, 1 << 44], dtype=np.uint64)
    assert tag_of(hashes).tolist() == [0xABCDE, 0]
    assert bucket_of(hashes, BITS).tolist() == [0xFFFF, 0]


@pytest.mark.parametrize(("more", "capped"), [(0, []), (1, [0])])
def test_hash_is_capped_when_more_passages_share_it_than_are_returned(more, capped):
    packed = pack([passage(number, (5, 0)) for number in range(POSTINGS_CAP + more)], "a", BITS)
    hits, capped_queries = look_up(packed, 5)
    assert (len(hits), capped_queries) == (POSTINGS_CAP, capped)
    assert without(packed.values(), NONE_DEAD)[1] == len(capped)


def test_removed_passages_neither_answer_nor_count_towards_the_cap():
    dead = np.arange(10, dtype=np.uint32)
    packed = pack([passage(number, (5, 0)) for number in range(POSTINGS_CAP + 10)], "a", BITS)
    hits, capped = look_up(packed, 5, dead=dead)
    assert [passage_id for _, passage_id, _ in hits] == list(range(10, POSTINGS_CAP + 10))
    assert capped == []
    kept, count = without([*packed.values(), b""], dead)
    assert ([len(value) for value in kept], count) == ([POSTINGS_CAP * RECORD.itemsize, 0], 0)
