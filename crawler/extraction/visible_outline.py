"""The visible lines and blocks of a page; what is hidden is taken out of its tree. Pure."""

from collections.abc import Collection

from crawler.extraction.hidden import hidden_elements
from crawler.extraction.optional_steps import OptionalSteps
from crawler.extraction.outline import Outline, outline
from crawler.extraction.parsing import Element, Tree, take_out, visible_chars
from crawler.extraction.stylesheets import Sheets

MIN_VISIBLE_CHARS = 100  # of sentences; a page with fewer hides its article until a script runs


def remove_hidden(tree: Tree, sheets: Sheets, url: str, steps: OptionalSteps) -> tuple[Outline, int]:
    """Take hidden elements out of the tree; return what is left, and the number of characters removed.

    A page with next to no visible text shows its article by a script: nothing is removed from it. External
    sheets are written for all pages of a site and its scripts: where they would hide more than they leave,
    they are ignored.

    Args:
        tree: the page.
        sheets: the external sheets that are known.
        url: the page's address.
        steps: notes that the hidden elements could not be found; then none is removed.
    """
    hidden = steps.attempt(
        "hidden",
        lambda: hidden_elements(tree, sheets=sheets, url=url, steps=steps),
        otherwise=set[Element](),
    )
    body = tree.find("body")
    if body is None:
        body = tree
    page = outline(body, hidden=hidden)
    if hidden and sheets and sum(_prose(outline(element)) for element in hidden) > _prose(page):
        return remove_hidden(tree, {}, url, steps)
    if not hidden:
        return page, 0
    if _prose(page) < MIN_VISIBLE_CHARS:
        everything = outline(body)
        if _prose(everything) >= MIN_VISIBLE_CHARS:
            return everything, 0
    return page, _drop(hidden)


def _prose(page: Outline) -> int:
    return sum(line.chars for line in page.lines if line.is_prose)


def _drop(hidden: Collection[Element]) -> int:
    """Take elements out of their tree; return the number of their characters."""
    chars = 0
    for element in hidden:
        if element.getparent() is not None:
            chars += visible_chars("".join(element.itertext()))
            take_out(element)
    return chars
