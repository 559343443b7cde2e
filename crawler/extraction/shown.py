"""Text that style sheets add, move or reverse: generated content, order and direction. Pure.

Sites that hide their text from crawlers move some characters to style sheets (``::before``), write the text
backwards (``bidi-override``), or mix its characters and let the sheet sort them (``order``, absolute
positions). This module changes the tree to what a reader sees.
"""

import re
from dataclasses import dataclass
from itertools import chain, islice

from crawler.extraction.cascade import NOTHING_DECLARED
from crawler.extraction.content import add_content, adds_text
from crawler.extraction.css_variables import substitute_variables
from crawler.extraction.directions import reverse_texts
from crawler.extraction.element_styles import (
    declared_styles,
    generated_styles,
    matched_elements,
    with_ancestors,
)
from crawler.extraction.kept_results import keep_by_text
from crawler.extraction.marked import MANY_CHILDREN, MarkedElements, marked_elements
from crawler.extraction.parsing import Element, Tree, XPath
from crawler.extraction.reading_order import put_in_order
from crawler.extraction.style_rules import PageRules, page_rules
from crawler.extraction.styles import Style, parse_style
from crawler.extraction.stylesheets import Sheets

_CONTENT = re.compile(r"content\s*:\s*(?:[\"'][^\"']*[\u2e80-\ud7ff\uf900-\uffef\\]|[^;{}]*attr|var)")
# Searched in lower-case text: with re.IGNORECASE, the regex engine could not skip to the first letters.
_ORDER = re.compile(r"(?<![\w-])order\s*:\s*[^n]")
_ESCAPES = re.compile(r"\\[0-9a-f]+[\w\\-]*\s*:", re.IGNORECASE)  # a property name with escaped letters
_ORDERED = frozenset({"order", "flex-direction", "unicode-bidi"})
_AROUND = frozenset({"display", "direction"})
_PLACED = frozenset({"position", "left", "top"})
_MIN_PIECES = MANY_CHILDREN  # minimum number of pieces with a position each
_MARKED = XPath("contains(string(), '\u202e')")
_PIECE = re.compile(r"\s*[\u2e80-\ud7ff\uf900-\uffef“”‘’…—]{1,4}\s*")
_LISTS = frozenset({"ul", "ol", "tr", "tbody", "table", "select", "head", "nav", "html", "dl"})


@dataclass(frozen=True, slots=True)
class PageStyles:
    """The result of reading a page's styles.

    Attributes:
        marked: its marked elements; None if the styles changed its tree.
        rules: rules of its sheets; None if they were not needed.
    """

    marked: MarkedElements | None = None
    rules: PageRules | None = None


NO_PAGE_STYLES = PageStyles()


def show_as_styled(
    tree: Tree, sheets: Sheets, url: str, *, marked: MarkedElements | None = None, may_reverse: bool = True
) -> PageStyles:
    """Change a page's tree to what a browser shows.

    Args:
        tree: the page.
        sheets: the known external sheets.
        url: its address.
        marked: its marked elements, if they were read.
        may_reverse: its texts may have marks that reverse the text after them.

    Raises:
        OverBudget: its sheets exceed the bounds.
    """
    marked = marked or marked_elements(tree)
    texts = [*(style.text or "" for style in marked.all_of("style")), *sheets.values()]
    inline = "\n".join(style for _, style in marked.styled)
    has_content = any(map(_may_add, texts))
    properties = frozenset[str]()
    if any(map(_is_changing, chain(texts, (inline,)))):
        properties |= _ORDERED | _AROUND
    if any(map(_is_placing, chain(texts, (inline,)))) and any(map(_is_of_pieces, marked.crowded)):
        properties |= _PLACED
    has_marks = "bdo" in marked.tags or (may_reverse and bool(_MARKED(tree)))
    if not (has_content or properties or has_marks):
        return PageStyles(marked)
    rules = page_rules(tree, sheets, url, marked.names)
    is_changed = False
    if has_content and any(adds_text(rule) for _, rule, _ in rules.generated):
        is_changed = add_content(generated_styles(tree, marked, rules, adds_text))
    styles = _styles(tree, marked, rules, properties) if properties else {}
    if has_marks or any("unicode-bidi" in style for style in styles.values()):
        reverse_texts(tree, styles)
        is_changed = True
    is_changed = put_in_order(styles) or is_changed
    return PageStyles(None if is_changed else marked, rules)


@keep_by_text
def _may_add(sheet: str) -> bool:
    return _CONTENT.search(sheet.lower()) is not None or _has_escapes(sheet)


@keep_by_text
def _is_changing(style: str) -> bool:
    plain = style.lower().replace("border", "")  # sheets have hundreds of declarations of borders
    is_ordered = "order" in plain and _ORDER.search(plain) is not None
    return is_ordered or "unicode-bidi" in plain or "-reverse" in plain or _has_escapes(style)


def _is_placing(style: str) -> bool:
    return "\\" in style or "absolute" in style.lower()


def _has_escapes(style: str) -> bool:
    """Return whether a sheet or a style writes a property name with escapes."""
    return "\\" in style and _ESCAPES.search(style) is not None


def _is_of_pieces(parent: Element) -> bool:
    """Return whether an element has many children of a few Chinese characters that are not links."""
    if parent.tag in _LISTS:
        return False
    return all(
        child.tag != "a" and not len(child) and _PIECE.fullmatch(child.text or "") is not None
        for child in islice(parent, _MIN_PIECES)
    )


def _styles(
    tree: Tree, marked: MarkedElements, rules: PageRules, properties: frozenset[str]
) -> dict[Element, Style]:
    inline = _inline_styles(marked, rules)
    numbered = [
        pair for pair in (*rules.hiding, *rules.non_hiding) if not pair[1].properties.isdisjoint(properties)
    ]
    moving = [pair for pair in numbered if any(_moves(style, properties) for style in pair[1].styles)]
    moved = matched_elements(moving, tree, marked, rules)
    moved.update(tree.iter("bdo"))
    moved.update(
        element
        for element, styles in inline.items()
        if any(_moves(inline_style, properties) for inline_style in styles)
    )
    elements = with_ancestors(tree, moved)
    by_sheets = declared_styles(elements, numbered, rules, marked.names)
    styles: dict[Element, Style] = {}
    for element in elements:
        sheet, sheet_important = by_sheets.get(element, NOTHING_DECLARED)
        style, important = inline.get(element, NOTHING_DECLARED)
        styles[element] = {**sheet, **style, **sheet_important, **important}
    return styles


def _moves(style: Style, properties: frozenset[str]) -> bool:
    """Return whether a style may move text: by order, direction or, if requested, position."""
    if "order" in style or "unicode-bidi" in style or style.get("flex-direction", "").endswith("-reverse"):
        return True
    return "position" in properties and style.get("position") == "absolute"


def _inline_styles(marked: MarkedElements, rules: PageRules) -> dict[Element, tuple[Style, Style]]:
    by_text: dict[str, tuple[Style, Style]] = {}
    styles: dict[Element, tuple[Style, Style]] = {}
    for element, text in marked.styled:
        if text not in by_text:
            by_text[text] = parse_style(substitute_variables(text, rules.variables))
        styles[element] = by_text[text]
    return styles
