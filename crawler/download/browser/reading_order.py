"""Sorts the pieces of a container into reading order by their positions. Pure.

A recursive cut as it is used for scanned pages (Nagy and Seth, 1984): where a horizontal gap goes through,
the upper part is read first; where only a vertical one does, the left one is. What no gap divides keeps the
order of the document, unless it is a single line. Complexity: O(n log n) for each level of cuts, of which
there are at most ``_MAX_CUTS``.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from crawler.download.browser.snapshot import Rect

T = TypeVar("T")

_MAX_CUTS = 40
_MARGIN = 0.25  # of a line's height, on each side, that another line or letter may overlap
_GUTTER = 2.0  # of a line's height: a gap between columns, with its margins, is at least as wide
_MIN_ROWS = 3  # of a column
_MIN_COLUMN = 6.0  # of a line's height: a column is at least as wide


@dataclass(frozen=True, slots=True)
class PlacedLine(Generic[T]):
    """Something with its place.

    Attributes:
        number: in the document's order.
        kernel: its place without the margin that neighbours may overlap.
        line: height of its line; 0 for what has several.
    """

    item: T
    number: int
    kernel: Rect
    line: float


def kernel_of(rect: Rect) -> Rect:
    """Return the middle of a line's box, for boxes of lines overlap when lines are set tightly."""
    y_margin = rect.height * _MARGIN
    x_margin = min(rect.width, rect.height) * _MARGIN
    return Rect(rect.x + x_margin, rect.y + y_margin, rect.width - 2 * x_margin, rect.height - 2 * y_margin)


def turned(rect: Rect, writing_mode: str) -> Rect:
    """Return a place as if its lines ran from left to right, downwards."""
    if writing_mode in ("vertical-rl", "sideways-rl"):
        return Rect(rect.y, -rect.right, rect.height, rect.width)
    if writing_mode in ("vertical-lr", "sideways-lr"):
        return Rect(rect.y, rect.x, rect.height, rect.width)
    return rect


def in_reading_order(items: Sequence[PlacedLine[T]]) -> list[T]:
    """Return the items as they are read.

    Args:
        items: in the document's order.
    """
    ordered: list[T] = []
    parts: list[tuple[Sequence[PlacedLine[T]], int]] = [(items, 0)]
    while parts:
        group, cuts = parts.pop()
        pieces = _divide(group) if len(group) > 1 and cuts < _MAX_CUTS else [group]
        if len(pieces) > 1:
            parts.extend((piece, cuts + 1) for piece in reversed(pieces))
        else:
            ordered += _undivided(group)
    return ordered


def _divide(items: Sequence[PlacedLine[T]]) -> list[Sequence[PlacedLine[T]]]:
    """Return the items in rows, or else in columns; as they are where no gap goes through."""
    rows = _cut(items, _top, _bottom)
    if len(rows) > 1:
        return _columns(items, rows) or rows
    return _cut(items, _left, _right)


def _cut(
    items: Sequence[PlacedLine[T]],
    first: Callable[[PlacedLine[T]], float],
    last: Callable[[PlacedLine[T]], float],
    *,
    gap: float = 0.0,
) -> list[Sequence[PlacedLine[T]]]:
    pieces: list[list[PlacedLine[T]]] = []
    end = float("-inf")
    for item in sorted(items, key=first):
        if first(item) >= end + gap or not pieces:
            pieces.append([])
        pieces[-1].append(item)
        end = max(end, last(item))
    if len(pieces) == 1:
        return [items]
    return [sorted(piece, key=_number) for piece in pieces]


def _columns(
    items: Sequence[PlacedLine[T]], rows: Sequence[Sequence[PlacedLine[T]]]
) -> list[Sequence[PlacedLine[T]]]:
    """Return the columns of lines that are placed one by one, as in a page made of a PDF; else nothing."""
    lines = [item.line for item in items]
    if len(rows) < _MIN_ROWS or not all(lines):
        return []
    height = sorted(lines)[len(lines) // 2]
    columns = _cut(items, _left, _right, gap=_GUTTER * height)
    if len(columns) == 1:
        return []
    are_wide = all(_width(column) >= _MIN_COLUMN * height for column in columns)
    are_long = all(len(_cut(column, _top, _bottom)) >= _MIN_ROWS for column in columns)
    return columns if are_wide and are_long else []


def _undivided(items: Sequence[PlacedLine[T]]) -> list[T]:
    """Return what no gap divides: a line from left to right, all else as it is in the document."""
    if len(items) > 1 and all(item.line for item in items):
        items = sorted(items, key=lambda placed: placed.kernel.x + placed.kernel.width / 2)
    return [placed.item for placed in items]


def _width(items: Sequence[PlacedLine[T]]) -> float:
    return max(map(_right, items)) - min(map(_left, items))


def _number(placed: PlacedLine[T]) -> int:
    return placed.number


def _left(placed: PlacedLine[T]) -> float:
    return placed.kernel.x


def _right(placed: PlacedLine[T]) -> float:
    return placed.kernel.right


def _top(placed: PlacedLine[T]) -> float:
    return placed.kernel.y


def _bottom(placed: PlacedLine[T]) -> float:
    return placed.kernel.bottom
