"""SimHash: a signature of 32 or 64 bits per text; the signatures of near-duplicates differ in few bits.

Charikar, "Similarity estimation techniques from rounding algorithms", 2002; Manku, Jain and Das Sarma,
"Detecting near-duplicates for web crawling", 2007. Each feature (a word of the text) is hashed to as many
bits as the signature has. Each bit of the hash votes with the feature's weight: for 1 if it is set, for 0 if
it is not::

    bit i is 1  when  Σ over features of weight · (+1 if bit i of the hash is set, else −1) > 0

Weights are TF-IDF here. The sources do not say which bit a sum of exactly zero gives; here it is 0. Weights
are rounded to multiples of 1/65,536 and added as integers. So the signature does not depend on the order of
floating-point additions.

Index (Manku et al.). Two 64-bit signatures that differ in at most 3 bits have at least one equal 16-bit
quarter, by the pigeonhole principle. So four tables, one per quarter, find every such pair. A quarter of 32
bits has only 256 values, so a few hundred texts use all of them. Use 32 bits only if 64 bits do not fit.

SimHash does not preserve the Hamming distance of texts, as is often said. It approximates the angle between
weighted feature vectors (see :mod:`fingerprint.hyperplane`). A distance of 3 of 64 bits corresponds to a
cosine of about 0.99, so texts with a few percent of changed words are missed.

Complexity: O(words · bits) in NumPy.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from fingerprint.idf import FLAT, Idf
from fingerprint.method import Method
from fingerprint.mixing import Hashes, mix64
from fingerprint.sets import string_hashes
from fingerprint.text.views import Views
from fingerprint.vectors import word_weights

FIXED_POINT = 65_536
MAX_DISTANCE = 3
TABLES = MAX_DISTANCE + 1


def vote_sums(hashes: Hashes, weights: npt.NDArray[np.int64], bits: int) -> npt.NDArray[np.int64]:
    """Return the sum of votes for each bit, lowest bit first: shape (bits,), ``int64``.

    This is the published example: 美国 with weight 4 and hash 100101, 51区 with weight 5 and hash 101011.

    >>> hashes, weights = np.array([0b100101, 0b101011], dtype=np.uint64), np.array([4, 5])
    >>> vote_sums(hashes, weights, 6)[::-1].tolist()
    [9, -9, 1, -1, 1, 9]
    """
    places = np.arange(bits, dtype=np.uint64)
    set_bits = ((hashes[:, None] >> places) & np.uint64(1)).astype(np.int64)
    summed: npt.NDArray[np.int64] = weights @ (2 * set_bits - 1)
    return summed


def pack_bits(signs: npt.NDArray[np.bool_]) -> int:
    """Return bits (lowest first) as an integer.

    >>> pack_bits(np.array([True, True, False, True]))
    11
    """
    return int.from_bytes(np.packbits(signs, bitorder="little").tobytes(), "little")


def simhash(weights: Mapping[str, float], bits: Literal[32, 64] = 64) -> int | None:
    """Return the SimHash of weighted words; None if there are no words.

    >>> hex(simhash({"青灯": 2.0, "渡口": 1.0}) or 0) == hex(string_hashes(["青灯"])[0])
    True
    """
    if not weights:
        return None
    fixed = np.rint(np.fromiter(weights.values(), np.float64, len(weights)) * FIXED_POINT).astype(np.int64)
    return pack_bits(vote_sums(string_hashes(weights), fixed, bits) > 0)


def distance_bits(first: int, second: int) -> int:
    """Return the Hamming distance of two signatures.

    >>> distance_bits(0b1011, 0b1101)
    2
    """
    return (first ^ second).bit_count()


def block_keys(signature: int, bits: int, tables: int) -> Hashes:
    """Return one key per table, ascending. A key mixes the table's number with its block of the signature.

    Args:
        signature: an integer of ``bits`` bits.
        bits: a multiple of ``tables``, with at most 32 bits per block.
        tables: signatures that differ in at most ``tables − 1`` bits share a key.

    Raises:
        ValueError: ``bits`` cannot be divided in this way.

    >>> first, second = block_keys(0x0123_4567_89AB_CDEF, 64, 4), block_keys(0x0123_4567_89AB_CDEE, 64, 4)
    >>> len(np.intersect1d(first, second))
    3
    """
    size = bits // tables
    if bits % tables or not 1 <= size <= 32:  # noqa: PLR2004 - the bits above contain the table's number
        raise ValueError(f"{bits} bits do not make {tables} blocks of 1 to 32 bits")
    blocks = [(signature >> (size * table)) & ((1 << size) - 1) | table << 32 for table in range(tables)]
    return np.sort(mix64(np.array(blocks, dtype=np.uint64)))


@dataclass(frozen=True, slots=True, kw_only=True)
class SimHash(Method[int | None]):
    """Texts are similar when their signatures differ in at most three bits.

    Attributes:
        bits: 32 or 64.
        idf: word frequencies (IDF), measured with the same segmenter.
        words_id: name of the segmenter.

    Raises:
        ValueError: ``bits`` is not 32 or 64.
    """

    bits: Literal[32, 64] = 64
    idf: Idf = FLAT
    words_id: str = "jieba1"

    def __post_init__(self) -> None:
        if self.bits not in (32, 64):
            raise ValueError(f"bits must be 32 or 64, not {self.bits}")

    @property
    def name(self) -> str:
        """A short name for tables."""
        return f"simhash-{self.bits}"

    @property
    def params_id(self) -> str:
        """Id of all parameters that influence the stored hashes."""
        return f"simhash1-{self.bits}-{self.words_id}-{self.idf.name}"

    @property
    def threshold(self) -> float:
        """The similarity of signatures that differ in three bits."""
        return 1 - MAX_DISTANCE / self.bits

    def fingerprint(self, views: Views) -> int | None:
        """Return the signature."""
        return simhash(word_weights(views.words, self.idf), self.bits)

    def similarity(self, first: int | None, second: int | None) -> float:
        """Return the share of equal bits."""
        if first is None or second is None:
            return 0.0
        return 1 - distance_bits(first, second) / self.bits

    def keys(self, fingerprint: int | None) -> Hashes:
        """Return one key for each quarter."""
        if fingerprint is None:
            return np.empty(0, dtype=np.uint64)
        return block_keys(fingerprint, self.bits, TABLES)
