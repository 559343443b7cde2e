"""The packed syllable_numbers against pypinyin's readings, and against the packed initials."""

import unicodedata

import numpy as np
import pypinyin.constants
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import reference
from support.strategies import anything

from fingerprint.text._syllables import MAX_READINGS
from fingerprint.text.letters import code_points, initial_of
from fingerprint.text.syllables import (
    format_reading,
    parse_reading,
    readings_of_points,
    similar_syllable_groups,
    syllable_numbers,
    tone_numbers,
)

KNOWN = [chr(code) for code in sorted(pypinyin.constants.PINYIN_DICT)]


def readings(character):
    (row,) = readings_of_points(code_points(character))
    return [format_reading(reading) for reading in row if reading]


def test_every_character_has_the_readings_that_pypinyin_knows():
    """All readings in their order, six at most: seventeen characters have more."""
    rows = readings_of_points(code_points("".join(KNOWN)))
    for character, row in zip(KNOWN, rows.tolist(), strict=True):
        readings = [(format_reading(reading & ~7), reading & 7) for reading in row if reading]
        assert readings == reference.readings(character)[:MAX_READINGS], character
    assert sum(len(reference.readings(character)) > MAX_READINGS for character in KNOWN) < 40


def test_packed_initial_is_that_of_the_first_reading():
    """If both scripts have a reading, both tables use the reading of the simplified form."""
    rows = readings_of_points(code_points("".join(KNOWN)))
    first = [format_reading(int(row[0]) & ~7)[:1] for row in rows]
    initials = [initial_of(unicodedata.normalize("NFKC", character)) for character in KNOWN]
    strange = [
        character
        for character, letter, initial in zip(KNOWN, first, initials, strict=True)
        if unicodedata.normalize("NFD", letter)[:1] != initial
    ]
    assert strange == []


@given(anything)
def test_character_unknown_to_pypinyin_has_no_reading(text):
    rows = readings_of_points(code_points(text))
    assert rows.shape == (len(text), MAX_READINGS)
    for character, row in zip(text, rows, strict=True):
        assert bool(row.any()) == bool(reference.readings(character))


@pytest.mark.parametrize(
    ("character", "expected"),
    [
        ("青", ["qīng"]),
        ("行", ["xíng", "háng", "héng", "xìng", "hàng"]),
        ("重", ["zhòng", "chóng", "tóng"]),
        ("綠", ["lǜ", "lù"]),
        ("乾", ["gàn", "gān"]),
        ("的", ["de", "dī", "dí", "dì"]),
        ("a", []),
        ("，", []),
        ("\U0010ffff", []),
    ],
)
def test_first_readings_of_a_character_are_the_common_readings(character, expected):
    assert readings(character)[: len(expected) or None] == expected


def test_every_reading_is_written_as_pypinyin_writes_it():
    every = {
        reading for readings in pypinyin.constants.PINYIN_DICT.values() for reading in readings.split(",")
    }
    wrong = {reading for reading in every if format_reading(parse_reading(reading)) != reading}
    assert {unicodedata.normalize("NFD", reading)[:2] for reading in wrong} == {"e\u0302"}  # ê, taken for e


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("qing", "qing"),
        ("QĪNG", "qīng"),
        ("ｑｉｎｇ", "qing"),
        ("lv", "lü"),
        ("nǚ", "nǚ"),
        ("nue", "nüe"),
        ("lüè", "lüè"),
        ("zf", ""),
        ("", ""),
        ("qīngqīng", ""),
    ],
)
def test_latin_letters_are_read(text, expected):
    assert format_reading(parse_reading(text)) == expected


@given(st.text(max_size=8))
def test_any_letters_can_be_read(text):
    assert parse_reading(text) == 0 or format_reading(parse_reading(text))


@pytest.mark.parametrize(
    "pair",
    [
        *("zhi zi", "chou cou", "shi si", "nan lan", "nü lü", "fei hei", "hu fu"),
        *("lin ling", "chen cheng", "zhang zan", "wang wan"),
    ],
)
def test_near_syllables_are_recognised(pair):
    first, second = (np.array([parse_reading(syllable)], dtype=np.uint16) for syllable in pair.split())
    assert similar_syllable_groups(first) == similar_syllable_groups(second) != 0
    assert syllable_numbers(first) != syllable_numbers(second)


@pytest.mark.parametrize("pair", ["yun yue", "ji qi", "dong don", "zi ji", "ren leng", "e en", "fa hua"])
def test_distant_syllables_are_not_near(pair):
    first, second = (np.array([parse_reading(syllable)], dtype=np.uint16) for syllable in pair.split())
    assert similar_syllable_groups(first) != similar_syllable_groups(second)


def test_near_and_tones_are_those_of_the_definition():
    every = sorted({syllable for character in KNOWN for syllable, _ in reference.readings(character)})
    numbers = similar_syllable_groups(np.array(list(map(parse_reading, every)), dtype=np.uint16)).tolist()
    assert len(set(numbers)) == len(set(map(reference.near, every)))
    assert len({*zip(numbers, map(reference.near, every), strict=True)}) == len(set(numbers))
    marked = np.array([parse_reading(reading) for reading in ("mā", "má", "mǎ", "mà", "ma")], dtype=np.uint16)
    assert tone_numbers(marked).tolist() == [1, 2, 3, 4, 0]
    assert similar_syllable_groups(np.zeros(1, dtype=np.uint16)).tolist() == [0]
