"""MinHash: estimate the Jaccard similarity of two sets of shingles from a few numbers per text.

Broder, "On the resemblance and containment of documents", 1997; Broder, Charikar, Frieze and Mitzenmacher,
"Min-wise independent permutations", 1998. Under a random permutation of all shingles, two sets have the same
minimum with a probability equal to their Jaccard similarity J.

* **k permutations**: keep the minimum under each of k permutations. The share of equal minima estimates J
  without bias, with the standard error √(J(1 − J)/k): at most 0.044 for k = 128.
* **bottom-k**: keep the k smallest hashes under one permutation. Take the k smallest hashes of the union of
  both texts: the share of them that both texts contain estimates J, also without bias and with a slightly
  smaller error. This takes one pass instead of k. (A well-known example with "the four smallest" is this
  method with k = 4. Some articles compare the two lists as sets, |A ∩ B| / |A ∪ B|. That is biased, because
  it counts shingles beyond the k smallest of the union.)

Permutations are x → aᵢ · mix64(x) + bᵢ modulo 2⁶⁴ with odd aᵢ. They are bijections, so two different shingles
never have the same value. Like all short formulas they are not min-wise independent. A test shows that on
mixed values the error is not larger than with independent permutations. Only the upper 32 bits of each
minimum are kept: 4 bytes per permutation.

Index: locality-sensitive hashing (Indyk and Motwani, 1998; Leskovec, Rajaraman and Ullman, "Mining of massive
datasets", chapter 3) with b bands of r rows, one key per band. Texts of similarity s share a key with the
probability 1 − (1 − sʳ)ᵇ, an S-curve that is steepest near (1/b)^(1/r). The same row of two bottom-k sketches
may stand for different shingles, so bottom-k uses the kept hashes as keys.

Complexity: O(k · n) for permutations, O(n log n) for bottom-k, in NumPy.
"""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from fingerprint.mixing import Hashes, mix64
from fingerprint.sets import common_count, distinct
from fingerprint.shingle import SetMethod
from fingerprint.text.views import Views

Minima = npt.NDArray[np.uint32]


@lru_cache(maxsize=8)
def _permutation_factors(count: int) -> tuple[Hashes, Hashes]:
    """Return the odd factors and the summands of the first ``count`` permutations: shape (count,) each."""
    numbers = np.arange(count, dtype=np.uint64)
    return mix64(numbers, seed=1) | np.uint64(1), mix64(numbers, seed=2)


def permutation_minima(hashes: Hashes, count: int) -> Minima:
    """Return the upper 32 bits of the minima under ``count`` permutations: shape (count,).

    The result for an empty set has the shape (0,).

    Args:
        hashes: shape (n,), any values, duplicates allowed.
        count: k, the number of permutations.

    >>> first = permutation_minima(np.arange(0, 90, dtype=np.uint64), 512)
    >>> second = permutation_minima(np.arange(30, 120, dtype=np.uint64), 512)  # 60 of 120 are common
    >>> abs(equal_minima_share(first, second) - 0.5) < 3 * (0.25 / 512) ** 0.5
    True
    """
    if len(hashes) == 0:
        return np.empty(0, dtype=np.uint32)
    mixed = mix64(hashes)
    factors, summands = _permutation_factors(count)
    minimum = np.empty(count, dtype=np.uint64)
    row = np.empty_like(mixed)
    for index in range(count):
        np.multiply(mixed, factors[index], out=row)
        np.add(row, summands[index], out=row)
        minimum[index] = row.min()
    return (minimum >> np.uint64(32)).astype(np.uint32)


def equal_minima_share(first: Minima, second: Minima) -> float:
    """Return the share of equal minima; 0 if one is empty.

    >>> equal_minima_share(np.array([1, 2, 3, 4], dtype=np.uint32), np.array([1, 9, 3, 4], dtype=np.uint32))
    0.75
    """
    return float(np.mean(first == second)) if len(first) == len(second) > 0 else 0.0


def smallest_hashes(hashes: Hashes, count: int) -> Hashes:
    """Return the ``count`` smallest mixed hashes, distinct, ascending; fewer for a smaller set.

    >>> len(smallest_hashes(np.array([7, 7, 9], dtype=np.uint64), 4))
    2
    """
    return distinct(mix64(hashes))[:count]


