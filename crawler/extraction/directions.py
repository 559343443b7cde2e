"""Text that a page writes backwards and shows forwards, by ``bidi-override`` and the like. Pure, linear.

In an element whose direction is overridden, every character has that direction. From right to left, a browser
shows the last character first and mirrors brackets.
"""

import re
from collections.abc import Mapping, Sequence
from typing import TypeAlias

from crawler.extraction.parsing import BLOCKS, Element, Tree, is_element
from crawler.extraction.styles import Style

Piece: TypeAlias = str | Element  # a piece of a line: a text, or an element

_OVERRIDES = frozenset({"bidi-override", "isolate-override"})
_OWN = frozenset({"bidi-override", "isolate-override", "isolate", "embed", "plaintext", "-webkit-isolate"})
_PAIRS = "()[]{}<>（）［］｛｝＜＞《》〈〉【】〔〕〖〗「」『』«»‹›"
_MIRRORED = str.maketrans({bracket: _PAIRS[at ^ 1] for at, bracket in enumerate(_PAIRS)})
# From an override mark to the mark that ends it, or to the end of the paragraph.
_RUN = re.compile("\u202e([^\u202a-\u202e\n]*)\u202c?")
_MAX_DEPTH = 50


def reversed_text(text: str) -> str:
    """Return a text as it is shown from right to left."""
    return text[::-1].translate(_MIRRORED)


def reverse_texts(tree: Tree, styles: Mapping[Element, Style]) -> None:
    """Put texts that are shown from right to left into reading order.

    Args:
        tree: the page.
        styles: styles of its elements that affect the direction.
    """
    for element in list(tree.iter("*")):
        style = styles.get(element, {})
        is_overridden = style.get("unicode-bidi") in _OVERRIDES
        is_overridden = is_overridden or (element.tag == "bdo" and "unicode-bidi" not in style)
        if is_overridden and _is_leftward(element, styles):
            _turn(element, styles, 0)
    for element in tree.iter("*"):
        if element.text and "\u202e" in element.text:
            element.text = _without_marks(element.text)
        if element.tail and "\u202e" in element.tail:
            element.tail = _without_marks(element.tail)


def _without_marks(text: str) -> str:
    return _RUN.sub(lambda run: reversed_text(run[1]), text)


def _is_leftward(element: Element, styles: Mapping[Element, Style]) -> bool:
    """Return whether the direction of an element, set or inherited, is from right to left."""
    node: Element | None = element
    while node is not None:
        direction = styles.get(node, {}).get("direction") or (node.get("dir") or "").lower()
        if direction in {"rtl", "ltr"}:
            return direction == "rtl"
        node = node.getparent()
    return False


def _turn(element: Element, styles: Mapping[Element, Style], depth: int) -> None:
    """Reverse the text of an element line by line; blocks inside keep their direction."""
    if depth > _MAX_DEPTH:
        return
    lines: list[list[Piece]] = [[element.text or ""]]
    for child in list(element):
        tail, child.tail = child.tail or "", None
        if is_element(child) and child.tag in BLOCKS:
            lines += [[child], [tail]]
        else:
            lines[-1] += [child, tail]
        element.remove(child)
    element.text = None
    for line in lines:
        is_block = len(line) == 1 and not isinstance(line[0], str)
        _append(element, line if is_block else _turned(line, styles, depth))


def _turned(
    line: Sequence[str | Element], styles: Mapping[Element, Style], depth: int
) -> list[str | Element]:
    turned: list[str | Element] = []
    for item in reversed(line):
        if isinstance(item, str):
            turned.append(reversed_text(item))
            continue
        has_own = item.tag in {"bdo", "bdi"} or styles.get(item, {}).get("unicode-bidi") in _OWN
        if is_element(item) and not has_own and not item.get("dir"):
            _turn(item, styles, depth + 1)
        turned.append(item)
    return turned


def _append(element: Element, items: Sequence[Piece]) -> None:
    for item in items:
        if not isinstance(item, str):
            element.append(item)
        elif len(element):
            element[-1].tail = (element[-1].tail or "") + item
        else:
            element.text = (element.text or "") + item
