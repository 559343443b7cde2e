"""SCAM against the paper's formulae and examples."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fingerprint.idf import FLAT, learn_idf
from fingerprint.scam import Scam, subset_measure
from fingerprint.text.views import Views
from fingerprint.vectors import word_counts, word_vector

lists = st.lists(st.sampled_from("abcdef"), max_size=15)


def oracle(piece, whole, epsilon):
    ours, theirs = Counter(piece), Counter(whole)
    close = [
        word
        for word in ours.keys() & theirs.keys()
        if epsilon - (ours[word] / theirs[word] + theirs[word] / ours[word]) > 0
    ]
    total = sum(count**2 for count in ours.values())
    return sum(ours[word] * theirs[word] for word in close) / total if total else 0


def vector(words):
    return word_vector(word_counts(words), FLAT)


def similarity(first, second, **parameters):
    return Scam(**parameters).similarity(vector(first), vector(second))


@given(lists, lists, st.floats(min_value=2.01, max_value=9))
def test_scam_equals_the_published_formula(first, second, epsilon):
    assert subset_measure(piece=vector(first), whole=vector(second), epsilon=epsilon) == pytest.approx(
        oracle(first, second, epsilon)
    )
    expected = min(1, max(oracle(first, second, epsilon), oracle(second, first, epsilon)))
    assert similarity(first, second, epsilon=epsilon) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        ("ab", 1),  # a subset_measure of R
        ("abc", 1),
        ("a", 1),
        ("aa", 0),  # 2/1 + 1/2 = 2.5 is not below ε
        ("aabbcc", 0),  # the same words, all of them twice
        ("abcdefgh", 1),  # R is a subset_measure of it
    ],
)
def test_published_documents_have_the_published_similarity_to_abc(document, expected):
    assert similarity("abc", document) == expected


def test_larger_epsilon_forgives_more():
    assert similarity("abc", "aabbcc", epsilon=2.6) == 1


def test_direction_matters():
    ours, theirs = vector("ab"), vector("abcd")
    assert subset_measure(piece=ours, whole=theirs, epsilon=2.5) == 1
    assert subset_measure(piece=theirs, whole=ours, epsilon=2.5) == 0.5


def test_similarity_is_capped_at_1():
    first, second = ["a"] * 4, ["a"] * 5
    assert subset_measure(piece=vector(first), whole=vector(second), epsilon=2.5) == 20 / 16
    assert similarity(first, second) == 1


def test_without_a_corpus_fingerprints_are_counts():
    result = Scam().fingerprint(Views("渡口\n青灯\n渡口", cut=str.split))
    assert sorted(result.weights.tolist()) == [1, 2]


def test_weights_square_and_leave_closeness_alone():
    """α(的) = 1 and α(渡口) = ln(3/2) + 1 = 1.405: 渡口 is in both, so α² of it is shared."""
    idf = learn_idf("demo", [["的", "渡口"], ["的"]])
    method = Scam(idf=idf)
    ours, theirs = (
        method.fingerprint(Views(text, cut=str.split)) for text in ("渡口\n的", "渡口\n的\n的\n的")
    )
    rare = idf("渡口") ** 2
    assert subset_measure(piece=ours, whole=theirs, epsilon=2.5) == pytest.approx(rare / (rare + 1))


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"epsilon": 2}, "above 2"),
        ({"min_similarity": 0}, "min_similarity"),
        ({"min_similarity": 1.1}, "min_similarity"),
        ({"key_count": -1}, "min_similarity"),
    ],
)
def test_impossible_parameters_of_scam_are_refused(wrong, message):
    with pytest.raises(ValueError, match=message):
        Scam(**wrong)
