"""Characters between those of a text: left out where they are the rule, and nowhere else."""

import re
from collections import Counter
from random import Random

import numpy as np
import pytest
from support.sample_novels import CHAPTERS, NOVELS, STRANGER

from fingerprint.text.interspersed import remove_filler, remove_foreign_letters, remove_rare_characters
from fingerprint.text.letters import code_points, text_of, to_letters
from fingerprint.text.variants import unfold

PLAIN = re.sub(r"\s", "", CHAPTERS["青灯渡"][0])
BETWEEN = {
    remove_foreign_letters: ["x", "abcdefgh", "ＱＸ", "アイウエ", "жщю", "가나다", "\ue000\ue001", "ǎé"],
    remove_rare_characters: [
        "龘",
        "魑魅魍魉",
        "\U00020123\U0002a000",
        "⼀⼆⽇",
        "㐀䶵",
        "\uf900\uf901\uf902",
    ],
    remove_filler: ["的", "水"],
}


def spread(text, fillers, every, *, count=1, seed=1):
    """Return the text with some characters after every ``every`` characters."""
    rng = Random(seed)
    pieces = (text[at : at + every] for at in range(0, len(text), every))
    return "".join(piece + "".join(rng.choices(fillers, k=count)) for piece in pieces)


def folded(fold, text):
    result = fold(code_points(text), to_letters(text).offsets)
    return None if result is None else (text_of(result[0]), *result[1:])


CASES = [(fold, fillers) for fold, several in BETWEEN.items() for fillers in several]


@pytest.mark.parametrize("every", [1, 2, 3])
@pytest.mark.parametrize(("fold", "fillers"), CASES)
def test_noise_between_all_characters_is_removed(fold, fillers, every):
    page = spread(PLAIN, fillers, every)
    text, starts, ends = folded(fold, page)
    # Those at the ends remain, and two next to the same character of the text.
    assert sum(char in fillers for char in text) <= 3 + 2 * sum(char in fillers for char in PLAIN)
    stripped = PLAIN.translate(dict.fromkeys(map(ord, fillers)))
    assert len(text) > 0.9 * len(stripped)
    assert set(Counter(text) - Counter(stripped)) <= set(fillers)
    assert "".join(page[start] for start in starts.tolist()) == text
    assert (ends[:-1] == starts[1:]).all()


@pytest.mark.parametrize("count", [2, 4, 7])
def test_interspersed_words_of_letters_are_omitted_too(count):
    page = spread(PLAIN[:300], "abcxyz", 1, count=count)
    assert folded(remove_foreign_letters, page)[0].rstrip("abcxyz") == PLAIN[:300].rstrip("abcxyz")


@pytest.mark.parametrize("fold", BETWEEN)
def test_ordinary_text_keeps_all(fold):
    for text in (*(chapter for name in NOVELS for chapter in CHAPTERS[name]), STRANGER, unfold(STRANGER)):
        assert folded(fold, text) is None


@pytest.mark.parametrize("fold", BETWEEN)
@pytest.mark.parametrize(
    "text", ["", "的", "x", "的" * 300, "哈呀" * 5, "abc " * 90, "中x国", "，。" * 80, "\ud800" * 90]
)
def test_texts_of_little_keep_all(fold, text):
    assert folded(fold, text) is None


def test_letters_elsewhere_stay():
    prose = "他打开 Windows 电脑，看了看 CPU 和 GPU 的温度，又给 Tom 写了一封 email，说今晚不去了。" * 2
    page = prose + spread(PLAIN[:200], "xyz", 1) + prose
    text, starts, _ = folded(remove_foreign_letters, page)
    assert PLAIN[:199] in text
    assert page[starts[text.index(PLAIN[:100])]] == PLAIN[0]
    assert [text.count(word) for word in ("Windows", "Tom")] == [2, 2]


def test_list_of_names_in_two_scripts_gets_an_order_without_letters():
    page = "".join(f"甲{letter}乙" for letter in "abcdefghijklmnopqrstuvwxyz")
    assert folded(remove_foreign_letters, page)[0] == "甲乙" * 26


def test_places_are_whole_numbers_of_the_text():
    _, starts, ends = folded(remove_foreign_letters, spread(PLAIN[:100], "x", 1))
    assert starts.dtype == ends.dtype == np.int32
    assert starts.tolist() == [*range(0, 198, 2), 198, 199]
