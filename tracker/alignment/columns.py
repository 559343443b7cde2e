"""The columns of an alignment, their degree of agreement, and the stretches that agree.

The columns along a chain (:mod:`tracker.alignment.paths`) are cut to the stretches that agree. A column with
the same initial or better scores 1, any other −1. Where the score falls ``_DROP`` below its maximum, the
stretch ends at the maximum and the next one begins (the X-drop rule of BLAST, Altschul et al., 1990). So an
edit is bridged, and an inserted advert separates two stretches.

Complexity: one step for each change between agreement and disagreement.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tracker.alignment.degrees import Degree, Degrees, degrees_of
from tracker.alignment.paths import Path, path_between, paths_along
from tracker.alignment.seeds import SeedRun
from tracker.alignment.text import ComparedText

_DROP = 10
_MIN_SCORE = 5  # minimum score of a stretch: lower scores occur by chance
# minimum length of other characters on one side only, such as an address or a row of symbols
_FOREIGN_RUN = 16

# Plain numbers: NumPy asks an IntEnum for a dozen attributes at each comparison.
_INITIAL, _NEAR_SOUND, _VARIANT = map(int, (Degree.INITIAL, Degree.NEAR, Degree.VARIANT))

_Ints = npt.NDArray[np.int64]
_Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Columns:
    """A stretch of an alignment, column by column; every array has shape (n,).

    Attributes:
        page, passage: the letter's number, −1 where that side has none.
        degrees: how far the two characters agree, by :class:`tracker.alignment.degrees.Degree`.
    """

    page: _Ints
    passage: _Ints
    degrees: Degrees

    def __len__(self) -> int:
        return len(self.page)

    def part(self, chosen: slice) -> "Columns":
        """Return a selection of columns."""
        return Columns(self.page[chosen], self.passage[chosen], self.degrees[chosen])

    @property
    def scores(self) -> _Bools:
        """Columns with the same initial, a near syllable or better, which the aligner counts."""
        return np.asarray(self.degrees >= _INITIAL)

    @property
    def sound(self) -> _Bools:
        """Columns with the same or a near syllable, or the same character, for the sound identity."""
        return np.asarray(self.degrees >= _NEAR_SOUND)

    @property
    def homophone(self) -> _Bools:
        """Other characters of the same or a near syllable."""
        return self.sound & ~self.character

    @property
    def character(self) -> _Bools:
        """Columns with the same character or a variant form, for the character identity."""
        return np.asarray(self.degrees >= _VARIANT)

    @property
    def page_letters(self) -> tuple[int, int]:
        """First and last + 1 letter of the page; a stretch begins and ends with a column that scores."""
        return int(self.page[0]), int(self.page[-1]) + 1

    @property
    def passage_letters(self) -> tuple[int, int]:
        """First and last + 1 letter of the passage."""
        return int(self.passage[0]), int(self.passage[-1]) + 1


def aligned_stretches(
    page: ComparedText, passage: ComparedText, chains: Sequence[Sequence[SeedRun]]
) -> Iterator[list[Columns]]:
    """Yield, for each chain, the stretches that agree along it and a little beyond its ends, in page order.

    All chains are processed together: most are short, and a NumPy call takes longer than their columns.
    """
    path = paths_along(page.codes, passage.codes, chains)
    columns, ends = _columns(page, passage, path), path.ends
    breaks = np.union1d(_breaks(page, passage, columns), ends)
    scores = columns.scores
    start = 0
    for inner_breaks in np.split(breaks, np.searchsorted(breaks, ends[:-1], side="right")):
        stretches = []
        for end in inner_breaks.tolist():
            stretches += [
                columns.part(slice(start + chosen.start, start + chosen.stop))
                for chosen in _agreeing(scores[start:end])
            ]
            start = end
        yield stretches


def columns_between(
    page: ComparedText, passage: ComparedText, ours: tuple[int, int], theirs: tuple[int, int]
) -> Columns:
    """Return the columns of an alignment from end to end.

    Args:
        page: the page.
        passage: the passage.
        ours: first and last + 1 letter of the page.
        theirs: first and last + 1 letter of the passage.
    """
    return _columns(page, passage, path_between(page.codes, passage.codes, ours, theirs))


def _columns(page: ComparedText, passage: ComparedText, path: Path) -> Columns:
    return Columns(path.page, path.passage, degrees_of(page, passage, path.page, path.passage))


def _breaks(page: ComparedText, passage: ComparedText, columns: Columns) -> _Ints:
    """Return the columns before which only one side has a long row of characters that are not letters.

    Where one chain follows another, the first column with both sides may be one of them.
    """
    both = np.flatnonzero((columns.page >= 0) & (columns.passage >= 0))
    extra = _between(page, columns.page[both]) - _between(passage, columns.passage[both])
    breaks: _Ints = both[1:][np.abs(extra) >= _FOREIGN_RUN]
    return breaks


def _between(text: ComparedText, letters: _Ints) -> _Ints:
    """Return how many characters that are not letters separate each letter from the next."""
    before, behind = text.others
    return before[letters[1:]] - behind[letters[:-1]]


def _agreeing(scores: _Bools) -> Iterator[slice]:
    """Yield the stretches whose score never falls far below its best."""
    if not scores.any():
        return
    turns = np.flatnonzero(np.diff(scores)) + 1
    starts, ends = [0, *turns.tolist()], [*turns.tolist(), len(scores)]
    begin, score, best, stop = -1, 0, 0, 0
    agrees = bool(scores[0])
    for start, end in zip(starts, ends, strict=True):
        if agrees:
            begin = start if begin < 0 else begin
            score += end - start
            if score > best:
                best, stop = score, end
        elif begin >= 0:
            score -= end - start
            if best - score >= _DROP or score <= 0:
                if best >= _MIN_SCORE:
                    yield slice(begin, stop)
                begin, score, best = -1, 0, 0
        agrees = not agrees
    if begin >= 0 and best >= _MIN_SCORE:
        yield slice(begin, stop)
