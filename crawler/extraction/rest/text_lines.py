"""Texts that were found on a page: each with the place that it is from, in document order. Pure."""

from functools import lru_cache
from typing import Literal, NamedTuple

from crawler.extraction.parsing import SILENT, Element

# What a text was found in. Why a text of an element is not in the article is decided later.
Source = Literal["text", "attribute", "style", "script", "frame", "shadow", "markup"]
SILENT_TAGS = SILENT - {"head"} | {
    "textarea",
    "label",
    "canvas",
    "video",
    "audio",
    "xmp",
    "noframes",
    "noembed",
}
MAX_LABELS = 8  # elements in a path
_MAX_NAME_CHARS = 24  # of a class or an id in a path


class Place:
    """A kind of place in a page: an element's tag and name, and those of what is around it.

    Elements that are alike share one, so that what depends on it is found out once.

    Attributes:
        tag: lower-case name of the element.
        name: its id as ``#id``, else its classes as ``.class``; empty for neither.
        is_silent: it is in an element whose content browsers show otherwise than as text, or not at all.
        labels: tag and name of the last few elements around it, and its own.
    """

    __slots__ = ("_inside", "_path", "is_silent", "labels", "name", "tag")

    is_silent: bool
    labels: tuple[str, ...]

    def __init__(self, tag: str = "", name: str = "", around: "Place | None" = None) -> None:
        self.tag, self.name = tag, name
        self.is_silent = tag in SILENT_TAGS or (around is not None and around.is_silent)
        labels: tuple[str, ...] = () if around is None else around.labels
        is_shown = tag not in {"", "html"}
        self.labels = (*labels, tag + _name_of(name))[-MAX_LABELS:] if is_shown else labels
        self._path: str | None = None
        self._inside: dict[tuple[str, str], Place] | None = None

    def inside(self, tag: str, name: str = "") -> "Place":
        """Return the place of an element right inside."""
        if self._inside is None:
            self._inside = {}
        key = (tag, name)
        inner = self._inside.get(key)
        if inner is None:
            inner = self._inside[key] = Place(tag, name, self)
        return inner

    @property
    def path(self) -> str:
        """Return the labels of the last few elements: ``body > div.a > p``."""
        if self._path is None:
            self._path = " > ".join(self.labels)
        return self._path


class Node(NamedTuple):
    """An element as it was before anything was removed from the page.

    Attributes:
        element: identifies it.
        location: its tag and name, and what is around it.
        parent: None for the root.
        is_directed: it has a style or a direction of its own.
    """

    element: Element | None
    location: Place
    parent: "Node | None"
    is_directed: bool = False

    def path(self, attribute: str) -> str:
        """Return the path of the node, or of an attribute of it: ``body > img[alt]``."""
        return f"{self.location.path}[{attribute}]" if attribute else self.location.path


def node_inside(parent: Node | None, tag: str, name: str = "", *, element: Element | None = None) -> Node:
    """Return a node inside of another one; None for none. It may have a style or a direction."""
    around = Place() if parent is None else parent.location
    return Node(element, around.inside(tag, name), parent, is_directed=element is not None)


class TextLine(NamedTuple):
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


@lru_cache(maxsize=4096)
def _name_of(name: str) -> str:
    words = name[: 2 * _MAX_NAME_CHARS].split()
    return words[0][:_MAX_NAME_CHARS] if words and words[0] != "." else ""
