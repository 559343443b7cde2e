"""Winnowing: keep few of many hashes, so that both sides keep the same ones.

Schleimer, Wilkerson and Aiken, "Winnowing: Local Algorithms for Document Fingerprinting", SIGMOD 2003: of
every ``selection`` consecutive hashes keep the smallest, the rightmost on a tie. Guarantee: two texts that
share ``selection`` consecutive hashes share a kept one. Expected density 2 / (selection + 1).

Complexity: O(n log selection), by doubling, without a Python loop over positions.
"""

import numpy as np
import numpy.typing as npt

from fingerprint.mixing import Hashes

Positions = npt.NDArray[np.uint32]


def winnow(hashes: Hashes, selection: int) -> Positions:
    """Return the kept positions, ascending, shape (m,), ``uint32``.

    Fewer hashes than ``selection`` keep their single minimum, so that short texts have a fingerprint too.

    Args:
        hashes: shape (n,), ``uint64``.
        selection: length of the sliding window, at least 1.

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
    minima = sliding(np.minimum, hashes, width)
    # A hash is the minimum of some window around it if it equals the largest minimum of these windows.
    around = np.zeros(len(minima) + 2 * (width - 1), dtype=np.uint64)
    around[width - 1 : width - 1 + len(minima)] = minima
    minimal = np.flatnonzero(sliding(np.maximum, around, width) == hashes)
    return _rightmost(hashes, minimal, minima, width).astype(np.uint32)


def sliding(function: np.ufunc, values: Hashes, width: int) -> Hashes:
    """Return the minima or maxima of all windows: shape (n − width + 1,).

    Args:
        function: ``numpy.minimum`` or ``numpy.maximum``.
        values: shape (n,).
        width: 1 to n.

    >>> sliding(np.minimum, np.array([5, 3, 4, 9], dtype=np.uint64), 2).tolist()
    [3, 3, 4]
    """
    covered = 1
    while covered < width:
        step = min(covered, width - covered)
        values = function(values[:-step], values[step:])
        covered += step
    return values


def _rightmost(
    hashes: Hashes, minimal: npt.NDArray[np.int64], minima: Hashes, width: int
) -> npt.NDArray[np.int64]:
    """Drop minimal positions that are never the rightmost of equal ones.

    A position with an equal minimum in reach to its right stays if it is minimal in a window that ends before
    that minimum: a window that starts from ``position − width + 1`` to ``next − width``.
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
