"""A walk over a whole page that skips nothing: texts, attributes, scripts, style sheets. Pure, linear.

It runs before anything is removed from the tree, and ignores every style, tag and attribute that hides
content. Blocks and line breaks separate lines. All text of a line stays together, shown or hidden.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Protocol

from crawler.extraction.marked import ADDRESSES, MIN_DATA_CHARS, MarkedElements, is_document
from crawler.extraction.parsing import BLOCKS, Element
from crawler.extraction.rest.chinese import chinese_lines, chinese_of, has_chinese
from crawler.extraction.rest.generated import GeneratedTexts
from crawler.extraction.rest.order import MIN_PIECES
from crawler.extraction.rest.strings import data_lines, script_lines, sheet_lines
from crawler.extraction.rest.text_lines import Location, Node, Source, TextLine, node_inside

# Elements that begin a line, in addition to blocks.
_BREAKS = BLOCKS | frozenset(
    {
        "audio",
        "canvas",
        "caption",
        "details",
        "dialog",
        "dir",
        "figure",
        "foreignobject",
        "frameset",
        "head",
        "html",
        "iframe",
        "legend",
        "link",
        "marquee",
        "menu",
        "meta",
        "noembed",
        "noframes",
        "noscript",
        "optgroup",
        "option",
        "plaintext",
        "script",
        "select",
        "style",
        "summary",
        "template",
        "title",
        "video",
        "xmp",
    }
)
# beginnings of the names of handlers of user events
_BY_READERS = ("onclick", "onmouse", "onkey", "ontouch", "onsubmit", "onchange")
_NOT_PLAIN = re.compile(r"[<&\n\[{]")  # characters that show markup, lines or data in a value
_MAX_KEPT_CHARS = 500  # maximum characters of an attribute whose lines are cached
_MIN_INSERTED = 2  # minimum number of attribute texts in a line that the page may show there
_MAX_ALONE = 4  # maximum characters of a single attribute text that the page may show in a line
_HAVE_LINES = frozenset({"pre", "textarea", "xmp", "plaintext", "listing"})
# a text that is longer and has a lower share of Chinese is data
_MIN_DATA_TEXT, _MIN_CHINESE_SHARE = 2_000, 0.3
_SHOWN_VALUES = frozenset({"alt", "value", "placeholder", "label"})
_DATA_SCRIPTS = ("template", "text/html", "text/plain", "text/x-")


class InnerDocuments(Protocol):
    """Reader of documents inside a page."""

    def read(self, value: str, node: Node, name: str) -> Sequence[TextLine]:
        """Return the lines of a document, from a ``srcdoc`` attribute or an address with data."""

    def read_written(self, text: str, node: Node) -> Sequence[TextLine]:
        """Return the lines of markup in a script's strings."""

    def read_markup(self, markup: str, node: Node | None) -> Sequence[TextLine]:
        """Return the lines of markup that a script may write."""

    def read_sheet(self, sheet: str, node: Node) -> Sequence[TextLine]:
        """Return the lines of documents that a style sheet names."""


@dataclass(slots=True)
class _Line:
    """A line under construction: its texts, their elements, and text that may be shown between them."""

    pieces: list[str] = field(default_factory=list)
    owners: list[Node] = field(default_factory=list)
    inserted: list[tuple[int, str]] = field(default_factory=list)


