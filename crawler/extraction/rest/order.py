"""Text that a style sheet puts in order: by ``order``, positions, grid rows, or right to left. Pure.

Only lines that are not natural as written, or whose elements have positions, are checked. An order is
accepted if it makes the text natural; otherwise the characters count as unread.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from crawler.extraction.rest.chinese import chinese_of
from crawler.extraction.rest.naturalness import is_natural, unnatural_lines
from crawler.extraction.rest.placing import Placing, Position, position_of
from crawler.extraction.rest.placing_rules import PlacingRules, declarations
from crawler.extraction.rest.siblings import (
    MIN_PLACED,
    TEXTS,
    has_unresolved_positions,
    have_positions,
    is_order_uncertain,
    is_reversed,
    runs_of_blocks,
    sheets_may_reorder,
)
from crawler.extraction.rest.text_lines import Node, TextLine

MIN_PIECES = 8  # minimum number of pieces in a line that may be shuffled
_MAX_LIST_CHARS = 200
_MIN_DISTINCT_SHARE = 0.4  # minimum share of distinct characters in such a short text; sentences have more
_MAX_PIECE_CHARS = 3  # maximum characters of a line that is a piece of a text


@dataclass(frozen=True, slots=True)
class OrderedTexts:
    """The result of ordering a page's text.

    Attributes:
        lines: texts in the order of the styles.
        unread: characters of lines in many pieces, whose order is unknown.
        whole: characters of unnatural lines in one piece; only a font can show others.
    """

    lines: Sequence[TextLine] = ()
    unread: Sequence[str] = ()
    whole: Sequence[str] = ()


def ordered_texts(page_lines: Sequence[TextLine], keys: Sequence[str], sheets: Sequence[str]) -> OrderedTexts:
    """Return texts in the order of the styles.

    Args:
        page_lines: lines of the page.
        keys: the Chinese characters of each.
        sheets: the page's style sheets.
    """
    does_sheet_place = sheets_may_reorder(page_lines, sheets)
    shuffled = _shuffled_lines(page_lines)
    lines = shuffled if does_sheet_place else [line for line in shuffled if _says_order(line)]
    unnatural = [
        page_lines[number] for number in unnatural_lines(keys) if page_lines[number].source != "markup"
    ]
    runs = [run for run in _runs_of_pieces(page_lines, keys) if not is_natural("".join(run.pieces))]
    has_rules = bool(unnatural or runs or does_sheet_place)
    placing = Placing(PlacingRules(sheets if has_rules else ()))
    blocks = runs_of_blocks(page_lines, placing)
    ordered: list[TextLine] = []
    unread: list[str] = []
    whole: list[str] = []
    for line in dict.fromkeys((*lines, *unnatural, *runs, *blocks)):
        key = chinese_of(line.text)
        text, is_sure = _in_order(line, placing)
        if text is not None and is_natural(chinese_of(text)):
            ordered.append(line._replace(text=text, source="style", inline=(), pieces=()))
            if not is_sure:
                unread.append(key)
        elif not is_natural(key):
            if not _repeats_itself(key):
                (unread if len(line.pieces) >= MIN_PIECES else whole).append(key)
        elif not is_sure:
            unread.append(key)
    return OrderedTexts(ordered, unread, whole)


def _repeats_itself(key: str) -> bool:
    """Return whether a short text has few distinct characters, like the labels of a list."""
    return len(key) <= _MAX_LIST_CHARS and len(set(key)) < _MIN_DISTINCT_SHARE * len(key)


def _shuffled_lines(lines: Sequence[TextLine]) -> list[TextLine]:
    return [line for line in lines if len(line.pieces) >= MIN_PIECES]


def _says_order(line: TextLine) -> bool:
    """Return whether pieces of a line have a position in their inline style, or are reversed."""
    around = () if line.node is None else (line.node,)
    return any(
        node.element is not None
        and (bool(declarations(node.element.get("style") or "")) or bool(node.element.get("dir")))
        for node in (*around, *line.inline[:MIN_PIECES])
    )


def _runs_of_pieces(lines: Sequence[TextLine], keys: Sequence[str]) -> list[TextLine]:
    """Return runs of very short lines, each as one line: characters with a block each."""
    runs: list[TextLine] = []
    pieces: list[str] = []
    nodes: list[Node] = []

    def end() -> None:
        if len(pieces) >= 2 * MIN_PIECES:
            runs.append(TextLine("".join(pieces), "text", nodes[0].parent, tuple(nodes), "", tuple(pieces)))
        pieces.clear()
        nodes.clear()

    for line, key in zip(lines, keys, strict=True):
        node = line.node
        is_text = line.source in TEXTS and node is not None and node.location.tag != "script"
        if node is not None and is_text and 0 < len(key) <= _MAX_PIECE_CHARS:
            pieces.append(line.text)
            nodes.append(node)
        else:
            end()
    end()
    return runs


def _in_order(line: TextLine, placing: Placing) -> tuple[str | None, bool]:
    """Return a line's text in the order of its styles, and whether that order is certain.

    The text is None if the styles do not reorder it.
    """
    if len(line.pieces) < MIN_PLACED:
        return None, True
    around = placing.style_of(line.node) if line.node is not None else {}
    is_turned = is_reversed(around)
    styles = [placing.chain_style(node, line.node) for node in line.inline]
    if not is_turned and not have_positions(line, styles):
        return None, True
    places = [position_of(style, number) for number, style in enumerate(styles)]
    if is_turned or all(style.get("float") == "right" for style in styles if style):
        places = [Position(position.row, -number) for number, position in enumerate(places)]
    order = sorted(range(len(places)), key=lambda number: places[number])
    text = "".join(line.pieces[number] for number in order)
    if order == sorted(order):
        return None, not has_unresolved_positions(line, styles)
    return " ".join(text.split()), not is_order_uncertain(line, around, styles, places)
