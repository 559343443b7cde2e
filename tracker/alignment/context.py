"""How characters are read in their sentence, by pypinyin's phrases: 重 in 重庆 is chóng.

A module of its own, as importing pypinyin takes a fifth of a second and some 40 MB: only what shows readings
to people loads it, when it has some to show.
"""

from collections.abc import Iterator

from pypinyin import Style, pinyin

from fingerprint.text.syllables import reading_of
from fingerprint.text.variants import fold

_OTHERS = "\0"


def readings_in_context(text: str) -> list[int]:
    """Return the reading of each character as pypinyin reads the text, 0 for what is no Han character."""
    return list(_readings(fold(text)))


def _readings(text: str) -> Iterator[int]:
    # What is no Han character comes back in runs; the mark tells them from readings.
    for (read,) in pinyin(text, style=Style.TONE, errors=lambda others: _OTHERS + others):
        if read.startswith(_OTHERS):
            yield from [0] * (len(read) - len(_OTHERS))
        else:
            yield reading_of(read)
