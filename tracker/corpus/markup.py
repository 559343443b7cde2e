"""Visible text of XHTML, and of HTML without a surrounding page, with its headings.

This module reads chapters of books. Pages of web sites, with menus and adverts, are read by extraction.
Linear in the size; entities that a document declares are never expanded.
"""

import io
import re
from html.entities import html5
from pathlib import Path

from lxml import etree

from fingerprint.text.decoding import decode
from system.errors import PindnaError
from system.local_files import readable
from tracker.corpus.content import Content, WorkMetadata
from tracker.corpus.texts import storable

_HIDDEN = frozenset(
    [
        "head",
        "script",
        "style",
        "noscript",
        "template",
        "nav",
        "rt",
        "rp",
        "svg",
        "math",
        "iframe",
        "object",
        "audio",
        "video",
        "select",
        "textarea",
        "button",
    ]
)
_BLOCKS = frozenset(
    [
        "address",
        "article",
        "aside",
        "blockquote",
        "body",
        "center",
        "div",
        "figcaption",
        "figure",
        "footer",
        "form",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "header",
        "hr",
        "main",
        "p",
        "pre",
        "section",
        "dd",
        "dl",
        "dt",
        "li",
        "ol",
        "ul",
        "caption",
        "table",
        "tbody",
        "td",
        "th",
        "tr",
    ]
)
_HEADINGS = ("h1", "h2", "h3")  # headings of lower levels do not begin chapters
MAX_MARKUP = 2_000_000  # maximum number of tags; a novel of 30 MB has half of that
# Pictures embedded in an attribute. (Also, the HTML parser takes quadratic time in a tag's attributes.)
_LONG_TAG = re.compile(r"<[^<>]{1000,}>")
_SPACES = re.compile(r"[ \t\r\n\f]+")
_ENTITY = re.compile(r"&([A-Za-z][A-Za-z0-9]{1,31};)")
_XML_ENTITIES = frozenset(("amp;", "lt;", "gt;", "quot;", "apos;"))
_ENCODING = re.compile(r"^\s*<\?xml[^>]*\?>")


class TooMuchMarkup(PindnaError):
    """A document has too many tags and attributes for the memory.

    Attributes:
        path: the file or folder.
        limit: the limit.
    """

    template = "Skipped {path}: it contains more than {limit} tags and attributes. Save its text as .txt."


def markup_in(data: bytes) -> int:
    """Return the approximate number of tags and attributes of an XML or HTML document."""
    return data.count(b"<") + data.count(b"=")


def require_little_markup(data: bytes, path: Path) -> None:
    """Check that the tree of an XML or HTML document fits the memory: each node takes about 100 bytes.

    Args:
        data: the document.
        path: its name in messages.

    Raises:
        TooMuchMarkup: it may not fit.
    """
    if markup_in(data) > MAX_MARKUP:
        raise TooMuchMarkup(path=readable(path), limit=MAX_MARKUP)


def read_visible(data: bytes, path: Path) -> Content:
    """Return the visible text of a document.

    Args:
        data: XHTML or HTML in any encoding.
        path: its name in messages.

    Raises:
        TooMuchMarkup: its tree may not fit the memory.
    """
    require_little_markup(data, path)
    root = _parse_document(storable(decode(data).text))
    if root is None:
        return Content(text="")
    lines = _Lines()
    _walk_document(root, lines)
    text, headings = lines.joined()
    title = root.find(".//{*}title")
    name = "" if title is None else " ".join("".join(title.itertext()).split())
    return Content(text=text, headings=headings, metadata=WorkMetadata(title=name or None))


def _parse_document(markup: str) -> "etree._Element | None":
    """Return the root of a document: parsed as XML if it is well-formed, else as browsers parse HTML.

    Comments are dropped: the time to walk over many comments in a row is quadratic.
    """
    markup = _LONG_TAG.sub("", _ENCODING.sub("", markup))
    if "<!ENTITY" not in markup:  # a document that declares entities may be an expansion attack
        parser = etree.XMLParser(
            resolve_entities=False,
            no_network=True,
            huge_tree=True,
            encoding="utf-8",
            remove_comments=True,
            remove_pis=True,
        )
        try:
            return etree.fromstring(_ENTITY.sub(_decode_reference, markup).encode(), parser)
        except (etree.XMLSyntaxError, ValueError):
            pass
    try:
        lenient = etree.HTMLParser(
            no_network=True, huge_tree=True, encoding="utf-8", remove_comments=True, remove_pis=True
        )
        return etree.fromstring(markup.encode(), lenient)
    except (etree.XMLSyntaxError, ValueError):
        return None


def _decode_reference(match: re.Match[str]) -> str:
    name = match[1]
    return match[0] if name in _XML_ENTITIES else html5.get(name, match[0])


class _Lines:
    """The visible lines, and which of them are headings."""

    def __init__(self) -> None:
        self._text = io.StringIO()  # a list of millions of lines would take twenty times the memory
        self._headings: dict[int, str] = {}
        self._pieces: list[str] = []
        self._chars = 0
        self._heading: int | None = None  # start of the innermost heading

    def add(self, text: str | None, *, is_exact: bool) -> None:
        """Add to the line; line ends count where white space is exact."""
        if not text:
            return
        if not is_exact:
            self._pieces.append(_SPACES.sub(" ", text))
            return
        for line in io.StringIO(text, newline=None):  # without a list: there may be millions of lines
            self._pieces.append(line.removesuffix("\n"))
            if line.endswith("\n"):
                self.end()

    def end(self) -> None:
        """End the line, unless it is empty."""
        line = "".join(self._pieces).strip(" \t\r\n\f\xa0")
        self._pieces.clear()
        if not line.strip():
            return
        self._text.write(f"{line}\n")
        self._chars += len(line) + 1

    def begin_heading(self) -> None:
        """Begin a heading; it may have several lines."""
        self._heading = self._chars

    def end_heading(self) -> None:
        """End a heading; of nested headings only the innermost counts."""
        if self._heading is None:
            return
        start, self._heading = self._heading, None
        self._text.seek(start)
        if title := " ".join(self._text.read().split()):
            self._headings[start] = title

    def joined(self) -> tuple[str, dict[int, str]]:
        """Return the text with a line end after each line, and its headings by start offset."""
        self.end()
        return self._text.getvalue(), self._headings


def _walk_document(root: "etree._Element", lines: _Lines) -> None:
    """Walk a document without comments in reading order, without recursion."""
    exact = 0
    walk = etree.iterwalk(root, events=("start", "end"))
    for event, node in walk:
        tag = node.tag.rpartition("}")[2].lower()
        is_hidden = tag in _HIDDEN or "hidden" in node.attrib
        if event == "start":
            if is_hidden:
                walk.skip_subtree()
                continue
            exact += tag == "pre"
            if tag in _BLOCKS or tag == "br":
                lines.end()
            if tag in _HEADINGS:
                lines.begin_heading()
            lines.add(node.text, is_exact=exact > 0)
            continue
        if not is_hidden:
            if tag in _BLOCKS:
                lines.end()
            if tag in _HEADINGS:
                lines.end_heading()
            exact -= tag == "pre"
        lines.add(node.tail, is_exact=exact > 0)
