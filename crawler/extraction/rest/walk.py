"""A walk over a whole page that skips nothing: texts, attributes, scripts, style sheets. Pure, linear.

It runs before anything is removed from the tree, and it believes no style, no tag and no attribute that hides
something. Lines are what blocks and line breaks divide; what is in a line stays together, shown or hidden.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from crawler.extraction.parsing import BLOCKS, Element
from crawler.extraction.rest.chinese import chinese_lines, chinese_of, has_chinese
from crawler.extraction.rest.found import Found, Node, Source
from crawler.extraction.rest.generated import Generated
from crawler.extraction.rest.order import MIN_PIECES
from crawler.extraction.rest.strings import data_lines, script_lines, sheet_lines

# Elements that begin a line besides the usual blocks.
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
_ADDRESSES = frozenset(
    {"href", "src", "action", "srcset", "data-src", "data-original", "data-href", "data-url"}
)
_DOCUMENTS = ("data:", "javascript:")
_BY_READERS = ("onclick", "onmouse", "onkey", "ontouch", "onsubmit", "onchange")  # handlers that wait for one
_MIN_DATA_CHARS = 60  # of a value in ASCII that can be encoded Chinese
_MIN_INSERTED = 2  # texts of attributes in a line that may be shown in it
_MAX_ALONE = 4  # characters of one that is alone
_HAVE_LINES = frozenset({"pre", "textarea", "xmp", "plaintext", "listing"})
_MIN_DATA_TEXT, _MIN_CHINESE_SHARE = 2_000, 0.3  # a longer text with less Chinese is data
_SHOWN_VALUES = frozenset({"alt", "value", "placeholder", "label"})
_DATA_SCRIPTS = ("template", "text/html", "text/plain", "text/x-")

# Finds the texts of a document inside the page: an address or a value of ``srcdoc``, and where it is.
ReadDocument = Callable[[str, Node, str], Sequence[Found]]


@dataclass(slots=True)
class _Line:
    """Collects a line."""

    pieces: list[str] = field(default_factory=list)
    nodes: list[Node] = field(default_factory=list)
    inserted: list[tuple[int, str]] = field(default_factory=list)


@dataclass(slots=True)
class Walk:
    """The walk over one tree.

    Args:
        read_document: reads documents inside the page.
        generated: what the page's sheets put before and behind elements.

    Attributes:
        found: lines of Chinese, in document order.
        texts: every text, attribute and script with Chinese as it was read, to count what is missing.
        scripts: contents of scripts that are programs.
        sheets: contents of style sheets.
    """

    read_document: ReadDocument
    generated: Generated
    found: list[Found] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    scripts: list[str] = field(default_factory=list)
    sheets: list[str] = field(default_factory=list)
    _line: _Line = field(default_factory=_Line)
    _makes: bool = False

    def __post_init__(self) -> None:
        self._makes = bool(self.generated.keys)

    def run(self, root: Element, parent: Node | None = None) -> None:
        """Walk over an element and everything in it."""
        line, breaks, makes = self._line, _BREAKS, self._makes
        node = self._enter(root, parent)
        siblings, block = iter(root), node
        around: list[tuple[Iterator[Element], Node, Node]] = []
        while True:
            for element in siblings:
                tag = element.tag
                if not isinstance(tag, str):  # an entity of XML, for comments are not parsed
                    self._add(element.text, node)
                    self._add(element.tail, node)
                    continue
                is_break = tag in breaks
                if is_break and (line.pieces or line.inserted):
                    self._end(block)
                child = self._enter(element, node)
                if len(element):
                    around.append((siblings, node, block))
                    siblings, node, block = iter(element), child, child if is_break else block
                    break
                if makes:
                    self._insert(self.generated.after(element))
                if is_break and (line.pieces or line.inserted):
                    self._end(child)
                if (tail := element.tail) and (line.pieces or not tail.isspace()):
                    line.pieces.append(tail)
                    line.nodes.append(node)
            else:
                if not around:
                    break
                child = node
                siblings, node, block = around.pop()
                self._leave(child, node)
        self._end(block)

    def _enter(self, element: Element, parent: Node | None) -> Node:
        tag, name = element.tag, ""
        strange: list[tuple[str, str]] | None = None
        for pair in element.items():
            attribute, value = pair
            if attribute == "id":
                name = f"#{value}"
            elif attribute == "class" and not name:
                name = f".{value}"
            elif attribute == "srcdoc":
                strange = [pair] if strange is None else [*strange, pair]
                continue
            if not value.isascii() or len(value) >= _MIN_DATA_CHARS or "\\" in value:
                strange = [pair] if strange is None else [*strange, pair]
        node = tuple.__new__(Node, (element, tag, name, parent))
        if self._makes:
            self._insert(self.generated.before(element))
        for attribute, value in strange or ():
            self._attribute(attribute, value, node)
        if text := element.text:
            self._text(element, text, node)
        return node

    def _text(self, element: Element, text: str, node: Node) -> None:
        """Read what an element begins with."""
        if node.tag == "script":
            self._script(element, text, node)
        elif node.tag == "style":
            self._sheet(text, node)
        else:
            self._add(text, node)

    def _leave(self, node: Node, parent: Node) -> None:
        """End an element: what stands behind it belongs to its parent."""
        element = node.element
        if element is None:
            return
        if self._makes:
            self._insert(self.generated.after(element))
        if node.tag in _BREAKS:
            self._end(node)
        self._add(element.tail, parent)

    def _add(self, text: str | None, node: Node) -> None:
        if text and (self._line.pieces or not text.isspace()):
            self._line.pieces.append(text)
            self._line.nodes.append(node)

    def _insert(self, text: str) -> None:
        """Add a text that a browser may show in the line, besides the text of the page."""
        if text:
            self._line.inserted.append((len(self._line.pieces), text))

    def _end(self, block: Node) -> None:
        """End a line."""
        line = self._line
        if line.pieces:
            text = "".join(line.pieces)
            if not text.isascii():
                self._finish(text, "text", block)
        if line.inserted:
            self._end_inserted(block)
        line.pieces.clear()
        line.nodes.clear()

    def _end_inserted(self, block: Node) -> None:
        """End a line that a browser may show with more text in it than the page has."""
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
        inline = tuple(self._line.nodes)
        is_text = source == "text"
        if is_text:
            self.texts.append(text)
        if len(text) >= _MIN_DATA_TEXT and len(chinese_of(text)) < _MIN_CHINESE_SHARE * len(text):
            lines: Iterable[str] = script_lines(text)
        elif block.tag in _HAVE_LINES:
            lines = [" ".join(line.split()) for line in text.split("\n") if has_chinese(line)]
            if "<" in text or "&" in text:
                lines += chinese_lines(text)
        elif "<" in text or "&" in text:
            lines = chinese_lines(text)
        else:
            pieces = tuple(self._line.pieces) if is_text and len(inline) >= MIN_PIECES else ()
            self.found.append(Found(" ".join(text.split()), source, block, inline, "", pieces))
            return
        self.found += [Found(line, source, block, inline) for line in lines]

    def _attribute(self, name: str, value: str, node: Node) -> None:
        is_document = name == "srcdoc" or value[:40].lstrip().lower().startswith(_DOCUMENTS)
        if is_document:
            self.texts.append(value)
            self.found += self.read_document(value, node, name)
            return
        is_chinese = has_chinese(value)
        if is_chinese:
            self.texts.append(value)
        elif name in _ADDRESSES or (len(value) < _MIN_DATA_CHARS and "\\" not in value):
            return
        if name == "style":
            self.found += [Found(line, "style", node, detail=name) for line in sheet_lines(value)]
            return
        if name.startswith("on") and not name.startswith(_BY_READERS):
            self.scripts.append(value)
        lines = list(data_lines(value))
        self.found += [Found(line, "attribute", node, detail=name) for line in lines]
        if len(lines) == 1 and (name in _SHOWN_VALUES or name in self.generated.attributes):
            self._insert(lines[0])

    def _script(self, element: Element, text: str, node: Node) -> None:
        kind = (element.get("type") or "").lower()
        if not text.isascii():
            self.texts.append(text)
        if kind.startswith(_DATA_SCRIPTS) or "template" in kind:
            lines: Iterator[str] = chinese_lines(text)
        else:
            lines = script_lines(text)
            if "json" not in kind:
                self.scripts.append(text)
        self.found += [Found(line, "script", node) for line in lines]

    def _sheet(self, text: str, node: Node) -> None:
        self.sheets.append(text)
        if not text.isascii():
            self.texts.append(text)
        self.found += [Found(line, "style", node) for line in sheet_lines(text)]
