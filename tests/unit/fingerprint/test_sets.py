"""Sets of hashes against Python's own sets."""

import hashlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.strategies import anything

from fingerprint.sets import common_count, containment, distinct, overlap, resemblance, string_hashes

few = st.sets(st.integers(min_value=0, max_value=30))


def array(values):
    return distinct(np.array(sorted(values), dtype=np.uint64))


@given(few, few)
def test_measures_are_those_of_sets(first, second):
    ours, theirs = array(first), array(second)
    both, either = first & second, first | second
    assert common_count(ours, theirs) == len(both)
    assert resemblance(ours, theirs) == (len(both) / len(either) if either else 0)
    assert containment(piece=ours, whole=theirs) == (len(both) / len(first) if first else 0)
    assert overlap(ours, theirs) == max(
        containment(piece=ours, whole=theirs), containment(piece=theirs, whole=ours)
    )


@given(few, few)
def test_resemblance_is_below_both_containments(first, second):
    ours, theirs = array(first), array(second)
    assert resemblance(ours, theirs) <= min(
        containment(piece=ours, whole=theirs) if first else 1,
        containment(piece=theirs, whole=ours) if second else 1,
    )


@given(st.lists(anything, max_size=10))
def test_string_hashes_are_blake2b(strings):
    expected = [
        int.from_bytes(hashlib.blake2b(string.encode("utf-8", "replace"), digest_size=8).digest(), "little")
        for string in strings
    ]
    assert string_hashes(strings).tolist() == expected


def test_string_hashes_of_an_empty_list_are_empty():
    hashes = string_hashes([])
    assert hashes.dtype == np.uint64
    assert len(hashes) == 0


def test_distinct_returns_sorted_values():
    assert distinct(np.array([9, 1, 9], dtype=np.uint64)).tolist() == [1, 9]


@pytest.mark.parametrize("measure", [resemblance, overlap])
def test_two_empty_sets_have_nothing_in_common(measure):
    assert measure(array([]), array([])) == 0
