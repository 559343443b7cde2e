"""Folding against OpenCC, and its promise that no offset moves."""

import unicodedata

import numpy as np
import opencc
import pytest
from hypothesis import given
from support.strategies import TRADITIONAL, anything

from fingerprint.text.letters import code_points, initial_of, to_letters
from fingerprint.text.variants import are_variants, fold, fold_points, unfold

EVERYTHING = "".join(map(chr, range(0x110000)))
# OpenCC itself takes two steps with this one: 薴 → 苧 → 苎.
TWO_STEPS = {"薴"}


@given(anything)
def test_length_never_changes(text):
    assert len(fold(text)) == len(text) == len(unfold(text))


@given(anything)
def test_folding_works_on_every_character_separately(text):
    assert fold(text) == "".join(map(fold, text))
    assert unfold(text) == "".join(map(unfold, text))


def test_folding_is_idempotent_on_all_of_unicode():
    once = fold(EVERYTHING)
    twice = fold(once)
    assert {item for item, a, b in zip(EVERYTHING, once, twice, strict=True) if a != b} == TWO_STEPS


def with_a_reading(*blocks):
    return [item for block in blocks for item in map(chr, block) if initial_of(item)]


def test_folding_is_opencc_after_nfkc():
    to_simplified = opencc.OpenCC("t2s")
    for character in with_a_reading(range(0x4E00, 0xA000), range(0xF900, 0xFB00), range(0x3400, 0x4DC0)):
        simple = to_simplified.convert(unicodedata.normalize("NFKC", character))
        assert fold(character) == (simple if len(simple) == 1 else character)


def test_unfolding_is_opencc():
    to_traditional = opencc.OpenCC("s2t")
    for character in with_a_reading(range(0x4E00, 0xA000)):
        traditional = to_traditional.convert(character)
        assert unfold(character) == (traditional if len(traditional) == 1 else character)


def test_ascii_and_punctuation_stay_and_width_goes():
    assert fold("abc, 123。——“”") == "abc, 123。——“”"
    assert fold("ＡＢ，１２！") == "AB,12!"


def test_ligatures_that_would_grow_stay_as_they_are():
    assert fold("㍿①ﬁ") == "㍿1ﬁ"


@pytest.mark.parametrize(
    ("traditional", "simplified"), [("青燈渡口", "青灯渡口"), ("發髮", "发发"), ("臺灣", "台湾")]
)
def test_samples_are_folded_correctly(traditional, simplified):
    assert fold(traditional) == simplified


def test_points_keep_shape_and_type():
    points = code_points("燈Ａ\U0010ffff\ud800")
    folded = fold_points(points)
    assert folded.dtype == np.uint32
    assert folded.tolist() == [ord("灯"), ord("A"), 0x10FFFF, 0xD800]


def test_traditional_prose_has_the_letters_of_its_simplified_form():
    assert str(to_letters(TRADITIONAL)) == str(to_letters(fold(TRADITIONAL)))


@pytest.mark.parametrize(
    "pair", ["著着", "作做", "象像", "的底", "的得", "那哪", "甚什", "坐座", "帐账", "峯峰", "桜樱", "它牠"]
)
def test_old_regional_and_interchangeable_forms_are_variants(pair):
    first, second = code_points(fold(pair)).reshape(2, 1)
    assert are_variants(first, second).all() == are_variants(second, first).all() == (first != second).all()


@pytest.mark.parametrize("pair", ["他她", "他它", "买卖", "清青", "云月", "元圆", "ab", "，。"])
def test_characters_of_another_meaning_are_not_variants(pair):
    first, second = code_points(pair).reshape(2, 1)
    assert not are_variants(first, second).any()


def test_variants_are_pairs_and_no_classes():
    """只 is 止 in old books and 祇 in others; 止 and 祉 have nothing to do with each other."""
    assert are_variants(code_points("只只止"), code_points("止衹祉")).tolist() == [True, True, False]


@given(anything)
def test_no_character_is_a_variant_of_itself(text):
    points = fold_points(code_points(text))
    assert not are_variants(points, points).any()
