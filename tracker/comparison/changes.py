"""Differences between a text and a version that was looked up before: changed letters and new windows.

A page is first looked up as written. Reading Latin letters as pinyin, or another reading order, changes only
a few of its letters; the windows of all others were looked up already. So only the letters around the changes
are looked up next. Together with the earlier hits they show whether the changed text can match a passage.

``MARGIN`` letters on each side of a change cover every window that contains the change, and all windows that
affect the choice of winnowing among them.
"""

import numpy as np
import numpy.typing as npt

from fingerprint.text.letters import Letters
from fingerprint.text.orders import Order
from tracker.alignment.pinyin import latin_count

MARGIN = 32  # letters: a DNA window has 16, a shingle has 7, and winnowing compares 10 shingles

_Ints = npt.NDArray[np.int64]
_Bools = npt.NDArray[np.bool_]
_NOWHERE = -1


def sources_in_order(letters: Letters, order: Order, before: Letters) -> _Ints:
    """Return the letter of the written text behind each letter of a reading order, −1 for none: shape (n,).

    Args:
        letters: of the text in reading order.
        order: the reading order.
        before: letters of the text as written.
    """
    if not len(before):
        return np.full(len(letters), _NOWHERE, dtype=np.int64)
    places = np.searchsorted(before.offsets, order.starts[letters.offsets])
    places = np.minimum(places, len(before) - 1)
    return np.where(before.codes[places] == letters.codes, places, _NOWHERE)


def has_latin_near_changes(order: Order, least: int) -> bool:
    """Return whether at least so many Latin letters have new neighbours in a reading order.

    Args:
        order: of a text.
        least: letters at one position.
    """
    jumps = np.flatnonzero(np.diff(order.starts) != 1) + 1
    near = np.flatnonzero(near_changes(jumps, len(order.text)))
    if not len(near):
        return False
    ends = np.flatnonzero(np.diff(near, append=len(order.text) + 1) > 1)
    firsts = np.concatenate([[0], ends[:-1] + 1])
    stretches = zip(near[firsts].tolist(), near[ends].tolist(), strict=True)
    return any(latin_count(order.text[first : last + 1]) >= least for first, last in stretches)


def sources_without_latin(latin: _Bools) -> _Ints:
    """Return the Han letter behind each letter of a text, −1 for Latin ones: shape (n,).

    Args:
        latin: which of the letters are Latin, shape (n,).
    """
    return np.where(latin, _NOWHERE, np.cumsum(~latin) - 1)


def changes_of(sources: _Ints) -> _Ints:
    """Return the letters whose predecessor changed, ascending.

    Args:
        sources: the letter in the earlier text behind each letter, −1 for none.
    """
    follows = (sources[1:] == sources[:-1] + 1) & (sources[:-1] != _NOWHERE)
    return np.flatnonzero(~follows) + 1


def near_changes(changes: _Ints, count: int) -> _Bools:
    """Return which of ``count`` letters are near a change: shape (count,).

    Args:
        changes: from :func:`changes_of`.
        count: letters of the text.
    """
    steps = np.zeros(count + 1, dtype=np.int64)
    np.add.at(steps, np.maximum(changes - MARGIN, 0), 1)
    np.add.at(steps, np.minimum(changes + MARGIN, count), -1)
    return np.asarray(np.cumsum(steps[:-1]) > 0)


def unchanged_hits(places: _Ints, sources: _Ints, changes: _Ints) -> _Ints:
    """Return the hits of unchanged windows, moved to their new positions: shape (4, m), m ≤ n.

    Args:
        places: from :func:`tracker.comparison.diagonals.places_of`, shape (4, n).
        sources: the letter in the earlier text behind each letter, −1 for none.
        changes: from :func:`changes_of`.
    """
    kept = np.flatnonzero(sources != _NOWHERE)
    now = np.full(int(sources.max(initial=0)) + 1, _NOWHERE, dtype=np.int64)
    now[sources[kept]] = kept
    inside = places[:, places[1] < len(now)]
    moved = hits_at(inside, now[inside[1]])
    before = np.searchsorted(changes, moved[1], side="right")
    is_same = (moved[1] != _NOWHERE) & (before == np.searchsorted(changes, moved[3]))
    return moved[:, is_same & (moved[3] <= len(sources))]


def hits_at(places: _Ints, windows: _Ints) -> _Ints:
    """Return hits with their windows moved to other positions of the page: shape (4, n).

    Args:
        places: from :func:`tracker.comparison.diagonals.places_of`, shape (4, n).
        windows: their new positions, shape (n,).
    """
    passages, pages, diagonals, ends = places
    by = windows - pages
    return np.stack([passages, windows, diagonals - by, ends + by])
