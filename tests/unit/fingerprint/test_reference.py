"""Measuring a reference from a corpus."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.strategies import story

from fingerprint.dna import DnaParams
from fingerprint.reference import INITIALS, PROSE, Reference, measure_reference
from fingerprint.text.letters import to_letters

counts = st.dictionaries(st.sampled_from("abcdefghijklmnopqrstuvwxyz"), st.integers(0, 10**6))


@given(counts)
def test_shares_are_those_of_all_letters(letter_counts):
    reference = measure_reference("demo", letter_counts)
    whole = sum(letter_counts.values()) + 26
    for letter, share in zip(INITIALS, reference.shares, strict=True):
        assert share == (letter_counts.get(letter, 0) + 1) / whole
    assert sum(reference.shares) < 1


def test_reference_measured_from_a_corpus_has_its_shares():
    letters = Counter(str(to_letters(story(20_000, 1))))
    reference = measure_reference("stories", letters)
    for letter, share in zip(INITIALS, reference.shares, strict=True):
        assert share == pytest.approx(letters[letter] / letters.total(), rel=0.01, abs=1e-4)


def test_another_reference_is_another_parameter_id():
    assert DnaParams(reference=measure_reference("stories", {"z": 1})).params_id == "dna1-16-8-c10-stories"
    assert DnaParams(reference=PROSE).params_id == "dna1-16-8-c10-prose1"


@pytest.mark.parametrize("wrong", [{"ab": 1}, {"": 1}, {"A": 1}, {"青": 1}])
def test_other_letters_are_refused(wrong):
    with pytest.raises(ValueError, match="a to z"):
        measure_reference("demo", wrong)


def test_negative_counts_are_refused():
    with pytest.raises(ValueError, match="negative"):
        measure_reference("demo", {"z": -1})


@pytest.mark.parametrize("shares", [(0.05,) * 19, (0.05,) * 19 + (0.0,), (0.05,) * 19 + (1.0,)])
def test_impossible_shares_are_refused(shares):
    with pytest.raises(ValueError, match="20 shares"):
        Reference("demo", shares)
