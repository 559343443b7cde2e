"""Positions of set flags in boolean arrays. O(n) in NumPy."""

import numpy as np
import numpy.typing as npt


def runs_of(flags: npt.NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Return the first and last + 1 position of each run of set flags, in order.

    Args:
        flags: shape (n,).

    >>> runs_of(np.array([True, True, False, True]))
    [(0, 2), (3, 4)]
    """
    edges = np.flatnonzero(np.diff(np.concatenate([[False], flags, [False]])))
    return list(zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True))


def unset_before(flags: npt.NDArray[np.bool_]) -> int:
    """Return the number of flags before the first set flag; the number of all flags if none is set.

    Args:
        flags: shape (n,).

    >>> unset_before(np.array([False, False, True])), unset_before(np.array([False]))
    (2, 1)
    """
    return int(flags.argmax()) if flags.any() else len(flags)
