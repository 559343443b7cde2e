"""Texts that were found on a page: each with the place that it is from, in document order. Pure."""

from typing import Literal, NamedTuple

from crawler.extraction.parsing import Element

# What a text was found in. Why a text of an element is not in the article is decided later.
Source = Literal["text", "attribute", "style", "script", "frame", "markup"]
MAX_LABELS = 8  # elements in a path
_MAX_NAME_CHARS = 24  # of a class or an id in a path


class Node(NamedTuple):
    """An element as it was before anything was removed from the page.

    Attributes:
        element: identifies it.
        tag: lower-case name.
        name: its id as ``#id``, else its first class as ``.class``; empty for neither.
        parent: None for the root.
    """

    element: Element | None
    tag: str
    name: str
    parent: "Node | None"


class Found(NamedTuple):
    """One line of text on a page.

    Attributes:
        text: in one line, with at least one Chinese character.
        source: what it was found in.
        node: the innermost block around a line; the element of an attribute; None for none.
        inline: the elements in the line, and those around it up to the block.
        detail: name of the attribute.
        pieces: what each element in the line has of it, where these are many.
    """

    text: str
    source: Source
    node: Node | None = None
    inline: tuple[Node, ...] = ()
    detail: str = ""
    pieces: tuple[str, ...] = ()


def path_of(node: Node | None, detail: str = "") -> str:
    """Return the path of an element: ``body > div.a > p``; of an attribute ``body > img[alt]``."""
    labels: list[str] = []
    while node is not None and len(labels) < MAX_LABELS:
        if node.tag != "html":
            labels.append(node.tag + node.name[:_MAX_NAME_CHARS])
        node = node.parent
    path = " > ".join(reversed(labels))
    return f"{path}[{detail}]" if detail else path
