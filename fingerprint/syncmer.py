"""Closed syncmers: keep few windows of many by what they hold, whatever stands around them.

Edgar, "Syncmers are more sensitive than minimizers for selecting conserved k-mers in biological sequences",
PeerJ 9:e10805, 2021. A window of k letters holds k − s + 1 runs of s letters; it is kept if the smallest
hash among them is that of the first or of the last run. Unlike winnowing, which keeps a window or not by
its neighbours, an intact window is kept in every text that holds it.

Guarantee: with step = k − s, one of every ``step`` consecutive windows is kept. (They hold 2 · step runs;
the smallest is the first run of a window if it is among the first ``step``, and the last run of one if not,
and it is the smallest of that window too.) Expected density 2 / (step + 1), as with winnowing.

Complexity: O(n log step), by doubling, in NumPy.
"""

import numpy as np

from fingerprint.mixing import Hashes
from fingerprint.winnow import Positions, sliding


def syncmers(runs: Hashes, step: int) -> Positions:
    """Return the kept windows, ascending, shape (m,), ``uint32``.

    Args:
        runs: shape (n + step,): the hashes of the runs; window i holds the runs i to i + step.
        step: how many runs a window holds beyond the first, at least 1.

    Raises:
        ValueError: ``step`` is below 1.

    >>> syncmers(np.array([5, 9, 7, 3, 8, 6, 4], dtype=np.uint64), 2).tolist()
    [0, 1, 3, 4]
    """
    if step < 1:
        raise ValueError(f"step must be at least 1, not {step}")
    if len(runs) <= step:
        return np.empty(0, dtype=np.uint32)
    minima = sliding(np.minimum, runs, step + 1)
    return np.flatnonzero((runs[:-step] == minima) | (runs[step:] == minima)).astype(np.uint32)
