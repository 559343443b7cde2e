"""The lines of a document as its styles show them: without hidden pieces, in order. Pure.

The walk over a document keeps hidden and shown text of a line together. If a page hides characters inside a
line, the line of the walk differs from the line that a reader sees. So these lines are collected separately.
"""

import re
from collections.abc import Sequence

from crawler.extraction.hidden import all_hidden_elements
from crawler.extraction.optional_steps import OptionalSteps
from crawler.extraction.outline import Outline
from crawler.extraction.parsing import Element, Tree, topmost
from crawler.extraction.rest.chinese import keys_of
from crawler.extraction.rest.text_lines import TextLine
from crawler.extraction.shown import NO_PAGE_STYLES, show_as_styled
from crawler.extraction.shown_lines import separate_lines

# Marks of a document that may show its lines differently from how they are written.
_STYLED = re.compile(
    r"<(?:style|script|link|bdo|ruby|rp|dialog|details|datalist|template|noscript|audio|video|canvas|svg|table)\b"
    r"|<[^<>]*[\s\"'/](?:style|hidden|dir|popover)\b|[\u202d\u202e]|&#x?20"
    r"|<[a-zA-Z][^<>]*(?:[^<>\x00-\x7f]|&#|srcdoc|%[eE][3-9])",
    re.IGNORECASE,
)
# Elements that the outline of a page does not contain.
_SILENT = ("head", "template", "noscript", "button", "select", "svg", "object", "rt", "rp", "rtc")
_TEXTS = frozenset({"text", "frame", "shadow"})
_IN_LINES = _TEXTS | {"script", "style"}  # sources whose lines are inserted between other lines of the rest
# minimum Chinese characters of an added line; a shorter line is added only next to such a line
_MIN_CHARS = 8
_NEAR = 2  # maximum distance between a short line and an added line, in lines


def may_differ(source: str) -> bool:
    """Return whether a document may show its lines differently from how they are written."""
    return _STYLED.search(source) is not None


def document_lines(tree: Tree) -> list[str]:
    """Return the lines of a document as its styles show them; the tree is changed."""
    steps = OptionalSteps()
    shown = steps.attempt("shown", lambda: show_as_styled(tree, {}, ""), otherwise=NO_PAGE_STYLES)
    hidden = steps.attempt(
        "hidden", lambda: all_hidden_elements(tree, steps=steps, shown=shown), otherwise=set[Element]()
    )
    return separate_lines([tree, *hidden], hidden)


def page_lines(tree: Tree, outline: Outline, hidden_lines: Sequence[str]) -> list[str]:
    """Return the lines of a page that was read as its styles show it.

    Args:
        tree: the page without its hidden elements.
        outline: its lines, without those of silent elements.
        hidden_lines: lines of its hidden elements.
    """
    silent = topmost({element for element in tree.iter(*_SILENT) if len(element)})
    return [*(line.text for line in outline.lines), *hidden_lines, *separate_lines(silent, ())]


def new_lines(lines: Sequence[str], text_lines: Sequence[TextLine], keys: Sequence[str]) -> list[TextLine]:
    """Return the lines that are not in the document's lines.

    Args:
        lines: lines as styles show them.
        text_lines: lines of the document.
        keys: the Chinese characters of each.
    """
    texts = [key for line, key in zip(text_lines, keys, strict=True) if line.source in _TEXTS]
    shown = keys_of(lines)
    known_keys = set(texts)
    is_new = [bool(key) and key not in known_keys for key in shown]
    if not any(is_new):
        return []
    pairs = zip(text_lines, keys, strict=True)
    whole = "".join(key if line.source in _TEXTS else "\0" for line, key in pairs if line.source in _IN_LINES)
    is_new = [is_new[number] and key not in whole for number, key in enumerate(shown)]
    is_long = [is_new[number] and len(key) >= _MIN_CHARS for number, key in enumerate(shown)]
    return [
        TextLine(line, "text")
        for number, line in enumerate(lines)
        if is_new[number] and any(is_long[max(0, number - _NEAR) : number + _NEAR + 1])
    ]
