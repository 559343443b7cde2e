"""Shingles of pinyin initials: k consecutive letters, packed into one integer and winnowed.

Broder, "On the resemblance and containment of documents", 1997, for shingles; Schleimer et al., 2003, for
the selection. A shingle of at most 12 letters fits 5 bits a letter into 64 bits, so equal hashes mean equal
shingles: there are no collisions.

Guarantee: any run of ``size + selection − 1`` letters that two texts share yields a shared fingerprint.
"""

from dataclasses import dataclass

import numpy as np

from fingerprint.fingerprints import Fingerprints, no_fingerprints
from fingerprint.letters import Codes, Letters
from fingerprint.mixing import Hashes, mix64
from fingerprint.winnow import winnow

_BITS = 5
_MAX_SIZE = 64 // _BITS


@dataclass(frozen=True, slots=True, kw_only=True)
class ShingleParams:
    """Parameters of letter shingles.

    Attributes:
        size: letters a shingle, 1 to 12.
        selection: winnowing window in shingles; 1 keeps all.

    Raises:
        ValueError: a parameter is out of range.
    """

    size: int = 10
    selection: int = 16

    def __post_init__(self) -> None:
        if not 1 <= self.size <= _MAX_SIZE:
            raise ValueError(f"size must be between 1 and {_MAX_SIZE}, not {self.size}")
        if self.selection < 1:
            raise ValueError(f"selection must be at least 1, not {self.selection}")

    @property
    def params_id(self) -> str:
        """Names everything that changes a stored hash."""
        return f"shingle1-{self.size}-w{self.selection}"


def packed_shingles(codes: Codes, size: int) -> Hashes:
    """Return every run of ``size`` letters as an integer: shape (n − size + 1,) or empty, ``uint64``.

    Args:
        codes: shape (n,), letters 1-26.
        size: 1 to 12.

    >>> packed_shingles(np.array([1, 2, 3], dtype=np.uint8), 2).tolist()
    [34, 67]
    """
    count = len(codes) - size + 1
    if count <= 0:
        return np.empty(0, dtype=np.uint64)
    wide = codes.astype(np.uint64)
    packed = np.zeros(count, dtype=np.uint64)
    for index in range(size):
        packed <<= np.uint64(_BITS)
        packed |= wide[index : index + count]
    return packed


def shingle_fingerprints(letters: Letters, params: ShingleParams) -> Fingerprints:
    """Return the winnowed shingles of a text.

    >>> from fingerprint.letters import to_letters
    >>> len(shingle_fingerprints(to_letters("青灯渡口夜雨初停人声渐远"), ShingleParams()))
    1
    """
    hashes = mix64(packed_shingles(letters.codes, params.size))
    if len(hashes) == 0:
        return no_fingerprints()
    positions = winnow(hashes, params.selection)
    return Fingerprints(hashes[positions], positions)
