"""Homophones of a whole comparison: from the page to what is told of them."""

from random import Random

import pytest
from support.outcomes import sample_corpus

from deploy.demo import disguises
from deploy.demo.samples import load_samples
from tracker.comparison import ComparedText, compare

CHAPTER = load_samples()["青灯渡:1"].text
SWAPPED = disguises.homophones(CHAPTER, 0.2, Random(5))


def match_of(page):
    (match,) = compare(ComparedText(page), sample_corpus()).matches
    return match


def doubled(text):
    return "".join(character * 2 for character in text)


@pytest.mark.parametrize(
    "order", [str, lambda text: text[::-1], doubled], ids=["as it is", "reversed", "doubled"]
)
def test_homophones_are_located_on_the_page_in_any_order(order):
    page = order(SWAPPED)
    match = match_of(page)
    assert "homophones" in match.disguises
    assert len(match.homophones) == 20
    for pair in match.homophones:
        assert page[pair.page] == pair.character
        assert match.passage.text[pair.passage] == pair.original
        assert (pair.syllable, pair.original_syllable) != ("", "")
    places = [pair.page for pair in match.homophones]
    assert places == sorted(places)


def test_whole_copy_and_copy_in_another_script_have_no_homophones():
    for page in (CHAPTER, disguises.traditional(CHAPTER), disguises.edit(CHAPTER, 0.1, Random(2))):
        assert match_of(page).homophones == ()


def test_page_that_says_a_stretch_again_counts_its_homophones_once():
    part = SWAPPED[:400]
    once, often = match_of(part), match_of("\n".join([part] * 20))
    assert [(pair.page, pair.character) for pair in often.homophones] == [
        (pair.page, pair.character) for pair in once.homophones
    ]
