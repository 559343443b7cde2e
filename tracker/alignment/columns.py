"""The columns of an alignment: which letter of the page stands against which of the passage.

Along a chain of exact runs the gaps are aligned by minimal edit distance (rapidfuzz, Hyyrö's bit-parallel
Levenshtein), and so are up to ``_FAR`` letters beyond each end. The columns are then cut to the stretches
that agree: going along them, a column of the same initial or better scores 1 and any other −1; where the
score has fallen ``_DROP`` below its best, the stretch ended at the best, and the next begins after it (the
X-drop rule of BLAST, Altschul et al., 1990). So an edit is bridged, and an inserted advert parts two
stretches.

Complexity: the gaps are at most ``MAX_GAP`` letters long; cutting costs one step for each change between
agreement and disagreement.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from rapidfuzz.distance import Levenshtein

from fingerprint.text.letters import Codes
from tracker.alignment.agreement import Agreement, Agreements, agreements
from tracker.alignment.seeds import Run
from tracker.alignment.text import ComparedText

_NEAR = 40  # letters tried beyond each end of a chain, …
_FAR = 200  # … and these when more than
_PROMISE = 0.5  # … this share of the near ones agrees
_DROP = 10
_MIN_SCORE = 5  # of a stretch's best score: less agrees by chance
_FOREIGN_RUN = 16  # characters that are no letters, on one side only: an address, a row of symbols

# Plain numbers: NumPy asks an IntEnum for a dozen attributes at each comparison.
_INITIAL, _NEAR_SOUND, _VARIANT = map(int, (Agreement.INITIAL, Agreement.NEAR, Agreement.VARIANT))

_Ints = npt.NDArray[np.int64]
_Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Columns:
    """A stretch of an alignment, column by column; every array has shape (n,).

    Attributes:
        page, passage: the letter's number, −1 where that side has none.
        agreement: how far the two characters agree, by :class:`tracker.alignment.agreement.Agreement`.
    """

    page: _Ints
    passage: _Ints
    agreement: Agreements

    def __len__(self) -> int:
        return len(self.page)

    def part(self, chosen: slice) -> "Columns":
        """Return some columns."""
        return Columns(self.page[chosen], self.passage[chosen], self.agreement[chosen])

    @property
    def scores(self) -> _Bools:
        """What the aligner counts for a stretch: the same initial, a near syllable or more."""
        return np.asarray(self.agreement >= _INITIAL)

    @property
    def sound(self) -> _Bools:
        """The same or a near syllable, or the same character: what the sound identity is the share of."""
        return np.asarray(self.agreement >= _NEAR_SOUND)

    @property
    def homophone(self) -> _Bools:
        """Other characters of the same or a near syllable."""
        return self.sound & ~self.character

    @property
    def character(self) -> _Bools:
        """The same character or a form of it: what the character identity is the share of."""
        return np.asarray(self.agreement >= _VARIANT)

    @property
    def page_letters(self) -> tuple[int, int]:
        """First and last + 1 letter of the page; a stretch begins and ends with a column that scores."""
        return int(self.page[0]), int(self.page[-1]) + 1

    @property
    def passage_letters(self) -> tuple[int, int]:
        """First and last + 1 letter of the passage."""
        return int(self.passage[0]), int(self.passage[-1]) + 1


def aligned_stretches(
    page: ComparedText, passage: ComparedText, chains: Sequence[Sequence[Run]]
) -> Iterator[list[Columns]]:
    """Yield of each chain the stretches that agree along it and a little beyond its ends, in page order.

    All chains are looked at together: most are short, and each look takes longer than its columns.
    """
    parts = [_along(page.codes, passage.codes, chain) for chain in chains]
    ours, theirs = (np.concatenate(side) for side in zip(*parts, strict=True))
    columns = _compare(page, passage, ours, theirs)
    ends = np.cumsum([len(part[0]) for part in parts])
    breaks = np.union1d(_breaks(page, passage, columns), ends)
    scores = columns.scores
    start = 0
    for own in np.split(breaks, np.searchsorted(breaks, ends[:-1], side="right")):
        stretches = []
        for end in own.tolist():
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
    start, end = (ours[0], theirs[0]), (ours[1], theirs[1])
    return _compare(page, passage, *_gap(page.codes, passage.codes, start, end))


def _along(page: Codes, passage: Codes, chain: Sequence[Run]) -> tuple[_Ints, _Ints]:
    """Return the letters of each column, from a little before the chain to a little behind it."""
    first, last = chain[0], chain[-1]
    at = first.page, first.passage
    parts = [_ahead(page[: at[0]], passage[: at[1]])]
    for run in chain:
        parts.append(_gap(page, passage, at, (run.page, run.passage)))
        parts.append((np.arange(run.page, run.page + run.length), np.arange(run.length) + run.passage))
        at = run.page + run.length, run.passage + run.length
    end = last.page + last.length, last.passage + last.length
    parts.append(_behind(page, passage, end))
    return np.concatenate([part[0] for part in parts]), np.concatenate([part[1] for part in parts])


def _ahead(page: Codes, passage: Codes) -> tuple[_Ints, _Ints]:
    """Return the columns before a place: those behind it in the texts read backwards, turned round."""
    ours, theirs = _behind(page[::-1], passage[::-1], (0, 0))
    return (
        np.where(ours < 0, -1, len(page) - 1 - ours)[::-1],
        np.where(theirs < 0, -1, len(passage) - 1 - theirs)[::-1],
    )


def _behind(page: Codes, passage: Codes, at: tuple[int, int]) -> tuple[_Ints, _Ints]:
    """Return the columns behind a place, far when the first of them promise something."""
    room = min(len(page) - at[0], len(passage) - at[1])
    near = min(_NEAR, room)
    ours, theirs = _gap(page, passage, at, (at[0] + near, at[1] + near))
    both = (ours >= 0) & (theirs >= 0)
    agreeing = np.count_nonzero(page[ours[both]] == passage[theirs[both]])
    if near == room or agreeing < _PROMISE * near:
        return ours, theirs
    far = min(_FAR, room)
    return _gap(page, passage, at, (at[0] + far, at[1] + far))


def _gap(page: Codes, passage: Codes, start: tuple[int, int], end: tuple[int, int]) -> tuple[_Ints, _Ints]:
    """Return the columns between two places, in NumPy: a letter of its own is a column of its own."""
    ours, theirs = page[start[0] : end[0]].tobytes(), passage[start[1] : end[1]].tobytes()
    if ours == theirs:
        return np.arange(start[0], end[0]), np.arange(start[1], end[1])
    edits = Levenshtein.editops(ours, theirs).as_list()
    inserted = np.array([source for kind, source, _ in edits if kind == "insert"], dtype=np.int64)
    deleted = np.array([source for kind, source, _ in edits if kind == "delete"], dtype=np.int64)
    places = np.arange(len(ours))
    columns = places + np.searchsorted(inserted, places, side="right")
    left, right = (np.full(len(ours) + len(inserted), -1) for _ in range(2))
    left[columns] = places + start[0]
    held = np.ones(len(left), dtype=bool)
    held[columns[deleted]] = False
    right[held] = np.arange(len(theirs)) + start[1]
    return left, right


def _compare(page: ComparedText, passage: ComparedText, ours: _Ints, theirs: _Ints) -> Columns:
    return Columns(ours, theirs, agreements(page, passage, ours, theirs))


def _breaks(page: ComparedText, passage: ComparedText, columns: Columns) -> _Ints:
    """Return the columns before which only one side has a long row of characters that are no letters.

    Where one chain follows another, the first column that both sides have may be among them.
    """
    both = np.flatnonzero((columns.page >= 0) & (columns.passage >= 0))
    extra = _between(page, columns.page[both]) - _between(passage, columns.passage[both])
    breaks: _Ints = both[1:][np.abs(extra) >= _FOREIGN_RUN]
    return breaks


def _between(text: ComparedText, letters: _Ints) -> _Ints:
    """Return how many characters that are no letters stand between each of some letters and the next."""
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
