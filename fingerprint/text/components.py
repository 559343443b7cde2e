"""Characters that are written as their two parts (拆字): 女子 for 好, 氵工 for 江.

In ordinary text one of a hundred pairs of neighbours happens to be the parts of a character, such as 女子.
Where half of the characters are split, a quarter of the pairs are. So pairs are joined only where they are
frequent; an isolated pair is never joined.

Complexity: O(n) in NumPy, about 20 ns per character of ordinary text.
"""

import base64
import zlib

import numpy as np

from fingerprint.text._components import COMPONENTS
from fingerprint.text.folding import Bools, Folded, Ints, Points

_WINDOW = 96  # characters
_MIN_PAIRS = 13  # pairs of parts in a window that show that characters are split
_MIN_PAIRS_ALONE = 6  # the same for a text that is shorter than a window
_BMP = 0xFFFF
_HASH_BITS = 18
_HASH_FACTOR = np.uint32(2_654_435_761)  # 2³² divided by the golden ratio (Knuth)

_TABLE = np.frombuffer(zlib.decompress(base64.b85decode(COMPONENTS)), dtype="<u2").reshape(3, -1)
_KEYS = (_TABLE[0].astype(np.uint32) << np.uint32(16)) | _TABLE[1]
_CHARACTERS = _TABLE[2].astype(np.uint32)


def _hashed(keys: Points) -> Points:
    return (keys * _HASH_FACTOR) >> np.uint32(32 - _HASH_BITS)


_MAY_BE = np.zeros(1 << _HASH_BITS, dtype=bool)
_MAY_BE[_hashed(_KEYS)] = True


def fold_components(points: Points) -> Folded | None:
    """Return a text with split characters joined, and the start and end of each character in the original.

    Args:
        points: shape (n,), the text's code points.

    Returns:
        Code points, starts and ends; None where no characters are split.

    >>> points = np.frombuffer("我亻门讠兑女子白勺讠舌，讠隹口斤至刂了".encode("utf-32-le"), "<u4")
    >>> points, starts, ends = fold_components(points)
    >>> points.tobytes().decode("utf-32-le"), starts[:3].tolist(), ends[:3].tolist()
    ('我们说好的话，谁听到了', [0, 1, 3], [1, 3, 5])
    """
    places, characters = _pairs(points)
    chosen = _are_dense(places, len(points))
    if not chosen.any():
        return None
    chosen &= _every_other(places)
    places, characters = places[chosen], characters[chosen]
    together = points.copy()
    together[places] = characters
    stays = np.ones(len(points), dtype=bool)
    stays[places + 1] = False
    ends = np.arange(1, len(points) + 1, dtype=np.int32)
    ends[places] += 1
    return together[stays], np.flatnonzero(stays).astype(np.int32), ends[stays]


def _pairs(points: Points) -> tuple[Ints, Points]:
    """Return the positions where two neighbours are the parts of a character, and these characters."""
    bmp_points = np.where(points > _BMP, np.uint32(0), points)
    keys = (bmp_points[:-1] << np.uint32(16)) | bmp_points[1:]
    places = np.flatnonzero(_MAY_BE[_hashed(keys)])
    rows = np.minimum(np.searchsorted(_KEYS, keys[places]), len(_KEYS) - 1)
    are_parts = _KEYS[rows] == keys[places]
    return places[are_parts].astype(np.int32), _CHARACTERS[rows[are_parts]]


def _are_dense(places: Ints, length: int) -> Bools:
    """Return which pairs are in a window with enough pairs; a short text counts as one window."""
    needed = max(_MIN_PAIRS_ALONE, -(-_MIN_PAIRS * min(length, _WINDOW) // _WINDOW))
    if len(places) < needed:
        return np.zeros(len(places), dtype=bool)
    starts = np.flatnonzero(places[needed - 1 :] - places[: len(places) - needed + 1] < _WINDOW)
    steps = np.zeros(len(places) + 1, dtype=np.int32)
    steps[starts] += 1
    np.subtract.at(steps, starts + needed, 1)
    return np.asarray(np.cumsum(steps[:-1]) > 0)


def _every_other(places: Ints) -> Bools:
    """Return which pairs remain when, of overlapping pairs, the earlier one wins."""
    first = np.diff(places, prepend=-2) > 1
    begins = np.maximum.accumulate(np.where(first, np.arange(len(places)), 0))
    return np.asarray((np.arange(len(places)) - begins) % 2 == 0)
