"""The links of a page and what they are called, read once for all steps that look for one. Pure, linear."""

import unicodedata
from typing import NamedTuple

from crawler.extraction.parsing import Element, Tree, label_of

_MAX_CHARS = 60  # of a label


class Anchor(NamedTuple):
    """A link; a page has hundreds, so they are tuples, and hold no element.

    Attributes:
        label: the beginning of its text, narrow and without white space.
        number: the same of what stands before the first element in it, as page numbers do.
        href: its target as the page has it; empty when it has none.
        relation: its ``rel``; empty when it has none.
        is_plain: no element is in it.
    """

    label: str
    number: str
    href: str
    relation: str
    is_plain: bool


def anchors_of(tree: Tree) -> list[Anchor]:
    """Return the links of a page in order, also those without a target."""
    return [_anchor(element) for element in tree.iter("a")]


def _anchor(element: Element) -> Anchor:
    number, is_plain = _label(element.text or ""), not len(element)
    label = number if is_plain else _label(label_of(element))
    return Anchor(label, number, element.get("href") or "", element.get("rel") or "", is_plain)


def _label(text: str) -> str:
    return "".join(unicodedata.normalize("NFKC", "".join(text.split())[:_MAX_CHARS]).split())
