"""Letters against Unicode and pypinyin, character by character, and offsets that lead back."""

import unicodedata

import numpy as np
import pytest
from hypothesis import given
from support import reference
from support.strategies import anything, prose

from fingerprint.text.letters import code_points, initial_of, to_letters

# Both ends and a sample of every block that holds Han characters.
BLOCKS = {
    "unified": range(0x4E00, 0xA000),
    "extension A": range(0x3400, 0x4DC0, 3),
    "compatibility": range(0xF900, 0xFB00),
    "radicals": range(0x2E80, 0x2FE0),
    "symbols and enclosed": range(0x3000, 0x3400),
    "full width": range(0xFE30, 0x10000),
    "extension B": range(0x20000, 0x2A6E0, 29),
    "extensions C to F": range(0x2A700, 0x2EBF0, 17),
    "compatibility supplement": range(0x2F800, 0x2FA20),
    "extensions G and H": range(0x30000, 0x323B0, 13),
    "Latin to symbols": range(0x2E00),
    "last code points": range(0x10FFF0, 0x110000),
}


def pairs(text):
    result = to_letters(text)
    return list(zip(str(result), result.offsets.tolist(), strict=True))


@pytest.mark.parametrize("block", BLOCKS)
def test_every_character_has_the_letter_of_its_first_reading(block):
    text = "".join(map(chr, BLOCKS[block]))
    assert pairs(text) == reference.letters(text)


def test_both_scripts_have_the_same_letter():
    """Every traditional character has the letter of its simplified form, even with another reading."""
    traditional = [chr(code) for code in range(0x3400, 0xA000) if initial_of(chr(code))]
    pairs_ = [(item, reference.simplified_form(item)) for item in traditional]
    changed = [
        (first, second)
        for first, second in pairs_
        if first != second and len(second) == 1 and initial_of(second)
    ]
    assert len(changed) > 2500
    assert [(first, second) for first, second in changed if initial_of(first) != initial_of(second)] == [
        ("薴", "苧")
    ]


@pytest.mark.parametrize(("first", "second"), ["輾辗", "鯽鲫", "鎬镐", "柵栅"])
def test_variants_with_another_reading_have_the_same_letter(first, second):
    assert initial_of(first) == initial_of(second) != ""


@given(anything)
def test_offsets_are_exact_for_any_text(text):
    result = to_letters(text)
    assert pairs(text) == reference.letters(text)
    assert result.length == len(text)
    assert result.offsets.dtype == np.int32
    assert result.codes.dtype == np.uint8


@given(prose, prose)
def test_letters_of_joined_texts_are_the_joined_letters(head, tail):
    whole, first, second = to_letters(head + tail), to_letters(head), to_letters(tail)
    assert str(whole) == str(first) + str(second)
    assert whole.offsets.tolist() == [*first.offsets, *(second.offsets + len(head))]


def test_compatibility_character_gives_several_letters_at_its_position():
    assert pairs("甲㍿乙") == [("j", 0), ("z", 1), ("s", 1), ("h", 1), ("s", 1), ("y", 2)]


@pytest.mark.parametrize("noise", ["\ud800", "\u0301", "\ufe0f", "\U000e0100", "\U0001f468\u200d"])
def test_non_han_characters_only_shift_offsets(noise):
    text = noise.join("青灯渡口")
    step = 1 + len(noise)
    assert pairs(text) == [("q", 0), ("d", step), ("d", 2 * step), ("k", 3 * step)]


@pytest.mark.parametrize(
    ("text", "letters"),
    [("中吃是", "zcs"), ("绿女雪", "lnx"), ("〇零", "ll"), ("ａ１Ａ", ""), ("爱恩偶", "aeo"), ("⽔豈", "sq")],
)
def test_letters_of_samples_are_correct(text, letters):
    assert str(to_letters(text)) == letters


def test_nothing_has_no_letters():
    assert len(to_letters("")) == 0
    assert str(to_letters("Lorem ipsum 123")) == ""
    assert initial_of("") == ""


def test_code_points_keep_lone_surrogates_and_the_last_plane():
    text = "\ud83d灯\udc00\U0010ffff"
    assert code_points(text).tolist() == [ord(item) for item in text]


@given(anything)
def test_composition_does_not_change_the_letters_of_han(text):
    """NFC and NFD change only compatibility ideographs, which have the letters of their canonical forms."""
    for form in ("NFC", "NFKC"):
        assert str(to_letters(unicodedata.normalize(form, text))) == str(to_letters(text))
