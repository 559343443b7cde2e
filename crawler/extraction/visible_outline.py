"""The visible lines and blocks of a page; what is hidden is taken out of its tree. Pure."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from crawler.extraction.encoded_data import decode_data
from crawler.extraction.hidden import hidden_elements
from crawler.extraction.optional_steps import OptionalSteps
from crawler.extraction.outline import Outline, outline
from crawler.extraction.parsing import Element, Tree, take_out, visible_chars
from crawler.extraction.result import storable_text
from crawler.extraction.stylesheets import Sheets

_DATA = re.compile(r"\s*[\[{]\s*[\"'\[{]")  # JSON
_TAG = re.compile(r"(?:<|&lt;)/?[a-zA-Z]")
_MAX_LINES = 20_000  # of a page's text areas that have an element each
MIN_VISIBLE_CHARS = 100  # of sentences; a page with fewer hides its article until a script runs


@dataclass(frozen=True, slots=True)
class Hidden:
    """What was taken out of a page.

    Attributes:
        chars: number of its characters.
        data: texts of hidden elements that hold data for a script, not text that a reader could see.
    """

    chars: int = 0
    data: tuple[str, ...] = ()


def remove_hidden(tree: Tree, sheets: Sheets, url: str, steps: OptionalSteps) -> tuple[Outline, Hidden]:
    """Take hidden elements out of the tree; return what is left, and what was removed.

    Text areas with data for a script are hidden, however they are shown; others are texts, line by line.

    A page with next to no visible text shows its article by a script: nothing is removed from it. External
    sheets are written for all pages of a site and its scripts: where they would hide more than they leave,
    they are ignored.

    Args:
        tree: the page.
        sheets: the external sheets that are known.
        url: the page's address.
        steps: notes that the hidden elements could not be found; then none is removed.
    """
    areas = list(tree.iter("textarea"))
    data = _drop(area for area in areas if _holds_data(area.text or ""))
    _break_lines(area for area in areas if area.getparent() is not None)
    page, hidden = _without_hidden(tree, sheets, url, steps)
    return page, Hidden(data.chars + hidden.chars, data.data + hidden.data)


def _holds_data(text: str) -> bool:
    """Return whether a text is JSON, markup or encoded: nothing that a reader would read."""
    return bool(_DATA.match(text) or _TAG.search(text)) or decode_data(text) is not None


def _break_lines(areas: Iterable[Element]) -> None:
    """Give each line of text areas an element; in others the end of a line means no more than a space."""
    left = _MAX_LINES
    for area in areas:
        text = (area.text or "").split("\n", left)
        area.text, *lines = (storable_text(line.replace("\t", " ")) for line in text)
        left -= len(lines)
        for line in lines:
            end = area.makeelement("br")
            end.tail = f"\n{line}"
            area.append(end)


def _without_hidden(tree: Tree, sheets: Sheets, url: str, steps: OptionalSteps) -> tuple[Outline, Hidden]:
    hidden = steps.attempt(
        "hidden",
        lambda: hidden_elements(tree, sheets=sheets, url=url, steps=steps),
        otherwise=set[Element](),
    )
    body = tree.find("body")
    if body is None:
        body = tree
    page = outline(body, hidden=hidden)
    if hidden and sheets and sum(outline(element).prose_chars for element in hidden) > page.prose_chars:
        return _without_hidden(tree, {}, url, steps)
    if not hidden:
        return page, Hidden()
    if page.prose_chars < MIN_VISIBLE_CHARS:
        everything = outline(body)
        if everything.prose_chars >= MIN_VISIBLE_CHARS:
            return everything, Hidden()
    return page, _drop(hidden)


def _drop(hidden: Iterable[Element]) -> Hidden:
    """Take elements out of their tree."""
    chars = 0
    data: list[str] = []
    for element in hidden:
        if element.getparent() is not None:
            text = "".join(element.itertext())
            chars += visible_chars(text)
            if element.tag == "textarea" or _DATA.match(text):
                data.append(text)
            data += [area.text_content() for area in element.iterfind(".//textarea")]
            take_out(element)
    return Hidden(chars, tuple(data))
