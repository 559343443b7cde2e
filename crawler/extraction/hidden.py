"""Elements that are invisible because of an attribute, an inline style or a style sheet. Pure.

Pirates hide junk that a crawler would take as text: by ``display: none`` and the like
(:mod:`crawler.extraction.hiding`), or in the colour of the background. The rules for a desktop screen apply,
in the order of the cascade (:mod:`crawler.extraction.cascade`). If elements inside a hidden element show
themselves again, only the rest of it is hidden.

Hidden text is not part of the article, so an element counts as visible in doubt: if sheets cannot be read, or
would take too long, the text that they hide is kept. Linear in the page.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from types import MappingProxyType
from typing import NamedTuple

from cachetools import LRUCache

from crawler.extraction.cascade import NO_SHEETS, NOTHING_DECLARED, sheet_styles
from crawler.extraction.css_values import TRANSPARENT, UNKNOWN, is_alike
from crawler.extraction.css_variables import substitute_variables, variables_of
from crawler.extraction.folded import folded_texts
from crawler.extraction.hiding import (
    ESCAPED,
    INHERITED,
    TABLE,
    Way,
    is_animated,
    is_painted_otherwise,
    text_colour,
    triggers,
    ways_of,
)
from crawler.extraction.marked import MarkedElements, marked_elements
from crawler.extraction.optional_steps import OptionalSteps
from crawler.extraction.parsing import BLOCKS, SHOWN_BY_SCRIPT, Element, Tree, is_element
from crawler.extraction.shown import NO_PAGE_STYLES, PageStyles
from crawler.extraction.style_rules import NO_RULES, PageRules, page_rules
from crawler.extraction.styles import Style, affects_visibility, background_of, length, parse_style
from crawler.extraction.stylesheets import Sheets

_INLINE_SHARE = 0.5  # maximum share of a paragraph for a passage in the colour of the background
_MAX_STEPS = 200_000  # maximum number of checked elements inside hidden elements
_BACK = 300.0  # pixels by which an inner element can be moved out of an off-screen element
_HIDDEN_STYLE: Style = {"display": "none"}
# (tag, declarations) → whether they may hide an element; pages share these
_MAY_HIDE: LRUCache[tuple[str, ...], bool] = LRUCache(8192)
_MAX_KEPT_CHARS = 300  # maximum characters of an inline style that is cached
_SPECIAL = BLOCKS | TABLE | {"body"}  # elements with their own rules for sizes


def all_hidden_elements(
    tree: Tree,
    *,
    sheets: Sheets = MappingProxyType({}),
    url: str = "",
    steps: OptionalSteps | None = None,
    shown: PageStyles = NO_PAGE_STYLES,
) -> set[Element]:
    """Return the hidden elements of a page, including those inside hidden elements.

    Hidden texts next to visible elements are wrapped in new elements.

    Args:
        tree: the page.
        sheets: the known external sheets.
        url: the page's address.
        steps: records that the sheets could not be read.
        shown: the result of reading its styles.
    """
    steps = steps or OptionalSteps()
    marked, rules = shown.marked or marked_elements(tree), shown.rules
    if rules is None:
        rules = steps.attempt(
            "sheets", lambda: page_rules(tree, sheets, url, marked.names), otherwise=NO_RULES
        )
    inline = _inline_styles(marked.styled, rules)
    base = dict.fromkeys(marked.hidden, _HIDDEN_STYLE) | _font_colours(marked)
    suspects = _suspects(inline, base)
    by_sheets = steps.attempt(
        "sheets", lambda: sheet_styles(tree, marked, rules, suspects), otherwise=NO_SHEETS
    )
    page = _Page(
        tree=tree,
        styles=_merged_styles(base, by_sheets.styles, inline),
        rules=rules,
        background=by_sheets.page_background,
    )
    hidden = set(_hidden(page))
    folded = folded_texts(hidden, marked.referring)
    return (hidden - folded.texts) | folded.replaced


class _Inline(NamedTuple):
    """An element's inline style, and the ways in which it may hide the element."""

    style: Style
    important: Style
    ways: frozenset[Way]


_NO_STYLE = _Inline({}, {}, frozenset())


