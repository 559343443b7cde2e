"""DNA: the quantised frequencies of pinyin initials in a sliding window, packed into 64 bits.

For each window of ``size`` letters, count each of the twenty consonant initials, compare the count with the
expectation of the reference, and write the result as one digit. The twenty digits in alphabetical order form
one number in base ``levels``. Letter order within a window does not matter, so swapped words leave most
windows unchanged, and homophones leave all of them unchanged.

The digit. Under the reference a count c is binomial, Bin(size, p). Its mid-distribution value
F(c) = P(X < c) + P(X = c) / 2 grows with c − size·p and is as uniform on [0, 1] as a discrete count can be.
So digit = floor(levels · F(c)) subtracts the reference and makes digits about equally likely in one step
(Parzen, "Quantile probability and statistical data modeling", 2004, for the mid-distribution).

Width. Levels 2, 4 and 8 take 20, 40 and 60 bits. Base 10 would need 67 bits: its numbers wrap around modulo
2^64, so two windows whose numbers differ by a multiple of 2^64 share a value. Levels above 10 are refused for
that reason.

Sampling. All three methods guarantee: if two texts share a run of ``size + step − 1`` letters, they share a
fingerprint.

* ``winnow``: of every ``step`` consecutive windows, keep the one with the smallest hash; density 2 / (step +
  1).
* ``syncmer``: keep windows whose smallest run of ``size − step`` letters is the first or the last; the same
  density. An intact window is kept independently of its neighbours, so windows can be shorter. With the same
  recall of edited copies there are several times fewer chance candidates.
* ``stride``: the mother side keeps every ``step``-th window, the page side all windows.

Complexity: O(n) in NumPy, about 10 ns per letter: each table covers three initials, each running sum twelve.
A just-in-time compiler (numba) takes 3 ns, but 0.35 s for its import and 0.8 s for the first compilation.
"""

import math
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Literal

import numpy as np
import numpy.typing as npt

from fingerprint.fingerprints import Fingerprints, Windowed, no_fingerprints
from fingerprint.mixing import Hashes, mix64
from fingerprint.reference import INITIALS, PROSE, Reference
from fingerprint.shingle import MAX_SIZE, packed_shingles
from fingerprint.syncmer import syncmers
from fingerprint.text.letters import Codes, Letters
from fingerprint.text.views import Views
from fingerprint.winnow import Positions, winnow

LEVELS = (2, 4, 8, 10)

_SAMPLING_IDS = {"winnow": "w", "syncmer": "c", "stride": "s"}
_LANE_BITS = 16
_LANES = 64 // _LANE_BITS
_BLOCK = 8_192  # windows at a time, so that they stay in the processor's cache


@dataclass(frozen=True, slots=True, kw_only=True)
class DnaParams:
    """Parameters of DNA; the defaults are the best trade that the benchmark found (docs/decisions/0004).

    Attributes:
        size: letters a window, 4 to 255.
        levels: digits go from 0 to levels − 1; one of 2, 4, 8, 10.
        sampling: ``winnow``, ``syncmer`` or ``stride``, see the module.
        step: the winnowing selection, the letters by which a window is longer than the runs in it, or the
            stride (overlap = size − stride); at least 1. For ``syncmer`` runs have 1 to 12 letters.
        reference: the expected shares of the initials.

    Raises:
        ValueError: a parameter is out of range.
    """

    size: int = 16
    levels: int = 8
    sampling: Literal["winnow", "syncmer", "stride"] = "syncmer"
    step: int = 10
    reference: Reference = PROSE

    def __post_init__(self) -> None:
        if not 4 <= self.size <= 255:  # noqa: PLR2004 - a count must fit eight bits
            raise ValueError(f"size must be between 4 and 255, not {self.size}")
        if self.levels not in LEVELS:
            raise ValueError(f"levels must be one of {LEVELS}, not {self.levels}")
        if self.sampling not in _SAMPLING_IDS:
            raise ValueError(f"sampling must be winnow, syncmer or stride, not {self.sampling}")
        if self.step < 1:
            raise ValueError(f"step must be at least 1, not {self.step}")
        if self.sampling == "syncmer" and not 1 <= self.size - self.step <= MAX_SIZE:
            raise ValueError(f"size − step must be between 1 and {MAX_SIZE}, not {self.size - self.step}")

    @property
    def params_id(self) -> str:
        """Id of everything that changes a stored hash."""
        sampling = f"{_SAMPLING_IDS[self.sampling]}{self.step}"
        return f"dna1-{self.size}-{self.levels}-{sampling}-{self.reference.name}"


