"""Exact runs against all pairs of positions, and chains that go forward on both sides."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import reference
from support.strategies import codes, story

from fingerprint.text.letters import to_letters
from tracker.alignment.seeds import (
    MAX_GAP,
    MAX_REPEATS,
    SEED,
    SeedRun,
    chains,
    exact_runs,
    repeats_itself,
    seed_table,
    significant_runs,
)

# A seed that stands about as often in a text as a refrain may.
repeats = st.builds(
    lambda row, times: (row * times)[: SEED * 30],
    st.lists(st.integers(min_value=1, max_value=3), min_size=1, max_size=3),
    st.integers(min_value=1, max_value=60),
)
# Two letters make runs and refrains of every length; the whole alphabet makes none by chance.
rows = st.one_of(codes(60, letters=1), repeats, codes(80, letters=2), codes(120, letters=5), codes(120))


lengths = st.sampled_from([5, 6, SEED])


def runs_of(page, passage, length=SEED):
    table = seed_table(np.array(page, dtype=np.uint8), length=length)
    return exact_runs(table, np.array(passage, dtype=np.uint8))


def as_tuples(runs):
    return [(run.page, run.passage, run.length) for run in runs]


@given(rows, rows, lengths)
def test_runs_agree_with_all_pairs_of_positions(page, passage, length):
    runs = as_tuples(runs_of(page, passage, length))
    assert runs == reference.exact_runs(page, passage, length, MAX_REPEATS)


@given(rows, rows, rows)
def test_shared_stretch_is_a_run(shared, head, tail):
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


def test_best_chain_comes_first():
    far = SeedRun(500, 20, 30)
    near = [SeedRun(0, 100, 20), SeedRun(22, 122, 25), SeedRun(60, 158, 9)]
    assert chains(sorted([*near, far], key=lambda run: run.page)) == [near, [far]]


def test_gap_that_is_too_long_parts_chains():
    for gap, expected in ((MAX_GAP, 1), (MAX_GAP + 1, 2)):
        assert len(chains([SeedRun(0, 0, 20), SeedRun(20 + gap, 20 + gap, 20)])) == expected


def test_run_that_overlaps_the_previous_run_is_cut():
    assert chains([SeedRun(0, 0, 20), SeedRun(15, 18, 20)]) == [[SeedRun(0, 0, 20), SeedRun(20, 23, 15)]]


def test_run_that_goes_back_in_the_passage_starts_another_chain():
    assert len(chains([SeedRun(0, 300, 20), SeedRun(25, 100, 20)])) == 2


def test_refrain_anchors_nothing_in_a_passage_and_little_on_a_page():
    refrain = [1, 2, 3, 4, 5, 6, 7, 8, 9]
    assert len(runs_of(refrain, refrain * MAX_REPEATS)) == MAX_REPEATS
    assert runs_of(refrain, refrain * (MAX_REPEATS + 1)) == []
    assert len(runs_of(refrain * MAX_REPEATS, refrain)) == MAX_REPEATS
    assert len(runs_of(refrain * 10 * MAX_REPEATS, refrain)) == MAX_REPEATS


def test_run_goes_on_over_a_refrain():
    """The chorus of a song anchors nothing, but belongs to the copy."""
    chorus = to_letters(story(120, 1)).codes.tolist()
    song = [each for n in range(20) for each in (*to_letters(story(30, n + 2)).codes.tolist(), *chorus)]
    assert runs_of(song, song)[0] == SeedRun(0, 0, len(song))


def test_page_that_repeats_itself_is_recognised():
    once = to_letters(story(300, 1)).codes
    assert not repeats_itself(seed_table(once))
    assert not repeats_itself(seed_table(np.tile(once, MAX_REPEATS)))
    assert repeats_itself(seed_table(np.tile(once, MAX_REPEATS + 1)))
    assert not repeats_itself(seed_table(once[:3]))


def test_seeds_outside_the_window_are_omitted():
    text = to_letters(story(400, 7)).codes
    (run,) = exact_runs(seed_table(text, length=SEED), text, first=100, last=200)
    assert run == SeedRun(100, 100, 101 + SEED - 1)


@pytest.mark.parametrize(("letters", "length"), [(0, 5), (1_000, 5), (1_001, 6), (5_000, 6), (5_001, SEED)])
def test_shorter_a_page_the_shorter_its_seeds(letters, length):
    assert seed_table(np.ones(letters, dtype=np.uint8)).length == length


# The same letters with all, four or three of the same characters, and other characters in between.
KNOWN = "渡口的灯亮了"


@pytest.mark.parametrize(
    ("said", "expected"),
    [("渡口的灯亮了", 1), ("渡口的灯她她", 1), ("渡口的她她她", 0), ("她她她她她她", 0)],
)
def test_short_run_counts_by_its_characters(said, expected):
    page, passage = (np.array(list(map(ord, text)), dtype=np.uint32) for text in (said, KNOWN))
    assert len(significant_runs([SeedRun(0, 0, 6)], page, passage)) == expected


def test_long_run_counts_by_its_letters():
    nothing = np.zeros(20, dtype=np.uint32)
    runs = [SeedRun(0, 0, SEED - 1), SeedRun(3, 5, SEED), SeedRun(6, 0, SEED + 4)]
    assert significant_runs(runs, nothing, nothing + 1) == runs[1:]
    assert significant_runs([], nothing, nothing) == []


def test_characters_beyond_a_run_do_not_count_for_it():
    page, passage = np.array([1, 2, 3, 4, 5, 6, 7], dtype=np.uint32), np.array([1, 2, 3, 9, 9, 6, 7])
    assert significant_runs([SeedRun(0, 0, 5)], page, passage.astype(np.uint32)) == []
    assert significant_runs([SeedRun(0, 0, 6)], page, passage.astype(np.uint32)) == [SeedRun(0, 0, 6)]


def test_empty_text_has_no_runs():
    assert runs_of([], []) == runs_of([1] * 7, [1] * 7) == runs_of([1] * 8, []) == []
    assert chains([]) == []


def test_verbatim_copy_is_a_single_run():
    text = to_letters(story(2000, 7))
    assert SeedRun(0, 0, 2000) in runs_of(text.codes, text.codes)
    assert chains(runs_of(text.codes, text.codes))[0] == [SeedRun(0, 0, 2000)]
