"""Random hyperplanes: the law of the angle, and SimHash as the special case."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.strategies import story

from fingerprint.hyperplane import Hyperplanes, hashed_components, hyperplane_signature, plane_signs
from fingerprint.mixing import mix64
from fingerprint.sets import string_hashes
from fingerprint.simhash import distance_bits, simhash
from fingerprint.text.views import Views

bags = st.dictionaries(
    st.text(alphabet="青灯渡口雨夜", min_size=1, max_size=3), st.floats(0.1, 9), min_size=1
)


@given(bags)
def test_planes_of_signs_are_simhash(bag):
    assert hyperplane_signature(bag, 64, "signs") == simhash(bag, 64)
    assert hyperplane_signature(bag, 32, "signs") == simhash(bag, 32)


@given(bags)
def test_hashed_planes_are_explicit_planes_over_their_words(bag):
    planes = hashed_components(string_hashes(bag), 24, "gaussian").T.astype(float)
    vector = np.array([round(weight * 65_536) for weight in bag.values()], dtype=float)
    signs = plane_signs(vector, planes)
    assert hyperplane_signature(bag, 24, "gaussian") == sum(
        1 << bit for bit, side in enumerate(signs) if side
    )


def test_components_are_normal_enough():
    """Sum of eight uniform bytes: mean 0, variance 8·(256² − 1)/12 = 43,690, kurtosis 3 − 1.2/8 = 2.85."""
    sample = hashed_components(np.arange(2_000, dtype=np.uint64), 50, "gaussian").ravel()
    deviation = math.sqrt(43_690)
    assert abs(sample.mean()) < 5 * deviation / math.sqrt(len(sample))
    assert sample.std() == pytest.approx(deviation, rel=0.01)
    assert np.mean((sample / deviation) ** 4) == pytest.approx(2.85, rel=0.03)


@pytest.mark.parametrize("degrees", [10, 30, 60, 90, 120])
def test_bits_differ_with_the_chance_of_the_angle(degrees):
    """θ/π of many planes, within five standard errors √(p(1 − p)/planes) of the binomial."""
    count, angle = 20_000, math.radians(degrees)
    # Two words of equal weight in many dimensions: each vector spreads over 400 words.
    first = hashed_components(np.arange(400, dtype=np.uint64), count, "gaussian").sum(axis=0) / 20
    second = hashed_components(np.arange(400, 800, dtype=np.uint64), count, "gaussian").sum(axis=0) / 20
    turned = math.cos(angle) * first + math.sin(angle) * second
    share = np.mean((first > 0) != (turned > 0))
    expected = angle / math.pi
    assert share == pytest.approx(expected, abs=5 * math.sqrt(expected * (1 - expected) / count))


def test_estimate_is_near_the_cosine():
    """The module's bound for 1,024 planes: π/2 / √1024 = 0.049; five of them."""
    first, second = Views(story(400, 1)), Views(story(300, 1) + story(100, 2))
    method = Hyperplanes(planes=1_024, rows=16)
    estimate = method.similarity(method.fingerprint(first), method.fingerprint(second))
    words = set(first.words) | set(second.words)
    ours = np.array([first.words.count(word) for word in words])
    theirs = np.array([second.words.count(word) for word in words])
    cosine = ours @ theirs / (np.linalg.norm(ours) * np.linalg.norm(theirs))
    assert estimate == pytest.approx(cosine, abs=5 * math.pi / 2 / 32)


def test_opposite_sides_are_no_negative_similarity():
    method = Hyperplanes(planes=64, rows=16)
    word = int(mix64(np.array([1], dtype=np.uint64))[0])
    assert method.similarity(word, word ^ (2**64 - 1)) == 0


def test_equal_bands_are_shared_keys():
    method = Hyperplanes(planes=64, rows=16)
    word = 0x0123_4567_89AB_CDEF
    other = word ^ 0x0001_0001_0001_0000
    assert distance_bits(word, other) == 3
    assert len(set(method.keys(word).tolist()) & set(method.keys(other).tolist())) == 1


@pytest.mark.parametrize(
    "wrong",
    [
        {"planes": 100, "rows": 16},
        {"planes": 0, "rows": 1},
        {"rows": 0},
        {"planes": 66, "rows": 33},
        {"kind": "uniform"},
        {"kind": "signs", "planes": 128},
        {"min_similarity": 0},
        {"min_similarity": 1.1},
    ],
)
def test_impossible_parameters_of_hyperplane_are_refused(wrong):
    with pytest.raises(ValueError, match=r"planes|kind|min_similarity"):
        Hyperplanes(**wrong)
