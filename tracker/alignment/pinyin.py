"""Latin letters that stand for Han characters: syllables such as “ta的shou”, initials such as “zf”.

A run of Latin letters that touches a Han character is read as pinyin syllables, each worth its first letter;
a run of up to ``MAX_INITIALS`` letters that cannot be read so, as initials. Tone marks and full-width letters
are taken for plain ones. Words of other languages may be read so too: as both texts are read alike, they meet
themselves, and where only one has them they are an insertion of a few letters.

Complexity: O(n) for the search, O(m²) in each run of m ≤ ``_MAX_RUN`` letters.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from fingerprint.text.han import may_be_han

MAX_INITIALS = 4
_MAX_RUN = 40

_TONES = dict(zip("aeiouv", ("āáǎàɑ", "ēéěè", "īíǐì", "ōóǒò", "ūúǔù", "ǖǘǚǜü"), strict=True))
_PLAIN = str.maketrans(
    {mark: plain for plain, marks in _TONES.items() for mark in marks}
    | {chr(0xFF21 + n): chr(ord("a") + n) for n in range(26)}
    | {chr(0xFF41 + n): chr(ord("a") + n) for n in range(26)}
)
_LATIN = re.compile(rf"[A-Za-zＡ-Ｚａ-ｚ{''.join(_TONES.values())}]+")
_BARE = "ang|ai|an|ao|a|eng|er|ei|en|e|ou|o"
_FINALS = f"iang|iong|uang|ian|iao|ing|uai|uan|ong|ia|ie|in|iu|ua|ue|ui|un|uo|ve|{_BARE}|i|u|v"
_SYLLABLE = re.compile(f"(?:zh|ch|sh|[bpmfdtnlgkhjqxrzcsyw])(?:{_FINALS})|{_BARE}")
_MAX_SYLLABLE = 6


@dataclass(frozen=True, slots=True)
class Reading:
    """One Latin stretch that may stand for a character: ``text[start:end]``, worth ``letter`` (a-z)."""

    start: int
    end: int
    letter: str


def readings(text: str) -> Iterator[Reading]:
    """Yield the stretches of a text that may stand for characters, in order."""
    for run in _LATIN.finditer(text):
        if run.end() - run.start() <= _MAX_RUN and _touches_han(text, run.start(), run.end()):
            at = run.start()
            for length, letter in _read_run(run[0].translate(_PLAIN).lower()):
                yield Reading(at, at + length, letter)
                at += length


def _touches_han(text: str, start: int, end: int) -> bool:
    neighbours = text[max(0, start - 1) : start] + text[end : end + 1]
    return any(map(may_be_han, neighbours))


@lru_cache(maxsize=4096)
def _read_run(run: str) -> tuple[tuple[int, str], ...]:
    """Return length and letter of each syllable, the fewest that make up the run; else of each initial."""
    best: list[tuple[tuple[int, str], ...] | None] = [()]
    for end in range(1, len(run) + 1):
        options = [
            (*before, (end - start, run[start]))
            for start in range(max(0, end - _MAX_SYLLABLE), end)
            if (before := best[start]) is not None and _SYLLABLE.fullmatch(run, start, end)
        ]
        best.append(min(options, key=len, default=None))
    if (whole := best[-1]) is not None:
        return whole
    return tuple((1, letter) for letter in run) if len(run) <= MAX_INITIALS else ()
