"""What a page asks an index of shingles: more than it would store, and runs with a letter left out."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fingerprint.indel_seeds import gapped_shingles, shingle_query
from fingerprint.shingle import ShingleParams, packed_shingles, shingle_fingerprints
from fingerprint.text.letters import Letters

PARAMS = ShingleParams(size=7, selection=10)
CODES = st.lists(st.integers(1, 26), max_size=300).map(lambda codes: np.array(codes, np.uint8))
TEXT = np.random.default_rng(7).integers(1, 27, 2_000).astype(np.uint8)


def letters(codes):
    return Letters(codes, np.arange(len(codes), dtype=np.int32), len(codes))


def asked(codes, share):
    return set(shingle_query(letters(codes), PARAMS, share=share).hashes.tolist())


def stored(codes):
    return set(shingle_fingerprints(letters(codes), PARAMS).hashes.tolist())


@given(CODES, st.integers(2, 12))
def test_gapped_shingle_is_a_run_without_its_middle_letter(codes, size):
    runs = [codes[start : start + size + 1] for start in range(len(codes) - size)]
    expected = [packed_shingles(np.delete(run, size // 2), size)[0] for run in runs]
    assert gapped_shingles(codes, size).tolist() == expected


@pytest.mark.parametrize("size", [1, 13])
def test_sizes_that_leave_no_gap_or_do_not_fit_are_refused(size):
    with pytest.raises(ValueError, match="size must be"):
        gapped_shingles(TEXT, size)


@given(CODES, st.floats(0, 1))
def test_page_queries_all_that_it_would_store_in_order(codes, share):
    query = shingle_query(letters(codes), PARAMS, share=share)
    assert stored(codes) <= set(query.hashes.tolist())
    assert (np.diff(query.positions.astype(int)) >= 0).all()
    assert len(query.hashes) == len(query.positions)


def test_share_sets_the_number_of_queried_shingles():
    runs = len(TEXT) - PARAMS.size
    assert asked(TEXT, 0) == stored(TEXT)
    assert len(shingle_query(letters(TEXT), PARAMS, share=0.5).hashes) == pytest.approx(0.64 * runs, rel=0.1)
    everything = shingle_query(letters(TEXT), PARAMS, share=1)
    assert len(everything.hashes) == pytest.approx(1.25 * runs, rel=0.05)


@pytest.mark.parametrize(("share", "least_share"), [(0, 0.55), (0.2, 0.8), (1, 1.0)])
def test_fifth_of_the_shingles_matches_most_stored_shingles_near_edits(share, least_share):
    """Every fifteenth letter differs: stored shingles of the runs between, and the queried ones."""
    edited = TEXT.copy()
    edited[::15] = edited[::15] % 26 + 1
    intact = stored(TEXT) & set(asked(edited, 1))
    assert len(intact) > 50
    assert len(intact & asked(edited, share)) / len(intact) >= least_share


@pytest.mark.parametrize("every", [4, 5, 6])
def test_letters_inserted_at_an_even_distance_leave_gapped_runs(every):
    """Letters inserted after every fourth to sixth leave no run of seven."""
    page = np.insert(TEXT, np.arange(every, len(TEXT), every), 27 - TEXT[np.arange(every, len(TEXT), every)])
    held = set(packed_shingles(TEXT, PARAMS.size).tolist())
    assert len(held.intersection(packed_shingles(page, PARAMS.size).tolist())) < 20
    assert len(asked(page, 1) & stored(TEXT)) > len(TEXT) / every * 0.1


def test_text_shorter_than_a_shingle_asks_for_nothing():
    assert len(shingle_query(letters(TEXT[:6]), PARAMS, share=1)) == 0
    assert len(shingle_query(letters(TEXT[:7]), PARAMS, share=1)) == 1
