"""DNA: the quantised frequencies of pinyin initials in a sliding window, packed into 64 bits.

For each window of ``size`` letters, count each of the twenty consonant initials, compare the count with what
the reference expects, and write the result as one digit; the twenty digits in alphabetical order are one
number in base ``levels``. The order of letters within a window does not matter, so swapped words leave most
windows as they are, and homophones leave all of them.

The digit. Under the reference a count c is binomial, Bin(size, p). Its mid-distribution value
F(c) = P(X < c) + P(X = c) / 2 grows with c − size·p and is uniform on [0, 1] as far as a discrete count can
be, so digit = floor(levels · F(c)) subtracts the reference and makes digits about equally likely in one step
(Parzen, "Quantile probability and statistical data modeling", 2004, for the mid-distribution).

Width. Levels 2, 4 and 8 take 20, 40 and 60 bits. Base 10 would need 67 bits: its numbers wrap around
modulo 2^64, so that two windows whose numbers differ by a multiple of 2^64 share a value; levels above 10
are refused for that reason.

Guarantee (sampling ``winnow``): a run of ``size + selection − 1`` letters shared by two texts yields a
shared fingerprint. Sampling ``stride``: the mother side keeps every ``stride``-th window and the page side
all of them, so a shared run of ``size + stride − 1`` letters does.

Complexity: O(20 · n) in NumPy.
"""

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np
import numpy.typing as npt

from fingerprint.fingerprints import Fingerprints, no_fingerprints
from fingerprint.letters import Codes, Letters
from fingerprint.method import Method
from fingerprint.mixing import Hashes, mix64
from fingerprint.reference import INITIALS, PROSE, Reference
from fingerprint.sets import distinct, overlap
from fingerprint.views import Views
from fingerprint.winnow import Positions, winnow

LEVELS = (2, 4, 8, 10)


@dataclass(frozen=True, slots=True, kw_only=True)
class DnaParams:
    """Parameters of DNA.

    Attributes:
        size: letters a window, 4 to 255.
        levels: digits go from 0 to levels − 1; one of 2, 4, 8, 10.
        sampling: ``winnow`` or ``stride``, see the module.
        step: the winnowing selection, or the stride (overlap = size − stride), at least 1.
        reference: the expected shares of the initials.

    Raises:
        ValueError: a parameter is out of range.
    """

    size: int = 20
    levels: int = 8
    sampling: Literal["winnow", "stride"] = "winnow"
    step: int = 10
    reference: Reference = PROSE

    def __post_init__(self) -> None:
        if not 4 <= self.size <= 255:  # noqa: PLR2004 - a count must fit eight bits
            raise ValueError(f"size must be between 4 and 255, not {self.size}")
        if self.levels not in LEVELS:
            raise ValueError(f"levels must be one of {LEVELS}, not {self.levels}")
        if self.sampling not in ("winnow", "stride"):
            raise ValueError(f"sampling must be winnow or stride, not {self.sampling}")
        if self.step < 1:
            raise ValueError(f"step must be at least 1, not {self.step}")

    @property
    def params_id(self) -> str:
        """Names everything that changes a stored hash."""
        return f"dna1-{self.size}-{self.levels}-{self.sampling[0]}{self.step}-{self.reference.name}"


@lru_cache(maxsize=32)
def digit_table(size: int, levels: int, reference: Reference) -> npt.NDArray[np.uint8]:
    """Return the digit of each count of each initial: shape (20, size + 1), ``uint8``."""
    table = np.zeros((len(INITIALS), size + 1), dtype=np.uint8)
    for row, share in enumerate(reference.shares):
        below = 0.0
        for count in range(size + 1):
            exactly = math.comb(size, count) * share**count * (1 - share) ** (size - count)
            table[row, count] = min(levels - 1, int(levels * (below + exactly / 2)))
            below += exactly
    return table


