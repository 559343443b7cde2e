"""The links of a page and what they are called, read once for all steps that look for one. Pure, linear."""

import unicodedata
from typing import NamedTuple

from crawler.extraction.parsing import Element, Tree, label_of

_MAX_CHARS = 60  # of a label


class Anchor(NamedTuple):
    """A link; a page has hundreds, so they are tuples.

    Attributes:
        element: of the page.
        label: the beginning of its text, narrow and without white space.
        number: the same of what stands before the first element in it, as page numbers do.
    """

    element: Element
    label: str
    number: str

    @property
    def href(self) -> str:
        """Return its target as the page has it; empty when it has none."""
        return self.element.get("href") or ""


def anchors_of(tree: Tree) -> list[Anchor]:
    """Return the links of a page in order, also those without a target."""
    return [_anchor(element) for element in tree.iter("a")]


def _anchor(element: Element) -> Anchor:
    number = _label(element.text or "")
    return Anchor(element, _label(label_of(element)) if len(element) else number, number)


def _label(text: str) -> str:
    return "".join(unicodedata.normalize("NFKC", "".join(text.split())[:_MAX_CHARS]).split())
