"""The links of a page with their labels, read once for all steps. Pure, linear."""

import unicodedata
from typing import NamedTuple

from crawler.extraction.parsing import Element, Tree, label_of

_MAX_CHARS = 60  # maximum characters of a label


class Anchor(NamedTuple):
    """A link. A named tuple without its element, because a page has hundreds of links.

    Attributes:
        label: the beginning of its text, narrow and without white space.
        number: like ``label``, but only the text before the first element inside, where page numbers are.
        href: its target as written; empty if it has none.
        relation: its ``rel``; empty if it has none.
        is_plain: it contains no element.
    """

    label: str
    number: str
    href: str
    relation: str
    is_plain: bool


def anchors_of(tree: Tree) -> list[Anchor]:
    """Return the links of a page in order, including those without a target."""
    return [_anchor(element) for element in tree.iter("a")]


def _anchor(element: Element) -> Anchor:
    number, is_plain = _label(element.text or ""), not len(element)
    label = number if is_plain else _label(label_of(element))
    if not label:  # the label is in a picture or in the link's title
        picture = None if is_plain else element.find(".//img[@alt]")
        label = _label((picture.get("alt") if picture is not None else element.get("title")) or "")
    return Anchor(label, number, element.get("href") or "", element.get("rel") or "", is_plain)


def _label(text: str) -> str:
    return "".join(unicodedata.normalize("NFKC", "".join(text.split())[:_MAX_CHARS]).split())
