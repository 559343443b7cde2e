"""A text as comparison sees it: its letters, the characters behind them, and the way back to the text."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from fingerprint.text.letters import Codes, Letters, code_points, to_letters
from fingerprint.text.variants import fold_points
from tracker.alignment.pinyin import Reading, readings
from tracker.alignment.seeds import SeedTable, seed_table

_Ints = npt.NDArray[np.int64]
_Points = npt.NDArray[np.uint32]


@dataclass(frozen=True, eq=False)
class ComparedText:
    """A text as alignment sees it.

    Attributes:
        text: the original.
        letters: its pinyin initials, Latin pinyin included.
        ends: shape (n,): where the characters of each letter end in the text.
        latin: shape (n,): letters that stand in the text as Latin.
        raw: shape (n,): the code point of each letter's character.
        folded: shape (n,): the same in simplified form.
    """

    text: str
    letters: Letters
    ends: _Ints
    latin: npt.NDArray[np.bool_]
    raw: _Points
    folded: _Points

    @property
    def codes(self) -> Codes:
        """The letters' codes."""
        return self.letters.codes

    @cached_property
    def seeds(self) -> SeedTable:
        """The seeds of the text, sorted once for all passages that it is compared with."""
        return seed_table(self.codes)

    @cached_property
    def others(self) -> tuple[_Ints, _Ints]:
        """How many characters that are neither Han nor blank stand before each letter, and before its end."""
        points = code_points(self.text)
        other = (points > 0x20) & (points != 0x3000) & (points != 0xA0)  # noqa: PLR2004 - white space
        other[self.letters.offsets[~self.latin]] = False
        before = np.concatenate([[0], np.cumsum(other)])
        return before[self.letters.offsets], before[self.ends]


def compared_text(text: str) -> ComparedText:
    """Return a text as alignment sees it."""
    plain = to_letters(text)
    latin = list(readings(text))
    letters = _with_latin(plain, latin) if latin else plain
    ends = letters.offsets.astype(np.int64) + 1
    is_latin = np.zeros(len(letters), dtype=bool)
    if latin:
        places = np.searchsorted(letters.offsets, [each.start for each in latin])
        is_latin[places] = True
        ends[places] = [each.end for each in latin]
    raw = code_points(text)[letters.offsets]
    return ComparedText(text, letters, ends, is_latin, raw, fold_points(raw))


def _with_latin(plain: Letters, latin: list[Reading]) -> Letters:
    """Put the letters that Latin stretches are worth among the others."""
    offsets = np.concatenate([plain.offsets, np.array([each.start for each in latin], dtype=np.int32)])
    codes = np.concatenate([plain.codes, np.array([ord(each.letter) - 96 for each in latin], dtype=np.uint8)])
    order = np.argsort(offsets, kind="stable")
    return Letters(codes[order], offsets[order], plain.length)
