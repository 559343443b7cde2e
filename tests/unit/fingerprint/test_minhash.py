"""MinHash against exact Jaccard similarities: bias, standard error, the S-curve."""

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.reference import splitmix64
from support.strategies import story

from fingerprint.minhash import (
    BottomK,
    MinHash,
    band_keys,
    bottom_k_similarity,
    equal_minima_share,
    lsh_threshold,
    permutation_minima,
    s_curve,
    smallest_hashes,
)
from fingerprint.mixing import mix64
from fingerprint.text.views import Views

CHOICES = list(product(("letters", "characters", "words"), (4, 5), (16, 32)))

few = st.sets(st.integers(min_value=0, max_value=2**64 - 1), max_size=20)


def array(values):
    return np.array(sorted(values), dtype=np.uint64)


def pair_with(similarity, size, seed):
    """Two sets of distinct values whose Jaccard similarity is exactly shared / all."""
    shared = round(2 * size * similarity / (1 + similarity))
    values = mix64(np.arange(2 * size - shared, dtype=np.uint64), seed=1_000 + seed)
    return values[:size], np.concatenate([values[:shared], values[size:]])


@given(few, st.integers(min_value=1, max_value=12))
def test_minima_are_minima_of_permutations(values, count):
    result = permutation_minima(array(values), count)
    if not values:
        assert len(result) == 0
        return
    for index in range(count):
        factor, summand = splitmix64(index, 1) | 1, splitmix64(index, 2)
        assert result[index] == min((splitmix64(value) * factor + summand) % 2**64 for value in values) >> 32


@given(few, few, st.integers(min_value=1, max_value=8))
def test_bottom_k_is_the_share_of_the_unions_smallest(first, second, count):
    ours, theirs = smallest_hashes(array(first), count), smallest_hashes(array(second), count)
    smallest = sorted(splitmix64(item) for item in first | second)[:count]
    both = {splitmix64(item) for item in first & second}
    expected = sum(item in both for item in smallest) / len(smallest) if smallest else 0
    assert bottom_k_similarity(ours, theirs, count) == expected


def test_four_smallest_of_the_textbook_example():
    """h(A) = {2, 5, 7, 9}, h(B) = {2, 3, 7, 8}: the union's smallest are 2, 3, 5, 7, of which 2 and 7 are in
    both; comparing the lists as sets would give 2/6 instead of 2/4."""
    assert bottom_k_similarity(array({2, 5, 7, 9}), array({2, 3, 7, 8}), 4) == 0.5


@pytest.mark.parametrize("similarity", [0.1, 0.3, 0.5, 0.8, 0.95])
def test_permutations_estimate_without_bias_and_with_the_binomials_error(similarity):
    """Over 200 pairs and k = 128: the mean within five standard errors, the deviation within 25 % (its own
    standard error is 1/√400 = 5 %)."""
    result = []
    for seed in range(200):
        first, second = pair_with(similarity, 400, seed)
        result.append(equal_minima_share(permutation_minima(first, 128), permutation_minima(second, 128)))
    shared = round(2 * 400 * similarity / (1 + similarity))
    exact = shared / (800 - shared)
    error = math.sqrt(exact * (1 - exact) / 128)
    assert np.mean(result) == pytest.approx(exact, abs=5 * error / math.sqrt(200))
    assert np.std(result) == pytest.approx(error, rel=0.25)


@pytest.mark.parametrize("similarity", [0.1, 0.5, 0.9])
def test_bottom_k_estimates_without_bias_and_no_worse(similarity):
    result = []
    for seed in range(200):
        first, second = pair_with(similarity, 400, seed)
        result.append(bottom_k_similarity(smallest_hashes(first, 128), smallest_hashes(second, 128), 128))
    shared = round(2 * 400 * similarity / (1 + similarity))
    exact = shared / (800 - shared)
    error = math.sqrt(exact * (1 - exact) / 128)
    assert np.mean(result) == pytest.approx(exact, abs=5 * error / math.sqrt(200))
    assert np.std(result) < 1.1 * error


@pytest.mark.parametrize("similarity", [0.2, 0.4, 0.6])
def test_bands_meet_as_the_s_curve_says(similarity):
    """Share of 300 pairs with a common band, within five standard errors of the binomial."""
    bands, rows, pairs = 32, 4, 300
    met = 0
    for seed in range(pairs):
        first, second = pair_with(similarity, 300, seed)
        ours, theirs = (band_keys(permutation_minima(item, bands * rows), bands) for item in (first, second))
        met += bool(set(ours.tolist()) & set(theirs.tolist()))
    shared = round(2 * 300 * similarity / (1 + similarity))
    expected = s_curve(shared / (600 - shared), bands=bands, rows=rows)
    error = math.sqrt(expected * (1 - expected) / pairs)
    assert met / pairs == pytest.approx(expected, abs=5 * error + 1 / pairs)


def test_s_curve_is_half_way_near_its_threshold():
    """At the threshold sʳ = 1/b, so the chance is 1 − (1 − 1/b)ᵇ, which falls to 1 − 1/e = 0.632."""
    for bands, rows in ((16, 4), (20, 5), (64, 2)):
        threshold = lsh_threshold(bands=bands, rows=rows)
        assert s_curve(threshold, bands=bands, rows=rows) == pytest.approx(1 - (1 - 1 / bands) ** bands)
    assert (s_curve(0, bands=9, rows=3), s_curve(1, bands=9, rows=3)) == (0, 1)


def test_equal_rows_in_another_band_are_another_key():
    signature = np.array([5, 6, 5, 6], dtype=np.uint32)
    assert len(band_keys(signature, 2)) == 2


def test_same_text_in_any_order_of_sentences_keeps_most_minima():
    text, other = (story(200, 1) + "。", story(200, 2) + "。")
    method = MinHash()
    ours, theirs = method.fingerprint(Views(text + other)), method.fingerprint(Views(other + text))
    assert method.similarity(ours, theirs) > 0.9


def test_signatures_of_different_lengths_are_not_compared():
    values = array({1, 2, 3})
    assert equal_minima_share(permutation_minima(values, 4), permutation_minima(values, 8)) == 0


@pytest.mark.parametrize("kind", [MinHash, BottomK])
@pytest.mark.parametrize(
    "wrong", [{"unit": "bytes"}, {"size": 0}, {"min_similarity": 0}, {"min_similarity": 2}]
)
def test_impossible_parameters_of_minhash_are_refused(kind, wrong):
    with pytest.raises(ValueError, match=r"unit|sizes|at least|min_similarity"):
        kind(**wrong)


@pytest.mark.parametrize(("kind", "wrong"), [(MinHash, "bands"), (MinHash, "rows"), (BottomK, "count")])
def test_counts_below_1_are_refused(kind, wrong):
    with pytest.raises(ValueError, match="at least 1"):
        kind(**{wrong: 0})


def test_parameters_that_change_a_hash_change_the_id():
    methods = [MinHash(unit=unit, size=size, bands=bands) for unit, size, bands in CHOICES]
    assert len({method.params_id for method in methods}) == len(CHOICES)
    assert MinHash(unit="words", words_id="a").params_id != MinHash(unit="words", words_id="b").params_id
