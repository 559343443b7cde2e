"""Where style sheets put an element: by ``order``, positions, cells of a grid, transforms. Pure, linear."""

import math
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple, TypeAlias

from crawler.extraction.parsing import Element
from crawler.extraction.rest.found import Node

_MAX_RULE_CHARS = 4_000_000  # of the sheets that are searched
_MAX_CHAIN = 4  # elements around a piece that can place it
_PROPERTIES = frozenset(
    {
        *(
            "order",
            "left",
            "top",
            "right",
            "bottom",
            "inset",
            "float",
            "position",
            "margin-left",
            "margin-top",
        ),
        *("transform", "translate", "direction", "flex-direction", "flex-flow", "flex-wrap"),
        *("grid-area", "grid-row", "grid-row-start", "grid-column", "grid-column-start"),
    }
)
_DECLARATION = re.compile(r"(?<![\w-])([\w-]++)\s*+:\s*+([^;}]*)")
_BODY = re.compile(r"\{([^{}]*)\}")
_MAX_SELECTOR_CHARS = 200  # of one that is looked at
_MAX_SELECTORS_CHARS = 4_000  # of a rule's
_SUBJECT = re.compile(
    r"([\w-]*)((?:[.#][\w\u0080-\uffff-]+)*)(?::nth-(?:child|of-type)\(\s*(\d+)\s*\))?\s*\Z"
)
_NUMBER = re.compile(r"-?(?:\d+(?:\.\d+)?|\.\d+)")
_VARIABLE = re.compile(r"var\(\s*(--[\w-]+)\s*(?:,[^()]*)?\)")
_EM_PIXELS = 16.0

Style: TypeAlias = dict[str, str]
# A class, an id or a tag, and a place among its siblings or none → declarations.
Rules: TypeAlias = Mapping[tuple[str, int], Style]


class Place(NamedTuple):
    """A row and a column, in pixels or in cells; numbers of other things compare alike."""

    row: float
    column: float


def place_of(style: Style, number: int) -> Place:
    """Return where a piece belongs; one without a place stays where it stands."""
    if "order" in style:
        return Place(_number(style["order"]), number)
    if "grid-area" in style:
        numbers = [float(value) for value in _NUMBER.findall(style["grid-area"])]
        if numbers:
            return Place(numbers[0], numbers[1] if len(numbers) > 1 else number)
    row = next((style[name] for name in ("grid-row", "grid-row-start") if name in style), None)
    column = next((style[name] for name in ("grid-column", "grid-column-start") if name in style), None)
    if row is not None or column is not None:
        return Place(_number(row or "0"), _number(column) if column is not None else number)
    return _position(style, number)


def _position(style: Style, number: int) -> Place:
    left, top = _length(style.get("left")), _length(style.get("top"))
    if "left" not in style and "right" in style:
        left = -_length(style["right"])
    if "top" not in style and "bottom" in style:
        top = -_length(style["bottom"])
    if "inset" in style:
        sides = style["inset"].split()
        top, left = _length(sides[0]), _length(sides[3] if len(sides) > 3 else sides[-1])  # noqa: PLR2004
    left += _length(style.get("margin-left"))
    top += _length(style.get("margin-top"))
    for name in ("transform", "translate"):
        value = style.get(name, "").lower()
        moves = _NUMBER.findall(value.partition("(")[2] or value)
        if value.startswith("matrix(") and len(moves) == 6:  # noqa: PLR2004
            value, moves = "translate", moves[4:]
        if moves and ("translate" in value or name == "translate"):
            is_vertical = "translatey" in value
            left += 0.0 if is_vertical else float(moves[0])
            top += float(moves[0] if is_vertical else moves[1]) if is_vertical or len(moves) > 1 else 0.0
    if style.get("position", "").strip().lower() == "relative":  # moved from where it stands
        left += number * _EM_PIXELS
    return Place(top, left)


