"""The visible lines and blocks of a page; hidden elements are removed from its tree. Pure."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from crawler.extraction.encoded_data import decode_data
from crawler.extraction.hidden import all_hidden_elements
from crawler.extraction.marked import MarkedElements
from crawler.extraction.optional_steps import OptionalSteps
from crawler.extraction.outline import Outline, outline
from crawler.extraction.parsing import (
    Element,
    Tree,
    XPath,
    is_element,
    remove_element,
    topmost,
    visible_chars,
)
from crawler.extraction.result import storable_text
from crawler.extraction.shown import NO_PAGE_STYLES, PageStyles
from crawler.extraction.shown_lines import separate_lines
from crawler.extraction.stylesheets import Sheets

_DATA = re.compile(r"\s*[\[{]\s*[\"'\[{]")  # the beginning of JSON data
# Elements that may have their own lines, by tag or by style.
_MAY_HAVE_LINES = XPath("//pre | //*[contains(@style, 'white-space')]")
_HAS_LINES = re.compile(r"white-space\s*:\s*(?:pre|break-spaces)", re.IGNORECASE)
_TAG = re.compile(r"(?:<|&lt;)/?[a-zA-Z]")
# a citation number, such as [3] or [1-2]
_SOURCE = re.compile(r"\s*\[\s*+\d{1,3}(?:\s*+[-–,]\s*+\d{1,3})*\s*\]\s*")
_MAX_LINES = 20_000  # maximum number of lines of text areas that get an element each
# minimum characters of sentences; a page with fewer hides its article until a script runs
MIN_VISIBLE_CHARS = 100


@dataclass(frozen=True, slots=True)
class HiddenContent:
    """The content that was removed from a page.

    Attributes:
        chars: number of its characters.
        data: texts of hidden elements with data for a script, which no reader could see.
        elements: the hidden elements and all their descendants.
        lines: lines of the hidden elements. If they stay because the page shows next to nothing else,
            these are all its lines.
    """

    chars: int = 0
    data: tuple[str, ...] = ()
    elements: frozenset[Element] = frozenset()
    lines: tuple[str, ...] = ()


def remove_hidden(
    tree: Tree,
    sheets: Sheets,
    url: str,
    steps: OptionalSteps,
    *,
    marked: frozenset[Element] | None = None,
    shown: PageStyles = NO_PAGE_STYLES,
) -> tuple[Outline, HiddenContent]:
    """Remove hidden elements from the tree; return the remaining outline and the removed content.

    Text areas with data for a script are always hidden. Other text areas, and preformatted text, are read
    line by line.

    Nothing is removed from a page with next to no visible text, because a script shows its article. External
    sheets serve all pages and scripts of a site: if they would hide more than they leave, they are ignored.

    Args:
        tree: the page.
        sheets: the known external sheets.
        url: the page's address.
        steps: records that the hidden elements could not be determined; then none is removed.
        marked: elements that a browser does not show; if given, only these are hidden.
        shown: the result of reading the page's styles.
    """
    areas = list(tree.iter("textarea"))
    data = _drop(area for area in areas if _holds_data(area.text or ""))
    _break_lines(
        [*(area for area in areas if area.getparent() is not None), *_preformatted(tree, shown.marked)]
    )
    if marked is None:
        if data.elements:
            shown = replace(shown, marked=None)
        page, hidden = _without_hidden(tree, sheets, url, steps, shown)
    else:
        page, hidden = _without_marked(tree, marked)
    return page, HiddenContent(
        data.chars + hidden.chars, data.data + hidden.data, hidden.elements, hidden.lines
    )


def _holds_data(text: str) -> bool:
    """Return whether a text is JSON, markup or encoded, and so not for readers."""
    return bool(_DATA.match(text) or _TAG.search(text)) or decode_data(text) is not None


def _preformatted(tree: Tree, marked: MarkedElements | None) -> list[Element]:
    """Return the elements whose lines end where they end in the markup."""
    if marked is not None and "pre" not in marked.tags and not any(map(_has_lines, marked.styled)):
        return []
    return [
        element
        for element in _MAY_HAVE_LINES(tree)
        if element.tag == "pre" or _HAS_LINES.search(element.get("style") or "")
    ]


def _has_lines(styled: tuple[Element, str]) -> bool:
    return "white-space" in styled[1]


def _break_lines(areas: Iterable[Element]) -> None:
    """Insert an element at each line end of preformatted texts; elsewhere a line end is only a space."""
    remaining = _MAX_LINES
    broken: set[Element] = set()  # elements that are already split, because areas may contain each other
    for area in areas:
        for node in list(area.iter()):
            if node in broken:
                continue
            broken.add(node)
            ends = [*_break_text(node, remaining)]
            if node is not area:
                ends += _break_tail(node, remaining - len(ends))
            broken.update(ends)
            remaining -= len(ends)


def _break_text(node: Element, most: int) -> list[Element]:
    """Insert elements at the line ends of an element's leading text; return these elements."""
    if not is_element(node) or "\n" not in (node.text or ""):
        return []
    node.text, ends = _broken_lines(node, node.text or "", most)
    for end in reversed(ends):
        node.insert(0, end)
    return ends


