"""The packed readings of every Han character; ``deploy/build_tables.py`` writes them to ``_syllables.py``.

A reading is one ``uint16``: eight times the number of its syllable (from 1, in alphabetical order) plus its
tone (5 is the neutral tone). The readings of a character's simplified form come first, because the
character's letter comes from that form; the character's own readings follow. Both are in the order of
pypinyin's single-character table, the most common reading first.
"""

import sys
import unicodedata
from collections.abc import Sequence
from functools import cache

import numpy as np
import opencc
import pypinyin.constants

from deploy.variant_forms import variant_pairs
from fingerprint.text.variants import fold

TONES = {"\u0304": 1, "\u0301": 2, "\u030c": 3, "\u0300": 4}
NEUTRAL = 5
_DIAERESIS = "\u0308"
# Conversions of regional and Japanese forms; folding has already unified the forms that t2s unifies.
_CONVERSIONS = ("t2tw", "t2hk", "tw2t", "hk2t", "jp2t", "t2jp")
_TO_SIMPLIFIED = opencc.OpenCC("t2s")

Reading = tuple[str, int]


class StrangeGroup(Exception):
    """Two characters of a group of variant forms share no reading."""


def parted(reading: str) -> Reading:
    """Split a reading into its syllable and its tone.

    >>> parted("lǜ"), parted("de")
    (('lü', 4), ('de', 5))
    """
    marks = unicodedata.normalize("NFD", reading)
    tones = [TONES[mark] for mark in marks if mark in TONES]
    letters = (mark for mark in marks if mark == _DIAERESIS or not unicodedata.combining(mark))
    return unicodedata.normalize("NFC", "".join(letters)), (tones or [NEUTRAL])[0]


@cache
def readings_of(character: str) -> tuple[Reading, ...]:
    """Return a character's readings, the most common first."""
    normal = unicodedata.normalize("NFKC", character)
    if len(normal) != 1:
        return ()
    listed = pypinyin.constants.PINYIN_DICT.get(ord(normal), "")
    simple = _TO_SIMPLIFIED.convert(normal) if listed else ""
    first = pypinyin.constants.PINYIN_DICT.get(ord(simple), "") if len(simple) == 1 else ""
    sounds = [reading for reading in (*first.split(","), *listed.split(",")) if reading]
    return tuple(dict.fromkeys(map(parted, sounds)))


def syllable_tables(most: int) -> tuple[list[str], bytes, bytes]:
    """Return the syllables, the row of each code point, and at most ``most`` readings for each row."""
    every = [readings_of(chr(code))[:most] for code in range(sys.maxunicode + 1)]
    syllables = sorted({syllable for sounds in every for syllable, _ in sounds})
    number = {syllable: index for index, syllable in enumerate(syllables, start=1)}
    distinct = {sounds: row for row, sounds in enumerate(sorted(set(every)))}
    readings = np.zeros((len(distinct), most), dtype="<u2")
    for sounds, row in distinct.items():
        readings[row, : len(sounds)] = [number[syllable] * 8 + tone for syllable, tone in sounds]
    rows = np.array([distinct[sounds] for sounds in every], dtype="<u2")
    return syllables, rows[: int(np.flatnonzero(rows)[-1]) + 1].tobytes(), readings.tobytes()


def variants() -> Sequence[tuple[str, str]]:
    """Return pairs of forms of one character that folding does not unify; the smaller code point comes first.

    Raises:
        StrangeGroup: forms of one character that no reading joins.
    """
    for form, other in variant_pairs():
        if fold(form) != fold(other) and not _sound_alike(form, other):
            raise StrangeGroup(form, other)
    pairs = {*_regional_pairs(), *variant_pairs()}
    folded = {tuple(sorted((fold(form), fold(other)))) for form, other in pairs}
    return sorted((form, other) for form, other in folded if form != other)


def _regional_pairs() -> set[tuple[str, str]]:
    """Return pairs that OpenCC treats as regional forms of one character, if both have a common reading."""
    pairs = set()
    for name in _CONVERSIONS:
        converter = opencc.OpenCC(name)
        for character in map(chr, pypinyin.constants.PINYIN_DICT):
            other = converter.convert(character)
            if len(other) == 1 and other != character and _sound_alike(character, other):
                pairs.add((character, other))
    return pairs


def _sound_alike(form: str, other: str) -> bool:
    first, second = ({syllable for syllable, _ in readings_of(character)} for character in (form, other))
    return bool(first & second)
