"""Readings of characters in their sentence, by pypinyin's phrases: 重 in 重庆 is chóng.

Importing pypinyin takes .2 s and about 40 MB, so only code that shows readings to people loads this module.
"""

from collections.abc import Iterator
from functools import lru_cache

from pypinyin import Style, pinyin

from fingerprint.text.syllables import parse_reading
from fingerprint.text.variants import fold

_OTHERS = "\0"
_PIECE = 100  # number of characters that are read at once
_AROUND = 12  # number of characters of context on either side


def reading_in_context(text: str, position: int) -> int:
    """Return the reading of a character in the text around it; 0 if it is not a Han character.

    Args:
        text: the text.
        position: the character's offset in it.
    """
    piece = position - position % _PIECE
    start = max(0, piece - _AROUND)
    return _readings_of(text[start : piece + _PIECE + _AROUND])[position - start]


@lru_cache(maxsize=256)
def _readings_of(text: str) -> tuple[int, ...]:
    return tuple(_readings(fold(text)))


def _readings(text: str) -> Iterator[int]:
    # pypinyin returns a run of other characters unchanged; the mark distinguishes it from readings.
    for (read,) in pinyin(text, style=Style.TONE, errors=lambda unreadable: _OTHERS + unreadable):
        if read.startswith(_OTHERS):
            yield from [0] * (len(read) - len(_OTHERS))
        else:
            yield parse_reading(read)
