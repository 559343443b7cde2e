"""Find the order in which a text is meant to be read, if it differs from the order in which it is written.

First the text is folded. Letters of other scripts between its characters are removed (:mod:`.interspersed`),
characters that are written as two parts are joined (:mod:`.components`), rare characters between common ones
are removed, and repeated characters are kept once (:mod:`.doubling`). Each of these folds applies only where
its disguise is frequent in the text.

Regular changes of neighbouring characters (:mod:`.regular`) and reversed words (:mod:`.clauses`) are undone
where they are frequent.

Then pairs of neighbouring characters show in which direction the text is natural (:mod:`.naturalness`).
Ordinary text is natural throughout, so the search ends here. In other text, the Viterbi algorithm (1967)
finds the likeliest direction of each sentence: forwards, backwards or neither. A change of direction costs
some nats, and fewer at the beginning of a line. Backward text is reversed (:mod:`.reversal`). Text in the
direction "neither" is read down its columns if these are natural (:mod:`.vertical`). The pairs do not show
whether lines, sentences or the whole text were reversed, or on which side columns begin. So every possible
order is yielded, and the index chooses.

Complexity: O(n) in NumPy, about 60 ns per character of ordinary text. In unusual text, Python code runs once
for each unit of a few letters, and once for each stretch in the direction "neither". At most ``MAX_ORDERS``
orders are yielded, and each is made only when it is needed.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise, product

import numpy as np
import numpy.typing as npt

from fingerprint.text.clauses import reversed_clauses
from fingerprint.text.components import fold_components
from fingerprint.text.disguises import COLUMNS, COMPONENTS, DOUBLED, NOISE, REVERSED, Disguise
from fingerprint.text.doubling import fold_doubled, fold_doubled_words
from fingerprint.text.folding import Folded
from fingerprint.text.interspersed import remove_filler, remove_foreign_letters, remove_rare_characters
from fingerprint.text.letters import Letters, code_points, text_of, to_letters
from fingerprint.text.naturalness import (
    DIRECTIONS,
    Direction,
    Kinds,
    character_numbers,
    direction_evidence,
    likeliest_rows,
    pair_kinds,
    strongest_evidence,
)
from fingerprint.text.regular import RegularReading, regular_reading
from fingerprint.text.reversal import is_sentence_end, reversed_orders
from fingerprint.text.vertical import MAX_WIDTH, MIN_EVIDENCE, column_orders

# Four units of reversal × two sides of columns, plus one for each fold, for regular changes and for clauses.
MAX_ORDERS = 16

_NAMES = (DOUBLED, REVERSED, COLUMNS, COMPONENTS, NOISE)
_MARKS = {name: np.uint8(1 << bit) for bit, name in enumerate(_NAMES)}
_THRESHOLDS: dict[Direction, float] = {"backwards": 10.0, "neither": MIN_EVIDENCE}  # nats, for a stretch
# Costs in nats of a change of direction at the beginning of a line, and elsewhere.
_LINE_CHANGE, _CHANGE = 4.0, 7.0
_UNIT = 24  # maximum letters of a unit; longer sentences are split
_SHORT = 8  # letters; of several sentences that begin within this distance, only the first starts a unit
_LINE_FEED = 0x0A
_MIN_SHARE = 0.02  # a disguise is reported if more than this share of a stretch's characters has it

_Ints = npt.NDArray[np.int32]
_Points = npt.NDArray[np.uint32]
_Marks = npt.NDArray[np.uint8]
_Positions = npt.NDArray[np.int64]

_FOLDS: tuple[tuple[Disguise, Callable[[_Points, _Ints], Folded | None]], ...] = (
    (NOISE, remove_foreign_letters),
    (COMPONENTS, lambda points, _: fold_components(points)),  # any character may be a component
    (NOISE, remove_rare_characters),
    (NOISE, remove_filler),
    (DOUBLED, fold_doubled),
    (DOUBLED, fold_doubled_words),
)


@dataclass(frozen=True, slots=True, eq=False)
class Order:
    """A text in reading order, with the position of each character in the written text.

    Attributes:
        text: the text in reading order.
        starts: shape (len(text),), ``int32``: start of each character in the written text.
        ends: shape (len(text),), ``int32``: end of each character in the written text. A repeated character
            includes its repetition, a split character includes both parts, and a character with noise after
            it includes the noise.
        marks: shape (len(text),), ``uint8``: one bit for each disguise of a character.
    """

    text: str
    starts: _Ints
    ends: _Ints
    marks: _Marks

    def written_range(self, start: int, end: int) -> tuple[int, int]:
        """Return the start and the end of ``text[start:end]`` in the written text.

        Raises:
            ValueError: ``start`` is not before ``end``.
        """
        return int(self.starts[start:end].min()), int(self.ends[start:end].max())

    def disguises(self, start: int, end: int) -> tuple[Disguise, ...]:
        """Return the disguises of ``text[start:end]``."""
        marks, counts = np.unique(self.marks[start:end], return_counts=True)
        totals = {name: int(counts[marks & mark > 0].sum()) for name, mark in _MARKS.items()}
        return tuple(name for name, total in totals.items() if total > _MIN_SHARE * (end - start))


def reading_orders(text: str, letters: Letters | None = None) -> Iterator[Order]:
    """Yield the orders in which a text may be meant to be read; nothing for ordinary text.

    Args:
        text: any text.
        letters: its pinyin initials, if already computed.

    >>> text = "中国人民在自己的土地上建设国家，科学技术和文化教育不断发展，社会生活水平得到提高。"
    >>> list(reading_orders(text))
    []
    >>> [order.text == text for order in reading_orders("".join(c * 2 for c in text))]
    [True]
    >>> backwards = next(order for order in reading_orders(text[::-1]) if order.text == text)
    >>> backwards.written_range(0, 4), backwards.disguises(0, 4)
    ((37, 41), ('reversed',))
    """
    letters = to_letters(text) if letters is None else letters
    return _find_orders(code_points(text), letters.offsets)


def _find_orders(points: _Points, han: _Ints, first_fold: int = 0) -> Iterator[Order]:
    """Yield the orders of a text to which the folds before number ``first_fold`` were already applied."""
    for number, (name, fold) in enumerate(_FOLDS[first_fold:], first_fold):
        if (folded := fold(points, han)) is None:
            continue
        folded_points, starts, ends = folded
        whole = Order(
            text_of(folded_points), starts, ends, np.where(ends - starts > 1, _MARKS[name], np.uint8(0))
        )
        yield whole
        for order in _find_orders(folded_points, to_letters(whole.text).offsets, number + 1):
            yield _map_to_original(whole, order)
        return
    numbers = character_numbers(points[han])
    kinds = pair_kinds(numbers[:-1], numbers[1:])
    if (reading := regular_reading(points, han, numbers, kinds)) is not None:
        yield _regular_order(points, reading)
    if (by_clauses := _order_by_clauses(points, han, kinds)) is not None:
        yield by_clauses
    for positions, marks in _rearrangements(points, han, kinds):
        yield Order(text_of(points[positions]), positions, positions + np.int32(1), marks)


def _order_by_clauses(points: _Points, han: _Ints, kinds: Kinds) -> Order | None:
    """Return a text with the words of reversed clauses in order; None for a text that is all backwards."""
    if (clauses := reversed_clauses(points, han)) is None:
        return None
    if strongest_evidence(direction_evidence(kinds, "backwards")) >= _THRESHOLDS["backwards"]:
        return None
    positions, is_moved = clauses
    marks = np.where(is_moved, _MARKS[REVERSED], np.uint8(0))
    return Order(text_of(points[positions]), positions, positions + np.int32(1), marks)


def _regular_order(points: _Points, reading: RegularReading) -> Order:
    """Return a text without regular changes; a character includes the inserted ones after it."""
    positions = reading.positions
    kept = np.flatnonzero(~reading.is_inserted)
    lengths = np.zeros(len(points), dtype=np.int32)
    lengths[kept] = np.diff(kept, append=len(points))
    ends = positions + lengths[positions]
    marks = np.where(reading.is_turned, _MARKS[REVERSED], np.uint8(0))
    marks |= np.where(ends - positions > 1, _MARKS[NOISE], np.uint8(0))
    return Order(text_of(points[positions]), positions, ends, marks)


def _map_to_original(folded: Order, order: Order) -> Order:
    """Convert the positions of an order from the folded text to the original text."""
    starts, ends = folded.starts[order.starts], folded.ends[order.ends - 1]
    return Order(order.text, starts, ends, folded.marks[order.starts] | order.marks)


@dataclass(frozen=True, slots=True)
class _Stretch:
    """A stretch that is not written in reading order.

    Attributes:
        columns: the positions of its characters down the columns, for columns from the right and from the
            left. Empty for a stretch that is written backwards.
    """

    start: int
    end: int
    columns: Sequence[_Ints] = ()


def _rearrangements(points: _Points, han: _Ints, kinds: Kinds) -> Iterator[tuple[_Ints, _Marks]]:
    """Yield every other natural reading order, as the positions of its characters and their marks."""
    if all(
        strongest_evidence(direction_evidence(kinds, direction)) < least
        for direction, least in _THRESHOLDS.items()
    ):
        return
    stretches = list(_find_stretches(points, han, kinds))
    if not stretches:
        return
    turned = np.zeros(len(points), dtype=np.int32)
    for number, stretch in enumerate(stretches, 1):
        turned[stretch.start : stretch.end] = 0 if stretch.columns else number
    in_columns = [stretch for stretch in stretches if stretch.columns]
    marks = np.where(turned > 0, _MARKS[REVERSED], np.uint8(0))
    for positions, side in product(reversed_orders(points, turned), range(2 if in_columns else 1)):
        yield _insert_columns(positions, marks, in_columns, side)


def _insert_columns(
    positions: _Ints, marks: _Marks, stretches: Sequence[_Stretch], side: int
) -> tuple[_Ints, _Marks]:
    """Return positions and marks; stretches in columns get the positions and the mark of their columns."""
    all_positions, all_marks = list[_Ints](), list[_Marks]()
    at = 0
    for stretch in stretches:
        text_columns = stretch.columns[side] + np.int32(stretch.start)
        all_positions += [positions[at : stretch.start], text_columns]
        all_marks += [marks[at : stretch.start], np.full(len(text_columns), _MARKS[COLUMNS])]
        at = stretch.end
    return np.concatenate([*all_positions, positions[at:]]), np.concatenate([*all_marks, marks[at:]])


def _find_stretches(points: _Points, han: _Ints, kinds: Kinds) -> Iterator[_Stretch]:
    """Yield the stretches that can be read in another order, in text order."""
    unit_starts = _unit_starts(points, han)
    sums = np.stack(
        [np.add.reduceat(direction_evidence(kinds, direction), unit_starts[:-1]) for direction in DIRECTIONS]
    )
    breaks = np.flatnonzero(points == _LINE_FEED)
    borders, is_line = _unit_borders(breaks, len(points), han, unit_starts)
    costs = np.where(is_line, _LINE_CHANGE, _CHANGE)
    at = 0
    directions = likeliest_rows(sums, costs)
    changes = np.flatnonzero(np.diff(directions)) + 1
    for first, last in pairwise([0, *changes.tolist(), len(directions)]):
        direction = DIRECTIONS[directions[first]]
        if direction == "forwards" or sums[directions[first], first:last].sum() < _THRESHOLDS[direction]:
            continue
        start, end = int(borders[first]), int(borders[last])
        if direction == "neither":
            start, end = _extend_to_lines(breaks, len(points), start, end)
        start, end = _trim_line_breaks(points, max(start, at), end)
        columns = column_orders(points[start:end]) if direction == "neither" else []
        if start < end and (columns or direction == "backwards"):
            yield _Stretch(start, end, columns)
            at = end


def _unit_starts(points: _Points, han: _Ints) -> _Positions:
    """Return the index of the first letter of each unit, and at the end the number of pairs of letters.

    A unit is a sentence, a piece of a long sentence, or several short sentences.
    """
    ends = np.cumsum(is_sentence_end(points))[han]
    firsts = np.flatnonzero(np.diff(ends, prepend=-1))
    firsts = firsts[np.diff(firsts // _SHORT, prepend=-1) > 0]
    cuts = np.union1d(firsts, np.arange(0, len(han), _UNIT))
    return np.append(cuts[cuts < len(han) - 1], len(han) - 1)


def _unit_borders(
    breaks: _Positions, length: int, han: _Ints, unit_starts: _Positions
) -> tuple[_Positions, npt.NDArray[np.bool_]]:
    """Return the start of each unit in the text, followed by the text's length; and which units start a line.

    Text between the letters of two units belongs to the first unit, up to the end of its line.
    """
    firsts = unit_starts[1:-1]
    breaks = np.append(breaks, length)
    line_ends = breaks[np.searchsorted(breaks, han[firsts - 1])]
    is_line = line_ends < han[firsts]
    inner = np.where(is_line, line_ends, han[firsts])
    return np.concatenate([[0], inner, [length]]), np.concatenate([[True], is_line])


def _trim_line_breaks(points: _Points, start: int, end: int) -> tuple[int, int]:
    """Return a stretch without line breaks at its ends; an empty stretch if it contains only line breaks."""
    inner = np.flatnonzero(points[start:end] != _LINE_FEED)
    return (start + int(inner[0]), start + int(inner[-1]) + 1) if len(inner) else (start, start)


def _extend_to_lines(breaks: _Positions, length: int, start: int, end: int) -> tuple[int, int]:
    """Extend a stretch to whole lines at both ends, unless these lines are longer than rows can be."""
    before, after = np.searchsorted(breaks, [start, end])
    first = int(breaks[before - 1]) + 1 if before else 0
    last = int(breaks[after]) if after < len(breaks) else length
    return (first if start - first <= MAX_WIDTH else start), (last if last - end <= MAX_WIDTH else end)
