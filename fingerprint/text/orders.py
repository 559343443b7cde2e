"""The order in which a text is meant to be read, if it differs from the order in which it is written.

Theory of operation. First the text is folded. Letters of other scripts between all characters are left out
(:mod:`.interspersed`), characters written as two parts are joined (:mod:`.components`), rare characters
between all others are left out, and repeated characters are kept once (:mod:`.doubling`). Each of these
applies only where it is the rule in the text.

Then pairs of characters show where the text is natural (:mod:`.naturalness`). Ordinary text is natural
throughout, and nothing more is done. Otherwise the likeliest sequence of ways (Viterbi, 1967) separates
sentences that are written forwards, backwards, and in neither way. In this sequence each change of way costs
some nats, fewer at the beginning of a line. Backward text is reversed (:mod:`.turning`). Text in neither way
is read down the columns of its rows if the columns are natural (:mod:`.vertical`). The pairs do not show how
far a text was reversed, or on which side its columns begin. So every possible order is yielded, and the index
chooses.

Complexity: O(n), in NumPy except for one step per few letters of unusual text and one check per stretch in
neither way; about 60 ns per character of ordinary text. At most ``MAX_ORDERS`` orders, made one at a time.
"""

from array import array
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise, product

import numpy as np
import numpy.typing as npt

from fingerprint.text.components import fold_components
from fingerprint.text.disguises import COLUMNS, COMPONENTS, DOUBLED, NOISE, REVERSED, Disguise
from fingerprint.text.doubling import fold_doubled, fold_doubled_words
from fingerprint.text.folding import Folded
from fingerprint.text.interspersed import without_filler, without_foreign_letters, without_rare_characters
from fingerprint.text.letters import Letters, code_points, text_of, to_letters
from fingerprint.text.naturalness import WAYS, Kinds, Way, character_numbers, evidence, pair_kinds, strongest
from fingerprint.text.turning import is_sentence_end, reversed_orders
from fingerprint.text.vertical import MAX_WIDTH, MIN_EVIDENCE, column_orders

MAX_ORDERS = 14  # four ways to reverse × two sides of columns, plus one for each way to fold

_NAMES = (DOUBLED, REVERSED, COLUMNS, COMPONENTS, NOISE)
_MARKS = {name: np.uint8(1 << bit) for bit, name in enumerate(_NAMES)}
_THRESHOLDS: dict[Way, float] = {"backwards": 10.0, "neither": MIN_EVIDENCE}  # nats, for a stretch
_LINE_CHANGE, _CHANGE = 4.0, 7.0  # nats for a change of way at the beginning of a line, and elsewhere
_UNIT = 24  # letters: longer sentences are split into units
_SHORT = 8  # letters: of the sentences that begin within this distance only the first starts a unit
_LINE_FEED = 0x0A
_MIN_SHARE = 0.02  # of a stretch's characters that must have had a disguise

_Ints = npt.NDArray[np.int32]
_Points = npt.NDArray[np.uint32]
_Marks = npt.NDArray[np.uint8]
_Places = npt.NDArray[np.int64]

_FOLDS: tuple[tuple[Disguise, Callable[[_Points, _Ints], Folded | None]], ...] = (
    (NOISE, without_foreign_letters),
    (COMPONENTS, lambda points, _: fold_components(points)),  # any character may be a component
    (NOISE, without_rare_characters),
    (NOISE, without_filler),
    (DOUBLED, fold_doubled),
    (DOUBLED, fold_doubled_words),
)


@dataclass(frozen=True, slots=True, eq=False)
class Order:
    """A text in reading order, with the position of each character in the written text.

    Attributes:
        text: in reading order.
        starts: shape (len(text),), ``int32``: start of each character in the written text.
        ends: likewise, the end. A character that is written twice includes its repetition, a split character
            both parts, and a character with noise after it includes the noise.
        marks: shape (len(text),), ``uint8``: one bit for each disguise of the character.
    """

    text: str
    starts: _Ints
    ends: _Ints
    marks: _Marks

    def stretch(self, start: int, end: int) -> tuple[int, int]:
        """Return start and end in the written text of ``text[start:end]``.

        Raises:
            ValueError: ``start`` is not before ``end``.
        """
        return int(self.starts[start:end].min()), int(self.ends[start:end].max())

    def disguises(self, start: int, end: int) -> tuple[Disguise, ...]:
        """Return the disguises of ``text[start:end]``."""
        marks, counts = np.unique(self.marks[start:end], return_counts=True)
        under = {name: int(counts[marks & mark > 0].sum()) for name, mark in _MARKS.items()}
        return tuple(name for name, count in under.items() if count > _MIN_SHARE * (end - start))


