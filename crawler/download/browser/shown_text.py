"""Collects the visible text of a document, and the nodes that are at least partly visible. Pure."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from crawler.download.browser.lines import Container, LineBreak, LinePiece, LineSource, ShownLine, settle
from crawler.download.browser.reading_order import kernel_of
from crawler.download.browser.silent_text import silent_texts
from crawler.download.browser.snapshot import (
    ELEMENT,
    TEXT,
    Layout,
    Rect,
    SnapshotDocument,
    Style,
    TextBox,
)
from crawler.download.browser.visibility import Surroundings, colour_of, enter, is_legible_in_colour, is_shown

MAX_PLACE_CHARS = 120
_IN_LINE = frozenset({"inline", "contents", "ruby", "ruby-base", "math"})
_ASIDE = frozenset({"ruby-text", "ruby-text-container"})
_FRAMES = frozenset({"iframe", "frame", "object", "embed"})
_PICTURES = frozenset({"img", "video", "svg", "canvas"})
_MIN_FRAME = 20.0  # pixels; a smaller one shows nothing
_MIN_CANVAS = (200.0, 60.0)  # pixels; a smaller one shows no text
_MAX_GROUNDS = 2_000  # maximum number of elements that may be the background of a text outside of them
# maximum number of texts for which a background is searched; further texts count as having one
_MAX_SOUGHT = 1_000
# marks that override the direction to right-to-left, and marks that end this
_OVERRIDE, _ENDS_OF_OVERRIDE = "\u202e", "\u202c\u2069"
_LETTER = re.compile(r"[\w\u3001-\u303f\uff01-\uff5e]")
_MIN_MARKER = 6  # minimum letters of a list marker that counts as text
_FORMAT = dict.fromkeys(map(ord, "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"))


@dataclass(slots=True)
class ShownDocument:
    """The visible content of a document.

    Attributes:
        lines: in reading order, including those of its frames.
        nodes: at least partly visible nodes: texts, fields, frames.
        skipped: nodes whose layout the browser postpones until a reader scrolls there.
        unread_frames: number of frames without readable content.
        canvases: number of canvases that may show a text.
    """

    lines: list[ShownLine] = field(default_factory=list)
    nodes: set[int] = field(default_factory=set)
    skipped: set[int] = field(default_factory=set)
    unread_frames: int = 0
    canvases: int = 0


def show_document(
    document: SnapshotDocument,
    *,
    frames: Mapping[int, ShownDocument],
    source: LineSource = "page",
    outer: str = "",
) -> ShownDocument:
    """Return the visible content of a document.

    Args:
        document: with its layout.
        frames: content of its frames, by the frame's node.
        source: of its lines.
        outer: path of the frame that shows the document.
    """
    return _Walk(document, frames, source, outer).run()


def place_in(document: SnapshotDocument, node: int, outer: str = "") -> str:
    """Return the path of a node's element, such as ``body > div.a``.

    Args:
        document: with the node.
        node: number of the node.
        outer: path of the frame that shows the document.
    """
    names: list[str] = []
    while node > 0 and document.names[node] != "html":
        if document.types[node] == ELEMENT and node not in document.pseudo:
            names.append(document.names[node] + _label_of(document.attributes[node]))
        node = document.parents[node]
    path = " > ".join([*filter(None, [outer]), *reversed(names)])
    return path if len(path) <= MAX_PLACE_CHARS else "…" + path[1 - MAX_PLACE_CHARS :]


def _label_of(attributes: Mapping[str, str]) -> str:
    words = attributes.get("class", "").split()
    if words:
        return "." + words[0]
    return f"#{attributes['id']}" if attributes.get("id", "").strip() else ""


class _Walk:
    """Walks through the nodes of one document."""

    def __init__(
        self,
        document: SnapshotDocument,
        frames: Mapping[int, ShownDocument],
        source: LineSource,
        outer: str,
    ) -> None:
        self._document = document
        self._frames = frames
        self._source: LineSource = source
        self._outer = outer
        self._shown = ShownDocument()
        size = len(document.parents)
        self._surroundings = [Surroundings()] * size
        self._containers = [Container(0, Style())] * size
        self._is_rtl = False
        self._postponed_nodes = _postponed_nodes(document)
        self._grounds = [
            (node, layout)
            for node, layouts in document.layouts.items()
            for layout in layouts[:1]
            if document.types[node] == ELEMENT and _paints_ground(document.names[node], layout.style)
        ][:_MAX_GROUNDS]
        self._grounds_sought = 0

    def run(self) -> ShownDocument:
        every = self._containers[:1]
        for node, parent in enumerate(self._document.parents):
            if parent < 0:
                continue
            self._surroundings[node] = self._surroundings[parent]
            self._containers[node] = self._containers[parent]
            layouts = self._document.layouts.get(node, ())
            if self._document.types[node] == TEXT:
                self._add_text(node, layouts)
            elif self._document.types[node] == ELEMENT:
                every += self._enter_element(node, parent, layouts)
        for container in reversed(every):
            settle(container, lambda node: place_in(self._document, node, self._outer))
        self._shown.lines = [line for line in every[0].lines if line.text.strip()] if every else []
        return self._shown

    def _enter_element(self, node: int, parent: int, layouts: Sequence[Layout]) -> Iterator[Container]:
        """Enter an element; yield its container if it has a new one."""
        if node in self._postponed_nodes:
            self._shown.skipped.add(node)
        if not layouts:
            return
        layout, name = layouts[0], self._document.names[node]
        if name == "html":
            self._is_rtl = layout.style.direction == "rtl"
        is_root = name in ("html", "body")
        self._surroundings[node] = enter(
            self._surroundings[parent], layout.style, layout.rect, is_root=is_root
        )
        if layout.style.display not in _IN_LINE:
            container, inner = self._containers[parent], Container(node, layout.style)
            if layout.style.display in _ASIDE:
                container.aside.append(inner)
            else:
                container.items.append(inner)
            self._containers[node] = inner
            yield inner
        for part_layout in layouts:  # parts: generated content, and forced line breaks
            for box in part_layout.boxes:
                self._add_box(node, part_layout, box)
        yield from self._visible_non_text(node, name, layout)

    def _add_text(self, node: int, layouts: Sequence[Layout]) -> None:
        for layout in layouts:
            for box in layout.boxes:
                self._add_box(node, layout, box)
        text = self._document.values[node]
        if node in self._postponed_nodes and text.strip():
            self._shown.skipped.add(node)
            self._containers[node].items.append(self._single_line(node, text))

    def _add_box(self, node: int, layout: Layout, box: TextBox) -> None:
        items, surroundings = self._containers[node].items, self._surroundings[node]
        if box.text == "\n" and not box.rect.width:
            items.append(LineBreak())
            return
        if not self._is_seen(box, layout, surroundings) or self._is_ornament(node, box.text):
            return
        if not is_legible_in_colour(layout.style, surroundings) and not self._has_ground(node, layout, box):
            return
        if box.text.strip():
            self._shown.nodes.add(node)
        text = _text_left_to_right(box, layout, surroundings).replace("\n", " ")
        last = items[-1] if items else None
        if (
            box.has_gap
            and isinstance(last, LinePiece)
            and last.node == node
            and not _are_spaced(last.text, text)
        ):
            text = " " + text
        items.append(LinePiece(text, box.rect, node, self._source_of(node)))

    def _is_seen(self, box: TextBox, layout: Layout, surroundings: Surroundings) -> bool:
        rect = box.rect
        # readers cannot scroll to this position
        if rect.bottom <= 0 or (rect.right <= 0 and not self._is_rtl):
            return False
        return is_shown(box, layout.style, surroundings)

    def _is_ornament(self, node: int, text: str) -> bool:
        """Return whether generated content is a bullet, a number or an icon."""
        if node not in self._document.pseudo:
            return False
        letters = len(_LETTER.findall(text))
        return letters < _MIN_MARKER if self._document.names[node] == "::marker" else letters == 0

    def _has_ground(self, node: int, layout: Layout, box: TextBox) -> bool:
        """Return whether an element outside the text's ancestors may be its background."""
        colour = colour_of(layout.style.fill_color)
        if colour is None or colour[3] < 1:
            return False
        self._grounds_sought += 1
        if self._grounds_sought > _MAX_SOUGHT:
            return True
        x, y = box.rect.x + box.rect.width / 2, box.rect.y + box.rect.height / 2
        return any(
            other.paint_order <= layout.paint_order
            and colour_of(other.style.background_color) != colour
            and other.rect.covers(x, y)
            and not self._is_in(node, painter)
            for painter, other in self._grounds
        )

    def _is_in(self, node: int, ancestor: int) -> bool:
        while node > ancestor:
            node = self._document.parents[node]
        return node == ancestor

    def _source_of(self, node: int) -> LineSource:
        if node in self._document.pseudo or self._document.parents[node] in self._document.pseudo:
            return "content"
        return "shadow" if self._source == "page" and node in self._document.in_shadow else self._source

    def _visible_non_text(self, node: int, name: str, layout: Layout) -> Iterator[Container]:
        """Yield containers for visible content that is not text of the tree."""
        texts = silent_texts(self._document, node, name)
        if not (texts or name in _FRAMES or name == "canvas"):
            return
        if not self._is_seen(TextBox("", layout.rect), layout, self._surroundings[node]):
            return
        if name in _FRAMES:
            self._add_frame(node, name, layout.rect)
        elif name == "canvas":
            size = layout.rect.width, layout.rect.height
            self._shown.canvases += size[0] >= _MIN_CANVAS[0] and size[1] >= _MIN_CANVAS[1]
        for text in texts:
            line = self._single_line(node, text, layout.rect)
            line.is_label = name == "img"
            self._containers[node].items.append(line)
            yield line

    def _single_line(self, node: int, text: str, rect: Rect | None = None) -> Container:
        """Return a container with one line, for text without boxes."""
        self._shown.nodes.add(node)
        line = ShownLine(
            " ".join(text.split()),
            place_in(self._document, node, self._outer),
            self._source_of(node),
        )
        return Container(node, Style(), lines=[line], kernel=kernel_of(rect) if rect else None)

    def _add_frame(self, node: int, name: str, rect: Rect) -> None:
        if min(rect.width, rect.height) < _MIN_FRAME:
            return
        inner = self._frames.get(node)
        if inner is None:
            address = self._document.attributes[node].get("src", "").strip()
            has_page = name in ("iframe", "frame") and address and not address.startswith("about:")
            self._shown.unread_frames += bool(has_page)
            return
        self._shown.nodes.add(node)
        self._shown.unread_frames += inner.unread_frames
        self._shown.canvases += inner.canvases
        lines = [ShownLine(line.text, line.path, line.source) for line in inner.lines]
        self._containers[node].items.append(Container(node, Style(), lines=lines, kernel=kernel_of(rect)))


