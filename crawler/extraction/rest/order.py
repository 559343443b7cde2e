"""Text that a style sheet puts in order: by ``order``, positions, rows of a grid, from right to left. Pure.

Only lines that are not natural as they stand, or whose elements say themselves where they belong, are looked
at. An order is believed when the text is natural in it; else its characters are counted as not read.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from crawler.extraction.parsing import Element
from crawler.extraction.rest.chinese import chinese_of
from crawler.extraction.rest.found import Found, Node
from crawler.extraction.rest.naturalness import is_natural, unnatural_lines

MIN_PIECES = 8  # of a line that can be shuffled
_MAX_PIECE_CHARS = 3  # of a line that is a piece of a text
_MAX_RULE_CHARS = 4_000_000  # of the sheets that are searched
_MAX_CHAIN = 4  # elements around a piece that can place it
_PROPERTY = (
    "order|left|top|right|bottom|inset|float|transform|translate|grid-row|grid-column|grid-area|grid-row-start"
    "|grid-column-start|flex-direction|flex-flow|direction|position|margin-left|margin-top"
)
_DECLARATION = re.compile(rf"(?<![\w-])({_PROPERTY})\s*:\s*([^;}}]*)", re.IGNORECASE)
_RULE = re.compile(r"([^{}]+)\{([^{}]*)\}")
_SUBJECT = re.compile(
    r"([\w-]*)((?:[.#][\w\u0080-\uffff-]+)*)(?::nth-(?:child|of-type)\(\s*(\d+)\s*\))?\s*\Z"
)
_NUMBER = re.compile(r"-?(?:\d+(?:\.\d+)?|\.\d+)")
_EM_PIXELS = 16.0

Style: TypeAlias = dict[str, str]
# A class, an id or a tag, and a place among its siblings or none → declarations.
_Rules: TypeAlias = Mapping[tuple[str, int], Style]


class _Place(NamedTuple):
    row: float
    column: float


@dataclass(frozen=True, slots=True)
class Ordered:
    """What the order of a page's text came to.

    Attributes:
        found: texts in the order that styles put them in.
        unread: characters of lines in many pieces, whose order cannot be told.
        whole: characters of lines in one piece that nobody would write: only a font can show others.
    """

    found: Sequence[Found] = ()
    unread: Sequence[str] = ()
    whole: Sequence[str] = ()


def ordered_texts(found: Sequence[Found], keys: Sequence[str], sheets: Sequence[str]) -> Ordered:
    """Return texts as styles put them in order.

    Args:
        found: lines of the page.
        keys: the Chinese characters of each.
        sheets: the page's style sheets.
    """
    lines = [line for line in _shuffled_lines(found) if _says_order(line)]
    unnatural = [found[number] for number in unnatural_lines(keys) if found[number].source != "markup"]
    runs = [run for run in _runs_of_pieces(found, keys) if not is_natural("".join(run.pieces))]
    if not lines and not unnatural and not runs:
        return Ordered()
    placing = _Placing(_rules_of(sheets) if unnatural or runs else {})
    ordered: list[Found] = []
    unread: list[str] = []
    whole: list[str] = []
    for line in dict.fromkeys((*lines, *unnatural, *runs)):
        key = chinese_of(line.text)
        text = _in_order(line, placing)
        if text is not None and is_natural(chinese_of(text)):
            ordered.append(line._replace(text=text, source="style", inline=(), pieces=()))
        elif not is_natural(key):
            (unread if len(line.pieces) >= MIN_PIECES else whole).append(key)
    return Ordered(ordered, unread, whole)


def _shuffled_lines(found: Sequence[Found]) -> list[Found]:
    return [line for line in found if len(line.pieces) >= MIN_PIECES]


def _says_order(line: Found) -> bool:
    """Return whether pieces of a line have a place in their own style."""
    return any(
        node.element is not None and _DECLARATION.search(node.element.get("style") or "") is not None
        for node in line.inline[:MIN_PIECES]
    )


def _runs_of_pieces(found: Sequence[Found], keys: Sequence[str]) -> list[Found]:
    """Return runs of very short lines, each as one line: characters that have a block each."""
    runs: list[Found] = []
    pieces: list[str] = []
    nodes: list[Node] = []

    def end() -> None:
        if len(pieces) >= 2 * MIN_PIECES:
            runs.append(Found("".join(pieces), "text", nodes[0].parent, tuple(nodes), "", tuple(pieces)))
        pieces.clear()
        nodes.clear()

    for line, key in zip(found, keys, strict=True):
        if line.source == "text" and line.node is not None and 0 < len(key) <= _MAX_PIECE_CHARS:
            pieces.append(line.text)
            nodes.append(line.node)
        else:
            end()
    end()
    return runs


def _in_order(line: Found, placing: "_Placing") -> str | None:
    """Return a line's text as its styles put it in order; None where they do not."""
    if len(line.pieces) < MIN_PIECES:
        return None
    styles = [placing.chain_style(node) for node in line.inline]
    if not any(styles):
        return None
    around = placing.style_of(line.node) if line.node is not None else {}
    flow = " ".join(around.get(name, "") for name in ("flex-direction", "flex-flow", "direction"))
    places = [_place_of(style, number) for number, style in enumerate(styles)]
    if all(style.get("float") == "right" for style in styles if style) or "reverse" in flow or "rtl" in flow:
        places = [_Place(place.row, -number) for number, place in enumerate(places)]
    order = sorted(range(len(places)), key=lambda number: places[number])
    text = "".join(line.pieces[number] for number in order)
    return " ".join(text.split()) if order != sorted(order) else None


