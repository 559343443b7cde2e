"""Paths: every letter of both texts once and in order, with as few edits as can be."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz.distance import Levenshtein

from tracker.alignment.paths import path_between, paths_along
from tracker.alignment.seeds import SeedRun

letters = st.lists(st.integers(1, 4), max_size=60).map(lambda row: np.array(row, dtype=np.uint8))


def codes(text):
    return np.frombuffer(text.encode(), dtype=np.uint8) - 96


def cost(page, passage, ours, theirs):
    """How many columns do not agree."""
    both = (ours >= 0) & (theirs >= 0)
    return len(ours) - int((page[ours[both]] == passage[theirs[both]]).sum())


@given(letters, letters)
def test_path_from_end_to_end_has_the_fewest_edits(page, passage):
    ours, theirs, ends = path_between(page, passage, (0, len(page)), (0, len(passage)))
    assert ours[ours >= 0].tolist() == list(range(len(page)))
    assert theirs[theirs >= 0].tolist() == list(range(len(passage)))
    assert not ((ours < 0) & (theirs < 0)).any()
    assert cost(page, passage, ours, theirs) == Levenshtein.distance(page.tolist(), passage.tolist())
    assert ends.tolist() == [len(ours)]


@given(letters, letters, letters, letters)
def test_path_before_a_chain_equals_the_reversed_path_behind_it(ahead, ahead_there, behind, behind_there):
    run = codes("qwrtypsdfg")
    page, passage = np.concatenate([ahead, run, behind]), np.concatenate([ahead_there, run, behind_there])
    forwards = paths_along(page, passage, [[SeedRun(len(ahead), len(ahead_there), len(run))]])
    backwards = paths_along(page[::-1], passage[::-1], [[SeedRun(len(behind), len(behind_there), len(run))]])
    for ours, turned, text in (
        (forwards.page, backwards.page, page),
        (forwards.passage, backwards.passage, passage),
    ):
        assert ours.tolist() == [
            len(text) - 1 - place if place >= 0 else -1 for place in turned[::-1].tolist()
        ]


def test_every_chain_ends_after_its_columns():
    text = codes("bcdfghjklmnpqrst" * 20)
    chains = [[SeedRun(0, 0, 320)], [SeedRun(100, 200, 10)], [SeedRun(5, 10, 8), SeedRun(20, 30, 12)]]
    together = paths_along(text, text, chains)
    alone = [paths_along(text, text, [chain]) for chain in chains]
    assert np.diff(together.ends, prepend=0).tolist() == [len(path.page) for path in alone]
    assert together.page.tolist() == [place for path in alone for place in path.page.tolist()]
    assert together.passage.tolist() == [place for path in alone for place in path.passage.tolist()]


@pytest.mark.parametrize(
    ("agreeing", "reach"),
    [
        pytest.param(19, 40, id="fewer than half of the near letters agree"),
        pytest.param(20, 200, id="half of them agree"),
    ],
)
def test_path_goes_far_where_the_near_letters_promise_something(agreeing, reach):
    run = codes("qwrtypsdfg")
    page = np.concatenate([run, codes("b" * agreeing + "c" * (300 - agreeing))])
    passage = np.concatenate([run, codes("b" * agreeing + "d" * (300 - agreeing))])
    for ours, theirs, chain in (
        (page, passage, [SeedRun(0, 0, 10)]),
        (page[::-1], passage[::-1], [SeedRun(300, 300, 10)]),
    ):
        assert len(paths_along(ours, theirs, [chain]).page) == 10 + reach