def _inline_styles(styled: Sequence[tuple[Element, str]], rules: PageRules) -> dict[Element, _Inline]:
    variables = rules.variables
    if not variables and any("--" in text for _, text in styled):
        variables = variables_of(text for _, text in styled)
    by_text: dict[str, _Inline] = {}
    styles: dict[Element, _Inline] = {}
    for element, text in styled:
        if text not in by_text:
            plain = substitute_variables(text, variables)
            by_text[text] = (_read_inline if len(plain) <= _MAX_KEPT_CHARS else _read_inline.__wrapped__)(
                plain
            )
        if by_text[text].style or by_text[text].important:
            styles[element] = by_text[text]
    return styles


@lru_cache(maxsize=4096)  # cached, because the pages of a site share their styles
def _read_inline(text: str) -> _Inline:
    style, important = parse_style(text) if affects_visibility(text) else ({}, {})
    declared = {**style, **important}
    coloured = frozenset[Way]({"colour"} if text_colour(declared) else ())
    return _Inline(style, important, triggers(declared) | coloured if declared else coloured)


def _font_colours(marked: MarkedElements) -> dict[Element, Style]:
    return {
        font: {"color": colour.lower()} for font in marked.all_of("font") if (colour := font.get("color"))
    }


def _suspects(
    inline: Mapping[Element, _Inline], base: Mapping[Element, Style]
) -> dict[Element, frozenset[Way]]:
    """Return the elements that their inline style or attributes may hide, and in which ways."""
    suspects = {element: inline_style.ways for element, inline_style in inline.items() if inline_style.ways}
    for element, style in base.items():
        way: Way = "display" if style is _HIDDEN_STYLE else "colour"
        suspects[element] = suspects.get(element, frozenset()) | {way}
    return suspects


def _merged_styles(
    base: Mapping[Element, Style],
    by_sheets: Mapping[Element, tuple[Style, Style]],
    inline: Mapping[Element, _Inline],
) -> dict[Element, Style]:
    """Merge attributes, sheets, inline styles, then the important declarations of both.

    Elements with the same declarations share one style object.
    """
    merged: dict[Element, Style] = {}
    shared: dict[tuple[int, int], Style] = {}
    for element in (*base, *by_sheets, *inline):
        if element in merged:
            continue
        declared = by_sheets.get(element, NOTHING_DECLARED)
        inline_style = inline.get(element, _NO_STYLE)
        key = (id(declared), id(inline_style))
        if element in base:
            merged[element] = {
                **base[element],
                **declared[0],
                **inline_style[0],
                **declared[1],
                **inline_style[1],
            }
            continue
        if key not in shared:
            shared[key] = {**declared[0], **inline_style[0], **declared[1], **inline_style[1]}
        merged[element] = shared[key]
    return merged


@dataclass(slots=True)
class _Page:
    """A page and the styles of those elements that may be hidden."""

    tree: Tree
    styles: Mapping[Element, Style]
    rules: PageRules
    background: str
    steps: int = 0

    def inside(self, element: Element) -> Iterator[tuple[Element, Style]]:
        """Yield the descendants that have a style; none after too many steps."""
        for node in element.iterdescendants("*"):
            self.steps += 1
            if node in self.styles:
                yield node, self.styles[node]

    def is_from_top(self, element: Element, style: Style) -> bool:
        """Return whether an element is positioned from the top of the page, as far as known."""
        if style.get("position") != "absolute" or not self.rules.all_known:
            return False
        around = (self.styles.get(node, {}) for node in element.iterancestors())
        return not any("position" in other or "transform" in other or "filter" in other for other in around)

    @property
    def is_spent(self) -> bool:
        return self.steps > _MAX_STEPS


def _hidden(page: _Page) -> Iterator[Element]:
    passages = _Passages(page.tree, page.styles)
    possible: dict[tuple[int, str], bool] = {}
    for element, style in list(page.styles.items()):
        if element.get("id") == SHOWN_BY_SCRIPT or element.tag in {"html", "body"}:
            continue
        ways = _ways_of(style, element, page, possible)
        if _is_unseen_colour(element, style, page, passages):
            ways.add("colour")
        frames, all_known = page.rules.frames, page.rules.all_known
        ways = {way for way in ways if not is_animated(style, way, frames, all_known=all_known)}
        if ways:
            yield from _hidden_in(element, ways, page)


