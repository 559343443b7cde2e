"""The positions that style sheets give elements: ``order``, offsets, grid cells, transforms. Pure, linear."""

import math
import re
from typing import NamedTuple

from crawler.extraction.parsing import Element
from crawler.extraction.rest.placing_rules import PlacingRules, Style, declarations
from crawler.extraction.rest.text_lines import Location, Node

_MAX_CHAIN = 4  # number of ancestors of a piece that can position it
_NUMBER = re.compile(r"-?(?:\d+(?:\.\d+)?|\.\d+)")
_VARIABLE = re.compile(r"var\(\s*(--[\w-]+)\s*(?:,[^()]*)?\)")
_EM_PIXELS = 16.0


class Position(NamedTuple):
    """A row and a column, in pixels or cells; only their order matters."""

    row: float
    column: float


def position_of(style: Style, number: int) -> Position:
    """Return the position of a piece; without one, it keeps its number."""
    if "order" in style:
        return Position(_number(style["order"]), number)
    if "grid-area" in style:
        numbers = [float(value) for value in _NUMBER.findall(style["grid-area"])]
        if numbers:
            return Position(numbers[0], numbers[1] if len(numbers) > 1 else number)
    row = next((style[name] for name in ("grid-row", "grid-row-start") if name in style), None)
    column = next((style[name] for name in ("grid-column", "grid-column-start") if name in style), None)
    if row is not None or column is not None:
        return Position(_number(row or "0"), _number(column) if column is not None else number)
    return _position(style, number)


def _position(style: Style, number: int) -> Position:
    x, top = _length(style.get("left")), _length(style.get("top"))
    if "left" not in style and "right" in style:
        x = -_length(style["right"])
    if "top" not in style and "bottom" in style:
        top = -_length(style["bottom"])
    if "inset" in style:
        sides = style["inset"].split()
        top, x = _length(sides[0]), _length(sides[3] if len(sides) > 3 else sides[-1])  # noqa: PLR2004
    x += _length(style.get("margin-left"))
    top += _length(style.get("margin-top"))
    for name in ("transform", "translate"):
        value = style.get(name, "").lower()
        moves = _NUMBER.findall(value.partition("(")[2] or value)
        if value.startswith("matrix(") and len(moves) == 6:  # noqa: PLR2004
            value, moves = "translate", moves[4:]
        if moves and ("translate" in value or name == "translate"):
            is_vertical = "translatey" in value
            x += 0.0 if is_vertical else float(moves[0])
            top += float(moves[0] if is_vertical else moves[1]) if is_vertical or len(moves) > 1 else 0.0
    # the element is moved relative to its normal position
    if style.get("position", "").strip().lower() == "relative":
        x += number * _EM_PIXELS
    return Position(top, x)


class _Labels(NamedTuple):
    """The inputs of an element's style."""

    tag: str
    classes: str | None
    identity: str | None
    inline: str | None
    direction: str | None
    sibling_number: int


class Placing:
    """Lookup of the declarations that position elements.

    Args:
        rules: rules of the page's sheets.
    """

    def __init__(self, rules: PlacingRules) -> None:
        self._rules = rules
        self._places: dict[Element, dict[Element, int]] = {}
        self._styles: dict[_Labels, Style] = {}
        self._may_move: dict[Location, bool] = {}

    def may_move(self, node: Node) -> bool:
        """Return whether something may move an element or its content; a quick check."""
        if node.is_moved:
            return True
        location = node.location
        may_move = self._may_move.get(location) if self._rules.moving else False
        if may_move is None:
            element, name = node.element, location.name
            has_id = name[:1] == "#" and element is not None
            classes = name[1:] if element is None or not has_id else element.get("class") or ""
            names = {location.tag, name, *(f".{word}" for word in classes.split())}
            may_move = not self._rules.moving.isdisjoint(names)
            if not has_id:  # not cached with an id, because elements with the same id may have other classes
                self._may_move[location] = may_move
        return may_move

    def chain_style(self, node: Node, around: Node | None) -> Style:
        """Return the declarations of an element, or of its nearest ancestor that has any.

        Args:
            node: the element.
            around: the block where the search ends.
        """
        current: Node | None = node
        for _ in range(_MAX_CHAIN):
            if current is None or (around is not None and current.element is around.element):
                break
            if style := self.style_of(current):
                return style
            current = current.parent
        return {}

    def style_of(self, node: Node) -> Style:
        """Return the declarations of one element."""
        element = node.element
        if element is None:
            return {}
        get = element.get
        inline, direction = get("style"), get("dir")
        if not (self._rules or inline or direction):
            return {}
        sibling_number = self._sibling_number_of(element) if self._rules.has_sibling_numbers else 0
        labels = _Labels(str(element.tag), get("class"), get("id"), inline, direction, sibling_number)
        if labels not in self._styles:
            self._styles[labels] = self._style_of(labels)
        return self._styles[labels]

    def _style_of(self, labels: _Labels) -> Style:
        style: Style = {}
        names = [labels.tag, *(f".{name}" for name in (labels.classes or "").split())]
        if labels.identity:
            names.append(f"#{labels.identity}")
        for name in names:
            style |= self._rules.style_of(name)
            style |= self._rules.style_of(name, labels.sibling_number) if labels.sibling_number else {}
        if labels.inline:
            style |= declarations(labels.inline)
        if labels.direction:
            style.setdefault("direction", labels.direction.lower())
        return _resolved(style) if style else style

    def _sibling_number_of(self, element: Element) -> int:
        parent = element.getparent()
        if parent is None:
            return 0
        if parent not in self._places:
            self._places[parent] = {child: number for number, child in enumerate(parent, 1)}
        return self._places[parent][element]


def _resolved(style: Style) -> Style:
    """Return a style with the values of the custom properties that it sets itself."""
    if not any("var(" in value for value in style.values()):
        return style
    return {
        name: _VARIABLE.sub(lambda reference: style.get(reference[1].lower(), reference[0]), value)
        for name, value in style.items()
    }


def _number(text: str) -> float:
    """Return the first number of a value, or the product of a product's numbers."""
    numbers = _NUMBER.findall(text)
    if "*" in text and numbers:
        return math.prod(map(float, numbers))
    return float(numbers[0]) if numbers else 0.0


def _length(text: str | None) -> float:
    """Return a length in pixels; units relative to the window keep their number."""
    if text is None:
        return 0.0
    number = _NUMBER.search(text)
    if number is None:
        return 0.0
    return _number(text) * (_EM_PIXELS if text[number.end() :].strip().startswith(("em", "rem")) else 1.0)
