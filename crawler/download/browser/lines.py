"""Joins the text boxes of a page into lines, container by container. Pure.

A line is a paragraph, or a row of single positioned letters. The content of a block, cell or flex item stays
together; positions order it (:mod:`crawler.download.browser.reading_order`).
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from crawler.download.browser.reading_order import PlacedLine, in_reading_order, kernel_of, turned
from crawler.download.browser.snapshot import Rect, Style

LineSource = Literal["page", "frame", "shadow", "content"]

NO_BOX = Rect(0, 0, 0, 0)
_MAX_GAP = 1.5  # maximum gap between two letters of one line, in letter heights
_MIN_OVERLAP = 0.5  # minimum vertical overlap of two letters of one line, as a share of the lower height
_LINE = 1.7  # maximum height of a line divided by the height of its kernel


@dataclass(slots=True)
class ShownLine:
    """A line of text.

    Attributes:
        path: of the element that the line begins in.
        source: of most of its characters.
        first: position of its first text box, ``last`` of its last one; empty rectangles without boxes.
    """

    text: str
    path: str
    source: LineSource
    first: Rect = NO_BOX
    last: Rect = NO_BOX


@dataclass(frozen=True, slots=True)
class LinePiece:
    """A visible text box of a node."""

    text: str
    rect: Rect
    node: int
    source: LineSource


@dataclass(frozen=True, slots=True)
class LineBreak:
    """A forced end of a line."""


@dataclass(slots=True)
class Container:
    """An element whose content is read together.

    Attributes:
        items: in document order; emptied when they are joined.
        aside: content that is read after the items, such as ruby readings.
        lines: the result, once the items are joined.
        kernel: the area of its lines.
        is_label: whether it belongs to a picture and is read after the text around the picture.
    """

    node: int
    style: Style
    items: list["Item"] = field(default_factory=list)
    aside: list["Container"] = field(default_factory=list)
    lines: list[ShownLine] = field(default_factory=list)
    kernel: Rect | None = None
    is_label: bool = False

    @property
    def is_inline(self) -> bool:
        """Whether the container is part of a line."""
        return self.style.display.startswith("inline")

    @property
    def line_height(self) -> float:
        """Height of the container's only line; 0 for several lines or none."""
        if len(self.lines) != 1 or self.kernel is None or not self.lines[0].first.height:
            return 0.0
        height = self.lines[0].first.height
        return height if self.kernel.height <= height * _LINE else 0.0


Item: TypeAlias = LinePiece | LineBreak | Container


def settle(container: Container, place_of: Callable[[int], str]) -> None:
    """Join the items of a container into lines; inner containers must be joined already.

    Args:
        container: whose items to join.
        place_of: returns the path of a node's element.
    """
    if container.lines:  # the lines were set when the container was created
        return
    items = container.items
    aside: list[Item] = list(container.aside)
    if any(isinstance(item, LinePiece) and item.text.strip() for item in items):
        aside += [item for item in items if isinstance(item, Container) and item.is_label]
        items = [item for item in items if not (isinstance(item, Container) and item.is_label)]
    joiner = _Joiner(place_of)
    for item in _items_in_order(items, container.style):
        joiner.add(item)
    joiner.end_line()
    for item in aside:
        joiner.add(item)
    container.lines = joiner.lines
    container.kernel = _bounding_rect(kernel for item in items if (kernel := _central_rect(item)) is not None)
    container.items = []


def _items_in_order(items: Sequence[Item], style: Style) -> Sequence[Item]:
    if len(items) == 1 or style.column_count != "auto" or style.column_width != "auto":
        return items
    placed: list[PlacedLine[list[Item]]] = []
    for item in items:
        kernel = _central_rect(item)
        if kernel is not None:
            line = item.rect.height if isinstance(item, LinePiece) else _line_height(item)
            placed.append(PlacedLine([item], len(placed), turned(kernel, style.writing_mode), line))
        elif placed:  # a line break or an empty container keeps its position after its predecessor
            placed[-1].item.append(item)
    return [item for group in in_reading_order(placed) for item in group]


def _line_height(item: Item) -> float:
    return item.line_height if isinstance(item, Container) else 0.0


def _central_rect(item: Item) -> Rect | None:
    if isinstance(item, LinePiece):
        return kernel_of(item.rect)
    return item.kernel if isinstance(item, Container) else None


def _bounding_rect(rects: Iterable[Rect]) -> Rect | None:
    every = list(rects)
    if not every:
        return None
    x, y = min(rect.x for rect in every), min(rect.y for rect in every)
    right, bottom = max(rect.right for rect in every), max(rect.bottom for rect in every)
    return Rect(x, y, right - x, bottom - y)


class _Joiner:
    """Joins items, in reading order, into lines."""

    def __init__(self, place_of: Callable[[int], str]) -> None:
        self.lines: list[ShownLine] = []
        self._place_of = place_of
        self._is_open = False  # whether the next text of the same flow continues the last line
        self._chars: dict[LineSource, int] = {}

    def add(self, item: Item) -> None:
        if isinstance(item, LinePiece):
            self._add_piece(item)
        elif isinstance(item, Container):
            self._add_container(item)
        else:
            self._is_open = False

    def end_line(self) -> None:
        self._is_open = False

    def _add_piece(self, piece: LinePiece) -> None:
        if self._is_open or self._goes_on(piece.rect):
            self._append_text(piece.text, piece.rect, piece.source)
            self._is_open = True
        elif piece.text.strip():
            path = self._place_of(piece.node)
            self._begin_line([ShownLine(piece.text, path, piece.source, piece.rect, piece.rect)])
            self._is_open = True

    def _add_container(self, container: Container) -> None:
        if not container.lines:
            self._is_open = self._is_open and container.is_inline
            return
        first = container.lines[0]
        is_single = len(container.lines) == 1 and first.first.height > 0
        if is_single and ((self._is_open and container.is_inline) or self._goes_on(first.first)):
            self._append_text(first.text, first.last, first.source)
        else:
            self._begin_line(container.lines)
        self._is_open = is_single and container.is_inline

    def _begin_line(self, lines: Sequence[ShownLine]) -> None:
        self.lines += lines
        self._chars = {lines[-1].source: len(lines[-1].text)}

    def _append_text(self, text: str, rect: Rect, source: LineSource) -> None:
        line = self.lines[-1]
        line.text += text
        line.last = rect
        self._chars[source] = self._chars.get(source, 0) + len(text)
        line.source = max(self._chars, key=lambda origin: self._chars[origin])

    def _goes_on(self, rect: Rect) -> bool:
        """Return whether a box follows the last one in its line."""
        last = self.lines[-1].last if self.lines else NO_BOX
        if not last.height or not rect.height:
            return False
        lower = min(last.height, rect.height)
        overlap = min(last.bottom, rect.bottom) - max(last.y, rect.y)
        return overlap >= _MIN_OVERLAP * lower and abs(rect.x - last.right) <= _MAX_GAP * lower