class _Labels(NamedTuple):
    """What the style of an element depends on."""

    tag: str
    classes: str | None
    identity: str | None
    inline: str | None
    direction: str | None
    place: int


class Placing:
    """Finds the declarations that place elements.

    Args:
        rules: of the page's sheets.
    """

    def __init__(self, rules: Rules) -> None:
        self._rules = rules
        self._has_places = any(place for _, place in rules)
        self._places: dict[Element, dict[Element, int]] = {}
        self._styles: dict[_Labels, Style] = {}

    def chain_style(self, node: Node, around: Node | None) -> Style:
        """Return the declarations of an element, or of the nearest one around it that has some.

        Args:
            node: the element.
            around: the block that the search ends at.
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
        place = self._place_of(element) if self._has_places else 0
        get = element.get
        labels = _Labels(str(element.tag), get("class"), get("id"), get("style"), get("dir"), place)
        if labels not in self._styles:
            self._styles[labels] = self._style_of(labels)
        return self._styles[labels]

    def _style_of(self, labels: _Labels) -> Style:
        style: Style = {}
        if self._rules:
            names = [labels.tag, *(f".{name}" for name in (labels.classes or "").split())]
            if labels.identity:
                names.append(f"#{labels.identity}")
            for name in names:
                style |= self._rules.get((name, 0), {})
                style |= self._rules.get((name, labels.place), {}) if labels.place else {}
        if labels.inline:
            style |= declarations(labels.inline)
        if labels.direction:
            style.setdefault("direction", labels.direction.lower())
        return _resolved(style) if style else style

    def _place_of(self, element: Element) -> int:
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
        name: _VARIABLE.sub(lambda found: style.get(found[1].lower(), found[0]), value)
        for name, value in style.items()
    }


def declarations(text: str) -> Style:
    """Return the declarations that place an element, and its custom properties."""
    return {
        name: value.strip()
        for raw, value in _DECLARATION.findall(text)
        if (name := raw.lower()) in _PROPERTIES or name.startswith("--")
    }


def rules_of(sheets: Sequence[str]) -> Rules:
    """Return the rules that place elements, by the last compound of their selectors."""
    rules: dict[tuple[str, int], Style] = {}
    for sheet in sheets:
        for key, style in _rules_of_sheet(sheet):
            rules[key] = {**rules.get(key, {}), **style}
    return rules


@lru_cache(maxsize=64)
def _rules_of_sheet(sheet: str) -> tuple[tuple[tuple[str, int], Style], ...]:
    """Return the rules of one sheet, in order; other pages of its site have it too."""
    rules: list[tuple[tuple[str, int], Style]] = []
    end = 0
    for body in _BODY.finditer(sheet, 0, _MAX_RULE_CHARS):
        start, end = max(end, body.start() - _MAX_SELECTORS_CHARS), body.end()
        style = declarations(body[1])
        if not style:
            continue
        selectors = sheet[start : body.start()].rpartition("{")[2]
        for selector in selectors.split(","):
            subject = _SUBJECT.search(selector.strip()[-_MAX_SELECTOR_CHARS:])
            if subject is None:
                continue
            tag, names, place = subject.groups()
            name = re.findall(r"[.#][^.#]+", names)[-1] if names else tag.lower()
            rules.append(((name, int(place or 0)), style))
    return tuple(rules)


def _number(text: str) -> float:
    """Return the first number of a value, or the product of a product's numbers."""
    numbers = _NUMBER.findall(text)
    if "*" in text and numbers:
        return math.prod(map(float, numbers))
    return float(numbers[0]) if numbers else 0.0


def _length(text: str | None) -> float:
    """Return a length in pixels; units that depend on the window keep their number."""
    if text is None:
        return 0.0
    number = _NUMBER.search(text)
    if number is None:
        return 0.0
    return _number(text) * (_EM_PIXELS if text[number.end() :].strip().startswith(("em", "rem")) else 1.0)