@lru_cache(maxsize=32)
def digit_table(size: int, levels: int, reference: Reference) -> npt.NDArray[np.uint8]:
    """Return the digit of each count of each initial: shape (20, size + 1), ``uint8``.

    >>> digit_table(16, 8, PROSE)[INITIALS.index("z")][:6].tolist()
    [0, 2, 5, 6, 7, 7]
    """
    table = np.zeros((len(INITIALS), size + 1), dtype=np.uint8)
    for row, share in enumerate(reference.shares):
        below = 0.0
        for count in range(size + 1):
            exactly = math.comb(size, count) * share**count * (1 - share) ** (size - count)
            table[row, count] = min(levels - 1, int(levels * (below + exactly / 2)))
            below += exactly
    return table


@dataclass(frozen=True, slots=True, eq=False)
class _Packing:
    """How one number counts several letters, and how these counts become terms.

    Attributes:
        steps: shape (27,), ``uint64``: the amount that each letter adds to the running number.
        lanes: for each 16 bits of the number, a table from the counts of some letters to the sum of their
            terms.
    """

    steps: Hashes
    lanes: tuple[Hashes, ...]


@lru_cache(maxsize=32)
def _packings(size: int, levels: int, reference: Reference) -> tuple[_Packing, ...]:
    """Return the packings that together cover all initials.

    A count takes as many bits as ``size`` needs; a lane of 16 bits counts as many letters as fit.
    """
    bits = size.bit_length()
    together = _LANE_BITS // bits
    held = _LANES * together
    terms = _terms(size, levels, reference)
    rows = range(len(INITIALS))
    return tuple(_packing(terms, rows[a : a + held], bits, together) for a in range(0, len(rows), held))


def _packing(terms: Hashes, rows: range, bits: int, together: int) -> _Packing:
    steps = np.zeros(27, dtype=np.uint64)
    lanes = []
    for lane, first in enumerate(range(0, len(rows), together)):
        letters = rows[first : first + together]
        counts = np.arange(1 << bits * len(letters))
        sums = np.zeros(len(counts), dtype=np.uint64)
        for index, row in enumerate(letters):
            steps[ord(INITIALS[row]) - 96] = 1 << _LANE_BITS * lane + bits * index
            # Counts above the size do not occur; their entries only pad the table.
            sums += terms[row].take(counts >> bits * index & (1 << bits) - 1, mode="clip")
        lanes.append(sums)
    return _Packing(steps, tuple(lanes))


@lru_cache(maxsize=32)
def _terms(size: int, levels: int, reference: Reference) -> Hashes:
    """Return digit × place value modulo 2^64 for each count of each initial: shape (20, size + 1)."""
    places = [pow(levels, len(INITIALS) - 1 - row, 2**64) for row in range(len(INITIALS))]
    digits = digit_table(size, levels, reference).astype(np.uint64)
    return digits * np.array(places, dtype=np.uint64)[:, None]


def dna_windows(codes: Codes, params: DnaParams) -> Hashes:
    """Return the DNA number of every window: shape (n − size + 1,) or empty, ``uint64``.

    Args:
        codes: shape (n,), letters 1-26.
        params: ``sampling`` and ``step`` have no effect here.

    >>> from fingerprint.text.letters import to_letters
    >>> swapped = [dna_windows(to_letters(text).codes, DnaParams(size=12)) for text in
    ...            ("听见对岸有人唤渡一声急", "对岸听见有人唤渡一声急")]
    >>> bool((swapped[0] == swapped[1]).all())
    True
    """
    count = len(codes) - params.size + 1
    numbers = np.zeros(max(0, count), dtype=np.uint64)
    for start in range(0, count, _BLOCK):
        block = numbers[start : start + _BLOCK]
        _add_windows(block, codes[start : start + len(block) + params.size - 1], params)
    return numbers


