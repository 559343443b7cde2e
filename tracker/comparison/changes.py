"""Which letters of a text differ from a text that was looked up before, and which windows are new.

A page is looked up as written first. Latin letters that are read as pinyin, and other orders of reading,
change few of its letters. All windows of the other letters were looked up already. So only the letters around
the changes are looked up next. Together with the earlier hits they show whether the changed text can lead to
a passage at all.

``MARGIN`` letters on each side of a change hold every window over it, and those that decide which of these
windows winnowing keeps.
"""

import numpy as np
import numpy.typing as npt

from fingerprint.text.letters import Letters
from fingerprint.text.orders import Order
from tracker.alignment.pinyin import latin_count

MARGIN = 32  # letters: a window of DNA has 16, one of shingles 7, and winnowing looks at 10 of them

_Ints = npt.NDArray[np.int64]
_Bools = npt.NDArray[np.bool_]
_NOWHERE = -1


def sources_in_order(letters: Letters, order: Order, before: Letters) -> _Ints:
    """Return which letter of the written text each letter of an order of it is, −1 for none: shape (n,).

    Args:
        letters: of the order's text.
        order: the text as it may be read.
        before: letters of the text as written.
    """
    if not len(before):
        return np.full(len(letters), _NOWHERE, dtype=np.int64)
    places = np.searchsorted(before.offsets, order.starts[letters.offsets])
    places = np.minimum(places, len(before) - 1)
    return np.where(before.codes[places] == letters.codes, places, _NOWHERE)


def has_latin_near_changes(order: Order, least: int) -> bool:
    """Return whether so many Latin letters are where an order of a text has other neighbours than the text.

    Args:
        order: of a text.
        least: letters at one place.
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
    """Return which Han letter each letter of a text is, −1 for Latin ones: shape (n,).

    Args:
        latin: which of the letters are Latin, shape (n,).
    """
    return np.where(latin, _NOWHERE, np.cumsum(~latin) - 1)


def changes_of(sources: _Ints) -> _Ints:
    """Return which letters do not follow the one before them as they did before: ascending.

    Args:
        sources: which letter of the text that was looked up before each of them is, −1 for none.
    """
    follows = (sources[1:] == sources[:-1] + 1) & (sources[:-1] != _NOWHERE)
    return np.flatnonzero(~follows) + 1


def near_changes(changes: _Ints, count: int) -> _Bools:
    """Return which of so many letters are near a change: shape (count,).

    Args:
        changes: from :func:`changes_of`.
        count: letters of the text.
    """
    steps = np.zeros(count + 1, dtype=np.int64)
    np.add.at(steps, np.maximum(changes - MARGIN, 0), 1)
    np.add.at(steps, np.minimum(changes + MARGIN, count), -1)
    return np.asarray(np.cumsum(steps[:-1]) > 0)


def unchanged_hits(places: _Ints, sources: _Ints, changes: _Ints) -> _Ints:
    """Return what the windows of a text hit that are the same now, by where these are: shape (4, m), m ≤ n.

    Args:
        places: from :func:`tracker.comparison.diagonals.places_of`, shape (4, n).
        sources: which letter of that text each letter is now, −1 for none.
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
    """Return hits with their windows elsewhere on the page: shape (4, n).

    Args:
        places: from :func:`tracker.comparison.diagonals.places_of`, shape (4, n).
        windows: where they begin now, shape (n,).
    """
    passages, pages, diagonals, ends = places
    by = windows - pages
    return np.stack([passages, windows, diagonals - by, ends + by])
