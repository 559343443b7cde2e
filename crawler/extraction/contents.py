"""A page's own table of contents: links within the page, whose words are headings further down. Pure.

Encyclopedias and long reports have one between the introduction and the first section. A heading that it
names belongs to the page's text, whatever stands in between. Tabs and "back to top" are links within the page
too, but no heading repeats their words. Linear.
"""

import re

from crawler.extraction.outline import Line, Outline
from crawler.extraction.title_lines import squeeze

_NUMBER = re.compile(r"^[\d.．、·•▪\-\s（）()第]+(?=\D)")
_MIN_LABEL_CHARS = 2
_MAX_HEADING_CHARS = 40
_MIN_SECTIONS = 3
_MAX_SECTIONS = 300


def section_headings(page: Outline) -> frozenset[int]:
    """Return the numbers of the lines that are headings which the page's contents name, if it has any."""
    labels: dict[str, None] = {}
    headings: set[int] = set()
    for number, line in enumerate(page.lines):
        if is_in_page(page, line) and len(labels) < _MAX_SECTIONS:
            label = _NUMBER.sub("", squeeze(line.text))
            if len(label) >= _MIN_LABEL_CHARS:
                labels[label] = None
        elif (
            labels
            and not line.is_link
            and line.chars <= _MAX_HEADING_CHARS
            and squeeze(line.text).endswith(tuple(labels))
        ):
            headings.add(number)
    return frozenset(headings) if len(headings) >= _MIN_SECTIONS else frozenset()


def is_in_page(page: Outline, line: Line) -> bool:
    """Return whether a line is a link to a passage of the same page."""
    if not line.is_link:
        return False
    anchor = page.elements[line.block].find(".//a[@href]")
    href = "" if anchor is None else (anchor.get("href") or "").strip()
    return href.startswith("#") and len(href) > 1
