"""Inverse document frequencies against their formula."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fingerprint.idf import FLAT, Idf, learn_idf

documents = st.lists(st.lists(st.sampled_from("青灯渡口雨夜"), max_size=8), max_size=12)


@given(documents, st.sampled_from("青灯渡口雨夜船"))
def test_idf_equals_the_smoothed_formula(corpus, word):
    idf = learn_idf("demo", corpus)
    holding = sum(word in corpu for corpu in corpus)
    assert idf(word) == pytest.approx(math.log((len(corpus) + 1) / (holding + 1)) + 1)
    assert idf.document_share(word) == (holding / len(corpus) if corpus else 0)


@given(documents)
def test_rarer_words_weigh_more_and_every_word_at_least_1(corpus):
    idf = learn_idf("demo", corpus)
    ranked = sorted("青灯渡口雨夜船", key=idf.document_share)
    weights = [idf(word) for word in ranked]
    assert weights == sorted(weights, reverse=True)
    assert min(weights) >= 1


def test_flat_weighs_all_words_the_same():
    assert {FLAT(word) for word in ("的", "渡口")} == {1.0}


def test_learning_reads_once():
    assert learn_idf("demo", (iter(item) for item in iter(["ab", "b"]))).counts == {"a": 1, "b": 2}


@pytest.mark.parametrize("count", [0, 3])
def test_impossible_counts_are_refused(count):
    with pytest.raises(ValueError, match="between 1 and 2"):
        Idf("demo", 2, {"青灯": count})


def test_counts_cannot_be_changed_afterwards():
    with pytest.raises(TypeError):
        learn_idf("demo", [["a"]]).counts["a"] = 2


def test_words_that_a_table_leaves_out_have_the_count_that_it_says():
    idf = Idf("demo", 9, {"的": 9}, unknown=3)
    assert idf("缆绳") == pytest.approx(math.log(10 / 4) + 1)
    assert idf.document_share("缆绳") == 3 / 9


@pytest.mark.parametrize("unknown", [-1, 3])
def test_impossible_counts_of_unknown_words_are_refused(unknown):
    with pytest.raises(ValueError, match="unknown must be between 0 and 2"):
        Idf("demo", 2, {}, unknown=unknown)
