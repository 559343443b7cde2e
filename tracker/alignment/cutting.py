"""Cutting pieces out of a stretch that belong to another text.

The remaining pieces are aligned again, so they have their own offsets, identities and disguises.

Complexity: one edit distance between the two sides of the stretch, however much is cut off.
"""

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from tracker.alignment.align import Aligned, aligned_stretch
from tracker.alignment.bounds import AlignmentBounds, bounds_of_letters, grow
from tracker.alignment.columns import Columns, columns_between
from tracker.alignment.flags import unset_before
from tracker.alignment.stretches import MIN_SPAN, free_parts
from tracker.alignment.text import ComparedText

# characters: at the border of two copied texts, a few characters may agree with both by chance
NEGLIGIBLE = 10

_Bools = npt.NDArray[np.bool_]


def without(page: ComparedText, passage: ComparedText, aligned: Aligned, taken: _Bools) -> list[Aligned]:
    """Return the remaining pieces of a stretch in page order: the whole stretch, pieces of it, or nothing.

    Pieces have ``MIN_SPAN`` letters or more. A repetition is kept or dropped as a whole, depending on where
    most of it is.

    Args:
        page: the page.
        passage: the passage that the stretch belongs to.
        aligned: the stretch.
        taken: shape (page characters,): the characters to cut off.
    """
    covered = taken[aligned.span.page_start : aligned.span.page_end]
    overlap = int(covered.sum())
    if overlap < min(NEGLIGIBLE, len(covered)):
        return [aligned]
    if overlap == len(covered) or len(covered) < MIN_SPAN:
        return []
    if is_repetition(page, aligned):
        return [aligned] if overlap * 2 < len(covered) else []
    return [
        aligned_stretch(page, passage, piece, _bounds(page, passage, piece, aligned, taken))
        for piece in _free_parts(page, passage, aligned, taken)
    ]


def is_repetition(page: ComparedText, aligned: Aligned) -> bool:
    """Return whether a stretch was aligned at another position of the page."""
    first = int(page.letters.offsets[aligned.letters[0]])
    return not aligned.span.page_start <= first < aligned.span.page_end


def _free_parts(
    page: ComparedText, passage: ComparedText, aligned: Aligned, taken: _Bools
) -> Iterator[Columns]:
    """Yield the columns of each free piece that is long enough and similar enough to report."""
    columns = columns_between(page, passage, aligned.letters, passage_letters(passage, aligned))
    blocked = taken[page.letters.offsets[columns.page]] & (columns.page >= 0)
    for piece in free_parts(columns, blocked, min_letters=MIN_SPAN):
        if len(piece) >= MIN_SPAN:
            yield piece


def _bounds(
    page: ComparedText, passage: ComparedText, columns: Columns, aligned: Aligned, taken: _Bools
) -> AlignmentBounds:
    """Return the bounds of a piece: it grows over free characters, but not beyond the stretch."""
    bare, span = bounds_of_letters(page, passage, columns), aligned.span
    before = taken[span.page_start : bare.page_start][::-1]
    behind = taken[bare.page_end : span.page_end]
    room = (
        min(unset_before(before), bare.passage_start - span.passage_start),
        min(unset_before(behind), span.passage_end - bare.passage_end),
    )
    return grow(page, passage, bare, room)


def passage_letters(passage: ComparedText, aligned: Aligned) -> tuple[int, int]:
    """Return the first and last + 1 letter of a stretch's side in the passage."""
    ends = [aligned.span.passage_start, aligned.span.passage_end]
    first, last = np.searchsorted(passage.letters.offsets, ends)
    return int(first), int(last)
