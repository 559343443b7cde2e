"""What every method promises: the same for all that the registry knows."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.strategies import anything, story

from fingerprint.idf import learn_idf
from fingerprint.registry import methods
from fingerprint.text.views import Views

TEXT = "".join(story(length, seed) + "。" for seed, length in enumerate([20, 45, 33, 60, 38, 52, 41, 70] * 3))
OTHER = "".join(
    story(length, seed + 100, "一二三四五六七八九十百千万") + "。" for seed, length in enumerate([40] * 9)
)
IDF = learn_idf("demo", [Views(TEXT).words, Views(OTHER).words, Views(TEXT[:200]).words, ("甲乙",)])
METHODS = methods(idf=IDF)

each_method = pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)


def test_names_and_parameter_ids_are_unique():
    assert len({method.name for method in METHODS}) == len(METHODS) == 23
    assert len({method.params_id for method in METHODS}) == len(METHODS)


@pytest.mark.parametrize("name", [method.name for method in METHODS if "demo" in method.params_id])
def test_another_corpus_or_segmenter_is_another_parameter_id(name):
    result = {
        method.params_id
        for idf in (IDF, learn_idf("x", []))
        for words in "ab"
        for method in methods(idf=idf, words_id=words)
        if method.name == name
    }
    assert len(result) == 4


@each_method
def test_text_is_a_duplicate_of_itself(method):
    fingerprint = method.fingerprint(Views(TEXT))
    assert method.similarity(fingerprint, fingerprint) == pytest.approx(1)
    assert 0 < method.threshold <= 1
    assert len(method.keys(fingerprint))


@each_method
def test_unrelated_texts_are_not_duplicates(method):
    ours, theirs = method.fingerprint(Views(TEXT)), method.fingerprint(Views(OTHER))
    assert method.similarity(ours, theirs) < method.threshold


@each_method
def test_empty_text_has_no_keys_and_resembles_nothing(method):
    empty, full = method.fingerprint(Views("")), method.fingerprint(Views(TEXT))
    assert len(method.keys(empty)) == 0
    assert method.similarity(empty, empty) == method.similarity(empty, full) == 0
    assert method.similarity(full, empty) == 0


@each_method
def test_query_matches_the_stored_text(method):
    stored, query = method.keys(method.fingerprint(Views(TEXT))), method.keys(method.query(Views(TEXT)))
    assert set(stored.tolist()) & set(query.tolist())


@each_method
@settings(max_examples=25)
@given(first=anything, second=st.sampled_from([TEXT, "", "雨夜渡口", OTHER[:90]]))
def test_similarity_is_symmetric_and_keys_are_a_sorted_set(method, first, second):
    ours, theirs = method.fingerprint(Views(first)), method.fingerprint(Views(second))
    similarity = method.similarity(ours, theirs)
    assert 0 <= similarity <= 1
    assert similarity == pytest.approx(method.similarity(theirs, ours))
    keys = method.keys(ours)
    assert keys.dtype == np.uint64
    assert np.all(keys[1:] > keys[:-1])


@each_method
def test_traditional_characters_are_the_same_text(method):
    if method.name in {"md5", "sha1"}:
        pytest.skip("equality of characters is what they are for")
    plain, other = "他说这个国家会发展，还要学习。" * 9, "他說這個國家會發展，還要學習。" * 9
    ours, theirs = method.fingerprint(Views(plain)), method.fingerprint(Views(other))
    assert method.similarity(ours, theirs) == pytest.approx(method.similarity(ours, ours))