def _place_of(style: Style, number: int) -> _Place:
    """Return where a piece belongs; one without a place stays where it stands."""
    if "order" in style:
        return _Place(_number(style["order"]), number)
    if "grid-area" in style:
        numbers = [float(value) for value in _NUMBER.findall(style["grid-area"])]
        if numbers:
            return _Place(numbers[0], numbers[1] if len(numbers) > 1 else number)
    row = next((style[name] for name in ("grid-row", "grid-row-start") if name in style), None)
    column = next((style[name] for name in ("grid-column", "grid-column-start") if name in style), None)
    if row is not None or column is not None:
        return _Place(_number(row or "0"), _number(column) if column is not None else number)
    return _position(style, number)


def _position(style: Style, number: int) -> _Place:
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
        moves = _NUMBER.findall(style.get(name, ""))
        if moves and ("translate" in style[name] or name == "translate"):
            is_vertical = "translatey" in style[name].lower()
            left += 0.0 if is_vertical else float(moves[0])
            top += float(moves[0] if is_vertical else moves[1]) if is_vertical or len(moves) > 1 else 0.0
    if style.get("position", "").strip().lower() == "relative":  # moved from where it stands
        left += number * _EM_PIXELS
    return _Place(top, left)


class _Placing:
    """Finds the declarations that place elements.

    Args:
        rules: of the page's sheets.
    """

    def __init__(self, rules: _Rules) -> None:
        self._rules = rules
        self._has_places = any(place for _, place in rules)
        self._places: dict[Element, dict[Element, int]] = {}

    def chain_style(self, node: Node) -> Style:
        """Return the declarations of an element, or of the nearest element around it that has some."""
        current: Node | None = node
        for _ in range(_MAX_CHAIN):
            if current is None:
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
        style: Style = {}
        if self._rules:
            names = [str(element.tag), *(f".{name}" for name in (element.get("class") or "").split())]
            if identity := element.get("id"):
                names.append(f"#{identity}")
            place = self._place_of(element) if self._has_places else 0
            for name in names:
                style |= self._rules.get((name, 0), {})
                style |= self._rules.get((name, place), {}) if place else {}
        return style | _declarations(element.get("style") or "")

    def _place_of(self, element: Element) -> int:
        parent = element.getparent()
        if parent is None:
            return 0
        if parent not in self._places:
            self._places[parent] = {child: number for number, child in enumerate(parent, 1)}
        return self._places[parent][element]


def _declarations(text: str) -> Style:
    return {name.lower(): value.strip() for name, value in _DECLARATION.findall(text)}


def _rules_of(sheets: Sequence[str]) -> _Rules:
    """Return the rules that place elements, by the last compound of their selectors."""
    rules: dict[tuple[str, int], Style] = {}
    for sheet in sheets:
        for selectors, body in _RULE.findall(sheet[:_MAX_RULE_CHARS]):
            style = _declarations(body)
            if not style:
                continue
            for selector in selectors.split(","):
                subject = _SUBJECT.search(selector.strip())
                if subject is None:
                    continue
                tag, names, place = subject.groups()
                name = re.findall(r"[.#][^.#]+", names)[-1] if names else tag.lower()
                key = name, int(place or 0)
                rules[key] = {**rules.get(key, {}), **style}
    return rules


def _number(text: str) -> float:
    number = _NUMBER.search(text)
    return float(number[0]) if number else 0.0


def _length(text: str | None) -> float:
    """Return a length in pixels; units that depend on the window keep their number."""
    if text is None:
        return 0.0
    number = _NUMBER.search(text)
    if number is None:
        return 0.0
    return float(number[0]) * (_EM_PIXELS if text[number.end() :].strip().startswith(("em", "rem")) else 1.0)
