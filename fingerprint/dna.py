"""DNA: the quantised frequencies of pinyin initials in a sliding window, packed into 64 bits.

For each window of ``size`` letters, count each of the twenty consonant initials, compare the count with the
expectation of the reference, and write the result as one digit. The twenty digits in alphabetical order form
one number in base ``levels``. Letter order within a window does not matter, so swapped words leave most
windows unchanged, and homophones leave all of them unchanged.

The digit. Under the reference a count c is binomial, Bin(size, p). Its mid-distribution value
F(c) = P(X < c) + P(X = c) / 2 grows with c − size·p and is as uniform on [0, 1] as a discrete count can be.
So digit = floor(levels · F(c)) compares the count with the reference, and all digits are about equally
likely. (For the mid-distribution see Parzen, "Quantile probability and statistical data modeling", 2004.)

Width. Numbers with 2, 4 and 8 levels take 20, 40 and 60 bits. Numbers with 10 levels would need 67 bits. They
wrap around modulo 2^64, so two windows whose numbers differ by a multiple of 2^64 get the same value. More
than 10 levels would cause more such collisions, so they are refused.

Sampling. All three methods guarantee: if two texts share a run of ``size + step − 1`` letters, they share a
fingerprint.

* ``winnow`` keeps the window with the smallest hash among every ``step`` consecutive windows. It keeps a
  share of 2 / (step + 1) of the windows.
* ``syncmer`` keeps a window if its smallest run of ``size − step`` letters is its first or its last run. It
  keeps the same share. Whether a window is kept does not depend on its neighbours, so windows can be shorter.
  At the same recall of edited copies it gives several times fewer chance candidates.
* ``stride`` stores every ``step``-th window of a work and looks up all windows of a page.

Complexity: O(n) in NumPy, about 10 ns per letter. One table look-up handles three initials, and one running
sum counts twelve. A just-in-time compiler (numba) takes 3 ns per letter, but its import takes 0.35 s and the
first compilation 0.8 s.
"""

import math
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Literal

import numpy as np
import numpy.typing as npt

from fingerprint.fingerprints import Fingerprints, WindowMethod, no_fingerprints
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
_BLOCK = 8_192  # number of windows computed at a time, few enough for the processor's cache


@dataclass(frozen=True, slots=True, kw_only=True)
class DnaParams:
    """Parameters of DNA; the defaults are the best compromise in the benchmark (docs/decisions/0004).

    Attributes:
        size: letters per window, 4 to 255.
        levels: number of values of a digit: 2, 4, 8 or 10.
        sampling: ``winnow``, ``syncmer`` or ``stride``; see the module's docstring.
        step: at least 1. For ``winnow``, one of this many consecutive windows is kept. For
            ``syncmer``, the number of letters by which a window is longer than its runs; runs have 1 to 12
            letters. For ``stride``, the distance between stored windows.
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
        """Id of all parameters that influence the stored hashes."""
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
class _CountPacking:
    """Tables that count several initials in one integer, and convert the counts into digit values.

    Attributes:
        increments: shape (27,), ``uint64``: the amount that each letter adds to the running sum.
        lane_tables: one table for each 16 bits of the sum, from the counts of its initials to the sum of
            their digit values.
    """

    increments: Hashes
    lane_tables: tuple[Hashes, ...]


@lru_cache(maxsize=32)
def _make_packings(size: int, levels: int, reference: Reference) -> tuple[_CountPacking, ...]:
    """Return the packings that together cover all initials.

    A count takes as many bits as ``size`` needs. A lane of 16 bits contains as many counts as fit.
    """
    count_bits = size.bit_length()
    counts_per_lane = _LANE_BITS // count_bits
    counts_per_number = _LANES * counts_per_lane
    digit_values = _digit_values(size, levels, reference)
    rows = range(len(INITIALS))
    return tuple(
        _make_packing(digit_values, rows[a : a + counts_per_number], count_bits, counts_per_lane)
        for a in range(0, len(rows), counts_per_number)
    )


def _make_packing(digit_values: Hashes, rows: range, count_bits: int, counts_per_lane: int) -> _CountPacking:
    increments = np.zeros(27, dtype=np.uint64)
    lane_tables = []
    for lane, first in enumerate(range(0, len(rows), counts_per_lane)):
        letters = rows[first : first + counts_per_lane]
        counts = np.arange(1 << count_bits * len(letters))
        sums = np.zeros(len(counts), dtype=np.uint64)
        for index, row in enumerate(letters):
            increments[ord(INITIALS[row]) - 96] = 1 << _LANE_BITS * lane + count_bits * index
            # Counts above the size do not occur; their entries only pad the table.
            sums += digit_values[row].take(counts >> count_bits * index & (1 << count_bits) - 1, mode="clip")
        lane_tables.append(sums)
    return _CountPacking(increments, tuple(lane_tables))


@lru_cache(maxsize=32)
def _digit_values(size: int, levels: int, reference: Reference) -> Hashes:
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
        _add_window_numbers(block, codes[start : start + len(block) + params.size - 1], params)
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


def _add_window_numbers(numbers: Hashes, codes: Codes, params: DnaParams) -> None:
    """Add the DNA numbers of a block's windows to ``numbers``, in place.

    One running sum counts several initials at once, because it has a few bits for each. The difference of two
    of its values contains the count of each initial between them, even after an overflow.
    """
    running = np.zeros(len(codes) + 1, dtype="<u8")
    for packing in _make_packings(params.size, params.levels, params.reference):
        np.cumsum(packing.increments.take(codes), out=running[1:])
        counts = running[params.size :] - running[: len(numbers)]
        lanes = counts.view("<u2").reshape(-1, _LANES).T
        for lane, table in zip(lanes, packing.lane_tables, strict=False):
            numbers += table.take(lane)


def dna_fingerprints(letters: Letters, params: DnaParams) -> Fingerprints:
    """Return the fingerprints to store for a passage of a work.

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
    positions = _sampled_positions(hashes, letters.codes, params)
    return Fingerprints(hashes[positions], positions)


def dna_query(letters: Letters, params: DnaParams) -> Fingerprints:
    """Return the fingerprints to look up for a page. With ``stride`` sampling these are all its windows.

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


def _sampled_positions(hashes: Hashes, codes: Codes, params: DnaParams) -> Positions:
    if params.sampling == "winnow":
        return winnow(hashes, params.step)
    if params.sampling == "syncmer":
        kept = syncmers(mix64(packed_shingles(codes, params.size - params.step)), params.step)
        # A text with fewer than ``step`` windows may have no syncmer. Then keep its smallest hash.
        return kept if len(kept) else winnow(hashes, len(hashes))
    return np.arange(0, len(hashes), params.step, dtype=np.uint32)


@dataclass(frozen=True, slots=True)
class Dna(WindowMethod):
    """The DNA method."""

    params: DnaParams = field(default_factory=DnaParams)

    @property
    def name(self) -> str:
        """A short name for tables."""
        return "dna"

    @property
    def params_id(self) -> str:
        """Id of all parameters that influence the stored hashes."""
        return self.params.params_id

    def fingerprint(self, views: Views) -> Fingerprints:
        """Return the selected windows."""
        return dna_fingerprints(views.letters, self.params)

    def query(self, views: Views) -> Fingerprints:
        """Return the windows to look up. With ``stride`` sampling these are all windows."""
        return dna_query(views.letters, self.params)
