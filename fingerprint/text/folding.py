"""Shared functions of the modules that fold a text: find dense windows, and remove characters.

Complexity: O(n) in NumPy.
"""

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int32]
Bools = npt.NDArray[np.bool_]
Points = npt.NDArray[np.uint32]
# Code points of the folded text, and the start and end of each in the original text.
Folded = tuple[Points, Ints, Ints]


def in_dense_windows(flags: Bools, window: int, min_flags: int) -> Bools:
    """Return which positions are in a window that contains enough set flags: shape (n,).

    Args:
        flags: shape (n,). An array shorter than a window, but at least half as long, counts as one window and
            needs the same share of set flags.
        window: length of a window.
        min_flags: minimum number of set flags in a window.

    >>> in_dense_windows(np.array([False, False, True, True, False, False]), 4, 2).tolist()
    [True, True, True, True, True, True]
    >>> in_dense_windows(np.array([True, False, False, True, True, False]), 2, 2).tolist()
    [False, False, False, True, True, False]
    """
    if len(flags) < window:
        is_dense = len(flags) >= window // 2 and int(flags.sum()) * window >= len(flags) * min_flags
        return np.full(len(flags), is_dense)
    counts = np.cumsum(np.concatenate([[0], flags]))
    full = np.flatnonzero(counts[window:] - counts[:-window] >= min_flags)
    if len(full) == 0:
        return np.zeros(len(flags), dtype=bool)
    steps = np.zeros(len(flags) + 1, dtype=np.int32)
    steps[full] += 1
    np.subtract.at(steps, full + window, 1)
    return np.asarray(np.cumsum(steps[:-1]) > 0)


def remove_characters(points: Points, positions: npt.NDArray[np.signedinteger]) -> Folded | None:
    """Return a text without the characters at the given positions; None if there are no positions.

    Each remaining character ends where the next one starts, so it includes the removed characters after it.

    Args:
        points: shape (n,), the text's code points.
        positions: positions of the characters to remove; duplicates are allowed.

    >>> text = np.array([20013, 120, 22269], np.uint32)
    >>> points, starts, ends = remove_characters(text, np.array([1]))
    >>> points.tolist(), starts.tolist(), ends.tolist()
    ([20013, 22269], [0, 2], [2, 3])
    """
    if len(positions) == 0:
        return None
    is_kept = np.ones(len(points), dtype=bool)
    is_kept[positions] = False
    starts = np.flatnonzero(is_kept).astype(np.int32)
    return points[starts], starts, np.append(starts[1:], len(points)).astype(np.int32)
