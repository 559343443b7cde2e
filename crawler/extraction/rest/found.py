"""Texts that were found on a page: each with the place that it is from, in document order. Pure."""

from collections.abc import Iterable
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


class Nodes:
    """Makes the nodes of elements, with those of the elements around them; each once.

    Args:
        outer: the node around the root.
    """

    def __init__(self, outer: Node | None = None) -> None:
        self._outer = outer
        self._nodes: dict[Element, Node] = {}

    def of(self, element: Element) -> Node:
        """Return the node of an element."""
        node = self._nodes.get(element)
        return self._make(element) if node is None else node

    def of_all(self, elements: Iterable[Element]) -> tuple[Node, ...]:
        """Return the nodes of elements."""
        return tuple(map(self.of, elements))

    def _make(self, element: Element) -> Node:
        """Make the node of an element, and first those around it; without recursion, for pages nest deep."""
        nodes, path = self._nodes, [element]
        outer = element.getparent()
        while outer is not None and outer not in nodes:
            path.append(outer)
            outer = outer.getparent()
        node = self._outer if outer is None else nodes[outer]
        for inner in reversed(path):
            identity, classes = inner.get("id"), inner.get("class")
            name = f"#{identity}" if identity is not None else "" if classes is None else f".{classes}"
            node = nodes[inner] = tuple.__new__(Node, (inner, inner.tag, name, node))
        return nodes[element]


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
