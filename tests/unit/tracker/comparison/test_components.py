"""A copy whose characters are split into their parts, against a corpus."""

from random import Random

import pytest
from support.sample_novels import CHAPTERS, NOVELS, STRANGER

from benchmarks.components import COMPONENTS
from tracker.comparison import ComparedText, compare


def split(text, seed):
    """Nearly all characters that the table has as their two parts: about half of the text."""
    rng = Random(seed)
    return "".join(COMPONENTS[char] if char in COMPONENTS and rng.random() < 0.9 else char for char in text)


@pytest.mark.parametrize("name", NOVELS)
def test_a_copy_of_split_characters_is_found_where_it_stands(novels, name):
    page = "天气预报说今天有雨。" + split(CHAPTERS[name][0], 1)
    result = compare(ComparedText(page), novels)
    match = result.matches[0]
    assert (result.verdict, match.work.title) == ("copy", name)
    assert "components" in match.disguises
    assert match.char_identity > 0.8
    assert match.spans[0].page_start >= len("天气预报说今天有雨。")
    assert match.spans[-1].page_end == len(page)


def test_a_split_text_of_somebody_else_is_clear(novels):
    assert compare(ComparedText(split(STRANGER, 2)), novels).verdict == "clear"
