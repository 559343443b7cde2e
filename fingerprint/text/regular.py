"""Undo regular changes of a text: blocks of characters turned round, and characters inserted regularly.

In a text whose blocks of two to eight characters are written backwards, or that has foreign characters after
every one to four characters, few neighbours form common pairs (:mod:`.naturalness`). A *pattern* undoes one
such change: the characters of a block in reading order, without inserted ones. A *reading* is a pattern with
a way to count characters and a phase. All, visible or Han characters are counted, in the whole text or again
in each line, sentence or clause. The Viterbi algorithm (1967) finds the likeliest reading of each unit of
``_UNIT`` Han characters. The text as written is one of the readings, and a change of reading costs some nats.
So a disguised passage inside ordinary text is found, too.

The evidence of a reading is a sum over pairs of characters at a few distances. These sums are computed once
for each distance and residue, not for each reading. They are not exact, so the likely readings are compared
once more.

Complexity: O(n) in NumPy, about 5 ns per character of ordinary text, and about 200 ns per character of a text
with few common pairs.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from fingerprint.text.folding import Bools, Ints, Points
from fingerprint.text.naturalness import (
    Kinds,
    Weights,
    kinds_at,
    likeliest_rows,
    neighbour_evidence,
    regular_evidence,
    strongest_evidence,
    thinned_evidence,
)
from fingerprint.text.normal import is_blank
from fingerprint.text.reversal import is_sentence_end

_MIN_LETTERS = 96  # in a shorter text, some reading is more natural by chance
_NO_EVIDENCE = 1.0  # most ordinary texts have less evidence that few of their pairs are common, in nats
_MIN_EVIDENCE = 12.0  # minimum evidence of a text with few common pairs, …
_TELLING = (-1, 2, -2, 3, -3)  # in each pattern, one of these distances separates natural neighbours
_MOST_INFORMATIVE = (2, -1)  # at these distances most patterns show
_CONTROLS = (11, 13)  # at these distances, characters are natural neighbours by chance only
_MIN_NEIGHBOURS = 12.0  # minimum evidence for natural neighbours at such a distance, in nats, …
_LETTERS_A_NAT = 36  # … or both in a short text one nat for so many letters
_MANY_NEIGHBOURS = 30.0  # minimum evidence if most pairs of the text as written are natural
_MIN_GAIN = 10.0  # minimum evidence for another reading than the written one, in nats, for a stretch
_CHANGE = 18.0  # cost of a change of reading, in nats
_MOST_EXACT = 8  # the readings with most evidence, which is then measured exactly
_UNIT = 48  # Han characters
_TURNED, _ROTATED = (2, 3, 4, 5, 6, 7, 8), (3, 4)  # lengths of blocks turned round, and rotated
_INSERTED = (
    (2, 1),
    (3, 1),
    (4, 1),
    (5, 1),
    (3, 2),
    (4, 2),
    (5, 2),
)  # … and with inserted characters, and these
_RESTART_STEP = 840  # a multiple of all lengths
_LINE_FEED = 0x0A

_Positions = npt.NDArray[np.int64]
_Sums = npt.NDArray[np.float64]
# The characters of a block in reading order, and the length of the block as written.
_Pattern = tuple[tuple[int, ...], int]


def _patterns() -> Iterator[_Pattern]:
    """Yield the patterns: blocks with inserted last characters, blocks backwards, and blocks rotated."""
    yield from ((tuple(range(length - inserted)), length) for length, inserted in _INSERTED)
    yield from ((tuple(range(length))[::-1], length) for length in _TURNED)
    for length in _ROTATED:
        block = tuple(range(length))
        yield from ((block[first:] + block[:first], length) for first in range(1, length))


_PATTERNS = tuple(_patterns())


@dataclass(frozen=True, slots=True, eq=False)
class RegularReading:
    """A text without its regular changes.

    Attributes:
        positions: shape (m,), ``int32``: the characters in reading order, without the inserted ones.
        is_turned: shape (m,): the character is in a block that was turned round.
        is_inserted: shape (n,): the character of the written text is an inserted one.
    """

    positions: Ints
    is_turned: Bools
    is_inserted: Bools


@dataclass(frozen=True, slots=True, eq=False)
class _Reading:
    """A pattern with its blocks.

    Attributes:
        pattern: the characters of a block in reading order, and the block's length.
        counts: shape (Han characters,): the number of each character, ascending.
        phase: a block begins where the count and the phase are a multiple of the length.
    """

    pattern: _Pattern
    counts: _Positions
    phase: int

    def order(self, start: int, end: int) -> _Positions:
        """Return the Han characters from ``start`` to ``end`` in reading order."""
        block, length = self.pattern
        rank = np.full(length, -1)
        rank[list(block)] = np.arange(len(block))
        blocks, residues = np.divmod(self.counts[start:end] + self.phase, length)
        ranks = rank[residues]
        kept = np.flatnonzero(ranks >= 0)
        numbers = (blocks * length + ranks)[kept]
        return start + kept[np.argsort(numbers, kind="stable")]  # fast, because nearly sorted


def regular_reading(points: Points, han: Ints, numbers: Ints, kinds: Kinds) -> RegularReading | None:
    """Return a text without its regular changes; None if it has none.

    Args:
        points: shape (n,), the text's code points.
        han: shape (m,), the positions of its Han characters.
        numbers: shape (m,), from :func:`.naturalness.character_numbers` for them.
        kinds: shape (m − 1,), the kinds of the pairs of neighbours.

    >>> from fingerprint.text.naturalness import character_numbers
    >>> text = "中国人民在自己的土地上建设国家，科学技术和文化教育不断发展，社会生活水平得到提高。" * 3
    >>> text = "".join(text[at : at + 2][::-1] for at in range(0, len(text), 2))
    >>> points = np.frombuffer(text.encode("utf-32-le"), "<u4")
    >>> han = np.array([at for at, sign in enumerate(text) if sign not in "，。"], dtype=np.int32)
    >>> numbers = character_numbers(points[han])
    >>> reading = regular_reading(points, han, numbers, kinds_at(numbers, 1))
    >>> "".join(text[at] for at in reading.positions)[:8]
    '中国人民在自己的'
    """
    distances = _informative_distances(numbers, kinds)
    if not distances:
        return None
    patterns = [pattern for pattern in _PATTERNS if distances & {distance for _, distance in _steps(pattern)}]
    readings, sums = _evidence(points, han, numbers, patterns)
    chosen = likeliest_rows(sums, np.full(sums.shape[1], _CHANGE))
    if not chosen.any():
        return None
    readings, sums = _exact_evidence(numbers, readings, sums, chosen)
    chosen = likeliest_rows(sums, np.full(sums.shape[1], _CHANGE))
    changes = np.flatnonzero(np.diff(chosen)) + 1
    stretches = [
        (first * _UNIT, min(last * _UNIT, len(han)), readings[chosen[first] - 1])
        for first, last in pairwise([0, *changes.tolist(), len(chosen)])
        if chosen[first] and (sums[chosen[first]] - sums[0])[first:last].sum() >= _MIN_GAIN
    ]
    return _undone(len(points), han, stretches) if stretches else None


def _informative_distances(numbers: Ints, kinds: Kinds) -> set[int]:
    """Return the distances at which many characters are natural neighbours; a cheap first test."""
    letters = len(numbers)
    if letters < _MIN_LETTERS:
        return set()
    thinned = strongest_evidence(thinned_evidence(kinds))
    if thinned < _NO_EVIDENCE:
        return set()
    is_thinned = thinned >= min(_MIN_EVIDENCE, letters / _LETTERS_A_NAT)
    least = min(_MIN_NEIGHBOURS, letters / _LETTERS_A_NAT) if is_thinned else _MANY_NEIGHBOURS
    if not is_thinned and all(_evidence_at(numbers, distance) < least for distance in _MOST_INFORMATIVE):
        return set()
    evidence_at = {distance: _evidence_at(numbers, distance) for distance in _TELLING}
    if max(evidence_at.values()) < least:
        return set()
    by_chance = min(_evidence_at(numbers, distance) for distance in _CONTROLS)
    return {distance for distance, evidence in evidence_at.items() if evidence >= least + by_chance}


def _evidence_at(numbers: Ints, distance: int) -> float:
    """Return the evidence that characters at a distance are natural neighbours, somewhere in the text."""
    return strongest_evidence(regular_evidence(kinds_at(numbers, distance)))


def _evidence(
    points: Points, han: Ints, numbers: Ints, patterns: Sequence[_Pattern]
) -> tuple[list[_Reading], Weights]:
    """Return the readings by some patterns, and the evidence of the written text and of each reading.

    The evidence has shape (readings + 1, units).
    """
    units = -(-len(han) // _UNIT)
    weights = {distance: neighbour_evidence(numbers, distance) for distance in _distances(patterns)}
    written = _binned(np.arange(len(han)) // _UNIT, weights[1], units)
    readings, rows = list[_Reading](), list[_Sums]([written])
    for counts, any_phase in _counts(points, han):
        for pattern in patterns:
            table = _sums_by_residue(counts, pattern, weights, units)
            for phase in range(pattern[1] if any_phase else 1):
                readings.append(_Reading(pattern, counts, phase))
                rows.append(_pattern_sums(table, pattern, phase))
    return readings, np.stack(rows).astype(np.float32)


def _exact_evidence(
    numbers: Ints, readings: Sequence[_Reading], sums: Weights, chosen: npt.NDArray[np.uint16]
) -> tuple[list[_Reading], Weights]:
    """Return the likely readings, and the evidence of the written text and of each of these readings.

    Punctuation in a block changes the distances of neighbours, so sums over distances are not exact.

    Args:
        numbers: shape (m,), of the Han characters.
        readings: all readings.
        sums: from :func:`_evidence`.
        chosen: the row of the likeliest reading of each unit.
    """
    most = np.argsort(-np.maximum(sums[1:] - sums[0], 0).sum(axis=1), kind="stable")[:_MOST_EXACT] + 1
    rows = np.union1d(most, chosen[chosen > 0])
    likely = [readings[row - 1] for row in rows.tolist()]
    exact = [sums[0], *(_order_sums(numbers, reading, sums.shape[1]) for reading in likely)]
    return likely, np.stack(exact).astype(np.float32)


def _order_sums(numbers: Ints, reading: _Reading, units: int) -> _Sums:
    """Return the evidence of each unit for a reading: shape (units,)."""
    order = reading.order(0, len(numbers))
    return _binned(order // _UNIT, neighbour_evidence(numbers[order], 1), units)


def _binned(bins: _Positions, weights: _Sums, count: int) -> _Sums:
    """Return the sum of the weights in each bin: shape (count,)."""
    return np.asarray(np.bincount(bins, weights, count), dtype=np.float64)


def _steps(pattern: _Pattern) -> list[tuple[int, int]]:
    """Return the neighbours in a pattern: offset in the block, and distance to the next character read."""
    block, length = pattern
    following = (*block[1:], block[0] + length)
    return [(offset, behind - offset) for offset, behind in zip(block, following, strict=True)]


def _distances(patterns: Sequence[_Pattern]) -> set[int]:
    """Return the distances of neighbours in patterns; 1 is that of the written text."""
    return {1} | {distance for pattern in patterns for _, distance in _steps(pattern)}


def _sums_by_residue(
    counts: _Positions, pattern: _Pattern, weights: dict[int, _Sums], units: int
) -> dict[int, _Sums]:
    """Return, by distance, the evidence of each unit and residue of the counts: shape (units, length)."""
    length = pattern[1]
    keys = np.arange(len(counts)) // _UNIT * length + counts % length
    return {
        distance: _binned(keys, weights[distance], units * length).reshape(units, length)
        for distance in {distance for _, distance in _steps(pattern)}
    }


def _pattern_sums(table: dict[int, _Sums], pattern: _Pattern, phase: int) -> _Sums:
    """Return the evidence of each unit for a pattern whose blocks begin ``phase`` characters earlier."""
    length = pattern[1]
    parts = [table[distance][:, (offset - phase) % length] for offset, distance in _steps(pattern)]
    total: _Sums = np.sum(parts, axis=0)
    return total


def _counts(points: Points, han: Ints) -> Iterator[tuple[_Positions, bool]]:
    """Yield the number of each Han character, and whether counting may begin at any character."""
    written = han.astype(np.int64)
    yield np.arange(len(han), dtype=np.int64), True
    yield written, True
    blank = is_blank(points)
    if blank.any():
        yield written - np.cumsum(blank)[han], True
    letters = np.arange(len(han), dtype=np.int64)
    clauses = np.flatnonzero(np.diff(written, prepend=-2) > 1)
    yield _restarted(letters, clauses), False
    ends = np.flatnonzero(is_sentence_end(points))
    yield _restarted(letters, np.searchsorted(written, ends)), False
    for marks in (ends, np.flatnonzero(points == _LINE_FEED)):
        if len(marks):
            yield _restarted(written, marks + 1), False


def _restarted(numbers: _Positions, starts: _Positions) -> _Positions:
    """Return numbers that restart at a multiple of all lengths in each unit.

    Args:
        numbers: shape (n,), ascending.
        starts: shape (units,), the first number of each unit, ascending.
    """
    starts = np.union1d(0, starts)
    lengths = np.diff(starts, append=max(numbers[-1], starts[-1]) + 1)
    steps = -(-lengths // _RESTART_STEP) * _RESTART_STEP
    begins = np.cumsum(steps) - steps
    units = np.searchsorted(starts, numbers, side="right") - 1
    return np.asarray(numbers - starts[units] + begins[units])


def _undone(length: int, han: Ints, stretches: Sequence[tuple[int, int, _Reading]]) -> RegularReading:
    """Return a text of ``length`` characters with the changes of some stretches of Han characters undone."""
    source = np.arange(length, dtype=np.int32)
    is_turned, is_inserted = np.zeros(length, dtype=bool), np.zeros(length, dtype=bool)
    for start, end, reading in stretches:
        order = reading.order(start, end)
        is_kept = np.zeros(end - start, dtype=bool)
        is_kept[order - start] = True
        places = han[start:end]
        source[places[is_kept]] = han[order]
        is_turned[places] = is_kept.all()
        is_inserted[places[~is_kept]] = True
    kept = np.flatnonzero(~is_inserted)
    return RegularReading(source[kept], is_turned[kept], is_inserted)