def _break_tail(node: Element, most: int) -> list[Element]:
    """Insert elements at the line ends of the text after an element; return these elements."""
    if "\n" not in (node.tail or ""):
        return []
    first, ends = _broken_lines(node, node.tail or "", most)
    node.tail = None  # new siblings are inserted before the tail
    for end in reversed(ends):
        node.addnext(end)
    node.tail = first
    return ends


def _broken_lines(node: Element, text: str, most: int) -> tuple[str, list[Element]]:
    """Return the first line of a text, and an element with each further line as its tail."""
    first, *lines = (storable_text(line.replace("\t", " ")) for line in text.split("\n", max(0, most)))
    ends = [node.makeelement("br") for _ in lines]
    for end, line in zip(ends, lines, strict=True):
        end.tail = f"\n{line}"
    return first, ends


def _without_marked(tree: Tree, marked: frozenset[Element]) -> tuple[Outline, HiddenContent]:
    body = tree.find("body")
    topmost_marked = topmost({element for element in marked if element.tag not in {"html", "body"}})
    page = outline(tree if body is None else body, hidden=topmost_marked)
    return page, _drop(topmost_marked)


def _without_hidden(
    tree: Tree, sheets: Sheets, url: str, steps: OptionalSteps, shown: PageStyles
) -> tuple[Outline, HiddenContent]:
    everything = steps.attempt(
        "hidden",
        lambda: all_hidden_elements(tree, sheets=sheets, url=url, steps=steps, shown=shown),
        otherwise=set[Element](),
    )
    hidden = topmost({*everything, *filter(_is_source_number, tree.iter("sup"))})
    body = tree.find("body")
    if body is None:
        body = tree
    page = outline(body, hidden=hidden)
    if hidden and sheets and sum(outline(element).prose_chars for element in hidden) > page.prose_chars:
        return _without_hidden(tree, {}, url, steps, replace(shown, rules=None))
    if not hidden:
        return page, HiddenContent()
    if page.prose_chars < MIN_VISIBLE_CHARS:
        whole = outline(body)
        if whole.prose_chars >= MIN_VISIBLE_CHARS:
            return whole, HiddenContent(lines=tuple(separate_lines([tree, *everything], everything)))
    lines = tuple(separate_lines(everything, everything))
    return page, replace(_drop(hidden), lines=lines)


def _is_source_number(mark: Element) -> bool:
    """Return whether an element is a citation number that a program inserted and that links nowhere.

    Numbers by the author, and links to what they cite, are part of the text.
    """
    is_made = (mark.get("class") or mark.get("data-sup")) and mark.find(".//a") is None
    return bool(is_made) and _SOURCE.fullmatch("".join(mark.itertext())) is not None


def _drop(hidden: Iterable[Element]) -> HiddenContent:
    elements = frozenset(hidden)
    inside = frozenset(node for element in elements for node in element.iter())
    chars = 0
    data: list[str] = []
    for element in elements:
        if element.getparent() is not None:
            text = "".join(element.itertext())
            chars += visible_chars(text)
            if element.tag == "textarea" or _DATA.match(text):
                data.append(text)
            data += [area.text_content() for area in element.iterfind(".//textarea")]
            remove_element(element)
    return HiddenContent(chars, tuple(data), inside)
