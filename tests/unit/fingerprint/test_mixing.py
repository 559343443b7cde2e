"""The mixer: pinned values, a bijection, and spread enough for buckets."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import reference
from support.strategies import hashes

from fingerprint.mixing import mix64

# Of the published splitmix64 (seed 0 of the generator gives mix(0), mix(0 + golden), …).
PUBLISHED = [0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F, 0xF88BB8A8724C81EC]
GOLDEN = 0x9E3779B97F4A7C15


def mix(*values, seed=0):
    return mix64(np.array(values, dtype=np.uint64), seed=seed).tolist()


def unmix(value, seed=0):
    """The inverse, step by step; it exists because every step is one."""
    value ^= (value >> 31) ^ (value >> 62)
    value = value * pow(0x94D049BB133111EB, -1, 2**64) % 2**64
    value ^= (value >> 27) ^ (value >> 54)
    value = value * pow(0xBF58476D1CE4E5B9, -1, 2**64) % 2**64
    value ^= (value >> 30) ^ (value >> 60)
    return (value - (seed + 1) * GOLDEN) % 2**64


def test_mixer_gives_the_published_sequence():
    assert mix(*(GOLDEN * step % 2**64 for step in range(4))) == PUBLISHED


@given(st.lists(hashes), st.integers(min_value=0, max_value=2**70))
def test_mixer_agrees_with_plain_integers(values, seed):
    assert mix(*values, seed=seed) == [reference.splitmix64(value, seed) for value in values]


@given(hashes, st.integers(min_value=0, max_value=2**64))
def test_mixer_is_a_bijection(value, seed):
    assert unmix(mix(value, seed=seed)[0], seed) == value
    assert mix(unmix(value, seed), seed=seed) == [value]


def test_mixer_does_not_change_its_argument():
    values = np.arange(6, dtype=np.uint64).reshape(2, 3)
    again = mix64(values)
    assert values.tolist() == [[0, 1, 2], [3, 4, 5]]
    assert again.shape == (2, 3)


@pytest.mark.parametrize("stride", [1, 2**20, 2**44])
def test_numbers_in_a_row_spread_over_buckets(stride):
    """The index uses the top bits: neighbours must not share buckets more often than by chance."""
    count, buckets = 64_000, 256
    values = np.arange(count, dtype=np.uint64) * np.uint64(stride)
    held = np.bincount((mix64(values) >> np.uint64(56)).astype(np.int64), minlength=buckets)
    expected = count / buckets
    assert abs(held - expected).max() < 6 * expected**0.5
