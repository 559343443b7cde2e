"""What style sheets add to a page's text or change in it: generated content, direction and order. Pure.

Sites that hide their text from crawlers put some of its characters into style sheets (``::before``), write it
backwards (``bidi-override``), or mix its characters and have them put in order (``order``, absolute
positions). The tree is changed to what a reader sees.
"""

import re
from itertools import chain, islice

from crawler.extraction.cascade import NOTHING_DECLARED, declared_styles, generated_styles
from crawler.extraction.content import add_content, adds_text
from crawler.extraction.css_variables import with_values
from crawler.extraction.directions import turn_around
from crawler.extraction.marked import marked_elements
from crawler.extraction.parsing import Element, Tree
from crawler.extraction.reading_order import put_in_order
from crawler.extraction.style_rules import PageRules, page_rules
from crawler.extraction.styles import Style, parse_style
from crawler.extraction.stylesheets import Sheets

_CONTENT = re.compile(
    r"content\s*:\s*(?:[\"'][^\"']*[\u2e80-\ud7ff\uf900-\uffef\\]|[^;{}]*attr|var)", re.IGNORECASE
)
_CHANGING = re.compile(r"unicode-bidi|(?<![\w-])order\s*:\s*[^n]|-reverse", re.IGNORECASE)
_ESCAPES = re.compile(r"[a-z-]*\\[0-9a-f]+[\w\\-]*\s*:", re.IGNORECASE)  # of letters in properties
_PLACING = re.compile(r"absolute|\\", re.IGNORECASE)
_ORDERED = frozenset({"order", "flex-direction", "unicode-bidi"})
_AROUND = frozenset({"display", "direction"})
_PLACED = frozenset({"position", "left", "top"})
_MARKS = re.compile("\u202e")
_MIN_PIECES = 8  # elements with a place each
_PIECE = re.compile(r"\s*[\u2e80-\ud7ff\uf900-\uffef“”‘’…—]{1,4}\s*")
_LISTS = frozenset({"ul", "ol", "tr", "tbody", "table", "select", "head", "nav", "html", "dl"})


def show_as_styled(tree: Tree, sheets: Sheets, url: str) -> None:
    """Change a page's tree to what a browser shows of it.

    Raises:
        OverBudget: its sheets exceed the bounds.
    """
    texts = [*(style.text or "" for style in tree.iter("style")), *sheets.values()]
    inline = [element.get("style") or "" for element in tree.iter("*") if element.get("style")]
    has_content = any(_CONTENT.search(text) or _has_escapes(text) for text in texts)
    properties = frozenset[str]()
    if any(map(_is_changing, chain(texts, inline))):
        properties |= _ORDERED | _AROUND
    if any(map(_PLACING.search, chain(texts, inline))) and any(map(_is_of_pieces, tree.iter("*"))):
        properties |= _PLACED
    has_marks = next(tree.iter("bdo"), None) is not None or bool(_MARKS.search("".join(tree.itertext())))
    if not (has_content or properties or has_marks):
        return
    rules = page_rules(tree, sheets, url)
    if has_content and any(adds_text(rule) for _, rule, _ in rules.generated):
        add_content(generated_styles(list(tree.iter("*")), rules))
    styles = _styles(tree, rules, properties) if properties else {}
    if has_marks or properties & _ORDERED:
        turn_around(tree, styles)
    put_in_order(styles)


def _is_changing(style: str) -> bool:
    return _CHANGING.search(style) is not None or _has_escapes(style)


def _has_escapes(style: str) -> bool:
    """Return whether a sheet or a style writes the name of a property with escapes."""
    return "\\" in style and _ESCAPES.search(style) is not None


def _is_of_pieces(parent: Element) -> bool:
    """Return whether an element has many children of a few Chinese characters that are no links."""
    if len(parent) < _MIN_PIECES or parent.tag in _LISTS:
        return False
    return all(
        child.tag != "a" and not len(child) and _PIECE.fullmatch(child.text or "") is not None
        for child in islice(parent, _MIN_PIECES)
    )


def _styles(tree: Tree, rules: PageRules, properties: frozenset[str]) -> dict[Element, Style]:
    """Return the styles of elements, as far as they set some properties."""
    names = marked_elements(tree, {""}).names
    by_sheets = declared_styles(list(tree.iter("*")), rules, properties, names)
    styles = {element: {**style, **important} for element, (style, important) in by_sheets.items()}
    known: dict[str, tuple[Style, Style]] = {}
    for element in tree.iter("*"):
        text = element.get("style")
        if not text:
            continue
        if text not in known:
            known[text] = parse_style(with_values(text, rules.variables))
        style, important = known[text]
        sheet, sheet_important = by_sheets.get(element, NOTHING_DECLARED)
        styles[element] = {**sheet, **style, **sheet_important, **important}
    return styles