def bottom_k_similarity(first: Hashes, second: Hashes, count: int) -> float:
    """Return the share of the union's ``count`` smallest hashes that both sets contain; 0 for two empty sets.

    The textbook example with the four smallest:

    >>> first, second = np.array([2, 5, 7, 9], dtype=np.uint64), np.array([2, 3, 7, 8], dtype=np.uint64)
    >>> bottom_k_similarity(first, second, 4)
    0.5
    """
    smallest = np.union1d(first, second)[:count]
    both = np.intersect1d(first, second, assume_unique=True)
    return common_count(smallest, both) / max(1, len(smallest))


def band_keys(signature: Minima, bands: int) -> Hashes:
    """Return one key for each band: distinct, ascending; none for an empty signature.

    Args:
        signature: shape (bands · rows,).
        bands: at least 1.

    Raises:
        ValueError: the signature's length is not a multiple of ``bands``.

    >>> first, second = (np.array(row, dtype=np.uint32) for row in ([1, 2, 3, 4], [1, 2, 9, 4]))
    >>> len(np.intersect1d(band_keys(first, 2), band_keys(second, 2)))
    1
    """
    if len(signature) == 0:
        return np.empty(0, dtype=np.uint64)
    rows = signature.astype(np.uint64).reshape(bands, -1)
    keys = mix64(np.arange(bands, dtype=np.uint64))
    for row in rows.T:
        keys = mix64(keys ^ row)
    return distinct(keys)


def s_curve(similarity: float, *, bands: int, rows: int) -> float:
    """Return the probability that texts of a Jaccard similarity share a key: 1 − (1 − sʳ)ᵇ.

    >>> [round(s_curve(s / 10, bands=20, rows=5), 3) for s in (2, 4, 6, 8)]
    [0.006, 0.186, 0.802, 1.0]
    """
    return float(1 - (1 - similarity**rows) ** bands)


def lsh_threshold(*, bands: int, rows: int) -> float:
    """Return the approximate similarity at which the S-curve is steepest: (1/b)^(1/r).

    >>> round(lsh_threshold(bands=16, rows=4), 3)
    0.5
    """
    return float((1 / bands) ** (1 / rows))


@dataclass(frozen=True, slots=True, kw_only=True)
class MinHash(SetMethod[Minima]):
    """MinHash with k permutations of the shingles; see :class:`fingerprint.shingle.SetMethod`.

    Attributes:
        bands: number of LSH bands, at least 1.
        rows: number of minima per band, at least 1; k = bands · rows.

    Raises:
        ValueError: a parameter is out of range.
    """

    bands: int = 32
    rows: int = 4

    def __post_init__(self) -> None:
        SetMethod.__post_init__(self)
        if self.bands < 1 or self.rows < 1:
            raise ValueError(f"bands and rows must be at least 1, not {self.bands} and {self.rows}")

    @property
    def name(self) -> str:
        """A short name for tables."""
        return "minhash"

    @property
    def params_id(self) -> str:
        """Id of all parameters that influence the stored hashes."""
        return f"minhash1-{self.unit_id}-{self.size}-{self.bands}x{self.rows}"

    def fingerprint(self, views: Views) -> Minima:
        """Return the minima."""
        return permutation_minima(self.shingles(views), self.bands * self.rows)

    def similarity(self, first: Minima, second: Minima) -> float:
        """Return the estimated Jaccard similarity."""
        return equal_minima_share(first, second)

    def keys(self, fingerprint: Minima) -> Hashes:
        """Return one key for each band."""
        return band_keys(fingerprint, self.bands)


@dataclass(frozen=True, slots=True, kw_only=True)
class BottomK(SetMethod[Hashes]):
    """MinHash with the k smallest hashes of the shingles; see :class:`fingerprint.shingle.SetMethod`.

    Attributes:
        count: k, the number of kept hashes, at least 1.

    Raises:
        ValueError: a parameter is out of range.
    """

    count: int = 128

    def __post_init__(self) -> None:
        SetMethod.__post_init__(self)
        if self.count < 1:
            raise ValueError(f"count must be at least 1, not {self.count}")

    @property
    def name(self) -> str:
        """A short name for tables."""
        return "bottom-k"

    @property
    def params_id(self) -> str:
        """Id of all parameters that influence the stored hashes."""
        return f"bottomk1-{self.unit_id}-{self.size}-{self.count}"

    def fingerprint(self, views: Views) -> Hashes:
        """Return the k smallest hashes, ascending."""
        return smallest_hashes(self.shingles(views), self.count)

    def similarity(self, first: Hashes, second: Hashes) -> float:
        """Return the estimated Jaccard similarity."""
        return bottom_k_similarity(first, second, self.count) if len(first) and len(second) else 0.0

    def keys(self, fingerprint: Hashes) -> Hashes:
        """Return the kept hashes."""
        return fingerprint
