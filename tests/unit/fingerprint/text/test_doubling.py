"""Characters and words that are written several times, taken once."""

import re

import numpy as np
import pytest
from support.sample_novels import CHAPTERS, NOVELS, STRANGER

from fingerprint.text.doubling import fold_doubled, fold_doubled_words
from fingerprint.text.letters import code_points, text_of, to_letters

PLAIN = re.sub(r"\s", "", CHAPTERS["青灯渡"][0])


def folded(fold, text):
    result = fold(code_points(text), to_letters(text).offsets)
    return None if result is None else (text_of(result[0]), *result[1:])


@pytest.mark.parametrize("times", [2, 3, 4])
def test_doubled_characters_are_read_once(times):
    text, starts, ends = folded(fold_doubled, "".join(char * times for char in PLAIN))
    # A character that the text itself doubles looks like one that is written four times.
    assert len(text) >= 0.97 * len(PLAIN)
    assert re.sub(r"(.)\1+", r"\1", text) == re.sub(r"(.)\1+", r"\1", PLAIN)
    assert (np.diff(starts) > 0).all()
    assert (ends[:-1] == starts[1:]).all()


@pytest.mark.parametrize("times", [2, 3])
@pytest.mark.parametrize("length", [2, 3, 4])
def test_doubled_words_are_read_once(length, times):
    words = [PLAIN[at : at + length] for at in range(0, 600, length)]
    text, _, _ = folded(fold_doubled_words, "".join(word * times for word in words))
    assert abs(len(text) - 600) <= 6
    assert text[:100] == PLAIN[:100]


def test_doubled_words_of_several_lengths_are_read_once():
    words = re.findall("..|....|.", "清明雨落路上行人欲断魂借问酒家何处有牧童遥指杏花村") + list("我你他")
    text, _, _ = folded(fold_doubled_words, "".join(word * 2 for word in words))
    assert text == "".join(words)


@pytest.mark.parametrize("fold", [fold_doubled, fold_doubled_words])
def test_ordinary_text_and_laughter_stay(fold):
    texts = [chapter for name in NOVELS for chapter in CHAPTERS[name]]
    for text in (*texts, STRANGER, "", "的", "哈" * 200, "哈呀" * 100):
        assert folded(fold, text) is None