@dataclass(slots=True)
class Walk:
    """The walk over one tree.

    Args:
        documents: reader of documents inside the page.
        generated: text that the page's sheets add to elements.
        marked: attributes of its elements.

    Attributes:
        lines: lines of Chinese, in document order.
        texts: every text, attribute and script with Chinese as it was read, to count missing text.
        scripts: contents of scripts that are programs.
        sheets: contents of style sheets.
    """

    documents: InnerDocuments
    generated: GeneratedTexts
    marked: MarkedElements
    lines: list[TextLine] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    scripts: list[str] = field(default_factory=list)
    sheets: list[str] = field(default_factory=list)
    _line: _Line = field(default_factory=_Line)
    _makes: bool = False

    def __post_init__(self) -> None:
        self._makes = bool(self.generated.keys)

    # A single loop, because a call for each element would take a tenth of the time of reading a page.
    def run(self, root: Element, parent: Node | None = None) -> None:  # noqa: C901, PLR0912
        """Walk over an element and all its descendants."""
        breaks, makes, add_text, end = _BREAKS, self._makes, self._add_text, self._end
        pieces, owners, inserted = self._line.pieces, self._line.owners, self._line.inserted
        readable, labels, moved = self.marked.readable, self.marked.labels, self.marked.moved
        outer = block = node_inside(parent, str(root.tag), labels.get(root, ""), element=root)
        siblings, locations = iter((root,)), dict[tuple[Location, str, str], Location]()
        around: list[tuple[Iterator[Element], Node, Node, Element]] = []
        while True:
            for element in siblings:
                tag, text, node = element.tag, element.text, outer
                if not isinstance(tag, str):  # an XML entity, which has no name; comments are not in the tree
                    self._add(text, outer)
                    self._add(element.tail, outer)
                    continue
                is_break, is_leaf = tag in breaks, not len(element)
                if is_break and (pieces or inserted):
                    end(block)
                if text or not is_leaf or makes or element in readable:
                    key = (outer[1], tag, labels.get(element, ""))
                    if (location := locations.get(key)) is None:
                        location = locations[key] = Location(tag, key[2], outer[1])
                    node = tuple.__new__(Node, (element, location, outer, element in moved))
                    if makes or element in readable:
                        self._enter(element, node)
                    if text and (pieces or not text.isspace()):
                        add_text(element, text, node)
                if not is_leaf:
                    around.append((siblings, outer, block, element))
                    siblings, outer, block = iter(element), node, node if is_break else block
                    break
                if makes or (is_break and (pieces or inserted)):
                    self._leave(element, node)
                if (tail := element.tail) and (pieces or not tail.isspace()):
                    pieces.append(tail)
                    owners.append(outer)
            else:
                if not around:
                    break
                node = outer
                siblings, outer, block, element = around.pop()
                if makes or pieces or inserted:
                    self._leave(element, node)
                self._add(element.tail, outer)
        end(block)

    def _enter(self, element: Element, node: Node) -> None:
        """Read the text that is shown before an element, and its attributes."""
        if self._makes:
            self._insert(self.generated.before(element))
        for name, value in self.marked.readable.get(element, ()):
            self._attribute(name, value, node)

    def _leave(self, element: Element, node: Node) -> None:
        if self._makes:
            self._insert(self.generated.after(element))
        if node[1].tag in _BREAKS:
            self._end(node)

    def _add_text(self, element: Element, text: str, node: Node) -> None:
        tag = node[1].tag
        if tag == "script":
            self._script(element, text, node)
        elif tag == "style":
            self._sheet(text, node)
        else:
            self._line.pieces.append(text)
            self._line.owners.append(node)
            if tag == "textarea" and "<" in text:
                self.lines += self.documents.read_markup(text, node)

    def _add(self, text: str | None, owner: Node) -> None:
        if text and (self._line.pieces or not text.isspace()):
            self._line.pieces.append(text)
            self._line.owners.append(owner)

    def _insert(self, text: str) -> None:
        """Add a text that a browser may show in the line, in addition to the page's text."""
        if text:
            self._line.inserted.append((len(self._line.pieces), text))

    def _end(self, block: Node) -> None:
        line = self._line
        if line.pieces:
            text = "".join(line.pieces)
            if not text.isascii():
                self._finish(text, "text", block)
        if line.inserted:
            self._end_inserted(block)
        if line.pieces:
            line.pieces.clear()
            line.owners.clear()

    def _end_inserted(self, block: Node) -> None:
        line = self._line
        is_split = len(line.inserted) >= _MIN_INSERTED or len(line.inserted[0][1]) <= _MAX_ALONE
        if is_split and (line.pieces or self._makes):
            pieces, at = list[str](), 0
            for number, text in line.inserted:
                pieces += (*line.pieces[at:number], text)
                at = number
            self._finish("".join((*pieces, *line.pieces[at:])), "attribute", block)
        line.inserted.clear()

    def _finish(self, text: str, source: Source, block: Node) -> None:
        if not has_chinese(text):
            return
        owners, is_text = self._line.owners, source == "text"
        if is_text:
            self.texts.append(text)
        if len(text) >= _MIN_DATA_TEXT and len(chinese_of(text)) < _MIN_CHINESE_SHARE * len(text):
            lines: Iterable[str] = script_lines(text)
        elif block[1].tag in _HAVE_LINES:
            lines = [" ".join(line.split()) for line in text.split("\n") if has_chinese(line)]
            if "<" in text or "&" in text:
                lines += chinese_lines(text)
        elif "<" in text or "&" in text:
            lines = chinese_lines(text)
        else:
            pieces = tuple(self._line.pieces) if is_text and len(owners) >= MIN_PIECES else ()
            fields = (" ".join(text.split()), source, block, tuple(owners), "", pieces)
            self.lines.append(tuple.__new__(TextLine, fields))
            return
        inline = tuple(owners)
        self.lines += [TextLine(line, source, block, inline) for line in lines]

    def _attribute(self, name: str, value: str, node: Node) -> None:
        if name == "srcdoc" or is_document(value):
            self.texts.append(value)
            self.lines += self.documents.read(value, node, name)
            return
        is_chinese = has_chinese(value)
        if is_chinese:
            self.texts.append(value)
        elif name in ADDRESSES or (len(value) < MIN_DATA_CHARS and "\\" not in value):
            return
        if name.startswith("on") and not name.startswith(_BY_READERS):
            self.scripts.append(value)
            self.lines += self.documents.read_written(value, node)
        if name == "style":
            lines, source = sheet_lines(value), "style"
            if "data:" in value:
                self.lines += self.documents.read_sheet(value, node)
        else:
            read = _value_lines if len(value) <= _MAX_KEPT_CHARS else _value_lines.__wrapped__
            lines, source = read(value, is_chinese=is_chinese), "attribute"
            if "<" in value:
                self.lines += self.documents.read_markup(value, node)
        if not lines:
            return
        self.lines += [tuple.__new__(TextLine, (line, source, node, (), name, ())) for line in lines]
        is_shown = name in _SHOWN_VALUES or name in self.generated.attributes
        if source == "attribute" and len(lines) == 1 and is_shown:
            self._insert(lines[0])

    def _script(self, element: Element, text: str, node: Node) -> None:
        kind = (element.get("type") or "").lower()
        if not text.isascii():
            self.texts.append(text)
        if kind.startswith(_DATA_SCRIPTS) or "template" in kind:
            lines: Iterable[str] = chinese_lines(text)
        else:
            lines = script_lines(text)
            if "json" not in kind:
                self.scripts.append(text)
        self.lines += [TextLine(line, "script", node) for line in lines]
        self.lines += self.documents.read_written(text, node)

    def _sheet(self, text: str, node: Node) -> None:
        self.sheets.append(text)
        if not text.isascii():
            self.texts.append(text)
        self.lines += [TextLine(line, "style", node) for line in sheet_lines(text)]


@lru_cache(maxsize=4096)  # cached, because links and pictures often have equal values
def _value_lines(value: str, *, is_chinese: bool) -> tuple[str, ...]:
    """Return the lines of Chinese in an attribute's value; most values are a few plain words."""
    if is_chinese and _NOT_PLAIN.search(value) is None:
        return (" ".join(value.split()),)
    return tuple(data_lines(value))
