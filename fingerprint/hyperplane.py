"""Random hyperplanes: one bit for each random plane says on which side of it a text's vector lies.

Charikar, 2002, after Goemans and Williamson, 1995. For a plane through the origin with a random normal r, the
bit of a vector v is 1 if r · v > 0. Two vectors at the angle θ get different bits with the probability θ/π.
So if a share d of the bits differs, the estimated cosine is cos(π · d).

The normal of a plane has one component for every word. *Explicit* planes are a matrix over a fixed vocabulary
(:func:`plane_signs`). *Hashed* planes compute a component from the word's hash and the plane's number, so
they cover every word and need no storage (:func:`hashed_components`). They are of two kinds:

* ``gaussian``: a component is the sum of a mixed hash's eight bytes, minus the mean of such sums. It is an
  integer with a nearly normal distribution, so the bits are the same on every machine.
* ``signs``: a component is +1 or −1, by one bit of the word's hash. This special case is SimHash;
  :func:`fingerprint.simhash.simhash` returns the same bits.

The standard error of the estimate is at most π/2 / √planes: 0.14 with 120 planes.

Index: bands of ``rows`` bits; see :mod:`fingerprint.minhash` for the curve, with 1 − θ/π as the similarity.

Complexity: O(words · planes) in NumPy.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from fingerprint.idf import FLAT, Idf
from fingerprint.method import Method
from fingerprint.mixing import Hashes, mix64
from fingerprint.sets import string_hashes
from fingerprint.simhash import FIXED_POINT, distance_bits, pack_bits
from fingerprint.text.views import Views
from fingerprint.vectors import word_weights

Kind = Literal["gaussian", "signs"]
Signs = npt.NDArray[np.bool_]

_MEAN = 8 * 255 // 2
_MAX_SIGNS = 64


def plane_signs(vector: npt.NDArray[np.float64], planes: npt.NDArray[np.float64]) -> Signs:
    """Return for each explicit plane whether the vector is on its positive side: shape (planes,), ``bool``.

    Args:
        vector: shape (words,).
        planes: shape (planes, words): the normals.

    Raises:
        ValueError: the vector and the planes have different numbers of words.

    >>> plane_signs(np.array([1.0, 2.0]), np.array([[1.0, 0.0], [1.0, -1.0]])).tolist()
    [True, False]
    """
    sides: Signs = planes @ vector > 0
    return sides


def hashed_components(hashes: Hashes, planes: int, kind: Kind) -> npt.NDArray[np.int64]:
    """Return the words' components for every plane: shape (words, planes), ``int64``.

    Args:
        hashes: shape (words,).
        planes: number of planes; at most 64 for ``signs``.
        kind: see the module's docstring.

    >>> hashed_components(np.array([0b101], dtype=np.uint64), 3, "signs").tolist()
    [[1, -1, 1]]
    """
    numbers = np.arange(planes, dtype=np.uint64)
    if kind == "signs":
        return 2 * ((hashes[:, None] >> numbers) & np.uint64(1)).astype(np.int64) - 1
    mixed = mix64(hashes[:, None] + mix64(numbers))
    octets = mixed.view(np.uint8).reshape(len(hashes), planes, 8)
    components: npt.NDArray[np.int64] = octets.sum(axis=2, dtype=np.int64) - _MEAN
    return components


def hyperplane_signature(weights: Mapping[str, float], planes: int, kind: Kind) -> int | None:
    """Return one bit for each hashed plane as an integer, plane 0 in the lowest bit; None without words.

    >>> from fingerprint.simhash import simhash
    >>> words = {"青灯": 2.0, "渡口": 1.0, "缆绳": 1.5}
    >>> hyperplane_signature(words, 64, "signs") == simhash(words, 64)
    True
    """
    if not weights:
        return None
    fixed = np.rint(np.fromiter(weights.values(), np.float64, len(weights)) * FIXED_POINT).astype(np.int64)
    return pack_bits(fixed @ hashed_components(string_hashes(weights), planes, kind) > 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Hyperplanes(Method[int | None]):
    """Texts are similar when the estimated angle between their vectors is small.

    Attributes:
        planes: bits per text, a multiple of ``rows``; at most 64 for ``signs``.
        rows: bits per band, 1 to 32.
        kind: kind of the planes' components; see the module's docstring.
        min_similarity: the minimum estimated cosine of duplicates.
        idf: word frequencies (IDF), measured with the same segmenter.
        words_id: name of the segmenter.

    Raises:
        ValueError: a parameter is out of range.
    """

    planes: int = 120
    rows: int = 12
    kind: Kind = "gaussian"
    min_similarity: float = 0.9
    idf: Idf = FLAT
    words_id: str = "jieba1"

    def __post_init__(self) -> None:
        if not 1 <= self.rows <= 32 or self.planes < 1 or self.planes % self.rows:  # noqa: PLR2004
            raise ValueError(
                f"planes must be a multiple of rows (1 to 32), not {self.planes} planes with {self.rows} rows"
            )
        if self.kind not in ("gaussian", "signs"):
            raise ValueError(f"kind must be gaussian or signs, not {self.kind}")
        if self.kind == "signs" and self.planes > _MAX_SIGNS:
            raise ValueError(f"planes must be at most 64 for signs, not {self.planes}")
        if not 0 < self.min_similarity <= 1:
            raise ValueError(f"min_similarity must be in (0, 1], not {self.min_similarity}")

    @property
    def name(self) -> str:
        """A short name for tables."""
        return "hyperplane"

    @property
    def params_id(self) -> str:
        """Id of all parameters that influence the stored hashes."""
        shape = f"{self.planes}-{self.rows}-{self.kind}"
        return f"hyperplane1-{shape}-{self.words_id}-{self.idf.name}"

    @property
    def threshold(self) -> float:
        """The parameter ``min_similarity``."""
        return self.min_similarity

    def fingerprint(self, views: Views) -> int | None:
        """Return one bit for each plane, as an integer."""
        return hyperplane_signature(word_weights(views.words, self.idf), self.planes, self.kind)

    def similarity(self, first: int | None, second: int | None) -> float:
        """Return the estimated cosine, or 0 if it is negative."""
        if first is None or second is None:
            return 0.0
        return max(0.0, math.cos(math.pi * distance_bits(first, second) / self.planes))

    def keys(self, fingerprint: int | None) -> Hashes:
        """Return one key for each band of bits."""
        if fingerprint is None:
            return np.empty(0, dtype=np.uint64)
        bands = range(self.planes // self.rows)
        mask = (1 << self.rows) - 1
        values = [(fingerprint >> (self.rows * band)) & mask | band << 32 for band in bands]
        return np.sort(mix64(np.array(values, dtype=np.uint64)))
