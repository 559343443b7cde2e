"""Readings of Han characters: syllables and tones, including polyphones, and similar syllables.

The readings come from a table of all characters of pypinyin (``make tables``), so matches stay the same if
another version of pypinyin is installed. A reading is one ``uint16``: eight times the number of its syllable
plus its tone. Tone 5 is neutral, and tone 0 is unknown. The reading 0 means that there is no reading.

Similar (near) syllables differ only in sounds that many speakers and input methods confuse: zh and z, ch and
c, sh and s; n and l; f and h; the finals -n and -ng.

Complexity: O(n) in NumPy.
"""

import base64
import re
import unicodedata
import zlib
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from fingerprint.text._syllables import MAX_READINGS, READINGS, ROWS, SYLLABLES

Readings = npt.NDArray[np.uint16]

NEUTRAL = 5
_TONES = "\u0304\u0301\u030c\u0300"
_DIAERESIS = "\u0308"
# Plain letter → letters with a mark.
_MARKS = dict(zip("aeiouv", ("āáǎàɑ", "ēéěèê", "īíǐì", "ōóǒò", "ūúǔù", "ǖǘǚǜü"), strict=True))
COMBINING = f"{_TONES}{_DIAERESIS}\u0302"
MARKED = "".join(_MARKS.values()) + "".join(_MARKS.values()).upper()
_PLAIN = str.maketrans(
    {mark: plain for plain, marks in _MARKS.items() for mark in marks}
    | {mark.upper(): plain for plain, marks in _MARKS.items() for mark in marks if mark != "ɑ"}
    | {chr(0xFF21 + n): chr(ord("a") + n) for n in range(26)}
    | {chr(0xFF41 + n): chr(ord("a") + n) for n in range(26)}
)
_NAMES = ("", *SYLLABLES.split(" "))
# Syllables of interjections and of rare dialect characters. Latin letters in a text hardly ever mean them.
_UNUSUAL = "biang bong cei din eng fiao hm hng kei len m n ng nia nun tei wong"
# Spellings of syllables in Latin letters without marks, with v for ü.
SPELLINGS = frozenset(name.replace("ü", "v") for name in _NAMES if name) - set(_UNUSUAL.split()) | {
    "lue",
    "nue",
}
_NUMBERS = {name: number for number, name in enumerate(_NAMES) if name}


def _unpack_table(packed: str) -> Readings:
    return np.frombuffer(zlib.decompress(base64.b85decode(packed)), dtype="<u2")


# The appended 0 sends every code point beyond the table to row 0, which has no readings.
_ROWS = np.append(_unpack_table(ROWS), np.uint16(0))
_READINGS = _unpack_table(READINGS).reshape(-1, MAX_READINGS)


def _merge_similar_sounds(name: str) -> str:
    merged = re.sub(r"^([zcs])h", r"\1", name)
    merged = re.sub(r"^n(?=[aeiouü])", "l", merged)
    merged = re.sub(r"^h(?=[aeiou])", "f", merged)
    return re.sub(r"(?<=[aeiu])ng$", "n", merged)


def _similar_sound_groups() -> Readings:
    numbers: dict[str, int] = {}
    return np.array(
        [numbers.setdefault(_merge_similar_sounds(name), len(numbers)) for name in _NAMES], dtype=np.uint16
    )


_SIMILAR = _similar_sound_groups()


def readings_of_points(points: npt.NDArray[np.uint32]) -> Readings:
    """Return the readings of code points, most common first and padded with zeros: shape (n, MAX_READINGS).

    >>> from fingerprint.text.letters import code_points
    >>> [format_reading(reading) for reading in readings_of_points(code_points("行"))[0]]
    ['xíng', 'háng', 'héng', 'xìng', 'hàng', '']
    """
    return _READINGS[_ROWS.take(points, mode="clip")]


def syllable_numbers(readings: Readings) -> Readings:
    """Return the number of each reading's syllable, without the tone; same shape and dtype."""
    return readings >> np.uint16(3)


def similar_syllable_groups(readings: Readings) -> Readings:
    """Return the number of each reading's group of similar syllables, 0 for no reading; same shape."""
    return _SIMILAR[syllable_numbers(readings)]


def tone_numbers(readings: Readings) -> Readings:
    """Return the tones of readings: 1 to 4, 5 for neutral, 0 for unknown."""
    return readings & np.uint16(7)


def plain_letters(text: str) -> tuple[str, Sequence[int]]:
    """Return Latin text in lower case without marks, with v for ü; and the start of each letter.

    The positions are followed by the length of the text.

    >>> plain_letters("Lǜ")
    ('lv', range(0, 3))
    >>> plain_letters("qi\u0304ng")
    ('qing', [0, 1, 3, 4, 5])
    """
    plain = text.translate(_PLAIN).lower()
    if plain.isascii():
        return plain, range(len(text) + 1)
    starts = [index for index, letter in enumerate(plain) if letter not in COMBINING]
    is_v = {index - 1 for index, letter in enumerate(plain) if letter == _DIAERESIS}
    letters = ("v" if index in is_v and plain[index] == "u" else plain[index] for index in starts)
    return "".join(letters), [*starts, len(text)]


def parse_reading(text: str) -> int:
    """Return the reading of a syllable in Latin letters, or 0 if it is not a syllable.

    Tone marks, full-width letters, v for ü, nue and lue are accepted. Without a mark the tone is unknown.

    >>> format_reading(parse_reading("QĪNG")), format_reading(parse_reading("nv")), parse_reading("zf")
    ('qīng', 'nü', 0)
    """
    marks = unicodedata.normalize("NFD", text)
    tone = next((_TONES.index(mark) + 1 for mark in marks if mark in _TONES), 0)
    name = re.sub("^([nl])ue$", r"\1üe", plain_letters(marks)[0].replace("v", "ü"))
    number = _NUMBERS.get(name, 0)
    return number and number * 8 + tone


def format_reading(reading: int) -> str:
    """Return a reading as a syllable with its tone mark, placed by the rules of Hanyu Pinyin.

    >>> format_reading(parse_reading("lǜ")), format_reading(0)
    ('lǜ', '')
    """
    name, tone = _NAMES[int(reading) >> 3], int(reading) & 7
    if tone in (0, NEUTRAL):
        return name
    vowels = [name.find(vowel) for vowel in ("a", "e", "ou") if vowel in name]
    last = max((name.rfind(vowel) for vowel in "iouüê"), default=-1)
    index = min(vowels) if vowels else max(last, 0)
    return unicodedata.normalize("NFC", name[: index + 1] + _TONES[tone - 1] + name[index + 1 :])
