"""Columns: a chain's letters side by side, and the stretches of them that agree."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.strategies import seeds, story

from tracker.alignment.columns import _agreeing, aligned_stretches
from tracker.alignment.seeds import SeedRun, chains, exact_runs
from tracker.alignment.text import ComparedText


def slices(pattern):
    """Stretches of columns written as ``=`` and ``x``."""
    found = _agreeing(np.array([each == "=" for each in pattern], dtype=bool))
    return [(each.start, each.stop) for each in found]


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("", []),
        ("xxxx", []),
        ("====", []),
        ("=====", [(0, 5)]),
        ("xx=======xx", [(2, 9)]),
        ("==========x=======xx====", [(0, 24)]),
        ("=" * 20 + "x" * 9 + "=" * 20, [(0, 49)]),
        ("=" * 20 + "x" * 10 + "=" * 20, [(0, 20), (30, 50)]),
        ("=" * 20 + "x" * 6 + "=" + "x" * 6 + "=" * 20, [(0, 20), (33, 53)]),
        ("=x" * 30, []),
        ("==x" * 10, [(0, 29)]),
    ],
)
def test_stretches_end_where_the_score_has_fallen(pattern, expected):
    assert slices(pattern) == expected


@given(st.lists(st.booleans(), max_size=300))
def test_stretches_begin_and_end_with_agreement_and_are_apart(agrees):
    sound = np.array(agrees, dtype=bool)
    found = list(_agreeing(sound))
    for each in found:
        assert sound[each.start]
        assert sound[each.stop - 1]
        assert (2 * sound[each].astype(int) - 1).sum() >= 5
    assert all(one.stop <= other.start for one, other in pairwise(found))


@given(seeds, st.integers(0, 250), st.integers(0, 250))
def test_ends_are_reached_from_a_single_seed(seed, before, behind):
    """Every ninth letter differs, so a chain has only one seed in the middle."""
    left, right = story(before, seed), story(behind, seed + 1)
    middle = story(30, seed + 2)
    passage = left + middle + right

    def edit(text, start):
        return "".join("平" if (n + start) % 8 == 4 else c for n, c in enumerate(text))

    page = edit(left, 0) + middle + edit(right, 0)
    ours, theirs = ComparedText(page), ComparedText(passage)
    chain = next(
        chain
        for chain in chains(exact_runs(ours.seeds, theirs.codes))
        if any(run.length >= 30 for run in chain)
    )
    (stretches,) = aligned_stretches(ours, theirs, [chain])
    best = max(stretches, key=len)
    assert best.sound.mean() > 0.8
    assert best.page_letters[0] <= max(0, before - 200) + 10
    assert best.page_letters[1] >= min(len(page), before + 30 + 200) - 10


@pytest.mark.parametrize("seed", range(3))
def test_chains_aligned_together_equal_chains_aligned_separately(seed):
    parts = [story(60, 10 * seed + number) for number in range(6)]
    page = ComparedText("（此处有一则很长的说明，共二十余字符：★★★★★★★★★★★★★★★★★★★★）".join(parts[::-1]))
    passage = ComparedText("".join(parts))
    every = chains(exact_runs(page.seeds, passage.codes))
    assert len(every) > 3
    together = list(aligned_stretches(page, passage, every))
    alone = [stretches for chain in every for stretches in aligned_stretches(page, passage, [chain])]
    assert [[own.page.tolist() for own in stretches] for stretches in together] == [
        [own.page.tolist() for own in stretches] for stretches in alone
    ]


def test_single_run_is_its_columns():
    text = ComparedText(story(60, 1))
    ((columns,),) = aligned_stretches(text, text, [[SeedRun(0, 0, 60)]])
    assert (columns.page_letters, columns.passage_letters) == ((0, 60), (0, 60))
    assert columns.sound.all()
    assert columns.character.all()
