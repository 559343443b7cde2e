"""Parses the layout of a page from the reply to ``DOMSnapshot.captureSnapshot``. Pure.

The protocol (https://chromedevtools.github.io/devtools-protocol/tot/DOMSnapshot/) describes each document in
columns with indexes into one table of strings. Nodes are those of the flat tree, in document order: nodes of
an open or closed shadow root are children of its host, the nodes of a slot are children of the slot, and
generated content is a child of its element. A text box is the position of a stretch of a line, in CSS pixels
from the top left corner of the document.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

ELEMENT, TEXT, COMMENT, DOCTYPE = 1, 3, 8, 10  # types of nodes, as the DOM numbers them

# The requested computed styles, in the order of the fields of Style.
STYLE_NAMES = (
    "display",
    "visibility",
    "opacity",
    "position",
    "overflow-x",
    "overflow-y",
    "clip",
    "clip-path",
    "filter",
    "transform",
    "color",
    "-webkit-text-fill-color",
    "-webkit-text-stroke-width",
    "-webkit-text-security",
    "text-shadow",
    "background-color",
    "background-image",
    "background-clip",
    "direction",
    "unicode-bidi",
    "writing-mode",
    "column-count",
    "column-width",
    "content-visibility",
)
CAPTURE_OPTIONS = {
    "computedStyles": list(STYLE_NAMES),
    "includePaintOrder": True,
    "includeDOMRects": False,
}


@dataclass(frozen=True, slots=True)
class Style:
    """Computed values, as the browser writes them; named as in CSS."""

    display: str = "block"
    visibility: str = "visible"
    opacity: str = "1"
    position: str = "static"
    overflow_x: str = "visible"
    overflow_y: str = "visible"
    clip: str = "auto"
    clip_path: str = "none"
    filter: str = "none"
    transform: str = "none"
    color: str = "rgb(0, 0, 0)"
    fill_color: str = "rgb(0, 0, 0)"
    stroke_width: str = "0px"
    text_security: str = "none"
    text_shadow: str = "none"
    background_color: str = "rgba(0, 0, 0, 0)"
    background_image: str = "none"
    background_clip: str = "border-box"
    direction: str = "ltr"
    unicode_bidi: str = "normal"
    writing_mode: str = "horizontal-tb"
    column_count: str = "auto"
    column_width: str = "auto"
    content_visibility: str = "visible"


@dataclass(frozen=True, slots=True)
class Rect:
    """A rectangle in CSS pixels."""

    x: float
    y: float
    width: float
    height: float

    @property
    def right(self) -> float:
        """The right edge."""
        return self.x + self.width

    @property
    def bottom(self) -> float:
        """The lower edge."""
        return self.y + self.height

    def covers(self, x: float, y: float) -> bool:
        """Return whether a point is inside."""
        return self.x <= x <= self.right and self.y <= y <= self.bottom


@dataclass(frozen=True, slots=True)
class TextBox:
    """A stretch of text in one line.

    Attributes:
        has_gap: whether collapsed white space precedes it.
        starts_at: offset in the text of its layout, in UTF-16 units.
    """

    text: str
    rect: Rect
    has_gap: bool = False
    starts_at: int = 0


@dataclass(slots=True)
class Layout:
    """The layout of a node; an element with generated ``content`` has several layouts.

    Attributes:
        text: as it is shown; None for an element's box.
        paint_order: larger for content that is painted later.
    """

    rect: Rect
    style: Style
    text: str | None
    paint_order: int
    boxes: list[TextBox] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class SnapshotDocument:
    """A document with its nodes, by number; each node comes after its parent.

    Attributes:
        url: its address.
        parents: number of each node's parent; -1 for the document itself.
        names: of elements in lower case; ``::before`` and similar names for generated content.
        layouts: of the nodes with a layout.
        in_shadow: nodes of shadow trees.
        pseudo: nodes of generated content.
        inputs: values of form fields.
        documents: index of the document in each frame, by the frame's node.
        ids: the browser's id of each node.
        sources: ``img`` nodes that show a picture.
        doctype: names and ids, as they follow ``<!DOCTYPE``; empty without one.
    """

    url: str
    parents: Sequence[int]
    types: Sequence[int]
    names: Sequence[str]
    values: Sequence[str]
    attributes: Sequence[Mapping[str, str]]
    layouts: Mapping[int, Sequence[Layout]]
    in_shadow: frozenset[int]
    pseudo: frozenset[int]
    inputs: Mapping[int, str]
    documents: Mapping[int, int]
    ids: Sequence[int]
    sources: frozenset[int]
    doctype: str = ""

    def __repr__(self) -> str:
        return f"SnapshotDocument({len(self.parents)} nodes)"


def documents_of(reply: Mapping[str, Any]) -> list[SnapshotDocument]:
    """Return the documents of a reply; the first one is the page or the frame itself."""
    reader = _SnapshotReader(reply["strings"])
    return [reader.document(document) for document in reply["documents"]]


class _SnapshotReader:
    """Reads documents that share one table of strings."""

    def __init__(self, strings: Sequence[str]) -> None:
        self._strings = strings
        self._styles: dict[tuple[int, ...], Style] = {}

    def document(self, document: Mapping[str, Any]) -> SnapshotDocument:
        nodes = document["nodes"]
        types: Sequence[int] = nodes["nodeType"]
        return SnapshotDocument(
            url=self._string_at(document["documentURL"]),
            parents=nodes["parentIndex"],
            types=types,
            names=[self._string_at(index).lower() for index in nodes["nodeName"]],
            values=[self._string_at(index) for index in nodes["nodeValue"]],
            attributes=[dict(self._attribute_pairs(indexes)) for indexes in nodes["attributes"]],
            layouts=self._layouts_by_node(document),
            in_shadow=frozenset(nodes["shadowRootType"]["index"]),
            pseudo=frozenset(nodes["pseudoType"]["index"]),
            inputs={**self._rare_values(nodes["inputValue"]), **self._rare_values(nodes["textValue"])},
            documents=dict(
                zip(
                    nodes["contentDocumentIndex"]["index"],
                    nodes["contentDocumentIndex"]["value"],
                    strict=True,
                )
            ),
            ids=nodes["backendNodeId"],
            sources=frozenset(self._rare_values(nodes["currentSourceURL"])),
            doctype=self._doctype_of(document) if DOCTYPE in types else "",
        )

    def _string_at(self, index: int) -> str:
        return self._strings[index] if index >= 0 else ""

    def _attribute_pairs(self, indexes: Sequence[int]) -> Iterator[tuple[str, str]]:
        texts = [self._string_at(index) for index in indexes]
        return zip(texts[::2], texts[1::2], strict=False)

    def _rare_values(self, column: Mapping[str, Sequence[int]]) -> dict[int, str]:
        values = zip(column["index"], map(self._string_at, column["value"]), strict=True)
        return {node: value for node, value in values if value}

    def _doctype_of(self, document: Mapping[str, Any]) -> str:
        nodes = document["nodes"]
        name = self._string_at(nodes["nodeName"][nodes["nodeType"].index(DOCTYPE)])
        public, system = self._string_at(document["publicId"]), self._string_at(document["systemId"])
        if public:
            name += f' PUBLIC "{public}"' + (f' "{system}"' if system else "")
        elif system:
            name += f' SYSTEM "{system}"'
        return name.replace(">", "")

    def _layouts_by_node(self, document: Mapping[str, Any]) -> dict[int, list[Layout]]:
        tree = document["layout"]
        every = [
            Layout(Rect(*bounds), self._style_of(styles), self._string_at(text) if text >= 0 else None, order)
            for bounds, styles, text, order in zip(
                tree["bounds"], tree["styles"], tree["text"], tree["paintOrders"], strict=True
            )
        ]
        _add_boxes(every, document["textBoxes"])
        by_node: dict[int, list[Layout]] = {}
        for node, layout in zip(tree["nodeIndex"], every, strict=True):
            by_node.setdefault(node, []).append(layout)
        return by_node

    def _style_of(self, indexes: Sequence[int]) -> Style:
        key = tuple(indexes)
        if key not in self._styles:
            self._styles[key] = Style(*map(self._string_at, key))
        return self._styles[key]


def _add_boxes(layouts: Sequence[Layout], boxes: Mapping[str, Any]) -> None:
    ends: dict[int, int] = {}
    for number, start, length, bounds in zip(
        boxes["layoutIndex"], boxes["start"], boxes["length"], boxes["bounds"], strict=True
    ):
        layout = layouts[number]
        text = _slice_utf16(layout.text or "", start, start + length)
        layout.boxes.append(TextBox(text, Rect(*bounds), start != ends.get(number, 0), start))
        ends[number] = start + length


def _slice_utf16(text: str, start: int, end: int) -> str:
    """Return a stretch of a text whose offsets count UTF-16 units."""
    if text.isascii() or max(text, default="") <= "\uffff":
        return text[start:end]
    units = text.encode("utf-16-le", "surrogatepass")
    return units[2 * start : 2 * end].decode("utf-16-le", "replace")
