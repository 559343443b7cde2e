"""Winnowing against the paper: definition, guarantee, density."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import reference
from support.strategies import hashes

from fingerprint.mixing import mix64
from fingerprint.winnow import winnow

selections = st.integers(min_value=1, max_value=40)
# Few different values make ties, which the rule for the rightmost must settle.
few = st.integers(2, 4).flatmap(lambda values: st.lists(st.integers(1, values), max_size=120))
rows = st.lists(st.one_of(hashes, st.integers(min_value=0, max_value=3)), max_size=120) | few


def kept_places(row, selection):
    return winnow(np.array(row, dtype=np.uint64), selection).tolist()


@given(rows, selections)
def test_winnowing_equals_the_published_definition(row, selection):
    assert kept_places(row, selection) == reference.winnow(row, selection)


@given(rows, rows, rows, rows, st.lists(hashes, min_size=1, max_size=60))
def test_shared_run_of_selection_hashes_shares_a_kept_hash(head, tail, other_head, other_tail, run):
    selection = len(run)
    first, second = [*head, *run, *tail], [*other_head, *run, *other_tail]
    ours = {position - len(head) for position in kept_places(first, selection)}
    theirs = {position - len(other_head) for position in kept_places(second, selection)}
    assert ours & theirs & set(range(selection))


@given(rows, selections)
def test_every_window_keeps_a_hash(row, selection):
    places = kept_places(row, selection)
    assert bool(places) == bool(row)
    assert all(later - earlier <= selection for earlier, later in pairwise(places))
    assert not places or (places[0] < selection and places[-1] >= len(row) - selection)


def test_constant_row_keeps_the_right_ends():
    assert kept_places([7] * 10, 4) == [3, 4, 5, 6, 7, 8, 9]
    assert kept_places([7] * 3, 4) == [2]


def test_rightmost_of_equal_minima_is_kept():
    """The 5 at position 0 is never the rightmost; each other position is the minimum of a window."""
    assert kept_places([5, 5, 1, 5, 5], 2) == [1, 2, 4]


def test_selection_of_1_keeps_all():
    assert kept_places([3, 1, 2], 1) == [0, 1, 2]


@pytest.mark.parametrize("selection", [4, 10, 16, 50])
def test_density_is_as_the_paper_expects(selection):
    row = mix64(np.arange(100_000, dtype=np.uint64))
    assert len(winnow(row, selection)) / len(row) == pytest.approx(2 / (selection + 1), rel=0.03)


@pytest.mark.parametrize("selection", [0, -1])
def test_selection_below_1_is_refused(selection):
    with pytest.raises(ValueError, match="at least 1"):
        kept_places([1, 2], selection)


def test_positions_are_32_bits():
    assert winnow(np.array([5, 4], dtype=np.uint64), 2).dtype == np.uint32
    assert winnow(np.array([], dtype=np.uint64), 2).dtype == np.uint32
