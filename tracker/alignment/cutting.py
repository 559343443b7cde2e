"""A stretch without the parts of the page that something else has a better claim to.

What is left is aligned anew between the ends of the stretch, so its offsets, identities and disguises are its
own. Complexity: one edit distance between the two sides of the stretch, whatever is cut off.
"""

from collections.abc import Iterator
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from tracker.alignment.align import EDGE, MIN_SPAN, Aligned, aligned_stretch, is_alike, trim
from tracker.alignment.columns import Columns, columns_between
from tracker.alignment.text import ComparedText

NEGLIGIBLE = 10  # characters: two texts may go on alike by chance where one ends and the other begins

_Bools = npt.NDArray[np.bool_]


def without(page: ComparedText, passage: ComparedText, aligned: Aligned, taken: _Bools) -> list[Aligned]:
    """Return what is left of a stretch, in page order: itself, parts that are long enough, or nothing.

    Parts have ``MIN_SPAN`` letters or more. A place where the page repeats a stretch is left whole or not at
    all, by where most of it lies.

    Args:
        page: the page.
        passage: the passage that the stretch belongs to.
        aligned: the stretch.
        taken: shape (page characters,): what is cut off.
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
        aligned_stretch(page, passage, part, room=_room(page, part, taken))
        for part in _free_parts(page, passage, aligned, taken)
    ]


def is_repetition(page: ComparedText, aligned: Aligned) -> bool:
    """Return whether a stretch was aligned at another place of the page."""
    first = int(page.letters.offsets[aligned.letters[0]])
    return not aligned.span.page_start <= first < aligned.span.page_end


def _free_parts(
    page: ComparedText, passage: ComparedText, aligned: Aligned, taken: _Bools
) -> Iterator[Columns]:
    """Yield the columns of each free part that is long and alike enough to be told."""
    columns = columns_between(page, passage, aligned.letters, passage_letters(passage, aligned))
    free = ~taken[page.letters.offsets[columns.page]] & columns.sound
    blocked = np.flatnonzero(taken[page.letters.offsets[columns.page]] & (columns.page >= 0))
    for before, behind in pairwise([-1, *blocked.tolist(), len(columns)]):
        if behind - before <= MIN_SPAN:
            continue
        agreeing = np.flatnonzero(free[before + 1 : behind]) + before + 1
        if len(agreeing) >= 1:
            part = trim(columns.part(slice(int(agreeing[0]), int(agreeing[-1]) + 1)))
            if len(part) >= MIN_SPAN and is_alike(part):
                yield part


def _room(page: ComparedText, columns: Columns, taken: _Bools) -> tuple[int, int]:
    """Return how many characters are free right before and right behind a part."""
    first, last = columns.page_letters
    start, end = int(page.letters.offsets[first]), int(page.ends[last - 1])
    return _leading(~taken[max(0, start - EDGE) : start][::-1]), _leading(~taken[end : end + EDGE])


def _leading(free: _Bools) -> int:
    """Return how many of some characters are free before the first that is not."""
    return len(free) if free.all() else int(free.argmin())


def passage_letters(passage: ComparedText, aligned: Aligned) -> tuple[int, int]:
    """Return the first and last + 1 letter of a stretch's side in the passage."""
    ends = [aligned.span.passage_start, aligned.span.passage_end]
    first, last = np.searchsorted(passage.letters.offsets, ends)
    return int(first), int(last)
