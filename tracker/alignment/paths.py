"""The path of an alignment: which letter of the page is aligned with which letter of the passage.

The gaps along a chain of exact runs are aligned by minimal edit distance (rapidfuzz, Hyyrö's bit-parallel
Levenshtein), and so are up to ``_FAR`` letters beyond each end. A path is built from pieces of both texts and
from the edits between them. The arrays of many chains are built at once, because most chains are short.

Complexity: gaps are at most ``MAX_GAP`` letters long; everything else is linear in the columns.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, cast

import numpy as np
import numpy.typing as npt
from rapidfuzz.distance import Levenshtein

from fingerprint.text.letters import Codes
from tracker.alignment.seeds import SeedRun

_NEAR = 40  # number of letters aligned beyond each end of a chain
_FAR = 200  # number of letters aligned there if the near letters agree well
_PROMISE = 0.5  # minimum share of near letters that agree

_Ints = npt.NDArray[np.int64]
_Place = tuple[int, int]  # position of a letter in the page, and of one in the passage


class Path(NamedTuple):
    """The columns of several chains, one after another.

    Attributes:
        page, passage: shape (n,): the letter's number, −1 where that side has none.
        ends: shape (chains,): the column behind each chain's last.
    """

    page: _Ints
    passage: _Ints
    ends: _Ints


def path_between(page: Codes, passage: Codes, ours: tuple[int, int], theirs: tuple[int, int]) -> Path:
    """Return the path from end to end.

    Args:
        page: the page's letters.
        passage: the passage's.
        ours: first and last + 1 letter of the page.
        theirs: first and last + 1 letter of the passage.
    """
    pieces = _Pieces(page.tobytes(), passage.tobytes())
    pieces.align((ours[0], theirs[0]), (ours[1], theirs[1]))
    pieces.end()
    return pieces.path()


def paths_along(page: Codes, passage: Codes, chains: Sequence[Sequence[SeedRun]]) -> Path:
    """Return the paths along chains, from a little before each to a little behind it."""
    pieces = _Pieces(page.tobytes(), passage.tobytes())
    for chain in chains:
        at = chain[0].page, chain[0].passage
        pieces.align_before(at)
        for run in chain:
            pieces.align(at, (run.page, run.passage))
            at = run.page + run.length, run.passage + run.length
            pieces.add((run.page, run.passage), at)
        pieces.align_behind(at)
        pieces.end()
    return pieces.path()


class _Edits(NamedTuple):
    """The edits between two pieces.

    Attributes:
        inserted: letters of the page that follow an unpaired letter of the passage, ascending.
        deleted: unpaired letters of the page, ascending.
        changed: how many letters of the page do not agree.
    """

    inserted: list[int]
    deleted: list[int]
    changed: int

    def reversed(self, length: int) -> "_Edits":
        """Return the edits of the same pieces read backwards; ``length`` is that of the page's piece."""
        return _Edits(
            [length - position for position in reversed(self.inserted)],
            [length - 1 - position for position in reversed(self.deleted)],
            self.changed,
        )


_NONE = _Edits([], [], 0)


def _edits(ours: bytes, theirs: bytes) -> _Edits:
    if ours == theirs:
        return _NONE
    edits = cast("list[tuple[str, int, int]]", Levenshtein.editops(ours, theirs).as_list())
    inserted = [position for kind, position, _ in edits if kind == "insert"]
    deleted = [position for kind, position, _ in edits if kind == "delete"]
    return _Edits(inserted, deleted, len(edits) - len(inserted))


@dataclass(slots=True)
class _Pieces:
    """A path under construction.

    Attributes:
        page, passage: the letters of both texts.
        places: first and last + 1 letter of each piece, on the page and in the passage.
        inserted, deleted: of all pieces' edits, by position along the path.
        letters: how many letters of the page the path has so far.
        ends: columns behind which a chain ends.
    """

    page: bytes
    passage: bytes
    places: list[tuple[int, int, int, int]] = field(default_factory=list)
    inserted: list[int] = field(default_factory=list)
    deleted: list[int] = field(default_factory=list)
    letters: int = 0
    ends: list[int] = field(default_factory=list)

    def add(self, start: _Place, end: _Place, edits: _Edits = _NONE) -> None:
        self.places.append((start[0], end[0], start[1], end[1]))
        self.inserted += [self.letters + position for position in edits.inserted]
        self.deleted += [self.letters + position for position in edits.deleted]
        self.letters += end[0] - start[0]

    def align(self, start: _Place, end: _Place) -> None:
        """Add the letters between two positions."""
        self.add(start, end, _edits(self.page[start[0] : end[0]], self.passage[start[1] : end[1]]))

    def align_behind(self, at: _Place) -> None:
        """Add the letters behind a position, as long as enough of them agree."""
        length, edits = _flank(self.page[at[0] : at[0] + _FAR], self.passage[at[1] : at[1] + _FAR])
        self.add(at, (at[0] + length, at[1] + length), edits)

    def align_before(self, at: _Place) -> None:
        """Add the letters before a position; both texts are read backwards for this."""
        ours, theirs = (
            text[max(0, end - _FAR) : end][::-1] for text, end in zip(self._texts, at, strict=True)
        )
        length, edits = _flank(ours, theirs)
        self.add((at[0] - length, at[1] - length), at, edits.reversed(length))

    @property
    def _texts(self) -> tuple[bytes, bytes]:
        return self.page, self.passage

    def end(self) -> None:
        """End a chain."""
        self.ends.append(self.letters + len(self.inserted))

    def path(self) -> Path:
        """Return the columns of all pieces; an unpaired letter has a separate column."""
        places = np.array(self.places, dtype=np.int64)
        ours, theirs = _numbers(places[:, 0], places[:, 1]), _numbers(places[:, 2], places[:, 3])
        inserted = np.bincount(np.array(self.inserted, dtype=np.int64), minlength=len(ours) + 1)
        columns = np.arange(len(ours)) + np.cumsum(inserted)[: len(ours)]
        page, right = (np.full(len(ours) + len(self.inserted), -1) for _ in range(2))
        page[columns] = ours
        held = np.ones(len(page), dtype=bool)
        held[columns[self.deleted]] = False
        right[held] = theirs
        return Path(page, right, np.array(self.ends, dtype=np.int64))


def _flank(ours: bytes, theirs: bytes) -> tuple[int, _Edits]:
    """Return how many letters of two texts extend a path, and their edits."""
    room = min(len(ours), len(theirs))
    near = min(_NEAR, room)
    edits = _edits(ours[:near], theirs[:near])
    if near == room or near - edits.changed < _PROMISE * near:
        return near, edits
    return room, _edits(ours[:room], theirs[:room])


def _numbers(starts: _Ints, ends: _Ints) -> _Ints:
    """Return the numbers from each start up to (not including) its end, all ranges joined."""
    lengths = ends - starts
    shift = starts - (np.cumsum(lengths) - lengths)
    numbers: _Ints = np.repeat(shift, lengths) + np.arange(lengths.sum())
    return numbers
