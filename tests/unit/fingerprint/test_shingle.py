"""Letter shingles: no collisions, the guarantee, and stored values that never change."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import reference
from support.strategies import codes, han, seeds, story

from fingerprint.shingle import ShingleParams, packed_shingles, shingle_fingerprints
from fingerprint.text.letters import to_letters

params = st.builds(
    ShingleParams,
    size=st.integers(min_value=1, max_value=12),
    selection=st.integers(min_value=1, max_value=20),
)


def places(text, chosen):
    result = shingle_fingerprints(to_letters(text), chosen)
    return zip(result.hashes.tolist(), result.positions.tolist(), strict=True)


@given(codes(), st.integers(min_value=1, max_value=12))
def test_packing_agrees_with_plain_numbers(row, size):
    assert packed_shingles(np.array(row, dtype=np.uint8), size).tolist() == reference.shingles(row, size)


@given(codes(max_size=12, letters=3), codes(max_size=12, letters=3))
def test_equal_numbers_are_equal_shingles(first, second):
    if len(first) == len(second) > 0:
        ours, theirs = (packed_shingles(np.array(row, dtype=np.uint8), len(first)) for row in (first, second))
        assert (ours.tolist() == theirs.tolist()) == (first == second)


@given(han, params)
def test_fingerprints_are_winnowed_mixed_shingles(text, chosen):
    letters = to_letters(text)
    mixed = [
        reference.splitmix64(shingle) for shingle in reference.shingles(letters.codes.tolist(), chosen.size)
    ]
    places = reference.winnow(mixed, chosen.selection)
    result = shingle_fingerprints(letters, chosen)
    assert result.positions.tolist() == places
    assert result.hashes.tolist() == [mixed[position] for position in places]


@given(st.tuples(han, han), st.tuples(han, han), params, seeds)
def test_verbatim_run_shares_a_fingerprint(ours, theirs, chosen, seed):
    (head, tail), (other_head, other_tail) = ours, theirs
    run = story(chosen.size + chosen.selection - 1, seed)
    hashes = {(value, position - len(head)) for value, position in places(head + run + tail, chosen)}
    there = {
        (value, position - len(other_head))
        for value, position in places(other_head + run + other_tail, chosen)
    }
    assert any(0 <= position < chosen.selection for _, position in hashes & there)


@pytest.mark.parametrize("length", range(9))
def test_text_shorter_than_a_shingle_has_no_fingerprint(length):
    assert len(shingle_fingerprints(to_letters("灯" * length), ShingleParams())) == 0


def test_parameters_are_named_by_all_that_changes_a_hash():
    made = [ShingleParams(), ShingleParams(size=8), ShingleParams(selection=15)]
    assert len({item.params_id for item in made}) == 3


@pytest.mark.parametrize(
    ("wrong", "named"), [({"size": 0}, "size"), ({"size": 13}, "size"), ({"selection": 0}, "selection")]
)
def test_parameters_of_shingle_out_of_range_are_refused(wrong, named):
    with pytest.raises(ValueError, match=named):
        ShingleParams(**wrong)