def window_digits(codes: Codes, params: DnaParams, starts: npt.NDArray[np.int64]) -> npt.NDArray[np.uint8]:
    """Return the digits of selected windows, for display: shape (len(starts), 20), ``uint8``.

    Args:
        codes: shape (n,), letters 1-26.
        params: ``sampling`` and ``step`` have no effect here.
        starts: start of each window, 0 to n − size.

    >>> from fingerprint.text.letters import to_letters
    >>> codes, params = to_letters("听见对岸有人唤渡一声急促").codes, DnaParams(size=12)
    >>> digits = window_digits(codes, params, np.array([0]))[0]
    >>> number = sum(int(digit) * 8 ** (19 - row) for row, digit in enumerate(digits))
    >>> number == int(dna_windows(codes, params)[0])
    True
    """
    table = digit_table(params.size, params.levels, params.reference)
    windows = codes[starts[:, None] + np.arange(params.size)]
    rows = [
        table[row].take((windows == ord(initial) - 96).sum(axis=1)) for row, initial in enumerate(INITIALS)
    ]
    return np.stack(rows, axis=1)


def _add_windows(numbers: Hashes, codes: Codes, params: DnaParams) -> None:
    """Add the DNA numbers of the windows of a block.

    Several letters are counted at once: one running sum has a few bits for each letter. The difference of two
    of its values contains each letter's count, even after an overflow.
    """
    running = np.zeros(len(codes) + 1, dtype="<u8")
    for packing in _packings(params.size, params.levels, params.reference):
        np.cumsum(packing.steps.take(codes), out=running[1:])
        counts = running[params.size :] - running[: len(numbers)]
        lanes = counts.view("<u2").reshape(-1, _LANES).T
        for lane, sums in zip(lanes, packing.lanes, strict=False):
            numbers += sums.take(lane)


def dna_fingerprints(letters: Letters, params: DnaParams) -> Fingerprints:
    """Return the fingerprints to store for a text of the mother corpus.

    >>> from fingerprint.text.letters import to_letters
    >>> text = "雨夜渡口青灯如豆，老船工披着蓑衣坐在船头，听见对岸有人唤渡。"
    >>> original = dna_fingerprints(to_letters(text), DnaParams())
    >>> homophone = dna_fingerprints(to_letters(text.replace("渡", "度")), DnaParams())
    >>> bool((original.hashes == homophone.hashes).all())
    True
    """
    hashes = mix64(dna_windows(letters.codes, params))
    if len(hashes) == 0:
        return no_fingerprints()
    positions = _sample(hashes, letters.codes, params)
    return Fingerprints(hashes[positions], positions)


def dna_query(letters: Letters, params: DnaParams) -> Fingerprints:
    """Return the fingerprints to look up for a page: all windows when the mother side is strided.

    >>> from fingerprint.text.letters import to_letters
    >>> strided = DnaParams(size=4, sampling="stride", step=4)
    >>> letters = to_letters("雨夜渡口青灯如豆")
    >>> len(dna_fingerprints(letters, strided)), len(dna_query(letters, strided))
    (2, 5)
    """
    if params.sampling != "stride":
        return dna_fingerprints(letters, params)
    hashes = mix64(dna_windows(letters.codes, params))
    return Fingerprints(hashes, np.arange(len(hashes), dtype=np.uint32))


def _sample(hashes: Hashes, codes: Codes, params: DnaParams) -> Positions:
    if params.sampling == "winnow":
        return winnow(hashes, params.step)
    if params.sampling == "syncmer":
        kept = syncmers(mix64(packed_shingles(codes, params.size - params.step)), params.step)
        # A text with fewer windows than a step may keep none; then keep its smallest, as winnowing does.
        return kept if len(kept) else winnow(hashes, len(hashes))
    return np.arange(0, len(hashes), params.step, dtype=np.uint32)


@dataclass(frozen=True, slots=True)
class Dna(Windowed):
    """DNA as a method."""

    params: DnaParams = field(default_factory=DnaParams)

    @property
    def name(self) -> str:
        """A short name for tables."""
        return "dna"

    @property
    def params_id(self) -> str:
        """Id of everything that changes a stored hash."""
        return self.params.params_id

    def fingerprint(self, views: Views) -> Fingerprints:
        """Return the selected windows."""
        return dna_fingerprints(views.letters, self.params)

    def query(self, views: Views) -> Fingerprints:
        """Return the windows to look up: all when the mother side is strided."""
        return dna_query(views.letters, self.params)