def _ways_of(style: Style, element: Element, page: _Page, possible: dict[tuple[int, str], bool]) -> set[Way]:
    """Return the ways in which a style hides an element; the result for an empty element is cached.

    Content only makes an element larger, so it is hidden in no further way than an empty one.
    """
    tag = str(element.tag) if element.tag in _SPECIAL else "span"
    key = (id(style), tag)
    if key not in possible:
        possible[key] = _may_hide(style, tag, element)
    if not possible[key]:
        return set()
    return set(ways_of(style, element, is_from_top=page.is_from_top(element, style)))


def _may_hide(style: Style, tag: str, other: Element) -> bool:
    """Return whether a style may hide an element with a tag; ``other`` creates the test element."""
    key = (tag, *chain.from_iterable(style.items()))
    may_hide = _MAY_HIDE.get(key)
    if may_hide is None:
        ways = ways_of(style, other.makeelement(tag), is_from_top=True)
        may_hide = _MAY_HIDE[key] = next(ways, None) is not None
    return may_hide


def _hidden_in(element: Element, ways: set[Way], page: _Page) -> Iterator[Element]:
    """Yield a hidden element, or its hidden parts."""
    if page.is_spent and not ways.isdisjoint(INHERITED.keys() | ESCAPED):
        ways -= INHERITED.keys() | ESCAPED
    lasting = {way for way in ways if way not in INHERITED and way not in ESCAPED}
    if lasting or any(not _escapes(element, way, page) for way in ways if way in ESCAPED):
        yield element
        return
    for way in ways:
        if way not in INHERITED:
            continue
        shown = {node for node, style in page.inside(element) if _shows_again(node, style, way)}
        if way == "colour":
            shown.update(element.iterdescendants("a"))
        if way == "font":
            shown.update(_sized_children(element))
        yield from _without(element, shown) if shown else (element,)


def _shows_again(element: Element, style: Style, way: Way) -> bool:
    """Return whether an element resets the property that hides the text around it."""
    if way == "colour" and background_of(style) is not None:
        return True
    set_here = [style[name] for name in INHERITED[way] if name in style]
    if all(value in {"inherit", "unset", "currentcolor"} for value in set_here):
        return False
    if way == "colour":
        return text_colour(style) != TRANSPARENT
    if way == "font" and style["font-size"].endswith(("em", "%")) and not style["font-size"].endswith("rem"):
        return False
    return way not in ways_of(style, element)


def _without(element: Element, shown: set[Element]) -> Iterator[Element]:
    """Yield the hidden parts of an element: everything but the shown elements and what contains them."""
    holders: set[Element] = set()
    for node in shown:
        parent = node.getparent()
        while parent is not None and parent not in holders:
            holders.add(parent)
            if parent is element:
                break
            parent = parent.getparent()
    open_elements = [element]
    while open_elements:
        node = open_elements.pop()
        children = list(node)
        yield from _wrapped_texts(node, children)
        for child in children:
            if child in shown:
                continue
            if child in holders:
                open_elements.append(child)
            elif is_element(child):
                yield child


def _wrapped_texts(node: Element, children: Sequence[Element]) -> Iterator[Element]:
    for child in children:
        if child.tail and not child.tail.isspace():
            wrapper = node.makeelement("span")
            wrapper.text, child.tail = child.tail, None
            child.addnext(wrapper)
            yield wrapper
    if node.text and not node.text.isspace():
        wrapper = node.makeelement("span")
        wrapper.text, node.text = node.text, None
        node.insert(0, wrapper)
        yield wrapper


def _escapes(element: Element, way: Way, page: _Page) -> bool:
    """Return whether a descendant may be visible although the element is out of sight."""
    is_anchor = page.styles[element].get("position", "static") != "static"
    is_anchor = is_anchor or page.styles[element].get("transform", "none") != "none"
    for _, style in page.inside(element):
        position = style.get("position", "static")
        if position == "fixed":
            return True
        if way == "clip" and position == "absolute" and not is_anchor:
            return True
        if way == "offset" and any(length(style, name, percent=12.8) >= _BACK for name in _FORTH):
            return True
        if way == "indent" and "text-indent" in style and style["text-indent"] not in {"inherit", "unset"}:
            return True
    return False


_FORTH = ("left", "margin-left", "padding-left", "text-indent", "top", "margin-top", "padding-top")


def _sized_children(element: Element) -> Iterator[Element]:
    """Yield the children to which a sheet may give a size again (an old way to close gaps)."""
    for child in element:
        if is_element(child) and (child.tag in BLOCKS or child.get("style") or child.get("class")):
            yield child


