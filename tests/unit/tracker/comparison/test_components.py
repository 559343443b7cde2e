"""A copy whose characters are split into their parts, against a corpus."""

from random import Random

import pytest
from support.changed.components import COMPONENTS
from support.sample_novels import CHAPTERS, NOVELS, STRANGER

from tracker.comparison import ComparedText, compare


def split(text, seed):
    """Nearly all characters that the table has as their two parts: about half of the text."""
    rng = Random(seed)
    return "".join(COMPONENTS[char] if char in COMPONENTS and rng.random() < 0.9 else char for char in text)


@pytest.mark.parametrize("name", NOVELS)
def test_copy_of_split_characters_is_located(novels, name):
    page = "天气预报说今天有雨。" + split(CHAPTERS[name][0], 1)
    result = compare(ComparedText(page), novels)
    match = result.matches[0]
    assert (result.verdict, match.work.title) == ("copy", name)
    assert "components" in match.disguises
    assert match.char_identity > 0.8
    assert match.spans[0].page_start >= len("天气预报说今天有雨。")
    assert match.spans[-1].page_end == len(page)


def test_split_foreign_text_is_clear(novels):
    assert compare(ComparedText(split(STRANGER, 2)), novels).verdict == "clear"


@pytest.mark.parametrize("disguised", [lambda text: text[::-1], lambda text: "".join(c * 2 for c in text)])
def test_split_characters_hide_no_copy_in_another_order(novels, disguised):
    copy = CHAPTERS[NOVELS[0]][0]
    page = split(STRANGER[:300], 3) + "\n" + disguised(copy)
    match = compare(ComparedText(page), novels).matches[0]
    assert (match.work.title, match.verdict) == (NOVELS[0], "copy")
    assert match.spans[0].page_start > len(page) - 2 * len(copy) - 20
    assert match.spans[-1].page_end == len(page)


def test_characters_both_split_and_reversed_are_matched(novels):
    page = split(CHAPTERS[NOVELS[0]][0][::-1], 4)
    match = compare(ComparedText(page), novels).matches[0]
    assert (match.work.title, match.verdict) == (NOVELS[0], "copy")
    assert {"components", "reversed"} <= set(match.disguises)
