"""Elements that are not visible: hidden by an attribute, an inline style or a rule of a style sheet. Pure.

Pirates hide junk that a crawler would take as text: by ``display: none`` and the like, with a font size of
zero, off the screen, transparent, or in the colour of the background. Rules under a media query other than
the screen's are ignored; of several rules for an element the one of highest specificity counts, the later of
two equals (:mod:`crawler.extraction.cascade`).

Hidden text is left out, so in doubt an element is visible: where sheets cannot be read, or would take longer
than a page is worth, what they hide is kept. Linear in the page.
"""

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from crawler.extraction.cascade import NO_SHEETS, Styles, sheet_styles
from crawler.extraction.marked import marked_elements
from crawler.extraction.optional_steps import OptionalSteps
from crawler.extraction.parsing import BLOCKS, SHOWN_BY_SCRIPT, Element, Tree, topmost
from crawler.extraction.style_rules import NO_RULES, page_rules
from crawler.extraction.styles import (
    Style,
    affects_visibility,
    background_of,
    colour_of,
    hides,
    parse_declarations,
)
from crawler.extraction.stylesheets import Sheets

_INLINE_SHARE = 0.5  # the most of its paragraph that a passage in the background's colour can be


def hidden_elements(
    tree: Tree, *, sheets: Sheets = MappingProxyType({}), url: str = "", steps: OptionalSteps | None = None
) -> set[Element]:
    """Return the topmost elements of a page that are not visible.

    Args:
        tree: the page.
        sheets: the external sheets that are known.
        url: the page's address.
        steps: notes that the sheets could not be read.
    """
    steps = steps or OptionalSteps()
    rules = steps.attempt("sheets", lambda: page_rules(tree, sheets, url), otherwise=NO_RULES)
    marked = marked_elements(tree, rules.subjects)
    by_sheets = steps.attempt("sheets", lambda: sheet_styles(tree, marked, rules), otherwise=NO_SHEETS)
    styles = _with_inline_styles(marked.styled, by_sheets.styles)
    passages = _Passages(tree, styles)
    hidden = set(marked.hidden)
    for element, style in styles.items():
        if (
            element.get("id") != SHOWN_BY_SCRIPT
            and element.tag not in {"html", "body"}
            and (
                hides(style, element)
                or _has_background_colour(element, style, passages, by_sheets.page_background)
            )
        ):
            hidden.add(element)
    return topmost(hidden)


def _with_inline_styles(styled: Iterable[tuple[Element, str]], styles: Styles) -> dict[Element, Style]:
    """Return the styles of elements with their inline styles, which override the sheets."""
    known: dict[str, Style] = {}
    merged = dict(styles)
    for element, text in styled:
        if text not in known:
            known[text] = parse_declarations(text) if affects_visibility(text) else {}
        if own := known[text]:
            by_sheets = merged.get(element)
            merged[element] = {**by_sheets, **own} if by_sheets else own
    return merged


def _has_background_colour(
    element: Element, style: Style, passages: "_Passages", page_background: str
) -> bool:
    """Return whether an element's text has the colour of what is behind it."""
    colour = colour_of(style.get("color"))
    if colour is None:
        return False
    if colour == "transparent":
        return True
    background = background_of(style)
    if background is not None:
        return background == colour
    if element.tag in BLOCKS or colour != page_background:
        return False
    block, has_background = passages.surroundings(element)
    if has_background:
        return False
    return passages.chars(element) <= _INLINE_SHARE * passages.chars(element if block is None else block)


class _Passages:
    """The surroundings and the length of each element, computed once.

    Args:
        tree: the page.
        styles: of its elements, as far as they are known.
    """

    def __init__(self, tree: Tree, styles: Mapping[Element, Style]) -> None:
        self._tree = tree
        self._styles = styles
        self._surroundings: dict[Element, tuple[Element | None, bool]] = {}
        self._chars: dict[Element, int] = {}

    def surroundings(self, element: Element) -> tuple[Element | None, bool]:
        """Return the nearest block around an element, and whether an ancestor has a background."""
        path, node = [], element.getparent()
        while node is not None and node not in self._surroundings and node.tag not in {"body", "html"}:
            path.append(node)
            node = node.getparent()
        block, has_background = (
            self._surroundings.get(node, (None, False)) if node is not None else (None, False)
        )
        for ancestor in reversed(path):
            block = ancestor if ancestor.tag in BLOCKS else block
            has_background = has_background or self._has_background(ancestor)
            self._surroundings[ancestor] = block, has_background
        return block, has_background

    def _has_background(self, element: Element) -> bool:
        return background_of(self._styles.get(element, {})) is not None or bool(element.get("bgcolor"))

    def chars(self, element: Element) -> int:
        """Return the length of an element's text; all are summed up in one walk."""
        if not self._chars:
            for node in reversed(list(self._tree.iter())):
                self._chars[node] = self._chars.get(node, 0) + len(node.text or "")
                parent = node.getparent()
                if parent is not None:
                    self._chars[parent] = (
                        self._chars.get(parent, 0) + self._chars[node] + len(node.tail or "")
                    )
        return self._chars[element]
