"""Neighbouring blocks of a few lines that style sheets reorder. Pure, linear.

Such text is natural as written, so only its styles show that it is read in another order.
"""

import re
from collections.abc import Mapping, Sequence

from crawler.extraction.parsing import Element, visible_chars
from crawler.extraction.rest.chinese import chinese_of
from crawler.extraction.rest.placing import Placing, Position
from crawler.extraction.rest.placing_rules import Style
from crawler.extraction.rest.strings import lowered_sheet
from crawler.extraction.rest.text_lines import Node, TextLine

MIN_PLACED = 6  # minimum number of blocks with a position
_MIN_CHARS = 60  # minimum Chinese characters in these blocks
_MAX_CLIMB = 3  # number of ancestors of a line that can be such a block
_MIN_OWN_LINE = 30  # minimum characters of a block that is a separate line
_PLACES = frozenset(
    {"order", "grid-area", "grid-row", "grid-row-start", "top", "bottom", "inset", "transform", "translate"}
)
_PLACES_IN_LINE = _PLACES | {"left", "right", "float", "grid-column", "grid-column-start"}
_MIN_PLACED_SHARE = 0.8  # minimum share of a line's characters that have positions
_UNSURE = re.compile(r"calc\([^()]*[+-]\s|var\(|attr\(|env\(|min\(|max\(|clamp\(|sin\(|mod\(")
_UNIT = re.compile(r"\d(%|[a-z]+)")
_MIN_DISTINCT_SHARE = 0.8  # minimum share of positions that only one block has
TEXTS = frozenset({"text", "frame", "script"})  # sources of lines that elements may order
_MARKS = frozenset("，。！？；：…")  # punctuation marks of prose; menus have none

# Without one of these declarations, no rule of a sheet reorders blocks.
_NTH_PLACES = re.compile(
    r":nth-(?:child|of-type)\(\s*\d+\s*\)\s*\{[^{}]*(?:order|grid-area|grid-row|top|bottom|translate)",
    re.IGNORECASE,
)
_TURNING = re.compile(rb"direction\s*:\s*rtl")


def sheets_may_reorder(lines: Sequence[TextLine], sheets: Sequence[str]) -> bool:
    """Return whether rules of sheets may order blocks: they reverse some, or blocks have names."""
    if any(b"-reverse" in lowered or _TURNING.search(lowered) for lowered in map(lowered_sheet, sheets)):
        return True
    if not sheets:
        return False
    if any("nth-" in sheet for sheet in sheets) and any(_NTH_PLACES.search(sheet) for sheet in sheets):
        return True
    names: dict[Element, set[str]] = {}
    for line in lines:
        if line.source == "text" and line.node is not None and line.node.location.name:
            parent = line.node.parent
            if parent is not None and parent.element is not None:
                names.setdefault(parent.element, set()).add(line.node.location.name)
    return any(len(different) >= MIN_PLACED for different in names.values())


def runs_of_blocks(lines: Sequence[TextLine], placing: Placing) -> list[TextLine]:
    """Return the texts of blocks with positions; each run of siblings is one line in many pieces."""
    groups: dict[Element, dict[Element, tuple[Node, list[str]]]] = {}
    turns: dict[Element, bool] = {}
    is_placed: dict[Element, bool] = {}  # element → whether its inline style or an ancestor positions it
    for text, source, innermost, *_ in lines:
        if source not in TEXTS:
            continue
        node = innermost
        for _ in range(_MAX_CLIMB):
            if node is None or (outer := node[2]) is None:
                break
            element, around = node[0], outer[0]
            if element is None or around is None:
                break
            if element not in is_placed:
                if around not in turns:
                    turns[around] = placing.may_move(outer) and is_reversed(placing.style_of(outer))
                is_placed[element] = turns[around] or (
                    placing.may_move(node) and not _PLACES.isdisjoint(placing.style_of(node))
                )
            if is_placed[element]:
                groups.setdefault(around, {}).setdefault(element, (node, []))[1].append(text)
                break
            node = outer
    return [run for pieces in groups.values() if (run := _run_of(list(pieces.values()))) is not None]


def _run_of(pieces: Sequence[tuple[Node, list[str]]]) -> TextLine | None:
    texts = tuple("".join(lines) for _, lines in pieces)
    if len(pieces) < MIN_PLACED or len(chinese_of("".join(texts))) < _MIN_CHARS:
        return None
    nodes = tuple(node for node, _ in pieces)
    return TextLine("".join(texts), "text", nodes[0].parent, nodes, "", texts)


def is_reversed(style: Mapping[str, str]) -> bool:
    """Return whether a style reverses the content of an element."""
    return "rtl" in style.get("direction", "") or any(
        "reverse" in style.get(name, "") for name in ("flex-direction", "flex-flow", "flex-wrap")
    )


def have_positions(line: TextLine, styles: Sequence[Style]) -> bool:
    """Return whether nearly all of a line has positions that differ enough or float right."""
    chars, places, is_right = 0, set[str](), True
    for piece, style in zip(line.pieces, styles, strict=True):
        if not _PLACES_IN_LINE.isdisjoint(style):
            chars += visible_chars(piece)
            places.add(" ".join(value for name, value in style.items() if name in _PLACES_IN_LINE))
            is_right = is_right and style.get("float") == "right"
    is_most = chars > 0 and chars >= _MIN_PLACED_SHARE * visible_chars(line.text)
    return is_most and (is_right or len(places) >= MIN_PLACED)


def is_order_uncertain(
    run: TextLine, around: Style, styles: Sequence[Style], places: Sequence[Position]
) -> bool:
    """Return whether the styles of pieces leave their order uncertain."""
    if _MARKS.isdisjoint(run.text) or len(chinese_of(run.text)) < _MIN_CHARS:
        return False
    if is_reversed(around):
        flow = around.get("flex-flow", "") + around.get("flex-wrap", "")
        is_wrapped = "wrap" in flow.replace("nowrap", "") or "flex" not in around.get("display", "flex")
        return is_wrapped and len(run.text) > _MIN_CHARS and len(run.text) < _MIN_OWN_LINE * len(styles)
    if has_unresolved_positions(run, styles):
        return True
    values = _placing_values(styles)
    units = {unit for value in values for unit in _UNIT.findall(value.lower())} - {"deg", "d"}
    count = len(set(places))
    return count >= MIN_PLACED and (len(units) > 1 or count < _MIN_DISTINCT_SHARE * len(places))


def has_unresolved_positions(run: TextLine, styles: Sequence[Style]) -> bool:
    """Return whether prose has positions that only a browser can compute."""
    if _MARKS.isdisjoint(run.text) or len(chinese_of(run.text)) < _MIN_CHARS:
        return False
    return sum(_UNSURE.search(value) is not None for value in _placing_values(styles)) >= MIN_PLACED


def _placing_values(styles: Sequence[Style]) -> list[str]:
    return [" ".join(value for name, value in style.items() if name in _PLACES) for style in styles]
