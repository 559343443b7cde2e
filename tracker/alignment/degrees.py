"""Degrees of agreement between the two characters of a column.

=========== ==============================================================================================
SAME        the very same character
VARIANT     forms of one character: traditional, old, interchangeable
SAME_TONE   the same syllable in the same tone: 清 and 青
SYLLABLE    the same syllable in another tone, or one of unknown tone (Latin letters): 买 and 卖
NEAR        a near syllable (:mod:`fingerprint.text.syllables`): 十 and 四, 蓝 and 南
INITIAL     the same initial only: 云 and 月
OTHER       nothing, or a letter on one side only
=========== ==============================================================================================

Any two readings of polyphones count, because a tool that swaps characters ignores the sentence. Complexity:
O(n) in NumPy, and a small constant for each column with different characters.
"""

from collections.abc import Callable
from enum import IntEnum
from itertools import product

import numpy as np
import numpy.typing as npt

from fingerprint.text.syllables import Readings, similar_syllable_groups, syllable_numbers, tone_numbers
from fingerprint.text.variants import are_variants
from tracker.alignment.text import ComparedText

Degrees = npt.NDArray[np.uint8]
_Ints = npt.NDArray[np.int64]
_Bools = npt.NDArray[np.bool_]


class Degree(IntEnum):
    """How far the two characters of a column agree; a greater value means more agreement."""

    OTHER = 0
    INITIAL = 1
    NEAR = 2
    SYLLABLE = 3
    SAME_TONE = 4
    VARIANT = 5
    SAME = 6


def degrees_of(page: ComparedText, passage: ComparedText, ours: _Ints, theirs: _Ints) -> Degrees:
    """Return the degree of agreement of each column: shape (n,).

    Args:
        page: the page.
        passage: the passage.
        ours: shape (n,): the page's letter in each column, −1 where it has none.
        theirs: shape (n,): the passage's.
    """
    degrees = np.zeros(len(ours), dtype=np.uint8)
    both = np.flatnonzero((ours >= 0) & (theirs >= 0))
    ours, theirs = ours[both], theirs[both]
    degrees[both] = np.where(page.codes[ours] == passage.codes[theirs], Degree.INITIAL, Degree.OTHER)
    equal = page.folded[ours] == passage.folded[theirs]
    same = page.raw[ours[equal]] == passage.raw[theirs[equal]]
    degrees[both[equal]] = np.where(same, Degree.SAME, Degree.VARIANT)
    both, ours, theirs = both[~equal], ours[~equal], theirs[~equal]
    sounds = alike_in_sound(page.readings_of(ours), passage.readings_of(theirs))
    sounds[are_variants(page.folded[ours], passage.folded[theirs])] = Degree.VARIANT
    degrees[both] = np.maximum(degrees[both], sounds)
    return degrees


def alike_in_sound(ours: Readings, theirs: Readings) -> Degrees:
    """Return the similarity of sound of different characters: SAME_TONE, SYLLABLE, NEAR or OTHER; shape (n,).

    Args:
        ours: shape (n, readings of a character): zeros where it has no more.
        theirs: likewise.
    """
    degrees = np.zeros(len(ours), dtype=np.uint8)
    alike = np.arange(len(ours))
    for degree, view in _VIEWS:
        alike = alike[_overlaps(view(ours[alike]), view(theirs[alike]))]
        if len(alike) == 0:
            break
        degrees[alike] = degree
    return degrees


def _with_tone(readings: Readings) -> Readings:
    """Return the readings whose tone is known, and 0 for others."""
    return np.where(tone_numbers(readings) > 0, readings, 0).astype(np.uint16)


# A column that agrees in one of these degrees also agrees in all degrees before it.
_VIEWS: tuple[tuple[Degree, Callable[[Readings], Readings]], ...] = (
    (Degree.NEAR, similar_syllable_groups),
    (Degree.SYLLABLE, syllable_numbers),
    (Degree.SAME_TONE, _with_tone),
)
_NEVER = 0xFFFF  # a number that no reading, syllable or near syllable has


def _overlaps(ours: Readings, theirs: Readings) -> _Bools:
    """Return which rows of both arrays share a number other than zero."""
    meet = np.zeros(len(ours), dtype=bool)
    their_columns = _columns(theirs)
    their_columns[their_columns == 0] = _NEVER
    for column, other in product(_columns(ours), their_columns):
        meet |= column == other
    return meet


def _columns(readings: Readings) -> Readings:
    """Return the first readings of all characters, then the second ones, and so on while there are any."""
    return np.ascontiguousarray(readings.T[readings.any(axis=0)])
