"""The order in which a text is meant to be read, where it is not the one in which it stands.

Theory of operation. Where many characters are written as their two parts, these are put together
(:mod:`.components`) before anything else. Characters that are written twice are taken once
(:mod:`.doubling`). Then the pairs of characters tell where the text is natural (:mod:`.naturalness`).
Ordinary text is natural throughout, and nothing more is done. In any other, sentences that stand forwards,
backwards and in neither way are told apart by the likeliest sequence of ways (Viterbi, 1967), in which a
change costs some nats, fewer where a line begins. What stands backwards is turned round (:mod:`.turning`);
what stands in neither way is read down the columns of its rows if these are natural (:mod:`.columns`). The
pairs do not tell how far a text was turned round, or on which side its columns begin: each possible order is
given, for the index to choose from.

Complexity: O(n), in NumPy but for a step a sentence of what is not ordinary; about 45 ns a character of
ordinary text. At most ``MAX_ORDERS`` orders.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, product

import numpy as np
import numpy.typing as npt

from fingerprint.text.columns import MAX_WIDTH, MIN_EVIDENCE, columns_read
from fingerprint.text.components import fold_components
from fingerprint.text.doubling import fold_doubled
from fingerprint.text.letters import Letters, code_points, text_of, to_letters
from fingerprint.text.naturalness import WAYS, Kinds, Way, character_numbers, evidence, pair_kinds, strongest
from fingerprint.text.turning import is_sentence_end, turned_round

DOUBLED = "doubled"
REVERSED = "reversed"
COLUMNS = "columns"
COMPONENTS = "components"
MAX_ORDERS = (
    10  # four ways to turn round times two to read columns; and with characters put together, taken once
)

_NAMES = (DOUBLED, REVERSED, COLUMNS, COMPONENTS)
_MARKS = {name: np.uint8(1 << bit) for bit, name in enumerate(_NAMES)}
_THRESHOLDS: dict[Way, float] = {"backwards": 10.0, "neither": MIN_EVIDENCE}  # nats, for a stretch
_LINE_CHANGE, _CHANGE = 4.0, 7.0  # where a line begins, and elsewhere
_UNIT = 24  # letters: what is longer than this without a sentence's end is looked at in parts
_LINE_FEED = 0x0A
_MIN_SHARE = 0.02  # of a stretch's characters that were under a disguise

_Ints = npt.NDArray[np.int32]
_Points = npt.NDArray[np.uint32]
_Marks = npt.NDArray[np.uint8]


@dataclass(frozen=True, slots=True, eq=False)
class Order:
    """A text as it is read, and where each of its characters stands.

    Attributes:
        text: as it is read.
        starts: shape (len(text),), ``int32``: where each character begins in the text as it stands.
        ends: likewise, where it ends; one that is written twice ends with its repetition, one that is written
            as two parts with the second.
        marks: shape (len(text),), ``uint8``: a bit for each disguise that the character was under.
    """

    text: str
    starts: _Ints
    ends: _Ints
    marks: _Marks

    def stretch(self, start: int, end: int) -> tuple[int, int]:
        """Return the stretch of the text as it stands that holds ``text[start:end]``.

        Raises:
            ValueError: ``start`` is not before ``end``.
        """
        return int(self.starts[start:end].min()), int(self.ends[start:end].max())

    def disguises(self, start: int, end: int) -> tuple[str, ...]:
        """Return the disguises that ``text[start:end]`` was under."""
        marks = self.marks[start:end]
        least = _MIN_SHARE * len(marks)
        return tuple(name for name, mark in _MARKS.items() if (marks & mark > 0).sum() > least)


def orders(text: str, letters: Letters | None = None) -> tuple[Order, ...]:
    """Return the orders in which a text may be meant to be read; none where it stands as it is read.

    Args:
        text: any text.
        letters: its pinyin initials, where they are known already.

    >>> text = "中国人民在自己的土地上建设国家，科学技术和文化教育不断发展，社会生活水平得到提高。"
    >>> orders(text)
    ()
    >>> [order.text == text for order in orders("".join(c * 2 for c in text))]
    [True]
    >>> backwards = orders(text[::-1])[0]
    >>> backwards.text == text, backwards.stretch(0, 4), backwards.disguises(0, 4)
    (True, (37, 41), ('reversed',))
    """
    letters = to_letters(text) if letters is None else letters
    points = code_points(text)
    if (together := fold_components(points)) is None:
        return tuple(_orders_of(points, letters.offsets))
    points, starts, ends = together
    marks = np.where(ends - starts > 1, _MARKS[COMPONENTS], np.uint8(0))
    whole = Order(text_of(points), starts, ends, marks)
    return whole, *(_within(whole, order) for order in _orders_of(points, to_letters(whole.text).offsets))


def _within(whole: Order, order: Order) -> Order:
    """Return an order of a text that is itself an order of another one, as an order of the latter."""
    starts, ends = whole.starts[order.starts], whole.ends[order.ends - 1]
    return Order(order.text, starts, ends, whole.marks[order.starts] | order.marks)


def _orders_of(points: _Points, han: _Ints) -> Iterator[Order]:
    """Yield the orders of a text in which no characters are split."""
    folded = fold_doubled(points, han)
    if folded is None:
        for places, marks in _rearrangements(points, han):
            yield Order(text_of(points[places]), places, places + np.int32(1), marks)
        return
    starts, ends = folded
    points, doubled = points[starts], np.where(ends - starts > 1, _MARKS[DOUBLED], np.uint8(0))
    once = text_of(points)
    yield Order(once, starts, ends, doubled)
    for places, marks in _rearrangements(points, to_letters(once).offsets):
        yield Order(text_of(points[places]), starts[places], ends[places], doubled[places] | marks)


@dataclass(frozen=True, slots=True)
class _Stretch:
    """A stretch that stands in another way than it is read, and the orders in which it may be read."""

    start: int
    end: int
    way: Way
    orders: Sequence[_Ints]


def _rearrangements(points: _Points, han: _Ints) -> Iterator[tuple[_Ints, _Marks]]:
    """Yield each order as the places of the characters and their marks; nothing where no other is natural."""
    numbers = character_numbers(points[han])
    kinds = pair_kinds(numbers[:-1], numbers[1:])
    if all(strongest(evidence(kinds, way)) < least for way, least in _THRESHOLDS.items()):
        return
    stretches = list(_stretches(points, han, kinds))
    ways = list(dict.fromkeys(stretch.way for stretch in stretches))
    most = [max(len(stretch.orders) for stretch in stretches if stretch.way == way) for way in ways]
    for choice in product(*map(range, most)):
        chosen = dict(zip(ways, choice, strict=True))
        if chosen:
            yield _arranged(len(points), stretches, chosen)


def _arranged(length: int, stretches: Sequence[_Stretch], chosen: dict[Way, int]) -> tuple[_Ints, _Marks]:
    """Return the places and marks with every stretch in the chosen order, or its last if it has fewer."""
    places, marks = list[_Ints](), list[_Marks]()
    at = 0
    for stretch in stretches:
        own = stretch.orders[min(chosen[stretch.way], len(stretch.orders) - 1)] + np.int32(stretch.start)
        name = REVERSED if stretch.way == "backwards" else COLUMNS
        places += [np.arange(at, stretch.start, dtype=np.int32), own]
        marks += [np.zeros(stretch.start - at, dtype=np.uint8), np.full(len(own), _MARKS[name])]
        at = stretch.end
    places.append(np.arange(at, length, dtype=np.int32))
    marks.append(np.zeros(length - at, dtype=np.uint8))
    return np.concatenate(places), np.concatenate(marks)


def _stretches(points: _Points, han: _Ints, kinds: Kinds) -> Iterator[_Stretch]:
    """Yield the stretches that can be read in another order, in their order."""
    units = _units(points, han)
    sums = np.stack([np.add.reduceat(evidence(kinds, way), units[:-1]) for way in WAYS])
    borders, is_line = _borders(points, han, units)
    costs = np.where(is_line, _LINE_CHANGE, _CHANGE)
    at = 0
    for way, group in groupby(enumerate(_likeliest_ways(sums, costs)), key=lambda unit: unit[1]):
        numbers = [number for number, _ in group]
        row, first, last = WAYS.index(way), numbers[0], numbers[-1] + 1
        if way == "forwards" or sums[row, first:last].sum() < _THRESHOLDS[way]:
            continue
        start, end = int(borders[first]), int(borders[last])
        if way == "neither":
            start, end = _whole_lines(points, start, end)
        start = max(start, at)
        start, end = _without_breaks(points, start, end)
        own = points[start:end]
        if readings := list(turned_round(own)) if way == "backwards" else columns_read(own):
            yield _Stretch(start, end, way, readings)
            at = end


def _units(points: _Points, han: _Ints) -> npt.NDArray[np.int64]:
    """Return the first letter of each unit, a sentence or a part of one, and last the number of pairs."""
    ends = np.cumsum(is_sentence_end(points))[han]
    firsts = np.flatnonzero(np.diff(ends, prepend=-1))
    cuts = np.union1d(firsts, np.arange(0, len(han), _UNIT))
    return np.append(cuts[cuts < len(han) - 1], len(han) - 1)


def _borders(
    points: _Points, han: _Ints, units: npt.NDArray[np.int64]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.bool_]]:
    """Return where units begin in the text, last its end; and which of them begin behind the end of a line.

    What stands between two units belongs to the former one as far as the end of its line.
    """
    firsts = units[1:-1]
    breaks = np.append(np.flatnonzero(points == _LINE_FEED), len(points))
    behind = breaks[np.searchsorted(breaks, han[firsts - 1])]
    is_line = behind < han[firsts]
    inner = np.where(is_line, behind, han[firsts])
    return np.concatenate([[0], inner, [len(points)]]), np.concatenate([[True], is_line])


def _without_breaks(points: _Points, start: int, end: int) -> tuple[int, int]:
    """Return a stretch without the line breaks at its ends."""
    inner = np.flatnonzero(points[start:end] != _LINE_FEED)
    return start + int(inner[0]), start + int(inner[-1]) + 1


def _likeliest_ways(sums: npt.NDArray[np.float32], costs: npt.NDArray[np.float64]) -> list[Way]:
    """Return the likeliest way of each unit.

    Args:
        sums: the evidence for each way: shape (3, units).
        costs: of a change before each unit: shape (units,).
    """
    best, before = sums[:, 0].tolist(), list[list[int]]()
    for own, cost in zip(sums[:, 1:].T.tolist(), costs[1:].tolist(), strict=True):
        top = max(range(len(best)), key=best.__getitem__)
        steps = [way if best[way] >= best[top] - cost else top for way in range(len(best))]
        best = [max(best[way], best[top] - cost) + own[way] for way in range(len(best))]
        before.append(steps)
    way = max(range(len(best)), key=best.__getitem__)
    ways = [way]
    for steps in reversed(before):
        way = steps[way]
        ways.append(way)
    return [WAYS[way] for way in reversed(ways)]


def _whole_lines(points: _Points, start: int, end: int) -> tuple[int, int]:
    """Return a stretch with the rest of its first and its last line, if they are no longer than rows are."""
    breaks = np.concatenate([[-1], np.flatnonzero(points == _LINE_FEED), [len(points)]])
    before, behind = np.searchsorted(breaks, [start, end])
    first, last = int(breaks[before - 1]) + 1, int(breaks[behind])
    return (first if start - first <= MAX_WIDTH else start), (last if last - end <= MAX_WIDTH else end)
