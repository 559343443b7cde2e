"""Winnowing: select a share of a text's hashes, so that texts with a common run select a common hash.

Schleimer, Wilkerson and Aiken, "Winnowing: Local Algorithms for Document Fingerprinting", SIGMOD 2003. Of
every ``selection`` consecutive hashes, the smallest is kept; if several are equal, the rightmost. Guarantee:
two texts that share ``selection`` consecutive hashes keep a common hash. The expected share of kept hashes is
2 / (selection + 1).

Complexity: O(n log w), where w is the number of hashes per window, without a Python loop over positions.
"""

import numpy as np
import numpy.typing as npt

from fingerprint.mixing import Hashes

Positions = npt.NDArray[np.uint32]


def winnow(hashes: Hashes, selection: int) -> Positions:
    """Return the positions of the kept hashes, ascending: shape (m,), ``uint32``.

    If there are fewer than ``selection`` hashes, the smallest is kept, so short texts have a fingerprint too.

    Args:
        hashes: shape (n,), ``uint64``.
        selection: one of this many consecutive hashes is kept; at least 1.

    Raises:
        ValueError: ``selection`` is below 1.

    >>> winnow(np.array([77, 74, 42, 17, 98, 50, 17, 98, 8, 88], dtype=np.uint64), 4).tolist()
    [3, 6, 8]
    """
    if selection < 1:
        raise ValueError(f"selection must be at least 1, not {selection}")
    if len(hashes) == 0:
        return np.empty(0, dtype=np.uint32)
    width = min(selection, len(hashes))
    minima = sliding_extrema(np.minimum, hashes, width)
    # A hash is the minimum of a window if it equals the largest minimum of the windows that contain it.
    around = np.zeros(len(minima) + 2 * (width - 1), dtype=np.uint64)
    around[width - 1 : width - 1 + len(minima)] = minima
    minimal = np.flatnonzero(sliding_extrema(np.maximum, around, width) == hashes)
    return _keep_rightmost(hashes, minimal, minima, width).astype(np.uint32)


def sliding_extrema(function: np.ufunc, values: Hashes, width: int) -> Hashes:
    """Return the minimum or maximum of every window of ``width`` values: shape (n − width + 1,).

    Args:
        function: ``numpy.minimum`` or ``numpy.maximum``.
        values: shape (n,).
        width: length of a window, 1 to n.

    >>> sliding_extrema(np.minimum, np.array([5, 3, 4, 9], dtype=np.uint64), 2).tolist()
    [3, 3, 4]
    """
    covered = 1
    while covered < width:
        step = min(covered, width - covered)
        values = function(values[:-step], values[step:])
        covered += step
    return values


def _keep_rightmost(
    hashes: Hashes, minimal: npt.NDArray[np.int64], minima: Hashes, width: int
) -> npt.NDArray[np.int64]:
    """Drop the positions whose hash is in no window the rightmost of several equal minima.

    If the next equal hash is less than ``width`` positions away, a position is kept only if it is the minimum
    of a window that ends before that hash. Such windows start between ``position − width + 1`` and
    ``next − width``.
    """
    values = hashes.take(minimal)
    tied = np.flatnonzero((values[1:] == values[:-1]) & (minimal[1:] - minimal[:-1] < width))
    if len(tied) == 0:
        return minimal
    first = np.maximum(minimal.take(tied) - width + 1, 0)
    lengths = np.maximum(minimal.take(tied + 1) - width + 1 - first, 0)
    ends = lengths.cumsum()
    starts = np.arange(ends[-1]) + (first - ends + lengths).repeat(lengths)
    pairs = tied.repeat(lengths)
    kept = np.ones(len(minimal), dtype=bool)
    kept[tied] = False
    kept[pairs[minima.take(starts) == values.take(pairs)]] = True
    return minimal[kept]