def _is_unseen_colour(element: Element, style: Style, page: _Page, passages: "_Passages") -> bool:
    """Return whether an element's text has the colour of its background."""
    colour = text_colour(style)
    if colour is None or colour == UNKNOWN or is_painted_otherwise(style) or passages.is_painted(element):
        return False
    background = background_of(style)
    if colour == TRANSPARENT or background is not None:
        return colour == TRANSPARENT or is_alike(colour, background or "")
    return _is_colour_of_page(element, style, colour, page, passages)


def _is_colour_of_page(
    element: Element, style: Style, colour: str, page: _Page, passages: "_Passages"
) -> bool:
    """Return whether a passage has the colour of the elements around it, which shows through."""
    if _may_overlap(style):
        return False
    background = passages.background(element, page.background)
    return background is not None and is_alike(colour, background) and _is_passage(element, page, passages)


def _is_passage(element: Element, page: _Page, passages: "_Passages") -> bool:
    """Return whether an element is a small part of a text; the look of most of a page must be readable.

    If sheets are missing, one of them may set a background. Then only passages inside a line count.
    """
    if element.tag in BLOCKS:
        if not page.rules.all_known:
            return False
        body = page.tree.find("body")
        return passages.chars(element) <= _INLINE_SHARE * passages.chars(page.tree if body is None else body)
    block = passages.block(element)
    return passages.chars(element) <= _INLINE_SHARE * passages.chars(element if block is None else block) or (
        block is not None and page.rules.all_known and _is_passage(block, page, passages)
    )


class _Passages:
    """The surroundings and the text length of each element, computed once.

    Args:
        tree: the page.
        styles: known styles of its elements.
    """

    def __init__(self, tree: Tree, styles: Mapping[Element, Style]) -> None:
        self._tree = tree
        self._styles = styles
        self._around: dict[Element, tuple[str | None, bool]] = {}
        self._chars: dict[Element, int] = {}

    def background(self, element: Element, page_background: str) -> str | None:
        """Return the colour behind an element; None if it is a picture or unknown."""
        background, _ = self._surroundings(element)
        colour = page_background if background is None else background
        return None if colour in {"", UNKNOWN} else colour

    def is_painted(self, element: Element) -> bool:
        """Return whether an ancestor gives the text a shadow, an outline or a picture."""
        return self._surroundings(element)[1]

    def block(self, element: Element) -> Element | None:
        """Return the nearest block around an element."""
        node = element.getparent()
        while node is not None and node.tag not in BLOCKS:
            node = node.getparent()
        return None if node is None or node.tag == "body" else node

    def _surroundings(self, element: Element) -> tuple[str | None, bool]:
        path, node = [], element.getparent()
        while node is not None and node not in self._around and node.tag not in {"body", "html"}:
            path.append(node)
            node = node.getparent()
        background, is_painted = self._around.get(node, (None, False)) if node is not None else (None, False)
        for ancestor in reversed(path):
            style = self._styles.get(ancestor, {})
            colour = background_of(style) or _attribute_background(ancestor)
            background = colour or background
            if colour is None and _may_overlap(style):
                background = UNKNOWN
            is_painted = is_painted or is_painted_otherwise(style)
            self._around[ancestor] = background, is_painted
        return background, is_painted

    def chars(self, element: Element) -> int:
        """Return the length of an element's text; one walk counts all elements."""
        if not self._chars:
            for node in reversed(list(self._tree.iter())):
                self._chars[node] = self._chars.get(node, 0) + len(node.text or "")
                parent = node.getparent()
                if parent is not None:
                    self._chars[parent] = (
                        self._chars.get(parent, 0) + self._chars[node] + len(node.tail or "")
                    )
        return self._chars.get(element, 0)


def _may_overlap(style: Style) -> bool:
    """Return whether something else may be behind an element: another element, or a border."""
    if style.get("position") in {"absolute", "fixed", "sticky"} or "border" in style:
        return True
    return any(
        length(style, name) < 0 for name in ("margin-top", "margin-bottom", "margin-left", "top", "left")
    )


def _attribute_background(element: Element) -> str | None:
    if element.get("background"):
        return UNKNOWN
    colour = (element.get("bgcolor") or "").lower()
    return background_of({"background-color": colour}) or (UNKNOWN if colour else None)
