"""Which homophones are shown, and how they are read."""

from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deploy.demo import disguises
from deploy.demo.samples import load_samples
from tracker.alignment.align import align
from tracker.alignment.context import reading_in_context
from tracker.alignment.degrees import Degree
from tracker.alignment.homophones import (
    MAX_SHOWN,
    no_places,
    pair_in_context,
    read_pair,
    shown_homophones,
)
from tracker.alignment.text import ComparedText

CHAPTER = load_samples()["青灯渡:1"].text


def shown(page, passage):
    """The homophones of two texts of one length."""
    places = [place for place, (one, other) in enumerate(zip(page, passage, strict=True)) if one != other]
    return shown_homophones(np.array([places, places]).T.reshape(-1, 2), page, passage)


@pytest.mark.parametrize(
    ("character", "passage", "place", "syllables", "degree"),
    [
        ("清", "青山", 0, ("qīng", "qīng"), Degree.SAME_TONE),
        ("买", "卖了", 0, ("mǎi", "mài"), Degree.SYLLABLE),
        ("四", "十个", 0, ("sì", "shí"), Degree.NEAR),
        ("虫", "在重庆", 1, ("chóng", "chóng"), Degree.SAME_TONE),
        ("虫", "在重慶", 1, ("chóng", "chóng"), Degree.SAME_TONE),
        ("航", "去银行", 2, ("háng", "háng"), Degree.SAME_TONE),
        ("杏", "行走", 0, ("xìng", "xíng"), Degree.SYLLABLE),  # of itself xìng is a reading of 行
        ("掌", "长江", 0, ("zhǎng", "zhǎng"), Degree.SAME_TONE),  # cháng does not agree: another reading
        ("山", "水", 0, ("", ""), Degree.OTHER),
    ],
)
def test_two_characters_are_read_so_that_they_agree(character, passage, place, syllables, degree):
    if degree == Degree.OTHER:
        assert pair_in_context(character, passage, place).degree == degree
    else:
        assert pair_in_context(character, passage, place) == (*syllables, degree)


def test_most_common_agreeing_readings_are_used_without_a_sentence():
    assert read_pair("杏", "行") == ("xìng", "xìng", Degree.SAME_TONE)
    assert read_pair("得", "的") == ("de", "de", Degree.SAME_TONE)


def test_homophone_pairs_have_positions_and_counts():
    passage = "清风吹过青山，青灯照着石阶，十个人在重庆等船"
    page = "清风吹过清山，清灯照着十阶，四个人在虫庆等船"
    assert [
        (
            pair.page,
            pair.character,
            pair.syllable,
            pair.original,
            pair.original_syllable,
            pair.kind,
            pair.times,
        )
        for pair in shown(page, passage)
    ] == [
        (4, "清", "qīng", "青", "qīng", "same-tone", 2),
        (11, "十", "shí", "石", "shí", "same-tone", 1),
        (14, "四", "sì", "十", "shí", "near", 1),
        (18, "虫", "chóng", "重", "chóng", "same-tone", 1),
    ]


def test_only_the_most_frequent_pairs_are_shown():
    page = disguises.homophones(CHAPTER, 0.6, Random(1))
    pairs = shown(page, CHAPTER)
    assert len(pairs) == MAX_SHOWN
    assert [pair.page for pair in pairs] == sorted(pair.page for pair in pairs)
    changed = [pair for pair in zip(page, CHAPTER, strict=True) if pair[0] != pair[1]]
    told = {(pair.character, pair.original): pair.times for pair in pairs}
    assert all(changed.count(pair) == times for pair, times in told.items())
    assert min(told.values()) >= max(changed.count(pair) for pair in {*changed} - {*told})


def test_no_homophones_give_no_pairs():
    assert shown_homophones(no_places(), "青", "清") == ()


def test_places_of_a_stretch_lead_to_its_homophones_and_to_no_variant():
    page = disguises.homophones(CHAPTER, 0.3, Random(2)).replace("着", "著")
    (aligned,) = align(ComparedText(page), ComparedText(CHAPTER))
    assert "homophones" in aligned.span.disguises
    for ours, theirs in aligned.homophones.tolist():
        assert read_pair(page[ours], CHAPTER[theirs]).degree in {
            Degree.SAME_TONE,
            Degree.SYLLABLE,
            Degree.NEAR,
        }
        assert page[ours] != "著"


def test_stretch_without_the_disguise_has_no_places():
    (aligned,) = align(ComparedText(disguises.traditional(CHAPTER)), ComparedText(CHAPTER))
    assert aligned.homophones.shape == (0, 2)


@given(st.text(max_size=300), st.integers(0, 299))
def test_any_character_of_any_text_can_be_read(text, place):
    if place < len(text):
        assert reading_in_context(text, place) >= 0
