"""Sets of hashes as sorted arrays, and measures of the similarity of two sets.

Broder, "On the resemblance and containment of documents", 1997. Resemblance (the Jaccard coefficient)
r(A, B) = |A ∩ B| / |A ∪ B| says how similar two texts are as a whole. Containment c(A in B) = |A ∩ B| / |A|
says how much of A is in B. A page that copies one chapter of a long work has a low resemblance with the work,
but its containment in the work is 1. Containment is directed, so its arguments are called ``piece`` and
``whole``.

Complexity: O(n log n) to make a set, O(n + m) for the measures.
"""

import hashlib
from collections.abc import Iterable

import numpy as np

from fingerprint.mixing import Hashes


def distinct(hashes: Hashes) -> Hashes:
    """Return the distinct hashes in ascending order: shape (k,), ``uint64``.

    >>> distinct(np.array([7, 3, 7], dtype=np.uint64)).tolist()
    [3, 7]
    """
    ordered = np.sort(hashes)  # numpy.unique hashes the values first, which is many times slower
    first = np.ones(len(ordered), dtype=bool)
    np.not_equal(ordered[1:], ordered[:-1], out=first[1:])
    return ordered[first]


def string_hashes(strings: Iterable[str]) -> Hashes:
    """Return the stable hash of each string: BLAKE2b of its UTF-8, 8 bytes, little-endian; shape (n,).

    Lone surrogates are replaced by a question mark.

    >>> [hex(value) for value in string_hashes(["青灯", "渡口"]).tolist()]
    ['0x6f4fd4e5764dee14', '0x916bfe0765c8de08']
    """
    digests = [
        hashlib.blake2b(string.encode("utf-8", "replace"), digest_size=8).digest() for string in strings
    ]
    return np.frombuffer(b"".join(digests), dtype="<u8").astype(np.uint64)


def common_count(first: Hashes, second: Hashes) -> int:
    """Return |A ∩ B|, the number of common hashes of two sets from :func:`distinct`.

    >>> common_count(np.array([1, 2, 3], dtype=np.uint64), np.array([2, 3, 4], dtype=np.uint64))
    2
    """
    return len(np.intersect1d(first, second, assume_unique=True))


def resemblance(first: Hashes, second: Hashes) -> float:
    """Return |A ∩ B| / |A ∪ B|; 0 for two empty sets.

    >>> resemblance(np.array([1, 2, 3], dtype=np.uint64), np.array([2, 3, 4], dtype=np.uint64))
    0.5
    """
    shared = common_count(first, second)
    return shared / max(1, len(first) + len(second) - shared)


def containment(*, piece: Hashes, whole: Hashes) -> float:
    """Return |A ∩ B| / |A|: the share of the piece that the whole contains; 0 for an empty piece.

    >>> containment(piece=np.array([1, 2], dtype=np.uint64), whole=np.array([2, 3, 4], dtype=np.uint64))
    0.5
    """
    return common_count(piece, whole) / max(1, len(piece))


def overlap(first: Hashes, second: Hashes) -> float:
    """Return the larger one of the two containments: |A ∩ B| / min(|A|, |B|); 0 if a set is empty.

    >>> overlap(np.array([1, 2], dtype=np.uint64), np.array([2, 3, 4], dtype=np.uint64))
    0.5
    """
    return common_count(first, second) / max(1, min(len(first), len(second)))
