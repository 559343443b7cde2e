"""Texts that were found on a page: each with the place that it is from, in document order. Pure."""

from functools import lru_cache
from typing import Literal, NamedTuple

from crawler.extraction.parsing import SILENT, Element

# What a text was found in. Why a text of an element is not in the article is decided later.
Source = Literal["text", "attribute", "style", "script", "frame", "shadow", "markup"]
SILENT_NODES = SILENT - {"head"} | {"textarea", "label", "canvas", "video", "audio", "xmp", "noframes", "noembed"}
MAX_LABELS = 8  # elements in a path
_MAX_NAME_CHARS = 24  # of a class or an id in a path


class Node(NamedTuple):
    """An element as it was before anything was removed from the page.

    Attributes:
        element: identifies it.
        tag: lower-case name.
        name: its id as ``#id``, else its classes as ``.class``; empty for neither.
        parent: None for the root.
        is_silent: it is in an element whose content browsers show otherwise than as text, or not at all.
        is_directed: it has a style or a direction of its own.
    """

    element: Element | None
    tag: str
    name: str
    parent: "Node | None"
    is_silent: bool = False
    is_directed: bool = False


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
        self._labels: dict[Element | None, tuple[str, ...]] = {}
        self._paths: dict[tuple[str, ...], str] = {}

    def path_of(self, node: Node | None, detail: str) -> str:
        """Return the path of a node, of its last few elements."""
        if node is None:
            return ""
        labels = None if node[0] is None else self._labels.get(node[0])
        labels = labels or self._labels_of(node)
        if (path := self._paths.get(labels)) is None:
            path = self._paths[labels] = " > ".join(labels)
        return f"{path}[{detail}]" if detail else path

    def _labels_of(self, node: Node) -> tuple[str, ...]:
        """Return the labels of a node and of those around it; without recursion, for pages nest deep."""
        path = [node]
        while (outer := path[-1][3]) is not None and outer[0] not in self._labels:
            path.append(outer)
        labels = () if outer is None else self._labels[outer[0]]
        for element, tag, name, *_ in reversed(path):
            if tag != "html":
                labels = (*labels, tag + _name_of(name))[-MAX_LABELS:]
            if element is not None:
                self._labels[element] = labels
        return labels


@lru_cache(maxsize=4096)
def _name_of(name: str) -> str:
    words = name[: 2 * _MAX_NAME_CHARS].split()
    return words[0][:_MAX_NAME_CHARS] if words and words[0] != "." else ""
