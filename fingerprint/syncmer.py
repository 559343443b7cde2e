"""Closed syncmers: select windows by their content alone, independently of neighbouring windows.

Edgar, "Syncmers are more sensitive than minimizers for selecting conserved k-mers in biological sequences",
PeerJ 9:e10805, 2021. A window of k letters contains k − s + 1 runs of s letters. It is kept if its first or
its last run has the smallest hash of its runs. Whether winnowing keeps a window depends on neighbouring
windows; a syncmer is kept in every text that contains it.

Guarantee: with step = k − s, one of every ``step`` consecutive windows is kept. (These windows contain
2 · step runs. If the run with the smallest hash is among the first ``step`` runs, it is the first run of a
window; otherwise it is the last run of a window. So this window is kept.) The expected share of kept windows
is 2 / (step + 1), as with winnowing.

Complexity: O(n log step) in NumPy.
"""

import numpy as np

from fingerprint.mixing import Hashes
from fingerprint.winnow import Positions, sliding_extrema


def syncmers(runs: Hashes, step: int) -> Positions:
    """Return the kept windows, ascending, shape (m,), ``uint32``.

    Args:
        runs: shape (n + step,): the hashes of the runs; window i consists of the runs i to i + step.
        step: number of runs per window minus 1; at least 1.

    Raises:
        ValueError: ``step`` is below 1.

    >>> syncmers(np.array([5, 9, 7, 3, 8, 6, 4], dtype=np.uint64), 2).tolist()
    [0, 1, 3, 4]
    """
    if step < 1:
        raise ValueError(f"step must be at least 1, not {step}")
    if len(runs) <= step:
        return np.empty(0, dtype=np.uint32)
    minima = sliding_extrema(np.minimum, runs, step + 1)
    return np.flatnonzero((runs[:-step] == minima) | (runs[step:] == minima)).astype(np.uint32)
