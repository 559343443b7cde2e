"""What of a page a reader sees, as lines and blocks; what is hidden is taken out of its tree. Pure."""

from collections.abc import Collection

from crawler.extraction.hidden import hidden_elements
from crawler.extraction.outline import Outline, outline
from crawler.extraction.parsing import Element, Tree, take_out, visible_chars
from crawler.extraction.steps import Steps
from crawler.extraction.stylesheets import Sheets

MIN_SHOWN = 100  # characters of sentences; a page that shows fewer hides its article until a script runs


def shown(tree: Tree, sheets: Sheets, url: str, steps: Steps) -> tuple[Outline, int]:
    """Take what is hidden out of the tree; returns what is left and how many characters went.

    A page that would show next to nothing shows its article by a script: there nothing is taken out. Sheets
    of their own are written for all pages of a site and its scripts: where they would hide more than they
    leave, they are not believed.

    Args:
        tree: the page.
        sheets: what is known of the sheets that it links to.
        url: its address.
        steps: takes note when it cannot be told what is hidden; then nothing is taken out.
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
    if hidden and sheets and sum(_prose(outline(each)) for each in hidden) > _prose(page):
        return shown(tree, {}, url, steps)
    if not hidden:
        return page, 0
    if _prose(page) < MIN_SHOWN:
        everything = outline(body)
        if _prose(everything) >= MIN_SHOWN:
            return everything, 0
    return page, _drop(hidden)


def _prose(page: Outline) -> int:
    return sum(line.chars for line in page.lines if line.is_prose)


def _drop(hidden: Collection[Element]) -> int:
    """Take elements out of their tree; returns how many characters they held."""
    chars = 0
    for element in hidden:
        if element.getparent() is not None:
            chars += visible_chars("".join(element.itertext()))
            take_out(element)
    return chars
