"""Differences between two texts: natural words, random characters, or too few characters; and the verdict."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.retold import CLASSICAL, MODERN

from fingerprint.information import context_gains
from storage.records import LEADS, VERDICTS
from tracker.alignment.align import align
from tracker.alignment.text import ComparedText
from tracker.judgement.profiles import EARLIER, PROFILES
from tracker.judgement.rewording import differences
from tracker.judgement.verdict import Extent, judge, milder_outside

NOVEL = PROFILES["novel"]


def found(page, passage, *, below=0.85):
    stretches = align(ComparedText(page), ComparedText(passage))
    return differences(page, passage, stretches, below=below)


def extent_of(copied, *, page=3000, words=1.0, verbatim=0, **more):
    return Extent(
        page_chars=page,
        copied_chars=copied,
        taken_chars=copied,
        passage_chars=page,
        word_identity=words,
        verbatim_chars=verbatim,
        **more,
    )


def test_context_saves_bits_in_natural_text_and_costs_bits_in_random_text():
    letters = "".join(sorted(MODERN))
    assert context_gains(MODERN).mean() > 0.5
    assert context_gains(CLASSICAL).mean() > 0.5
    assert context_gains(letters).mean() < context_gains(MODERN).mean() - 0.5
    assert context_gains("").tolist() == []
    assert context_gains("abc，。").tolist() == [0.0] * 5


def test_natural_words_are_a_retelling_and_random_characters_are_not():
    retold = found(MODERN, CLASSICAL)
    assert (retold.is_retelling, retold.is_random, retold.verbatim_chars) == (True, False, 0)
    changed = "".join(
        MODERN[place * 7 % len(MODERN)] if place % 4 == 0 else MODERN[place] for place in range(len(MODERN))
    )
    noisy = found(changed, MODERN)
    assert (noisy.is_retelling, noisy.is_random) == (False, True)


def test_texts_that_agree_enough_are_not_looked_into():
    assert found(MODERN, MODERN) is None
    assert found(MODERN, CLASSICAL, below=0.5) is None
    assert found(MODERN, CLASSICAL, below=0) is None


@pytest.mark.parametrize(("copied", "page"), [(2800, 3000), (300, 3000), (60, 3000), (60, 70)])
def test_retelling_is_reworded_however_much_agrees(copied, page):
    assert judge(extent_of(copied, page=page), NOVEL) != "reworded"
    retold = extent_of(copied, page=page, words=0.6)
    assert judge(retold, NOVEL) == "reworded"
    assert judge(retold, NOVEL, licensed=True) == "licensed"
    assert judge(retold, EARLIER["novel@4"]) == judge(extent_of(copied, page=page), NOVEL)


def test_phrase_is_no_retelling():
    assert judge(extent_of(20, words=0.6), NOVEL) == "clear"


def test_verbatim_words_within_a_retelling_decide_the_verdict():
    assert judge(extent_of(2800, words=0.6, verbatim=2700), NOVEL) == "copy"
    assert judge(extent_of(2800, words=0.6, verbatim=300), NOVEL) == "partial"
    assert judge(extent_of(2800, words=0.6, verbatim=60), NOVEL) == "reworded"
    assert judge(extent_of(90, words=0.6, verbatim=60), NOVEL) == "quote"
    assert judge(extent_of(2800, words=0.86, verbatim=60), NOVEL) == "copy"


@given(copied=st.integers(0, 3000), less=st.integers(0, 3000), more=st.integers(0, 3000))
def test_more_words_taken_never_give_a_milder_verdict(copied, less, more):
    less, more = sorted((less, more))
    first, second = (judge(extent_of(copied, words=0.6, verbatim=part), NOVEL) for part in (less, more))
    order = [verdict for verdict in VERDICTS if verdict != "licensed"]
    if (first, second) != ("reworded", "quote"):
        assert order.index(second) <= order.index(first)
    assert (judge(extent_of(copied, words=0.6), NOVEL) in LEADS) is False


def test_retelling_outside_the_article_stays_reworded():
    assert milder_outside("reworded", 60) == "reworded"


def test_set_wording_with_random_characters_is_no_form():
    form = extent_of(830, page=880, copied_bits=1.2, page_bits=6.0, passage_bits=1.8, char_identity=0.63)
    assert judge(form, NOVEL) == "quote"
    assert judge(replace(form, is_noisy=True), NOVEL) == "copy"


def test_what_the_differences_show_is_stored_only_if_they_show_something():
    assert extent_of(300).differences == ()
    assert extent_of(300, words=0.61239, verbatim=50).differences == (0.6124, 50, 0)
    assert extent_of(300, is_noisy=True).differences == (1.0, 0, 1)
