"""DNA windows counted in packed fields: every size and level against the slow count, and across blocks."""

import numpy as np
import pytest
from support import reference
from support.strategies import story

from fingerprint.dna import LEVELS, Dna, DnaParams, dna_windows
from fingerprint.mixing import mix64
from fingerprint.reference import PROSE
from fingerprint.text.views import Views


def random_codes(length, seed):
    return (mix64(np.arange(length, dtype=np.uint64), seed=seed) % np.uint64(26)).astype(np.uint8) + np.uint8(
        1
    )


@pytest.mark.parametrize("levels", LEVELS)
@pytest.mark.parametrize("size", [4, 7, 15, 16, 31, 32, 63, 64, 127, 128, 255])
def test_sizes_on_both_sides_of_every_field_width(size, levels):
    codes = random_codes(size + 5, size)
    text = bytes(codes + np.uint8(96)).decode()
    expected = reference.dna_numbers(text, size, levels, PROSE.shares)
    assert dna_windows(codes, DnaParams(size=size, levels=levels, sampling="winnow")).tolist() == expected


@pytest.mark.parametrize("letter", [1, 2, 26])
def test_window_of_a_single_letter_fills_its_field(letter):
    codes = np.full(300, letter, dtype=np.uint8)
    text = chr(96 + letter) * 255
    result = dna_windows(codes, DnaParams(size=255, sampling="winnow"))
    assert set(result.tolist()) == {reference.dna_number(text, 8, PROSE.shares)}


def test_blocks_join_without_a_seam():
    codes = random_codes(20_000, 1)
    whole = dna_windows(codes, DnaParams())
    parts = [dna_windows(codes[start : start + 1_015], DnaParams()) for start in range(0, 19_000, 1_000)]
    assert whole[:19_000].tolist() == np.concatenate(parts).tolist()
    assert len(whole) == 20_000 - 15


@pytest.mark.parametrize("sampling", ["winnow", "syncmer", "stride"])
def test_copied_section_is_recognised_with_every_sampling(sampling):
    """A shared run of 200 letters, shifted by 7, in texts of 1,000: the guarantee gives six windows."""
    method = Dna(DnaParams(size=16, step=10, sampling=sampling))
    piece = story(200, 1)
    stored = method.fingerprint(Views(story(800, 2) + piece))
    query = method.query(Views(story(7, 3) + piece + story(800, 4)))
    assert len(set(method.keys(stored).tolist()) & set(method.keys(query).tolist())) >= 6
    assert method.similarity(query, stored) >= method.threshold


def test_single_shared_window_is_below_the_threshold():
    method = Dna()
    text = story(400, 5)
    for length, expected in ((20, False), (60, True)):
        other = method.fingerprint(Views(story(300, 6) + text[100 : 100 + length] + story(300, 7)))
        assert (method.similarity(method.fingerprint(Views(text)), other) >= method.threshold) is expected
