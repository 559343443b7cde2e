"""Winnowing: keep few hashes of many, so that both sides keep the same ones.

Schleimer, Wilkerson and Aiken, "Winnowing: Local Algorithms for Document Fingerprinting", SIGMOD 2003:
of every ``selection`` consecutive hashes keep the minimal one, the rightmost on a tie. Guarantee: two texts
that share ``selection`` consecutive hashes share a kept one. Expected density 2 / (selection + 1).

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
    best = np.arange(len(hashes), dtype=np.uint32)
    covered, goal = 1, min(selection, len(hashes))
    while covered < goal:
        step = min(covered, goal - covered)
        left, right = best[:-step], best[step:]
        best = np.where(hashes[right] <= hashes[left], right, left)
        covered += step
    kept = np.ones(len(best), dtype=bool)
    kept[1:] = best[1:] != best[:-1]
    return best[kept]
