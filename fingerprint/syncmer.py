"""Closed syncmers: select few windows by their content alone, independently of their neighbours.

Edgar, "Syncmers are more sensitive than minimizers for selecting conserved k-mers in biological sequences",
PeerJ 9:e10805, 2021. A window of k letters contains k − s + 1 runs of s letters. It is kept if the smallest
hash among them is that of the first or of the last run. Winnowing keeps a window or not by its neighbours; a
syncmer is kept in every text that contains it.

Guarantee: with step = k − s, one of every ``step`` consecutive windows is kept. (They contain 2 · step runs.
If the smallest run is among the first ``step``, it is the first run of a window, otherwise the last run of a
window; it is also the smallest of that window.) Expected density 2 / (step + 1), as with winnowing.

Complexity: O(n log step), by doubling, in NumPy.
"""

import numpy as np

from fingerprint.mixing import Hashes
from fingerprint.winnow import Positions, sliding


def syncmers(runs: Hashes, step: int) -> Positions:
    """Return the kept windows, ascending, shape (m,), ``uint32``.

    Args:
        runs: shape (n + step,): the hashes of the runs; window i consists of the runs i to i + step.
        step: number of runs in a window after the first, at least 1.

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
