"""Cosine: the definition, the two published examples, and what it does not see."""

import math
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fingerprint.cosine import Cosine, cosine
from fingerprint.idf import FLAT, learn_idf
from fingerprint.text.views import Views
from fingerprint.vectors import word_counts, word_vector
from system.segmentation import segmenter

lists = st.lists(st.sampled_from(["青灯", "渡口", "雨夜", "船", "的"]), max_size=12)


def oracle(first, second):
    ours, theirs = Counter(first), Counter(second)
    dot = sum(ours[word] * theirs[word] for word in ours)
    norms = math.hypot(*ours.values()) * math.hypot(*theirs.values())
    return dot / norms if norms else 0


def of_words(first, second):
    return cosine(word_vector(word_counts(first), FLAT), word_vector(word_counts(second), FLAT))


@given(lists, lists)
def test_cosine_equals_its_definition(first, second):
    assert of_words(first, second) == pytest.approx(oracle(first, second))


def test_published_example_of_the_television():
    """Ruan Yifeng, 2013: (1,2,2,1,1,1,0) and (1,2,2,1,1,2,1): 13/(√12·√16) = 0.938."""
    first = ["我", "喜欢", "看", "电视", "不", "喜欢", "看", "电影"]
    second = ["我", "不", "喜欢", "看", "电视", "也", "不", "喜欢", "看", "电影"]
    assert of_words(first, second) == pytest.approx(13 / math.sqrt(12 * 16))
    assert round(of_words(first, second), 3) == 0.938


def test_published_example_of_the_boots_in_jiebas_words():
    first, second = "这只皮靴号码大了。那只号码合适", "这只皮靴号码不小，那只更合适"
    cut = segmenter().cut
    method = Cosine()
    ours, theirs = (method.fingerprint(Views(text, cut=cut)) for text in (first, second))
    assert method.similarity(ours, theirs) == pytest.approx(10 / math.sqrt(14 * 11))
    assert round(method.similarity(ours, theirs), 2) == 0.81


def test_published_example_of_the_boots_in_the_articles_words():
    first = ["这只", "皮靴", "号码", "大了", "那只", "号码", "合适"]
    second = ["这只", "皮靴", "号码", "不", "小", "那只", "更", "合适"]
    assert of_words(first, second) == pytest.approx(6 / math.sqrt(9 * 8))


def test_order_of_words_does_not_matter():
    assert of_words(["青灯", "渡口"], ["渡口", "青灯"]) == pytest.approx(1)


def test_rare_words_in_common_weigh_more():
    idf = learn_idf("demo", [["的"]] * 9 + [["的", "渡口"]])
    method = Cosine(idf=idf)

    def similarity(first, second):
        ours, theirs = (method.fingerprint(Views(text, cut=str.split)) for text in (first, second))
        return method.similarity(ours, theirs)

    assert similarity("渡口\n的", "渡口\n船") > similarity("的\n渡口", "的\n船")


@pytest.mark.parametrize("wrong", [{"min_similarity": 0}, {"min_similarity": 1.5}, {"key_count": -1}])
def test_impossible_parameters_are_refused(wrong):
    with pytest.raises(ValueError, match="min_similarity must be"):
        Cosine(**wrong)