@lru_cache(maxsize=32)
def _terms(size: int, levels: int, reference: Reference) -> Hashes:
    """Return digit × place value modulo 2^64 of each count of each initial: shape (20, size + 1)."""
    places = [pow(levels, len(INITIALS) - 1 - row, 2**64) for row in range(len(INITIALS))]
    digits = digit_table(size, levels, reference).astype(np.uint64)
    return digits * np.array(places, dtype=np.uint64)[:, None]


def dna_windows(codes: Codes, params: DnaParams) -> Hashes:
    """Return the DNA number of every window: shape (n − size + 1,) or empty, ``uint64``.

    Args:
        codes: shape (n,), letters 1-26.
        params: ``sampling`` and ``step`` play no part here.
    """
    count = len(codes) - params.size + 1
    if count <= 0:
        return np.empty(0, dtype=np.uint64)
    terms = _terms(params.size, params.levels, params.reference)
    numbers = np.zeros(count, dtype=np.uint64)
    running = np.zeros(len(codes) + 1, dtype=np.int32)
    for row, initial in enumerate(INITIALS):
        np.cumsum(codes == ord(initial) - 96, out=running[1:])
        numbers += terms[row].take(running[params.size :] - running[:count])
    return numbers


def dna_fingerprints(letters: Letters, params: DnaParams) -> Fingerprints:
    """Return the fingerprints to store for a text of the mother corpus.

    >>> from fingerprint.letters import to_letters
    >>> text = "雨夜渡口青灯如豆，老船工披着蓑衣坐在船头，听见对岸有人唤渡。"
    >>> original = dna_fingerprints(to_letters(text), DnaParams(size=8, step=4))
    >>> homophone = dna_fingerprints(to_letters(text.replace("渡", "度")), DnaParams(size=8, step=4))
    >>> bool((original.hashes == homophone.hashes).all())
    True
    """
    hashes = mix64(dna_windows(letters.codes, params))
    if len(hashes) == 0:
        return no_fingerprints()
    positions = _sampled(hashes, params)
    return Fingerprints(hashes[positions], positions)


def dna_query(letters: Letters, params: DnaParams) -> Fingerprints:
    """Return the fingerprints to look up for a page: all windows when the mother side is strided."""
    if params.sampling == "winnow":
        return dna_fingerprints(letters, params)
    hashes = mix64(dna_windows(letters.codes, params))
    return Fingerprints(hashes, np.arange(len(hashes), dtype=np.uint32))


def _sampled(hashes: Hashes, params: DnaParams) -> Positions:
    if params.sampling == "winnow":
        return winnow(hashes, params.step)
    return np.arange(0, len(hashes), params.step, dtype=np.uint32)


@dataclass(frozen=True, slots=True)
class Dna(Method[Fingerprints]):
    """DNA as a method: texts are alike when one holds much of the other's windows.

    Similarity is the larger containment, not the resemblance: DNA looks for copied parts. A single shared
    window of twenty letters may be chance; ``threshold`` asks for a twentieth of the shorter text.
    """

    params: DnaParams = DnaParams()

    @property
    def name(self) -> str:
        """dna."""
        return "dna"

    @property
    def params_id(self) -> str:
        """Names everything that changes a stored hash."""
        return self.params.params_id

    @property
    def threshold(self) -> float:
        """A twentieth of the shorter text's windows."""
        return 0.05

    def fingerprint(self, views: Views) -> Fingerprints:
        """Return the selected windows."""
        return dna_fingerprints(views.letters, self.params)

    def query(self, views: Views) -> Fingerprints:
        """Return the windows to look up: all when the mother side is strided."""
        return dna_query(views.letters, self.params)

    def similarity(self, left: Fingerprints, right: Fingerprints) -> float:
        """Return the larger containment of the distinct windows."""
        return overlap(distinct(left.hashes), distinct(right.hashes))

    def keys(self, fingerprint: Fingerprints) -> Hashes:
        """Return the distinct windows."""
        return distinct(fingerprint.hashes)
