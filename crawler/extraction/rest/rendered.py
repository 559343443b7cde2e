"""The marks that a browser adds to a page that it showed: visible lines and hidden elements. Pure.

:mod:`crawler.download.browser.marked_page` adds the marks. They are trusted only if the caller states that a
browser created the page.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from crawler.exchange import HIDDEN_MARK, SHOWN_TYPE
from crawler.extraction.parsing import Element, Tree
from crawler.extraction.rest.article import ArticleIndex
from crawler.extraction.rest.chinese import chinese_of, has_chinese
from crawler.extraction.rest.text_lines import Source, TextLine, node_inside
from storage.records import UNREAD_UNITS, UnreadReason

_SOURCES: dict[str, Source] = {"page": "text", "frame": "frame", "shadow": "shadow", "content": "style"}
_MAX_LINES = 100_000
_MIN_LINE = 12  # minimum Chinese characters of a line that is searched in the tree
_MIN_MISSING = 100  # minimum Chinese characters of all lines that are missing from the tree


@dataclass(frozen=True, slots=True)
class BrowserMarks:
    """A browser's marks on a page.

    Attributes:
        hidden: elements without any visible content.
        lines: visible lines with Chinese, in reading order.
        unread: content that the browser could not read: reason → number.
    """

    hidden: frozenset[Element] = frozenset()
    lines: Sequence[TextLine] = ()
    unread: dict[UnreadReason, int] = field(default_factory=dict)


def pop_marks(tree: Tree) -> BrowserMarks | None:
    """Return the marks of a rendered page and remove their script from it; None if there are none.

    A page may contain scripts of this type itself: the last one in its body is the browser's.
    """
    scripts = [script for script in tree.iter("script") if script.get("type") == SHOWN_TYPE]
    if not scripts:
        return None
    content = _content_of(scripts[-1].text or "")
    for script in scripts:
        script.text = None
    hidden = frozenset(element for element in tree.iter("*") if element.get(HIDDEN_MARK) is not None)
    return BrowserMarks(hidden, _lines_of(content), _unread_of(content))


def _content_of(text: str) -> dict[str, Any]:
    try:
        content = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return content if isinstance(content, dict) else {}


def _lines_of(content: dict[str, Any]) -> list[TextLine]:
    rows = content.get("lines")
    lines: list[TextLine] = []
    for row in rows[:_MAX_LINES] if isinstance(rows, list) else ():
        text = " ".join(str(row.get("text") or "").split()) if isinstance(row, dict) else ""
        if has_chinese(text):
            source = _SOURCES.get(str(row.get("source")), "text")
            lines.append(TextLine(text, source, node_inside(None, str(row.get("place") or ""))))
    return lines


def _unread_of(content: dict[str, Any]) -> dict[UnreadReason, int]:
    counts = content.get("unread")
    if not isinstance(counts, dict):
        return {}
    return {
        reason: count
        for reason in UNREAD_UNITS
        if isinstance(count := counts.get(reason), int) and not isinstance(count, bool) and count > 0
    }


def new_lines(
    lines: Sequence[TextLine], tree_lines: Sequence[TextLine], hidden: frozenset[Element]
) -> list[TextLine]:
    """Return the visible lines that the page's tree does not show.

    Args:
        lines: visible lines.
        tree_lines: lines of the tree.
        hidden: elements without any visible content.
    """
    index = ArticleIndex(
        line.text for line in tree_lines if line.source == "text" and not _is_hidden(line, hidden)
    )
    return [line for line in lines if not index.contains(line.text, chinese_of(line.text))]


def _is_hidden(line: TextLine, hidden: frozenset[Element]) -> bool:
    node = line.node
    while node is not None:
        if node.element in hidden:
            return True
        node = node.parent
    return False


def add_missing_lines(tree: Tree, lines: Sequence[TextLine], missing: Sequence[TextLine]) -> None:
    """Add visible text to a tree that has none of it, so that it can become the article.

    Args:
        tree: the page.
        lines: visible lines.
        missing: the lines that the tree does not show.
    """
    shown_weight = sum(_weight(line) for line in lines)
    lacking = sum(_weight(line) for line in missing)
    body = tree.find("body")
    if body is None or lacking < _MIN_MISSING or 2 * lacking < shown_weight:
        return
    block = body.makeelement("div")
    for line in missing:
        paragraph = block.makeelement("p")
        paragraph.text = line.text
        block.append(paragraph)
    body.append(block)


def _weight(line: TextLine) -> int:
    chars = len(chinese_of(line.text))
    return chars if chars >= _MIN_LINE else 0
