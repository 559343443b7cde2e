"""Parsing of HTML to a tree, and basic queries on trees. Pure."""

import re
import zlib
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import TypeAlias

# lxml has no type annotations. So only this module of the package imports it.
from lxml import html
from lxml.etree import ElementDefaultClassLookup, ParserError, XPath, XPathError, _Element, iterwalk

from crawler.extraction.markup import MAX_DEPTH, is_ordinary, simplify, without_early_end_tags
from crawler.extraction.xhtml import xhtml_tree
from fingerprint.text.decoding import Decoded, decode, looks_binary

__all__ = [
    "BLOCKS",
    "SHOWN_BY_SCRIPT",
    "SILENT",
    "Element",
    "ParsedPage",
    "Tree",
    "XPath",
    "XPathError",
    "charset_of",
    "content_lines",
    "count_chars",
    "decode_page",
    "is_element",
    "is_node",
    "is_silent",
    "iterwalk",
    "label_of",
    "lines_of",
    "parse",
    "parse_page",
    "remove_element",
    "serialize",
    "text_of",
    "topmost",
    "unpack",
    "visible_chars",
    "without_controls",
]

Tree: TypeAlias = html.HtmlElement
Element: TypeAlias = _Element

_HEAD_BYTES = 4096
_META_CHARSET = re.compile(rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([\w-]{2,20})", re.IGNORECASE)
_CONTROL_BYTES = bytes((*range(0x09), 0x0B, *range(0x0E, 0x1B), *range(0x1C, 0x20)))
_NO_MARKUP = _CONTROL_BYTES + b"\x1b\x7f"  # control bytes in UTF-8 at which the parser would stop
_CONTROLS_IN_NAME = re.compile(rb"</?[a-zA-Z][^\s<>/]*[\x00-\x08\x0e-\x1b\x7f][^\s<>/]*")
_NAME_LETTERS = bytes(0x5F if byte in _NO_MARKUP else byte for byte in range(256))
_PAGE_START = re.compile(rb"<(?:!doctype\s+html|html|head|body)\b", re.IGNORECASE)
SILENT = frozenset(
    {
        "script",
        "style",
        "noscript",
        "template",
        "head",
        "iframe",
        "select",
        "option",
        "button",
        "svg",
        "object",
        "rp",
        "rt",
        "rtc",
    }
)
BLOCKS = frozenset(
    {
        "address",
        "article",
        "aside",
        "blockquote",
        "body",
        "center",
        "dd",
        "div",
        "dl",
        "dt",
        "fieldset",
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
        "li",
        "main",
        "nav",
        "ol",
        "p",
        "pre",
        "section",
        "table",
        "tbody",
        "td",
        "textarea",
        "tfoot",
        "th",
        "thead",
        "tr",
        "ul",
        "br",
    }
)
SHOWN_BY_SCRIPT = "js_content"  # id of the article on WeChat's pages, which a style hides until a script runs
_GZIP = b"\x1f\x8b"
_MAX_FIELD_PIECES = 1_000  # maximum number of texts and element edges in a title or an author
_MAX_LABEL_EVENTS = 60  # maximum number of starts and ends of elements in a label
_MAX_BYTES = 16 * 1024 * 1024
_MAX_DEPTH = 2000  # maximum depth of elements; libxml2 drops elements nested deeper than 2,047
_HIDDEN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ParsedPage:
    """A page's tree.

    Attributes:
        tree: its root.
        is_whole: whether it contains every tag of the page.
    """

    tree: Tree
    is_whole: bool


def decode_page(data: bytes, *, declared: str | None) -> Decoded:
    """Decode a page; ``declared`` is the charset of its header, which precedes the page's meta element."""
    return decode(data, declared=charset_of(data, declared=declared))


def charset_of(data: bytes, *, declared: str | None) -> str | None:
    """Return the charset that a browser uses: from the header, else from the page's meta element."""
    charset = None if declared else _META_CHARSET.search(data, 0, _HEAD_BYTES)
    return charset[1].decode("ascii") if charset else declared


def unpack(data: bytes) -> bytes:
    """Return the content of a gzip stream, as far as it goes and up to a limit; other bytes unchanged.

    Some servers send compressed pages without declaring it, and saved pages are stored compressed.
    """
    if not data.startswith(_GZIP):
        return data[:_MAX_BYTES]
    try:
        return zlib.decompressobj(wbits=31).decompress(data, _MAX_BYTES)
    except zlib.error:
        return data[:_MAX_BYTES]


def without_controls(data: bytes) -> bytes | None:
    """Return a page without the control bytes that make it look binary, because a browser skips them.

    Returns None if the page is binary: it does not begin like a page, or still looks binary without these
    bytes.
    """
    if not looks_binary(data):
        return data
    bare = _without_controls_in_names(data).translate(None, _CONTROL_BYTES)
    return bare if _PAGE_START.search(bare, 0, _HEAD_BYTES) and not looks_binary(bare) else None


def _without_controls_in_names(data: bytes) -> bytes:
    """Return a page with another letter for each control byte in element names.

    In browsers, a control byte is part of the name: ``script`` with a NUL in it does not start a script.
    """
    return _CONTROLS_IN_NAME.sub(lambda tag: tag[0].translate(_NAME_LETTERS), data)


def parse(text: str) -> Tree | None:
    """Return the tree of a page; None if it has no element."""
    page = parse_page(text)
    return None if page is None else page.tree


def parse_page(text: str, *, is_xml: bool = False) -> ParsedPage | None:
    """Parse a page; None if it has no element.

    Markup that would slow the parser down, or make it drop content, is simplified first; no text is lost.

    Args:
        text: the page's markup.
        is_xml: it was served as XML. If it is not XHTML, it is read as HTML.
    """
    characters = text.replace("\ufffe", "").replace("\uffff", "")
    encoded = characters.encode("utf-8", "ignore")  # without lone surrogates
    clean = encoded.translate(None, _NO_MARKUP)
    if len(clean) < len(encoded):
        clean = _without_controls_in_names(encoded).translate(None, _NO_MARKUP)
    if is_xml and (tree := xhtml_tree(clean)) is not None:
        return ParsedPage(tree, is_whole=True)
    clean = without_early_end_tags(clean)
    if is_ordinary(clean):
        tree = _tree(clean)
        if tree is None or not _is_cut(tree):
            return None if tree is None else ParsedPage(tree, is_whole=True)
    for depth in (MAX_DEPTH, 0):
        tree = _tree(simplify(clean.decode(), depth=depth).encode())
        if tree is None or not _is_cut(tree):
            break
    return None if tree is None else ParsedPage(tree, is_whole=False)


def serialize(tree: Tree) -> str:
    """Return a tree as a whole HTML document."""
    document: str = html.tostring(tree, encoding="unicode", doctype="<!DOCTYPE html>")
    return document


# lxml.html calls Python to look up the class of each accessed element. Special classes, as for forms, are not
# needed here.
_ONE_CLASS = ElementDefaultClassLookup(element=html.HtmlElement)


def _tree(markup: bytes) -> Tree | None:
    parser = html.HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True, huge_tree=True)
    parser.set_element_class_lookup(_ONE_CLASS)
    try:
        tree: Tree = html.document_fromstring(markup, parser=parser)
    except ParserError:  # the page has only white space and comments
        return None
    return tree


