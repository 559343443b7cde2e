"""Shingles of letters, characters and words as sets."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.reference import splitmix64
from support.strategies import prose, story

from fingerprint.shingle import ShingleSet, shingle_hashes, unit_values
from fingerprint.text.views import Views

units = st.lists(st.integers(min_value=0, max_value=2**64 - 1), max_size=30)


@given(units, st.integers(min_value=1, max_value=8))
def test_hash_is_the_mixers_chain(values, size):
    expected = []
    for start in range(len(values) - size + 1):
        chain = 0
        for unit in values[start : start + size]:
            chain = splitmix64(chain ^ unit)
        expected.append(chain)
    assert shingle_hashes(np.array(values, dtype=np.uint64), size).tolist() == expected


@given(prose, prose, st.integers(min_value=1, max_value=5))
def test_resemblance_is_jaccard_of_the_shingles(first, second, size):
    method = ShingleSet(size=size)
    ours, theirs = (
        {text[a : a + size] for a in range(len(text) - size + 1)}
        for text in (Views(first).characters, Views(second).characters)
    )
    expected = len(ours & theirs) / len(ours | theirs) if ours | theirs else 0
    result = method.similarity(method.fingerprint(Views(first)), method.fingerprint(Views(second)))
    assert result == pytest.approx(expected)


def test_overlap_recognises_a_fragment_but_resemblance_does_not():
    whole, piece = Views(story(2_000, 1)), Views(story(2_000, 1)[500:700])
    for measure, expected in (("overlap", 1), ("resemblance", 196 / 1_996)):
        method = ShingleSet(measure=measure)
        assert method.similarity(method.fingerprint(whole), method.fingerprint(piece)) == pytest.approx(
            expected, rel=0.02
        )


def test_winnowed_sets_are_smaller_and_still_shared():
    views = Views(story(1_000, 1))
    all_of_them, winnowed = ShingleSet().fingerprint(views), ShingleSet(selection=9).fingerprint(views)
    assert set(winnowed.tolist()) < set(all_of_them.tolist())
    assert len(winnowed) == pytest.approx(len(all_of_them) * 2 / 10, rel=0.2)


def test_units_are_characters_letters_or_words():
    views = Views("青灯，青灯", cut=lambda text: ["青灯", text[2], "青灯"])
    assert unit_values(views, "characters").tolist() == [ord(item) for item in "青灯青灯"]
    assert unit_values(views, "letters").tolist() == [17, 4, 17, 4]
    assert len(set(unit_values(views, "words").tolist())) == 1


def test_homophones_are_equal_only_as_letters():
    first, second = Views(story(200, 1) + "渡口"), Views(story(200, 1).replace("时", "石") + "渡口")
    for unit, same in (("letters", True), ("characters", False)):
        method = ShingleSet(unit=unit)
        assert (method.similarity(method.fingerprint(first), method.fingerprint(second)) == 1) is same


@pytest.mark.parametrize(
    "wrong",
    [
        {"unit": "bytes"},
        {"measure": "dice"},
        {"size": 0},
        {"selection": 0},
        {"min_similarity": 0},
        {"min_similarity": 1.5},
    ],
)
def test_impossible_parameters_of_shingle_sets_are_refused(wrong):
    with pytest.raises(ValueError, match=r"unit|measure|size|at least|min_similarity"):
        ShingleSet(**wrong)


def test_size_below_1_is_refused():
    with pytest.raises(ValueError, match="at least 1"):
        shingle_hashes(np.arange(3, dtype=np.uint64), 0)
