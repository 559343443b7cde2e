"""SimHash against its definition, the published example and the pigeonhole principle."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.strategies import story

from fingerprint.idf import FLAT, learn_idf
from fingerprint.mixing import mix64
from fingerprint.sets import string_hashes
from fingerprint.simhash import FIXED_POINT, SimHash, block_keys, distance_bits, pack_bits, simhash, vote_sums
from fingerprint.text.views import Views

bags = st.dictionaries(
    st.text(alphabet="青灯渡口雨夜", min_size=1, max_size=3), st.floats(0.1, 9), min_size=1
)
words_64 = st.integers(min_value=0, max_value=2**64 - 1)


def oracle(bag, bits):
    word = 0
    for bit in range(bits):
        total = 0
        for key, weight in bag.items():
            is_set = int(string_hashes([key])[0]) >> bit & 1
            total += round(weight * FIXED_POINT) * (1 if is_set else -1)
        word |= (total > 0) << bit
    return word


@given(bags, st.sampled_from([32, 64]))
def test_simhash_is_the_vote_of_the_features(bag, bits):
    assert simhash(bag, bits) == oracle(bag, bits)


def test_simhash_equals_the_published_example():
    """美国 has the weight 4 and the hash 100101, 51区 has 5 and 101011; the sums are 9 −9 1 −1 1 9."""
    hashes, weights = np.array([0b100101, 0b101011], dtype=np.uint64), np.array([4, 5])
    assert vote_sums(hashes[:1], weights[:1], 6)[::-1].tolist() == [4, -4, -4, 4, -4, 4]
    assert vote_sums(hashes[1:], weights[1:], 6)[::-1].tolist() == [5, -5, 5, -5, 5, 5]
    assert pack_bits(vote_sums(hashes, weights, 6) > 0) == 0b101011


def test_published_sums_give_the_published_word():
    printed = np.array([13, 108, -22, -5, -32, 55])
    assert pack_bits(printed[::-1] > 0) == 0b110001


def test_sum_of_zero_is_no_vote():
    hashes = np.array([0b01, 0b10], dtype=np.uint64)
    assert pack_bits(vote_sums(hashes, np.array([3, 3]), 2) > 0) == 0


@given(words_64, st.sets(st.integers(min_value=0, max_value=63), max_size=3))
def test_words_within_three_bits_share_a_quarter(word, flips):
    other = word
    for bit in flips:
        other ^= 1 << bit
    assert distance_bits(word, other) == len(flips)
    assert set(block_keys(word, 64, 4).tolist()) & set(block_keys(other, 64, 4).tolist())


@given(words_64)
def test_changed_bit_in_every_quarter_shares_no_key(word):
    other = word ^ sum(1 << bit for bit in (3, 17, 40, 63))
    assert not set(block_keys(word, 64, 4).tolist()) & set(block_keys(other, 64, 4).tolist())


@given(words_64)
def test_quarters_of_different_tables_are_different_keys(word):
    quarter = word & 0xFFFF
    same = sum(quarter << 16 * table for table in range(4))
    assert len(set(block_keys(same, 64, 4).tolist())) == 4


def test_every_pair_within_the_distance_is_a_candidate():
    centres = mix64(np.arange(50, dtype=np.uint64)).tolist()
    words = [centre ^ (7 << index % 60) for index, centre in enumerate(centres)] + centres
    tables = {}
    for index, word in enumerate(words):
        for key in block_keys(word, 64, 4).tolist():
            tables.setdefault(key, set()).add(index)
    candidates = {pair for group in tables.values() for pair in combinations(sorted(group), 2)}
    near = {(a, b) for a, b in combinations(range(100), 2) if distance_bits(words[a], words[b]) <= 3}
    assert len(near) >= 50
    assert near <= candidates


def test_weights_come_from_the_corpus():
    text = Views(story(300, 1))
    idf = learn_idf("demo", [text.words[:20]] * 30)
    assert SimHash(idf=idf).fingerprint(text) != SimHash(idf=FLAT).fingerprint(text)


def test_few_edits_move_few_bits():
    """A word with a fiftieth of the weight flips a bit only where the sum was close."""
    text = story(3_000, 2)
    method = SimHash()
    near = method.fingerprint(Views(text[:1_500] + "船" + text[1_501:]))
    far = method.fingerprint(Views(story(3_000, 3)))
    assert distance_bits(method.fingerprint(Views(text)), near) <= 3
    assert distance_bits(method.fingerprint(Views(text)), far) > 3


@pytest.mark.parametrize("bits", [16, 63, 128])
def test_other_widths_are_refused(bits):
    with pytest.raises(ValueError, match="32 or 64"):
        SimHash(bits=bits)
