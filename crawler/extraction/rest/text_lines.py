"""Lines of text on a page, each with its location, in document order. Pure."""

from functools import lru_cache
from typing import Literal, NamedTuple

from crawler.extraction.parsing import SILENT, Element

# The kind of markup that contains a text. The reason why it is not in the article is decided later.
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
MAX_LABELS = 8  # maximum number of elements in a path
_MAX_NAME_CHARS = 24  # maximum characters of a class or id in a path


class Location:
    """A kind of location in a page: an element's tag and name, and those of its ancestors.

    Similar elements share one object, and its path is computed once, when it is needed. It has no references
    to its children: a cycle of references would stay in memory until the garbage collector runs.

    Attributes:
        tag: lower-case name of the element.
        name: its id as ``#id``, otherwise its classes as ``.class``; empty without either.
        around: the location of the element around it.
        is_silent: it is inside an element whose content browsers do not show as text.
        labels: tag and name of its nearest ancestors, outermost first, then its own.
    """

    __slots__ = ("_path", "around", "is_silent", "labels", "name", "tag")

    is_silent: bool
    labels: tuple[str, ...]

    def __init__(self, tag: str = "", name: str = "", around: "Location | None" = None) -> None:
        self.tag, self.name = tag, name
        self.is_silent = tag in SILENT_TAGS or (around is not None and around.is_silent)
        self.around = around
        self._path: str | None = None
        self.labels = () if around is None else around.labels
        if tag not in {"", "html"}:
            self.labels = (*self.labels, tag + _name_of(name))[-MAX_LABELS:]

    @property
    def path(self) -> str:
        """Return the labels of the nearest ancestors and the element: ``body > div.a > p``."""
        if self._path is None:
            self._path = " > ".join(self.labels)
        return self._path


class Node(NamedTuple):
    """An element as it was before anything was removed from the page.

    Attributes:
        element: its identity.
        location: its tag and name, and those of its ancestors.
        parent: None for the root.
        is_moved: it has a direction, or an inline style that may move it or its content.
    """

    element: Element | None
    location: Location
    parent: "Node | None"
    is_moved: bool = False

    def path(self, attribute: str) -> str:
        """Return the path of the node, or of one of its attributes: ``body > img[alt]``."""
        return f"{self.location.path}[{attribute}]" if attribute else self.location.path


def node_inside(parent: Node | None, tag: str, name: str = "", *, element: Element | None = None) -> Node:
    """Return a node inside ``parent``; with an ``element``, it may have a style or a direction."""
    location = Location(tag, name, Location() if parent is None else parent.location)
    return Node(element, location, parent, is_moved=element is not None)


class TextLine(NamedTuple):
    """One line of text on a page.

    Attributes:
        text: in one line, with at least one Chinese character.
        source: the kind of markup that contained it.
        node: the innermost block around a line, or the element of an attribute; may be None.
        inline: the elements in the line, and their ancestors up to the block.
        detail: name of the attribute.
        pieces: the text of each element in the line, if there are many.
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
