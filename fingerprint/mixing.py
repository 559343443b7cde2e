"""A stable 64-bit mixer: the same results in every process, on every machine and in every version.

The mixer is the finaliser of splitmix64 (Steele, Lea and Flood, 2014, variant 13 of Stafford). It is a
bijection, so different values stay different. It spreads packed windows evenly over hash buckets and makes
minima of hashes unbiased.
"""

import numpy as np
import numpy.typing as npt

Hashes = npt.NDArray[np.uint64]


def mix64(values: Hashes, *, seed: int = 0) -> Hashes:
    """Return well-mixed hashes of 64-bit values: same shape, ``uint64``.

    Args:
        values: ``uint64``, any shape.
        seed: selects the bijection.

    >>> hex(int(mix64(np.array([1], dtype=np.uint64))[0]))
    '0x910a2dec89025cc1'
    """
    mixed: Hashes = values + np.uint64((seed + 1) * 0x9E3779B97F4A7C15 % 2**64)
    mixed ^= mixed >> np.uint64(30)
    mixed *= np.uint64(0xBF58476D1CE4E5B9)
    mixed ^= mixed >> np.uint64(27)
    mixed *= np.uint64(0x94D049BB133111EB)
    mixed ^= mixed >> np.uint64(31)
    return mixed


def in_lowest_share(hashes: Hashes, share: float) -> npt.NDArray[np.bool_]:
    """Return which hashes are below ``share`` · 2⁶⁴; for mixed hashes, these are about that share.

    Args:
        hashes: from :func:`mix64`, any shape.
        share: in [0, 1].

    >>> in_lowest_share(np.array([1, 2**62, 2**63, 2**64 - 1], dtype=np.uint64), 0.5).tolist()
    [True, True, False, False]
    """
    return hashes < np.uint64(share * 2**64) if share < 1 else np.ones(hashes.shape, dtype=bool)
