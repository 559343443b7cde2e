"""Exact runs against all pairs of positions, and chains that go forward on both sides."""

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from fingerprint.letters import to_letters
from tests import reference
from tests.strategies import codes, story
from tracker.seeds import _MAX_REPEATS, MAX_GAP, SEED, Run, chains, exact_runs

# A seed that stands about as often in a text as a refrain may.
repeats = st.builds(
    lambda row, times: (row * times)[: SEED * 30],
    st.lists(st.integers(min_value=1, max_value=3), min_size=1, max_size=3),
    st.integers(min_value=1, max_value=60),
)
# Two letters make runs and refrains of every length; the whole alphabet makes none by chance.
rows = st.one_of(codes(60, letters=1), repeats, codes(80, letters=2), codes(120, letters=5), codes(120))


def runs_of(page, passage):
    return exact_runs(np.array(page, dtype=np.uint8), np.array(passage, dtype=np.uint8))


def as_tuples(runs):
    return [(run.page, run.passage, run.length) for run in runs]


@given(rows, rows)
def test_runs_agree_with_all_pairs_of_positions(page, passage):
    assert as_tuples(runs_of(page, passage)) == reference.exact_runs(page, passage, SEED, _MAX_REPEATS)


@given(rows, rows, rows)
def test_runs_of_a_shared_stretch(shared, head, tail):
    page, passage = [*head, *shared, *tail], [*tail, *shared, *head]
    for run in runs_of(page, passage):
        assert run.length >= SEED
        assert page[run.page : run.page + run.length] == passage[run.passage : run.passage + run.length]


@given(st.one_of(rows, codes(300, letters=3)), st.one_of(rows, codes(300, letters=3)))
def test_chains_are_disjoint_and_go_forward_on_both_sides(page, passage):
    runs = runs_of(page, passage)
    found = chains(runs)
    for chain in found:
        for earlier, later in pairwise(chain):
            assert earlier.page + earlier.length <= later.page
            assert earlier.passage + earlier.length <= later.passage
        for run in chain:
            assert run.length > 0
            ours = page[run.page : run.page + run.length]
            assert ours == passage[run.passage : run.passage + run.length]
    ends = [(run.page + run.length, run.passage + run.length) for chain in found for run in chain]
    assert sorted(ends) == sorted((run.page + run.length, run.passage + run.length) for run in runs)


def test_the_best_chain_comes_first():
    far = Run(500, 20, 30)
    near = [Run(0, 100, 20), Run(22, 122, 25), Run(60, 158, 9)]
    assert chains(sorted([*near, far], key=lambda run: run.page)) == [near, [far]]


def test_a_gap_that_is_too_long_parts_chains():
    for gap, expected in ((MAX_GAP, 1), (MAX_GAP + 1, 2)):
        assert len(chains([Run(0, 0, 20), Run(20 + gap, 20 + gap, 20)])) == expected


def test_a_run_that_reaches_into_the_one_before_is_cut():
    assert chains([Run(0, 0, 20), Run(15, 18, 20)]) == [[Run(0, 0, 20), Run(20, 23, 15)]]


def test_what_goes_back_in_the_passage_is_another_chain():
    assert len(chains([Run(0, 300, 20), Run(25, 100, 20)])) == 2


def test_a_refrain_anchors_nothing():
    refrain = [1, 2, 3, 4, 5, 6, 7, 8, 9]
    assert len(runs_of(refrain, refrain * _MAX_REPEATS)) == _MAX_REPEATS
    assert runs_of(refrain, refrain * (_MAX_REPEATS + 1)) == []
    assert len(runs_of(refrain * _MAX_REPEATS, refrain)) == _MAX_REPEATS
    assert runs_of(refrain * (_MAX_REPEATS + 1), refrain) == []


def test_nothing_has_no_runs():
    assert runs_of([], []) == runs_of([1] * 7, [1] * 7) == runs_of([1] * 8, []) == []
    assert chains([]) == []


def test_a_verbatim_copy_is_one_run():
    text = to_letters(story(2000, 7))
    assert Run(0, 0, 2000) in exact_runs(text.codes, text.codes)
    assert chains(exact_runs(text.codes, text.codes))[0] == [Run(0, 0, 2000)]