def _is_cut(tree: Tree) -> bool:
    """Return whether the parser gave up: the last element is then at the maximum depth."""
    node, depth = tree, 0
    while len(node):
        node, depth = node[-1], depth + 1
    return depth >= _MAX_DEPTH


def remove_element(element: Element) -> None:
    """Remove an element from its page; an empty ``span`` replaces it.

    Dropping elements one by one joins the text after them repeatedly, which is quadratic.
    """
    element.clear(keep_tail=True)
    element.tag = "span"


def topmost(elements: Collection[Element]) -> set[Element]:
    """Return the elements without an ancestor among the others; each ancestor is visited once."""
    inside: dict[Element, bool] = {}
    for element in elements:
        path, node = [], element.getparent()
        while node is not None and node not in inside:
            path.append(node)
            node = node.getparent()
        is_inside = node is not None and inside[node]
        for ancestor in reversed(path):
            is_inside = is_inside or ancestor in elements
            inside[ancestor] = is_inside
    return {element for element in elements if (parent := element.getparent()) is None or not inside[parent]}


def is_element(node: Element) -> bool:
    """Return whether a node is an element; comments and processing instructions have no tag name."""
    return isinstance(node.tag, str)


def is_node(value: object) -> bool:
    """Return whether the result of an XPath expression is an element, not text or a number."""
    return isinstance(value, _Element) and is_element(value)


def is_silent(node: Element) -> bool:
    """Return whether an element's content is never visible, by its tag or its inline style."""
    if not is_element(node) or node.tag in SILENT:
        return True
    style = node.get("style")
    return bool(style and _HIDDEN.search(style) and node.get("id") != SHOWN_BY_SCRIPT)


def lines_of(node: Element, *, skip: frozenset[Element] = frozenset()) -> list[str]:
    """Return the visible text below ``node``, with a line for every block and every ``<br>``."""
    return [] if node in skip or is_silent(node) else content_lines(node, skip=skip)


def content_lines(node: Element, *, skip: frozenset[Element] = frozenset()) -> list[str]:
    """Return the lines that would be visible below ``node`` if ``node`` were visible."""
    text = "".join(_pieces(node, skip))
    return [line for raw in text.split("\n") if (line := " ".join(raw.split()))]


def _pieces(root: Element, skip: frozenset[Element]) -> Iterator[str]:
    """Yield the visible text lazily, without recursion, because broken pages nest thousands deep."""
    open_elements: list[tuple[Element, Iterator[Element]]] = []
    node: Element | None = root
    while node is not None or open_elements:
        if node is not None:
            yield _edge(node) + _inline(node.text)
            open_elements.append((node, iter(node)))
        parent, children = open_elements[-1]
        node = next(children, None)
        if node is None:
            open_elements.pop()
            yield _edge(parent) + (_inline(parent.tail) if parent is not root else "")
        elif node in skip or is_silent(node):
            yield _inline(node.tail)
            node = None


def _edge(node: Element) -> str:
    return "\n" if node.tag in BLOCKS else ""


def _inline(text: str | None) -> str:
    """Return text with spaces for line ends, as HTML shows them."""
    return text.replace("\n", " ").replace("\r", " ") if text else ""


def text_of(node: Element) -> str:
    """Return an element's visible text in one line, cut to the length of a field."""
    if is_silent(node):
        return ""
    return " ".join("".join(islice(_pieces(node, frozenset()), _MAX_FIELD_PIECES)).split())


def label_of(element: Element) -> str:
    """Return the beginning of an element's text, cut to the length of a label."""
    if not len(element):
        return element.text or ""
    pieces: list[str] = []
    for event, node in islice(iterwalk(element, events=("start", "end")), _MAX_LABEL_EVENTS):
        text = node.text if event == "start" else node.tail if node is not element else None
        pieces.append(text or "")
    return "".join(pieces)


def visible_chars(text: str) -> int:
    """Return the number of characters that are not white space."""
    return len("".join(text.split()))


def count_chars(pattern: re.Pattern[str], text: str) -> int:
    """Return how many characters match a pattern for one character or for a run."""
    return len(text) - len(pattern.sub("", text))
