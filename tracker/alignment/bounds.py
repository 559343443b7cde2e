"""Bounds of stretches in the characters of both texts.

A stretch of letters grows over equal characters around it: punctuation, digits, Latin words. If two
neighbours could take the same characters, the first on the page takes them. So the bounds of two stretches
never overlap (:mod:`tracker.alignment.stretches`).

Complexity: at most ``EDGE`` characters on either side of each stretch, and one pass over the passage.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tracker.alignment.columns import Columns
from tracker.alignment.flags import unset_before
from tracker.alignment.text import ComparedText

EDGE = 64  # maximum number of characters by which a stretch grows on each side

_Counts = npt.NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class AlignmentBounds:
    """Offsets of a stretch in the page and in the passage: its first character, and its last one + 1."""

    page_start: int
    page_end: int
    passage_start: int
    passage_end: int


def bounds_of_letters(page: ComparedText, passage: ComparedText, columns: Columns) -> AlignmentBounds:
    """Return the bounds of a stretch's letters alone."""
    return AlignmentBounds(
        *_characters(page, columns.page_letters),
        *_characters(passage, columns.passage_letters),
    )


def _characters(text: ComparedText, letters: tuple[int, int]) -> tuple[int, int]:
    return int(text.letters.offsets[letters[0]]), int(text.ends[letters[1] - 1])


def grow(
    page: ComparedText, passage: ComparedText, bounds: AlignmentBounds, room: tuple[int, int]
) -> AlignmentBounds:
    """Extend bounds over the equal characters around them.

    Args:
        page: the page.
        passage: the passage.
        bounds: of the letters.
        room: how many characters before and behind may be added.
    """
    before, behind = room
    start, end, there, there_end = (
        bounds.page_start,
        bounds.page_end,
        bounds.passage_start,
        bounds.passage_end,
    )
    ahead = page.text[max(0, start - before) : start], passage.text[max(0, there - before) : there]
    head = _common_prefix(ahead[0][::-1], ahead[1][::-1])
    tail = _common_prefix(page.text[end : end + behind], passage.text[there_end : there_end + behind])
    return AlignmentBounds(start - head, end + tail, there - head, there_end + tail)


def _common_prefix(first: str, right: str) -> int:
    """Return the length of the common prefix of two texts, without white space at its end."""
    same = 0
    for index, (ours, theirs) in enumerate(zip(first, right, strict=False)):
        if ours != theirs:
            break
        if not ours.isspace():
            same = index + 1
    return same


def all_bounds(
    page: ComparedText, passage: ComparedText, stretches: Sequence[Columns]
) -> Iterator[AlignmentBounds]:
    """Yield the bounds of each stretch; they do not overlap.

    Args:
        page: the page.
        passage: the passage.
        stretches: disjoint on the page, in page order.
    """
    if not stretches:
        return
    bare = [bounds_of_letters(page, passage, columns) for columns in stretches]
    held = np.zeros(len(passage.text), dtype=np.int32)
    for bounds in bare:
        held[bounds.passage_start : bounds.passage_end] += 1
    previous = 0
    for number, bounds in enumerate(bare):
        following = bare[number + 1].page_start if number + 1 < len(bare) else len(page.text)
        before, behind = _room(held, bounds)
        room = min(before, bounds.page_start - previous), min(behind, following - bounds.page_end)
        grown = grow(page, passage, bounds, room)
        held[grown.passage_start : grown.passage_end] += 1
        previous = grown.page_end
        yield grown


def _room(held: _Counts, bounds: AlignmentBounds) -> tuple[int, int]:
    """Return how many free characters of the passage are before and behind the bounds.

    A repetition on the page may repeat the punctuation around it too.
    """
    if (held[bounds.passage_start : bounds.passage_end] > 1).any():
        return EDGE, EDGE
    before = held[max(0, bounds.passage_start - EDGE) : bounds.passage_start][::-1]
    behind = held[bounds.passage_end : bounds.passage_end + EDGE]
    return unset_before(before > 0), unset_before(behind > 0)
