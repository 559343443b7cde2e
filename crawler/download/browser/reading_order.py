"""Sorts the pieces of a container into reading order by their positions. Pure.

Recursive cuts as for scanned pages (Nagy and Seth, 1984): if a horizontal gap divides the pieces, the upper
part is read first; if only a vertical gap divides them, the left part is read first. Pieces without a gap
between them keep the document order, unless they are a single line. Complexity: O(n log n) for each level of
cuts, at most ``_MAX_CUTS`` levels.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from crawler.download.browser.snapshot import Rect

T = TypeVar("T")

_MAX_CUTS = 40
_MARGIN = 0.25  # margin on each side that another line or letter may overlap, in line heights
_GUTTER = 2.0  # minimum width of a gap between columns, including its margins, in line heights
_MIN_ROWS = 3  # minimum number of rows in a column
_MIN_COLUMN = 6.0  # minimum width of a column, in line heights


@dataclass(frozen=True, slots=True)
class PlacedLine(Generic[T]):
    """An item with its position.

    Attributes:
        number: in document order.
        kernel: its area without the margin that neighbours may overlap.
        line: height of its line; 0 for an item of several lines.
    """

    item: T
    number: int
    kernel: Rect
    line: float


def kernel_of(rect: Rect) -> Rect:
    """Return the middle of a line's box, because the boxes of tightly set lines overlap."""
    y_margin = rect.height * _MARGIN
    x_margin = min(rect.width, rect.height) * _MARGIN
    return Rect(rect.x + x_margin, rect.y + y_margin, rect.width - 2 * x_margin, rect.height - 2 * y_margin)


def turned(rect: Rect, writing_mode: str) -> Rect:
    """Return an area turned so that its lines run from left to right and follow each other downwards."""
    if writing_mode in ("vertical-rl", "sideways-rl"):
        return Rect(rect.y, -rect.right, rect.height, rect.width)
    if writing_mode in ("vertical-lr", "sideways-lr"):
        return Rect(rect.y, rect.x, rect.height, rect.width)
    return rect


def in_reading_order(items: Sequence[PlacedLine[T]]) -> list[T]:
    """Return the items in reading order.

    Args:
        items: in document order.
    """
    ordered: list[T] = []
    parts: list[tuple[Sequence[PlacedLine[T]], int]] = [(items, 0)]
    while parts:
        group, cuts = parts.pop()
        pieces = _split_at_gaps(group) if len(group) > 1 and cuts < _MAX_CUTS else [group]
        if len(pieces) > 1:
            parts.extend((piece, cuts + 1) for piece in reversed(pieces))
        else:
            ordered += _order_without_gaps(group)
    return ordered


def _split_at_gaps(items: Sequence[PlacedLine[T]]) -> list[Sequence[PlacedLine[T]]]:
    """Divide the items into rows, or else into columns; one group if there is no gap."""
    rows = _cut_at_gaps(items, _top_edge, _bottom_edge)
    if len(rows) > 1:
        return _split_into_columns(items, rows) or rows
    return _cut_at_gaps(items, _left_edge, _right_edge)


def _cut_at_gaps(
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
    return [sorted(piece, key=_document_position) for piece in pieces]


def _split_into_columns(
    items: Sequence[PlacedLine[T]], rows: Sequence[Sequence[PlacedLine[T]]]
) -> list[Sequence[PlacedLine[T]]]:
    """Return the columns if every line is positioned separately (as in a converted PDF), else no column."""
    lines = [item.line for item in items]
    if len(rows) < _MIN_ROWS or not all(lines):
        return []
    height = sorted(lines)[len(lines) // 2]
    columns = _cut_at_gaps(items, _left_edge, _right_edge, gap=_GUTTER * height)
    if len(columns) == 1:
        return []
    are_wide = all(_total_width(column) >= _MIN_COLUMN * height for column in columns)
    are_long = all(len(_cut_at_gaps(column, _top_edge, _bottom_edge)) >= _MIN_ROWS for column in columns)
    return columns if are_wide and are_long else []


def _order_without_gaps(items: Sequence[PlacedLine[T]]) -> list[T]:
    """Return items without gaps between them: a line from left to right, others in document order."""
    if len(items) > 1 and all(item.line for item in items):
        items = sorted(items, key=lambda placed: placed.kernel.x + placed.kernel.width / 2)
    return [placed.item for placed in items]


def _total_width(items: Sequence[PlacedLine[T]]) -> float:
    return max(map(_right_edge, items)) - min(map(_left_edge, items))


def _document_position(placed: PlacedLine[T]) -> int:
    return placed.number


def _left_edge(placed: PlacedLine[T]) -> float:
    return placed.kernel.x


def _right_edge(placed: PlacedLine[T]) -> float:
    return placed.kernel.right


def _top_edge(placed: PlacedLine[T]) -> float:
    return placed.kernel.y


def _bottom_edge(placed: PlacedLine[T]) -> float:
    return placed.kernel.bottom
