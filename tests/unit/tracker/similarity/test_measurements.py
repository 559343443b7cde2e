"""Measurements as files: what was written comes back, and what is something else is refused in one line."""

import json

import pytest

from fingerprint.idf import learn_idf
from fingerprint.reference import measure_reference
from system.errors import PindnaError
from tracker.similarity.measurements import (
    OtherDictionary,
    UnreadableMeasurement,
    letters_text,
    name_of,
    read_letters,
    read_words,
    words_text,
)

REFERENCE = measure_reference("abcd1234", {"z": 60, "y": 30, "a": 10})
IDF = learn_idf("12345678", [["青灯", "渡口"], ["青灯"]])


def test_letter_measurements_are_read_back(tmp_path):
    path = tmp_path / "letters.json"
    path.write_text(letters_text(REFERENCE), encoding="utf-8")
    assert read_letters(path) == REFERENCE


def test_word_measurements_are_read_back(tmp_path):
    path = tmp_path / "words.json"
    path.write_text(words_text(IDF, "jieba1"), encoding="utf-8")
    found = read_words(path, "jieba1")
    assert (found.name, found.documents, dict(found.counts)) == ("12345678", 2, {"渡口": 1, "青灯": 2})


def test_words_of_another_dictionary_are_refused(tmp_path):
    path = tmp_path / "words.json"
    path.write_text(words_text(IDF, "jieba1+0123"), encoding="utf-8")
    with pytest.raises(OtherDictionary, match=r"jieba1\+0123, not with jieba1"):
        read_words(path, "jieba1")


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("", "not JSON"),
        ("[" * 100_000, "not JSON"),
        ("[]", "something else"),
        (words_text(IDF, "jieba1"), "something else"),
        (json.dumps({"what": "pindna letters 1", "name": "x", "shares": {"b": 0.5}}), "not complete"),
        (letters_text(REFERENCE).replace('"b": 0', '"b": 7'), "not complete"),
        (letters_text(REFERENCE).replace('"shares": {', '"shares": [{'), "not JSON"),
    ],
)
def test_another_file_is_no_reference(tmp_path, content, problem):
    path = tmp_path / "letters.json"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(UnreadableMeasurement, match=problem) as caught:
        read_letters(path)
    assert "\n" not in str(caught.value)
    assert "pindna measure letters" in str(caught.value)


@pytest.mark.parametrize(
    "change",
    [{"counts": ["青灯"]}, {"counts": {"青灯": 3}}, {"counts": {"青灯": "x"}}, {"documents": None}],
)
def test_impossible_counts_are_no_weights(tmp_path, change):
    path = tmp_path / "words.json"
    path.write_text(json.dumps(json.loads(words_text(IDF, "jieba1")) | change), encoding="utf-8")
    with pytest.raises(UnreadableMeasurement, match="pindna measure words"):
        read_words(path, "jieba1")


def test_missing_measurements_are_reported(tmp_path):
    with pytest.raises(PindnaError, match="does not exist"):
        read_letters(tmp_path / "none.json")


def test_names_of_different_measurements_differ():
    assert name_of({"a": 1, "b": 2}) == name_of({"b": 2, "a": 1})
    assert name_of({"a": 1}) != name_of({"a": 2})
