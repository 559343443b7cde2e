"""I-Match: which words count, and what that makes it blind to."""

import hashlib
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fingerprint.idf import FLAT, learn_idf
from fingerprint.imatch import IMatch, normalised_idf, words_of_medium_rarity
from fingerprint.text.views import Views

# 的 is in all of 100 documents, the middling words in 5 to 9 of them, and 生僻 in none.
MIDDLING = ["渡口", "青灯", "缆绳", "蓑衣", "船头"]
IDF = learn_idf(
    "demo", [["的", *(word for at, word in enumerate(MIDDLING) if number < 5 + at)] for number in range(100)]
)


def signature(words, **parameters):
    return IMatch(idf=IDF, **parameters).fingerprint(Views("\n".join(words), cut=str.split))


@given(st.integers(min_value=1, max_value=60), st.data())
def test_normalised_idf_is_between_0_and_1(documents, data):
    holding = data.draw(st.integers(min_value=0, max_value=documents))
    idf = learn_idf("x", [["渡口"] if number < holding else ["船"] for number in range(documents)])
    result = normalised_idf("渡口", idf)
    assert 0 <= result <= 1
    assert result == pytest.approx(math.log((documents + 1) / (holding + 1)) / math.log(documents + 1))


def test_signature_is_sha1_of_the_sorted_middling_terms():
    expected = hashlib.sha1("\n".join(sorted(MIDDLING)).encode(), usedforsecurity=False).digest()
    assert signature(["的", *MIDDLING, *MIDDLING, "生僻"]) == expected


def test_function_words_misprints_order_and_repeats_do_not_matter():
    assert signature([*MIDDLING, "的"]) == signature(["误植", *reversed(MIDDLING), "渡口"])


def test_middling_word_changes_the_signature():
    assert signature([*MIDDLING, "的"], min_terms=4) != signature(MIDDLING[1:], min_terms=4)


def test_too_few_terms_are_no_signature():
    assert signature(MIDDLING[:4]) == b""
    assert signature(MIDDLING[:4], min_terms=4)


def test_without_a_corpus_all_longer_words_count():
    assert words_of_medium_rarity(["的", "渡口", "青灯", "渡口"], FLAT, low=0.3, high=0.8) == ["渡口", "青灯"]


@pytest.mark.parametrize("wrong", [{"low": -0.1}, {"low": 0.9, "high": 0.8}, {"high": 1.1}, {"min_terms": 0}])
def test_impossible_parameters_of_imatch_are_refused(wrong):
    with pytest.raises(ValueError, match=r"low and high|min_terms"):
        IMatch(**wrong)
