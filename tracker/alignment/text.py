"""A text in the form that comparison uses: letters, their characters, and their offsets in the text."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from fingerprint.text.letters import Codes, Letters, code_points, to_letters
from fingerprint.text.normal import is_blank
from fingerprint.text.syllables import Readings, parse_reading, readings_of_points
from fingerprint.text.variants import fold_points
from tracker.alignment.pinyin import LatinLetters, glosses, latin_letters
from tracker.alignment.seeds import SeedTable, seed_table

_Ints = npt.NDArray[np.int64]
_Points = npt.NDArray[np.uint32]


@dataclass(frozen=True, eq=False)
class ComparedText:
    """A text in the form that comparison uses. Each property is computed at its first use.

    Attributes:
        text: the original.
    """

    text: str

    @cached_property
    def han(self) -> Letters:
        """The pinyin initials of its Han characters, by which passages are indexed."""
        return to_letters(self.text)

    @cached_property
    def letters(self) -> Letters:
        """Its pinyin initials, Latin pinyin included."""
        return _with_latin(self.han, self._latin_letters) if self.has_latin else self.han

    @property
    def codes(self) -> Codes:
        """The letters' codes."""
        return self.letters.codes

    @property
    def has_latin(self) -> bool:
        """Whether any letter is written in Latin."""
        return len(self._latin_letters) > 0

    def has_dense_latin(self, window: int, least: int) -> bool:
        """Return whether a window of letters contains at least so many Latin ones.

        Args:
            window: letters in a row.
            least: Latin letters among them; at least 1.
        """
        places = self._latin_places
        return bool((places[least - 1 :] - places[: max(0, len(places) - least + 1)] < window).any())

    @cached_property
    def latin(self) -> npt.NDArray[np.bool_]:
        """Which letters are written in Latin: shape (n,)."""
        is_latin = np.zeros(len(self.letters), dtype=bool)
        is_latin[self._latin_places] = True
        return is_latin

    @cached_property
    def ends(self) -> _Ints:
        """End offset of each letter's characters in the text: shape (n,)."""
        ends = self.letters.offsets.astype(np.int64) + 1
        ends[self._latin_places] = self._latin_letters.ends
        return ends

    @cached_property
    def raw(self) -> _Points:
        """The code point of each letter's character: shape (n,)."""
        return code_points(self.text)[self.letters.offsets]

    @cached_property
    def folded(self) -> _Points:
        """The code points in simplified form: shape (n,)."""
        return fold_points(self.raw)

    def readings_of(self, letters: _Ints) -> Readings:
        """Return the readings of the characters of some letters: shape (n, readings of a character)."""
        readings = readings_of_points(self.raw[letters])
        if self.has_latin:
            latin = np.flatnonzero(self.latin[letters])
            readings[latin] = 0
            readings[latin, 0] = self._latin_readings[np.searchsorted(self._latin_places, letters[latin])]
        return readings

    @cached_property
    def seeds(self) -> SeedTable:
        """The seeds of the text, sorted once for all passages that it is compared with."""
        return seed_table(self.codes)

    @cached_property
    def others(self) -> tuple[_Ints, _Ints]:
        """The number of characters, neither Han nor blank, before each letter and before the end."""
        other = ~is_blank(code_points(self.text))
        other[self.letters.offsets[~self.latin]] = False
        before = np.concatenate([[0], np.cumsum(other)])
        return before[self.letters.offsets], before[self.ends]

    @cached_property
    def glosses(self) -> _Ints:
        """Starts of the Latin runs that gloss characters next to them: shape (n,)."""
        return glosses(self.text, self.han)

    @cached_property
    def _latin_letters(self) -> LatinLetters:
        """The Latin stretches that may replace characters."""
        return latin_letters(self.text, self.han)

    @cached_property
    def _latin_readings(self) -> Readings:
        """The readings of the Latin stretches; 0 for initials."""
        latin = self._latin_letters
        spans = zip(latin.starts.tolist(), latin.ends.tolist(), strict=True)
        return np.fromiter((parse_reading(self.text[start:end]) for start, end in spans), dtype=np.uint16)

    @cached_property
    def _latin_places(self) -> _Ints:
        """The numbers of the letters that are written in Latin."""
        starts = self._latin_letters.starts
        return np.arange(len(starts)) + np.searchsorted(self.han.offsets, starts)


def _with_latin(han: Letters, latin: LatinLetters) -> Letters:
    """Insert the letters of Latin stretches among the others."""
    offsets = np.concatenate([han.offsets, latin.starts.astype(np.int32)])
    codes = np.concatenate([han.codes, latin.codes])
    order = np.argsort(offsets, kind="stable")
    return Letters(codes[order], offsets[order], han.length)
