"""Texts that were found on a page: each with the place that it is from, in document order. Pure."""

from typing import Literal, NamedTuple

from crawler.extraction.parsing import Element

# What a text was found in. Why a text of an element is not in the article is decided later.
Source = Literal["text", "attribute", "style", "script", "frame", "shadow", "markup"]
MAX_LABELS = 8  # elements in a path
_MAX_NAME_CHARS = 24  # of a class or an id in a path


class Node(NamedTuple):
    """An element as it was before anything was removed from the page.

    Attributes:
        element: identifies it.
        tag: lower-case name.
        name: its id as ``#id``, else its classes as ``.class``; empty for neither.
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


class Paths:
    """Writes the paths of elements: ``body > div.a > p``; of an attribute ``body > img[alt]``."""

    def __init__(self) -> None:
        self._labels: dict[Element, tuple[str, ...]] = {}
        self._paths: dict[tuple[Element | None, str], str] = {}

    def path_of(self, node: Node | None, detail: str) -> str:
        """Return the path of a node, of its last few elements."""
        if node is None:
            return ""
        key = (node.element, detail)
        if node.element is None or key not in self._paths:
            path = " > ".join(self._labels_of(node))
            self._paths[key] = f"{path}[{detail}]" if detail else path
        return self._paths[key]

    def _labels_of(self, node: Node) -> tuple[str, ...]:
        path: list[Node] = []
        labels: tuple[str, ...] = ()
        current: Node | None = node
        while current is not None:
            if current.element is not None and current.element in self._labels:
                labels = self._labels[current.element]
                break
            path.append(current)
            current = current.parent
        for inner in reversed(path):
            if inner.tag != "html":
                labels = (*labels, inner.tag + _name_of(inner))[-MAX_LABELS:]
            if inner.element is not None:
                self._labels[inner.element] = labels
        return labels


def _name_of(node: Node) -> str:
    words = node.name[: 2 * _MAX_NAME_CHARS].split()
    return words[0][:_MAX_NAME_CHARS] if words and words[0] != "." else ""
