"""Where on a page its article is: lines that the page itself names in its title or description. Pure.

A brief of three sentences among longer teasers cannot be told by its length; but its first sentence stands in
the page's description, and its title above it.
"""

import unicodedata
from collections.abc import Sequence

from crawler.extraction.outline import Line, Outline

_GRAM = 12  # characters in a row that occur twice on a page by quotation only
_STEP = 6
_LEAD = 90  # of a description: what follows may come from the end of the article
_MIN_TITLE = 5
_MAX_TITLE = 60
_MIN_LEAD = 20
_TITLE_SHARE = 0.6  # of the title, when the page abridges it
_HEADINGS = frozenset({"h1", "h2", "h3"})


def squeeze(text: str) -> str:
    """Return a text without white space and width variants, for comparisons."""
    return "".join(unicodedata.normalize("NFKC", text).split())


def described(page: Outline, descriptions: Sequence[str], *, title: str) -> int | None:
    """Return the number of the first line of sentences that a description begins with or holds.

    Args:
        page: the page.
        descriptions: what its meta elements and JSON-LD say that it is about.
        title: a description that only repeats it says nothing.
    """
    named = squeeze(title)
    grams = {
        gram
        for each in map(squeeze, descriptions)
        for at in range(0, min(len(each), _LEAD) - _GRAM + 1, _STEP)
        if (gram := each[at : at + _GRAM]) not in named
    }
    if not grams:
        return None
    for number, line in enumerate(page.lines):
        if line.is_prose and line.chars >= _MIN_LEAD:
            plain = squeeze(line.text)
            if any(gram in plain for gram in grams):
                return number
    return None


def titled(page: Outline, title: str) -> int | None:
    """Return the number of the line that shows the title above the article, a heading before others."""
    named = squeeze(title)
    if len(named) < _MIN_TITLE:
        return None
    found = [
        number
        for number, line in enumerate(page.lines)
        if 2 * line.link_chars <= line.chars and is_title(line, named)
    ]
    headings = [number for number in found if page.elements[page.lines[number].block].tag in _HEADINGS]
    return next(iter(headings or found), None)


def heading(page: Outline) -> str:
    """Return the page's own heading: of the highest level, the one with most sentences below it."""
    found: dict[str, list[tuple[int, str]]] = {}
    level = text = ""
    below = 0
    for line in (*page.lines, None):
        tag = "" if line is None else page.elements[line.block].tag
        if line is None or tag in _HEADINGS:
            if text:
                found.setdefault(level, []).append((below, text))
            is_heading = line is not None and not line.is_link and _MIN_TITLE <= line.chars <= _MAX_TITLE
            level, text, below = (tag, line.text, 0) if line is not None and is_heading else ("", "", 0)
        elif line.is_prose:
            below += line.chars
    candidates = found[min(found)] if found else []
    return max(candidates, key=lambda each: each[0])[1] if candidates and max(candidates)[0] else ""


def is_title(line: Line, named: str) -> bool:
    """Return whether a line is the title ``named`` (squeezed), or most of it."""
    if line.chars > 2 * len(named):
        return False
    plain = squeeze(line.text)
    return plain == named or (
        len(plain) >= max(_MIN_TITLE, _TITLE_SHARE * len(named)) and (plain in named or named in plain)
    )
