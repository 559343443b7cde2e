"""Closed syncmers against the definition; the guarantee; what winnowing does not promise."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.strategies import hashes, story

from fingerprint.dna import DnaParams, dna_fingerprints, dna_windows
from fingerprint.mixing import mix64
from fingerprint.syncmer import syncmers
from fingerprint.text.letters import to_letters

# Few different values make ties.
rows = st.lists(st.one_of(hashes, st.integers(min_value=0, max_value=3)), max_size=120)
steps = st.integers(min_value=1, max_value=20)
SYNCMER = DnaParams(size=16, sampling="syncmer", step=10)


def places_of(row, step):
    return syncmers(np.array(row, dtype=np.uint64), step).tolist()


@given(rows, steps)
def test_syncmers_are_their_definition(row, step):
    windows = [row[start : start + step + 1] for start in range(len(row) - step)]
    assert places_of(row, step) == [at for at, item in enumerate(windows) if min(item) in (item[0], item[-1])]


@given(rows, steps)
def test_every_run_of_step_windows_keeps_a_window(row, step):
    places = set(places_of(row, step))
    for start in range(len(row) - 2 * step + 1):
        assert places & set(range(start, start + step))


@given(rows, rows, st.lists(hashes, min_size=5, max_size=30), steps)
def test_window_is_kept_independently_of_its_neighbours(head, tail, row, step):
    inner = places_of(row, step)
    outer = places_of([*head, *row, *tail], step)
    assert [at + len(head) for at in inner] == [
        at for at in outer if len(head) <= at < len(head) + len(row) - step
    ]


@pytest.mark.parametrize("step", [4, 10])
def test_density_is_as_expected(step):
    runs = mix64(np.arange(100_000, dtype=np.uint64))
    assert len(syncmers(runs, step)) / len(runs) == pytest.approx(2 / (step + 1), rel=0.03)


@given(st.integers(min_value=25, max_value=60), st.integers(min_value=0, max_value=99))
def test_dna_keeps_its_guarantee(length, seed):
    """A shared run of size + step − 1 = 25 letters yields a shared fingerprint."""
    shared = story(length, seed)
    first, second = (to_letters(story(40, seed + 1) + shared), to_letters(shared + story(40, seed + 2)))
    ours, theirs = dna_fingerprints(first, SYNCMER), dna_fingerprints(second, SYNCMER)
    result = {position - 40 for position in ours.positions.tolist()} & set(theirs.positions.tolist())
    assert result & set(range(length - 15))


def test_dna_positions_are_of_the_windows_that_are_kept():
    letters = to_letters(story(500, 1))
    result = dna_fingerprints(letters, SYNCMER)
    windows = mix64(dna_windows(letters.codes, SYNCMER))
    assert result.hashes.tolist() == windows[result.positions].tolist()
    assert 2 / 11 * 0.8 < len(result) / len(windows) < 2 / 11 * 1.25


def test_text_of_a_window_or_two_has_a_fingerprint():
    for length in range(16, 26):
        assert len(dna_fingerprints(to_letters(story(length, length)), SYNCMER))
    assert len(dna_fingerprints(to_letters(story(15, 1)), SYNCMER)) == 0


def test_step_below_1_is_refused():
    with pytest.raises(ValueError, match="at least 1"):
        places_of([1, 2, 3], 0)


@pytest.mark.parametrize(("size", "step"), [(16, 16), (16, 3), (30, 10)])
def test_run_lengths_outside_1_to_12_are_refused(size, step):
    with pytest.raises(ValueError, match="between 1 and 12"):
        DnaParams(size=size, sampling="syncmer", step=step)
