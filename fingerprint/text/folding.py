"""What the ways to fold a text share: where something is the rule, and a text without some characters.

Complexity: O(n) in NumPy.
"""

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int32]
Bools = npt.NDArray[np.bool_]
Points = npt.NDArray[np.uint32]
# Code points, and where each begins and ends in the text that was folded.
Folded = tuple[Points, Ints, Ints]


def in_dense_windows(flags: Bools, window: int, least: int) -> Bools:
    """Return which places lie in some window of neighbours that has enough flags set: shape (n,).

    Args:
        flags: shape (n,). What is shorter than a window, but no shorter than half of one, is one of its own,
            with as large a share.
        window: its length.
        least: flags that are set in it.

    >>> in_dense_windows(np.array([False, False, True, True, False, False]), 4, 2).tolist()
    [True, True, True, True, True, True]
    >>> in_dense_windows(np.array([True, False, False, True, True, False]), 2, 2).tolist()
    [False, False, False, True, True, False]
    """
    if len(flags) < window:
        is_dense = len(flags) >= window // 2 and int(flags.sum()) * window >= len(flags) * least
        return np.full(len(flags), is_dense)
    counts = np.cumsum(np.concatenate([[0], flags]))
    full = np.flatnonzero(counts[window:] - counts[:-window] >= least)
    if len(full) == 0:
        return np.zeros(len(flags), dtype=bool)
    steps = np.zeros(len(flags) + 1, dtype=np.int32)
    steps[full] += 1
    np.subtract.at(steps, full + window, 1)
    return np.asarray(np.cumsum(steps[:-1]) > 0)


def without(points: Points, places: npt.NDArray[np.signedinteger]) -> Folded | None:
    """Return a text without some characters; each of the others ends with those behind it. None if all stay.

    Args:
        points: shape (n,), the text's code points.
        places: those of the characters to leave out, each once or more often.

    >>> text = np.array([20013, 120, 22269], np.uint32)
    >>> points, starts, ends = without(text, np.array([1]))
    >>> points.tolist(), starts.tolist(), ends.tolist()
    ([20013, 22269], [0, 2], [2, 3])
    """
    if len(places) == 0:
        return None
    stays = np.ones(len(points), dtype=bool)
    stays[places] = False
    starts = np.flatnonzero(stays).astype(np.int32)
    return points[starts], starts, np.append(starts[1:], len(points)).astype(np.int32)
