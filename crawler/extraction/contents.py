"""A page's table of contents: links within the page whose labels are headings further down. Pure, linear.

Encyclopedias and long reports have one between the introduction and the first section. A listed heading
belongs to the page's text, even if other content is above it. The entry's name may precede each heading. Tabs
and "back to top" also link within the page, but no three headings repeat their labels.
"""

import re
from collections.abc import Collection

from crawler.extraction.outline import Outline
from crawler.extraction.parsing import Element
from crawler.extraction.title_lines import squeeze

_NUMBER = re.compile(r"^[\d.．、·•▪\-\s（）()第]+(?=\D)")
_MIN_LABEL_CHARS = 2
_MAX_HEADING_CHARS = 40
_MIN_SECTIONS = 3
_MAX_SECTIONS = 300


def section_headings(page: Outline, contents: Collection[int]) -> frozenset[int]:
    """Return the line numbers of the headings that the page's table of contents lists.

    Args:
        page: the page.
        contents: numbers of the lines that link within the page (:func:`links_within`).
    """
    labels: dict[str, None] = {}
    # text before the label (empty, or the name of the entry) → line numbers
    headings: dict[str, set[int]] = {}
    for number, line in enumerate(page.lines):
        if number in contents and len(labels) < _MAX_SECTIONS:
            label = _words(line.text)
            if len(label) >= _MIN_LABEL_CHARS:
                labels[label] = None
        elif labels and not line.is_link and line.chars <= _MAX_HEADING_CHARS:
            text = _words(line.text)
            start = next((at for at in range(len(text)) if text[at:] in labels), None)
            if start is not None:
                headings.setdefault(text[:start], set()).add(number)
    bare = headings.pop("", set())
    sections = bare | max(headings.values(), key=len, default=set())
    return frozenset(sections) if len(sections) >= _MIN_SECTIONS else frozenset()


def _words(text: str) -> str:
    """Return a heading without white space and its number."""
    return _NUMBER.sub("", squeeze(text))


def links_within(page: Outline) -> frozenset[int]:
    """Return the numbers of the lines that link to a section of the same page."""
    # result for the first link of each block, because one block may contain all lines of a page
    first: dict[int, bool] = {}
    links: set[int] = set()
    for number, line in enumerate(page.lines):
        if line.is_link:
            if line.block not in first:
                first[line.block] = _leads_within(page.elements[line.block])
            if first[line.block]:
                links.add(number)
    return frozenset(links)


def _leads_within(element: Element) -> bool:
    """Return whether the first link in an element targets the same page."""
    targets = (anchor.get("href") for anchor in element.iter("a"))
    href = next((target.strip() for target in targets if target is not None), "")
    return href.startswith("#") and len(href) > 1
