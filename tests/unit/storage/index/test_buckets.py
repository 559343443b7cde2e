"""Buckets: how many there are, when they are too full, and what a dropped generation answers."""

import numpy as np
import pytest

from storage.index.buckets import append, are_crowded, bits_for, cut_out, read_buckets
from storage.index.keys import GROUPS, MAX_BITS, MIN_BITS, codes_of, group_of, intact_codes, keys_of
from system.errors import IndexUnusable

GENERATION = "ab12"


class FakeShards:
    """Values by key; a script is noted and answers one number for each call."""

    def __init__(self, values, answer=1):
        self.values, self.answer, self.calls = values, answer, []

    def read_many(self, generation, codes):
        return [self.values.get(key, b"") for key in keys_of(generation, codes)]

    def run_script(self, _, calls):
        self.calls.append(calls)
        return [self.answer for _ in calls]


def codes(*buckets):
    return codes_of(0, np.array(buckets, dtype=np.int64), MIN_BITS)


def marks(*values):
    groups = np.array(sorted({int(group) for group in group_of(np.concatenate(values))}))
    return dict.fromkeys(keys_of(GENERATION, intact_codes(groups)), b"1")


@pytest.mark.parametrize(
    ("postings", "methods", "bits"),
    [
        (0, 1, MIN_BITS),
        (24 << MIN_BITS, 1, MIN_BITS),
        (24 << (MIN_BITS + 1), 1, MIN_BITS + 1),
        (24 << (MIN_BITS + 1), 2, MIN_BITS),
        (24 << (MIN_BITS + 3), 2, MIN_BITS + 2),
        (24 << MAX_BITS, 1, MAX_BITS),
        (24 << (MAX_BITS + 3), 1, MAX_BITS),
    ],
)
def test_new_generation_has_24_records_a_bucket_within_bounds(postings, methods, bits):
    assert bits_for(postings, methods) == bits


@pytest.mark.parametrize("methods", [1, 3])
@pytest.mark.parametrize("bits", [MIN_BITS, MAX_BITS - 1])
def test_buckets_are_crowded_beyond_four_times_their_capacity(methods, bits):
    limit = 4 * 24 * methods * 2**bits
    assert not are_crowded(limit, methods=methods, bits=bits)
    assert are_crowded(limit + 1, methods=methods, bits=bits)


def test_there_are_never_more_buckets_than_the_largest_number():
    assert not are_crowded(10**12, methods=1, bits=MAX_BITS)


def test_appending_to_a_dropped_generation_is_an_error():
    with pytest.raises(IndexUnusable, match="missing from Redis"):
        append(FakeShards({}, answer=0), GENERATION, codes(1, 2), [b"a", b"b"])


def test_records_are_appended_behind_the_mark_of_their_group():
    shards, buckets = FakeShards({}), codes(1, 2, (1 << MIN_BITS) - 1)
    append(shards, GENERATION, buckets, [b"a", b"b", b"c"])
    (calls,) = shards.calls
    first, second, last = keys_of(GENERATION, buckets)
    assert sorted(calls) == [0, GROUPS - 1]
    mark, other = keys_of(GENERATION, intact_codes(np.array([0, GROUPS - 1])))
    assert calls[0] == (3, mark, first, second, b"a", b"b")
    assert calls[GROUPS - 1] == (2, other, last, b"c")


def test_script_changes_at_most_two_thousand_keys():
    shards = FakeShards({})
    cut_out(shards, GENERATION, codes(*range(2_001)), [7])
    assert [call[0] for calls in shards.calls for call in calls.values()] == [2_000, 1]
    assert all(call[-1] == b"\7\0\0\0" for calls in shards.calls for call in calls.values())


def test_every_bucket_is_read_once_for_all_lists():
    first, other = codes(5, 9), codes(9, 9, 3)
    values = dict(zip(keys_of(GENERATION, codes(3, 5, 9)), (b"three", b"five", b"nine"), strict=True))
    read, rows = read_buckets(FakeShards({**values, **marks(first)}), GENERATION, [first, other])
    assert sorted(read) == [b"", b"five", b"nine", b"three"]
    assert [[read[row] for row in positions] for positions in rows] == [
        [b"five", b"nine"],
        [b"nine", b"nine", b"three"],
    ]


def test_bucket_without_its_mark_proves_nothing():
    buckets = codes(1, (1 << MIN_BITS) - 1)
    with pytest.raises(IndexUnusable, match="missing from Redis"):
        read_buckets(FakeShards(marks(buckets[:1])), GENERATION, [buckets])
    assert read_buckets(FakeShards(marks(buckets)), GENERATION, [buckets])[1][0].tolist()


def test_empty_request_sends_no_query():
    assert read_buckets(FakeShards({}), GENERATION, []) == ([], [])
