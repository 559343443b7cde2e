"""Weighted words as arrays."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from fingerprint.idf import FLAT, learn_idf
from fingerprint.sets import string_hashes
from fingerprint.vectors import common_weights, word_counts, word_vector, word_weights

bags = st.dictionaries(st.text(alphabet="青灯渡口雨夜", min_size=1, max_size=3), st.floats(0.5, 9))


@given(bags, bags)
def test_in_common_pairs_the_weights_of_shared_words(first, second):
    ours, theirs = common_weights(word_vector(first, FLAT), word_vector(second, FLAT))
    shared = first.keys() & second.keys()
    assert sorted(zip(ours, theirs, strict=True)) == sorted((first[word], second[word]) for word in shared)


@given(bags)
def test_words_are_in_the_order_of_their_hashes(bag):
    vector = word_vector(bag, FLAT)
    expected = {int(key): bag[word] for word, key in zip(bag, string_hashes(bag), strict=True)}
    assert len(vector) == len(bag)
    assert np.all(vector.hashes[1:] > vector.hashes[:-1])
    assert dict(zip(vector.hashes.tolist(), vector.weights.tolist(), strict=True)) == expected
    assert vector.rarest.tolist() == vector.hashes.tolist()


def test_keys_are_the_rarest_words_that_the_corpus_knows():
    idf = learn_idf("demo", [["的", "渡口", "青灯"], ["的", "渡口"], ["的"]])
    bag = word_counts(["的", "渡口", "青灯", "误植"])
    for key_count, expected in ((1, "青灯"), (2, "青灯 渡口"), (3, "青灯 渡口 的"), (4, "青灯 渡口 的 误植")):
        result = word_vector(bag, idf, key_count=key_count).rarest.tolist()
        assert result == sorted(string_hashes(expected.split()).tolist())


def test_among_equals_the_longer_word_is_the_key():
    result = word_vector(word_counts(["的", "缆绳", "老船工"]), FLAT, key_count=1).rarest
    assert result.tolist() == string_hashes(["老船工"]).tolist()


def test_tf_idf_is_the_product():
    idf = learn_idf("demo", [["青灯", "渡口"], ["青灯"]])
    assert word_weights(["渡口", "青灯", "渡口"], idf) == {"渡口": 2 * idf("渡口"), "青灯": 1.0}