def orders(text: str, letters: Letters | None = None) -> Iterator[Order]:
    """Yield the orders in which a text may be meant to be read; none for text in ordinary order.

    Args:
        text: any text.
        letters: its pinyin initials, if already computed.

    >>> text = "中国人民在自己的土地上建设国家，科学技术和文化教育不断发展，社会生活水平得到提高。"
    >>> list(orders(text))
    []
    >>> [order.text == text for order in orders("".join(c * 2 for c in text))]
    [True]
    >>> backwards = next(orders(text[::-1]))
    >>> backwards.text == text, backwards.stretch(0, 4), backwards.disguises(0, 4)
    (True, (37, 41), ('reversed',))
    """
    letters = to_letters(text) if letters is None else letters
    return _orders_of(code_points(text), letters.offsets)


def _orders_of(points: _Points, han: _Ints, first: int = 0) -> Iterator[Order]:
    """Yield the orders of a text that was already folded in the ways before the first one given."""
    for number, (name, fold) in enumerate(_FOLDS[first:], first):
        if (folded := fold(points, han)) is None:
            continue
        together, starts, ends = folded
        whole = Order(text_of(together), starts, ends, np.where(ends - starts > 1, _MARKS[name], np.uint8(0)))
        yield whole
        for order in _orders_of(together, to_letters(whole.text).offsets, number + 1):
            yield _within(whole, order)
        return
    for places, marks in _rearrangements(points, han):
        yield Order(text_of(points[places]), places, places + np.int32(1), marks)


def _within(whole: Order, order: Order) -> Order:
    """Convert an order of a folded text into an order of the original text."""
    starts, ends = whole.starts[order.starts], whole.ends[order.ends - 1]
    return Order(order.text, starts, ends, whole.marks[order.starts] | order.marks)


@dataclass(frozen=True, slots=True)
class _Stretch:
    """A stretch that is not written in reading order.

    Attributes:
        columns: its positions down the columns, from either side; none where it is written backwards.
    """

    start: int
    end: int
    columns: Sequence[_Ints] = ()


def _rearrangements(points: _Points, han: _Ints) -> Iterator[tuple[_Ints, _Marks]]:
    """Yield each order as positions of characters and their marks; nothing if no other order is natural."""
    numbers = character_numbers(points[han])
    kinds = pair_kinds(numbers[:-1], numbers[1:])
    if all(strongest(evidence(kinds, way)) < least for way, least in _THRESHOLDS.items()):
        return
    stretches = list(_stretches(points, han, kinds))
    if not stretches:
        return
    turned = np.zeros(len(points), dtype=np.int32)
    for number, stretch in enumerate(stretches, 1):
        turned[stretch.start : stretch.end] = 0 if stretch.columns else number
    in_columns = [stretch for stretch in stretches if stretch.columns]
    marks = np.where(turned > 0, _MARKS[REVERSED], np.uint8(0))
    for places, side in product(reversed_orders(points, turned), range(2 if in_columns else 1)):
        yield _with_columns(places, marks, in_columns, side)


def _with_columns(
    places: _Ints, marks: _Marks, stretches: Sequence[_Stretch], side: int
) -> tuple[_Ints, _Marks]:
    """Return positions and marks with those of some stretches replaced by their columns."""
    all_places, all_marks = list[_Ints](), list[_Marks]()
    at = 0
    for stretch in stretches:
        text_columns = stretch.columns[side] + np.int32(stretch.start)
        all_places += [places[at : stretch.start], text_columns]
        all_marks += [marks[at : stretch.start], np.full(len(text_columns), _MARKS[COLUMNS])]
        at = stretch.end
    return np.concatenate([*all_places, places[at:]]), np.concatenate([*all_marks, marks[at:]])


