"""Letter shingles: no collisions, the guarantee, and stored values that never change."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fingerprint.letters import to_letters
from fingerprint.shingle import ShingleParams, packed_shingles, shingle_fingerprints
from tests import reference
from tests.strategies import codes, han

SENTENCE = "雨夜渡口青灯如豆，老船工披着蓑衣坐在船头，听见对岸有人唤渡，一声比一声急。"
params = st.builds(
    ShingleParams,
    size=st.integers(min_value=1, max_value=12),
    selection=st.integers(min_value=1, max_value=20),
)


@given(codes(), st.integers(min_value=1, max_value=12))
def test_packing_agrees_with_plain_numbers(row, size):
    assert packed_shingles(np.array(row, dtype=np.uint8), size).tolist() == reference.shingles(row, size)


@given(codes(max_size=12, letters=3), codes(max_size=12, letters=3))
def test_equal_numbers_are_equal_shingles(left, right):
    if len(left) == len(right) > 0:
        one, other = (packed_shingles(np.array(row, dtype=np.uint8), len(left)) for row in (left, right))
        assert (one.tolist() == other.tolist()) == (left == right)


@given(han, params)
def test_fingerprints_are_winnowed_mixed_shingles(text, chosen):
    letters = to_letters(text)
    mixed = [reference.mixed(each) for each in reference.shingles(letters.codes.tolist(), chosen.size)]
    places = reference.winnowed(mixed, chosen.selection)
    found = shingle_fingerprints(letters, chosen)
    assert found.positions.tolist() == places
    assert found.hashes.tolist() == [mixed[place] for place in places]


@given(han, han, han, han, params, st.data())
def test_a_verbatim_run_shares_a_fingerprint(head, tail, other_head, other_tail, chosen, data):
    length = chosen.size + chosen.selection - 1
    run = data.draw(st.text(alphabet="灯渡船雨夜江雾门声青", min_size=length, max_size=length))
    ours, theirs = (
        shingle_fingerprints(to_letters(text), chosen)
        for text in (head + run + tail, other_head + run + other_tail)
    )
    inside = range(chosen.selection)
    here = {(h, p - len(head)) for h, p in zip(ours.hashes.tolist(), ours.positions.tolist(), strict=True)}
    there = {
        (h, p - len(other_head))
        for h, p in zip(theirs.hashes.tolist(), theirs.positions.tolist(), strict=True)
    }
    assert any(place in inside for _, place in here & there)


@pytest.mark.parametrize("length", range(10))
def test_a_text_shorter_than_a_shingle_has_no_fingerprint(length):
    assert len(shingle_fingerprints(to_letters("灯" * length), ShingleParams())) == 0


def test_golden_fingerprints():
    """These are in databases: a change needs a new name in ``params_id``."""
    chosen = ShingleParams()
    found = shingle_fingerprints(to_letters(SENTENCE), chosen)
    assert chosen.params_id == "shingle1-10-w16"
    assert found.positions.tolist() == []
    assert found.hashes.tolist() == []


def test_parameters_are_named_by_all_that_changes_a_hash():
    made = [ShingleParams(), ShingleParams(size=9), ShingleParams(selection=15)]
    assert len({each.params_id for each in made}) == 3


@pytest.mark.parametrize(
    ("wrong", "named"), [({"size": 0}, "size"), ({"size": 13}, "size"), ({"selection": 0}, "selection")]
)
def test_parameters_out_of_range_are_refused(wrong, named):
    with pytest.raises(ValueError, match=named):
        ShingleParams(**wrong)
