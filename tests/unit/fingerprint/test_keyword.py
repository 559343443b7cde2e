"""The five keyword signatures: which texts each of them separates."""

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fingerprint.idf import FLAT, learn_idf
from fingerprint.keyword import RULES, Keywords, keywords, weight_distance
from fingerprint.text.views import Views

bags = st.dictionaries(st.sampled_from("abcdef"), st.floats(0, 9))
WORDS = ["渡口"] * 5 + ["青灯"] * 4 + ["缆绳"] * 3 + ["蓑衣"] * 2 + ["船头", "的"]


def views(words):
    return Views("\n".join(words), cut=str.split)


def similarity(rule, first, second, **parameters):
    method = Keywords(rule=rule, count=3, **parameters)
    return method.similarity(method.fingerprint(views(first)), method.fingerprint(views(second)))


@given(bags, bags)
def test_weight_distance_is_its_formula(first, second):
    words = sorted({*first, *second})
    squares = sum((first.get(word, 0) - second.get(word, 0)) ** 2 for word in words)
    total = sum(first.get(word, 0) ** 2 + second.get(word, 0) ** 2 for word in words)
    assert weight_distance(first, second) == pytest.approx(squares / total if total else 1)
    assert 0 <= weight_distance(first, second) <= 1 + 1e-12


def test_keywords_are_the_heaviest_words_of_two_characters():
    assert list(keywords(tuple(WORDS), FLAT, 3)) == ["渡口", "青灯", "缆绳"]
    assert keywords(tuple(WORDS), FLAT, 1) == {"渡口": 5 / len(WORDS)}


def test_ties_go_by_the_alphabet():
    assert list(keywords(("青灯", "渡口", "缆绳"), FLAT, 2)) == sorted(("青灯", "渡口", "缆绳"))[:2]


def test_rare_words_are_keywords_sooner():
    idf = learn_idf("demo", [["渡口"]] * 500 + [["甲乙"]])
    assert list(keywords(("渡口", "渡口", "蓑衣"), idf, 1)) == ["蓑衣"]


def test_digests_are_md5_of_keywords_line_by_line():
    in_order, by_alphabet = Keywords(rule="order", count=3), Keywords(rule="sorted", count=3)
    assert in_order.fingerprint(views(WORDS)).digest == _md5("渡口\n青灯\n缆绳")
    assert by_alphabet.fingerprint(views(WORDS)).digest == _md5("\n".join(sorted(["渡口", "青灯", "缆绳"])))


def test_summary_is_the_beginning():
    method = Keywords(rule="summary", summary_chars=6)
    assert method.fingerprint(Views("渡口，青灯。缆绳和蓑衣")).digest == _md5("渡口青灯缆绳")
    assert similarity("summary", ["渡口青灯"], ["渡口青灯"], summary_chars=2) == 1


@pytest.mark.parametrize(
    ("rule", "expected"),
    [("order", 0), ("sorted", 1), ("order-weights", 0), ("sorted-weights", 1 - 2 / 82)],
)
def test_swapped_weights_change_the_similarity_by_rule_only(rule, expected):
    """渡口 and 青灯 exchange their weights 5 and 4: distance (1 + 1) / (2·(25 + 16 + 9) − 0)."""
    other = ["渡口"] * 4 + ["青灯"] * 5 + WORDS[9:]
    if rule == "sorted-weights":
        expected = 1 - 2 / 100
    assert similarity(rule, WORDS, other) == pytest.approx(expected)


@pytest.mark.parametrize(("rule", "is_copy"), [("order", True), ("order-weights", False)])
def test_bound_separates_texts_with_the_same_order(rule, is_copy):
    steep = ["渡口"] * 50 + ["青灯"] * 4 + ["缆绳"] * 3
    assert (similarity(rule, WORDS, steep) >= Keywords(rule=rule).threshold) is is_copy


@pytest.mark.parametrize("rule", RULES)
def test_length_does_not_matter_if_proportions_stay(rule):
    assert similarity(rule, WORDS, WORDS * 3, summary_chars=4) == pytest.approx(1)


def test_joined_keywords_do_not_run_together():
    assert similarity("sorted", ["青灯", "渡口船"], ["青灯渡", "口船"]) == 0


@pytest.mark.parametrize(
    "wrong",
    [{"rule": "random"}, {"count": 0}, {"summary_chars": 0}, {"max_distance": 0}, {"max_distance": 1.1}],
)
def test_impossible_parameters_of_keyword_are_refused(wrong):
    with pytest.raises(ValueError, match=r"rule|counts|max_distance"):
        Keywords(**wrong)


def _md5(text):
    return hashlib.md5(text.encode(), usedforsecurity=False).digest()