def _stretches(points: _Points, han: _Ints, kinds: Kinds) -> Iterator[_Stretch]:
    """Yield the stretches that can be read in another order, in sequence."""
    units = _units(points, han)
    sums = np.stack([np.add.reduceat(evidence(kinds, way), units[:-1]) for way in WAYS])
    breaks = np.flatnonzero(points == _LINE_FEED)
    borders, is_line = _borders(breaks, len(points), han, units)
    costs = np.where(is_line, _LINE_CHANGE, _CHANGE)
    at = 0
    ways = _likeliest_ways(sums, costs)
    changes = np.flatnonzero(np.diff(ways)) + 1
    for first, last in pairwise([0, *changes.tolist(), len(ways)]):
        way = WAYS[ways[first]]
        if way == "forwards" or sums[ways[first], first:last].sum() < _THRESHOLDS[way]:
            continue
        start, end = int(borders[first]), int(borders[last])
        if way == "neither":
            start, end = _whole_lines(breaks, len(points), start, end)
        start, end = _without_breaks(points, max(start, at), end)
        columns = column_orders(points[start:end]) if way == "neither" else []
        if start < end and (columns or way == "backwards"):
            yield _Stretch(start, end, columns)
            at = end


def _units(points: _Points, han: _Ints) -> _Places:
    """Return the first letter of each unit (a sentence or a piece of one), and last the number of pairs."""
    ends = np.cumsum(is_sentence_end(points))[han]
    firsts = np.flatnonzero(np.diff(ends, prepend=-1))
    firsts = firsts[np.diff(firsts // _SHORT, prepend=-1) > 0]
    cuts = np.union1d(firsts, np.arange(0, len(han), _UNIT))
    return np.append(cuts[cuts < len(han) - 1], len(han) - 1)


def _borders(
    breaks: _Places, length: int, han: _Ints, units: _Places
) -> tuple[_Places, npt.NDArray[np.bool_]]:
    """Return the start of each unit in the text, with the text's end; and which units start on a new line.

    Text between two units belongs to the first one, up to the end of its line.
    """
    firsts = units[1:-1]
    breaks = np.append(breaks, length)
    behind = breaks[np.searchsorted(breaks, han[firsts - 1])]
    is_line = behind < han[firsts]
    inner = np.where(is_line, behind, han[firsts])
    return np.concatenate([[0], inner, [length]]), np.concatenate([[True], is_line])


def _without_breaks(points: _Points, start: int, end: int) -> tuple[int, int]:
    """Return a stretch without the line breaks at its ends; an empty one if it contains only line breaks."""
    inner = np.flatnonzero(points[start:end] != _LINE_FEED)
    return (start + int(inner[0]), start + int(inner[-1]) + 1) if len(inner) else (start, start)


def _likeliest_ways(sums: npt.NDArray[np.float32], costs: npt.NDArray[np.float64]) -> npt.NDArray[np.uint8]:
    """Return the number of the likeliest way of each unit: shape (units,).

    Args:
        sums: the evidence for each way: shape (3, units).
        costs: of a change before each unit: shape (units,).
    """
    best = sums[:, 0].tolist()
    scores, changed = array("d", best), array("d")
    for way_sums, cost in zip(sums[:, 1:].T.tolist(), costs[1:].tolist(), strict=True):
        least = max(best) - cost
        best = [(max(score, least)) + gain for score, gain in zip(best, way_sums, strict=True)]
        scores.extend(best)
        changed.append(least)
    table = np.frombuffer(scores).reshape(-1, len(best))
    stays = table[:-1] >= np.frombuffer(changed)[:, np.newaxis]
    before = np.where(stays, np.arange(len(best)), table[:-1].argmax(axis=1)[:, np.newaxis])
    ways = np.empty(len(table), dtype=np.uint8)
    ways[-1] = way = int(table[-1].argmax())
    steps = before.astype(np.uint8).tobytes()
    for unit in range(len(table) - 2, -1, -1):
        ways[unit] = way = steps[unit * len(best) + way]
    return ways


def _whole_lines(breaks: _Places, length: int, start: int, end: int) -> tuple[int, int]:
    """Extend a stretch to whole lines at both ends, unless these lines are longer than rows can be."""
    before, behind = np.searchsorted(breaks, [start, end])
    first = int(breaks[before - 1]) + 1 if before else 0
    last = int(breaks[behind]) if behind < len(breaks) else length
    return (first if start - first <= MAX_WIDTH else start), (last if last - end <= MAX_WIDTH else end)
