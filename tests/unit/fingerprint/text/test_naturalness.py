"""Pairs of characters show how a text is written: forwards, backwards, or in neither way."""

from random import Random

import numpy as np
import pytest
from hypothesis import given
from support.sample_novels import CHAPTERS
from support.strategies import anything

from fingerprint.text.letters import code_points, to_letters
from fingerprint.text.naturalness import (
    DIRECTIONS,
    character_numbers,
    direction_evidence,
    pair_kinds,
    strongest_evidence,
)
from fingerprint.text.variants import unfold

TEXT = CHAPTERS["青灯渡"][0]


def most(text, direction):
    numbers = character_numbers(code_points(text)[to_letters(text).offsets])
    return strongest_evidence(direction_evidence(pair_kinds(numbers[:-1], numbers[1:]), direction))


def shuffled(text):
    characters = list(text)
    Random(1).shuffle(characters)
    return "".join(characters)


@pytest.mark.parametrize(
    ("text", "backwards", "neither"),
    [
        (TEXT, False, False),
        (unfold(TEXT), False, False),
        ("\u200b ".join(TEXT), False, False),
        (TEXT[::-1], True, True),
        (shuffled(TEXT), None, True),
    ],
)
def test_pairs_support_every_direction(text, backwards, neither):
    """Backward text does not also count as forward text; chance pairs may support any direction."""
    assert backwards is None or (most(text, "backwards") > 10) is backwards
    assert (most(text, "neither") > 15) is neither


def test_reversed_pair_is_of_the_other_kind():
    numbers = character_numbers(code_points(TEXT))
    ahead, back = pair_kinds(numbers[:-1], numbers[1:]), pair_kinds(numbers[1:], numbers[:-1])
    assert (np.array([0, 2, 1, 3, 4])[ahead] == back).all()
    assert {0, 1, 4} <= set(ahead.tolist())


def test_reading_forwards_is_the_reference_for_evidence():
    kinds = np.arange(5, dtype=np.uint8)
    assert not direction_evidence(kinds, "forwards").any()
    assert all(direction_evidence(kinds, direction)[4] == 0 for direction in DIRECTIONS)


@given(anything)
def test_any_text_has_pairs(text):
    numbers = character_numbers(code_points(text))
    assert len(pair_kinds(numbers[:-1], numbers[1:])) == max(0, len(text) - 1)
    assert all(most(text, direction) >= 0 for direction in DIRECTIONS)