def _postponed_nodes(document: SnapshotDocument) -> set[int]:
    """Return the nodes whose layout the browser postpones because they are off the screen."""
    has_box = [
        any(layout.boxes for layout in document.layouts.get(node, ()))
        for node in range(len(document.parents))
    ]
    for node in range(len(has_box) - 1, 0, -1):
        has_box[document.parents[node]] |= has_box[node]
    postponed: set[int] = set()
    for node, parent in enumerate(document.parents):
        layouts = document.layouts.get(node)
        is_auto = layouts is not None and layouts[0].style.content_visibility == "auto"
        if parent in postponed or (is_auto and not has_box[node] and document.types[node] == ELEMENT):
            postponed.add(node)
    return postponed


def _paints_ground(name: str, style: Style) -> bool:
    if name in _PICTURES or style.background_image != "none":
        return True
    colour = colour_of(style.background_color)
    return colour is None or colour[3] == 1


def _text_left_to_right(box: TextBox, layout: Layout, surroundings: Surroundings) -> str:
    text = box.text
    if surroundings.runs_backwards or _is_overridden(box, layout):
        text = text[::-1]
    return text.translate(_FORMAT)


def _is_overridden(box: TextBox, layout: Layout) -> bool:
    """Return whether a control character forces the letters of a box from right to left."""
    whole = layout.text or ""
    begun = whole.rfind(_OVERRIDE, 0, box.starts_at + 1)
    return begun >= 0 and not any(end in whole[begun : box.starts_at + 1] for end in _ENDS_OF_OVERRIDE)


def _are_spaced(before: str, text: str) -> bool:
    return before.endswith(" ") or text.startswith(" ")
