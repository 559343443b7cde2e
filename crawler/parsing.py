"""HTML text to a tree, and the few questions that every later step asks of a tree. Pure."""

import re
import zlib
from collections.abc import Iterator
from typing import Final, TypeAlias

# lxml ships no types; no other module of this package imports it.
from lxml import html  # type: ignore[import-untyped]
from lxml.etree import ParserError, XPath, XPathError, _Element  # type: ignore[import-untyped]

from storage.decoding import Decoded, decode

__all__ = [
    "BLOCKS",
    "SILENT",
    "Element",
    "Tree",
    "XPath",
    "XPathError",
    "decode_page",
    "is_element",
    "is_node",
    "is_silent",
    "lines_of",
    "parse",
    "text_of",
    "unpacked",
    "visible_chars",
]

Tree: TypeAlias = html.HtmlElement
Element: TypeAlias = _Element

_HEAD_BYTES: Final = 4096
_META_CHARSET: Final = re.compile(rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([\w-]{2,20})", re.IGNORECASE)
_CONTROL: Final = re.compile("[\x00-\x08\x0b\x0e-\x1f\x7f\ud800-\udfff\ufffe\uffff]")
SILENT: Final = frozenset(
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
    }
)
BLOCKS: Final = frozenset(
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
        "tfoot",
        "th",
        "thead",
        "tr",
        "ul",
        "br",
    }
)
_GZIP: Final = b"\x1f\x8b"
_MOST_UNPACKED: Final = 16 * 1024 * 1024
_TAG: Final = re.compile(r"<[a-zA-Z][^<>]*>")
_NESTED: Final = re.compile(r"(?:<[a-zA-Z][^<>]*+>\s*+){100,}+")
_KEPT_TAGS: Final = 20
_HIDDEN: Final = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)


def decode_page(data: bytes, *, declared: str | None) -> Decoded:
    """Decode a page; ``declared`` is the charset of its Content-Type header, else the page's own meta."""
    found = None if declared else _META_CHARSET.search(data, 0, _HEAD_BYTES)
    return decode(data, declared=found[1].decode("ascii") if found else declared)


def unpacked(data: bytes) -> bytes:
    """Return what a gzip stream holds, as far as it goes, up to a limit; other bytes as they are.

    Servers send pages packed and say otherwise, and saved pages are kept packed.
    """
    if not data.startswith(_GZIP):
        return data
    try:
        return zlib.decompressobj(wbits=31).decompress(data, _MOST_UNPACKED)
    except zlib.error:
        return data


def parse(text: str) -> Tree | None:
    """Return the tree of a page, None when there is no element in it.

    Runs of hundreds of opening tags show nothing but make the parser drop what stands in them; of such a run
    the last ones are kept.
    """
    clean = _NESTED.sub(_flattened, _CONTROL.sub("", text))
    parser = html.HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True, huge_tree=True)
    try:
        tree: Tree = html.document_fromstring(clean.encode("utf-8"), parser=parser)
    except ParserError:  # nothing but white space and comments
        return None
    return tree


def _flattened(run: re.Match[str]) -> str:
    return "".join(_TAG.findall(run[0])[-_KEPT_TAGS:])


def is_element(node: Element) -> bool:
    """Return whether a node is an element; comments and processing instructions have no tag name."""
    return isinstance(node.tag, str)


def is_node(found: object) -> bool:
    """Return whether what an XPath expression found is an element; else it is text or a number."""
    return isinstance(found, _Element) and is_element(found)


def is_silent(node: Element) -> bool:
    """Return whether a reader never sees what the element holds.

    WeChat hides ``#js_content`` by a style until its script runs: long hidden text is taken as shown.
    """
    if not is_element(node) or node.tag in SILENT:
        return True
    style = node.get("style")
    return bool(style and _HIDDEN.search(style) and node.get("id") != "js_content")


def lines_of(node: Element, *, skip: frozenset[Element] = frozenset()) -> list[str]:
    """Return the visible text below ``node``, a line for every block and every ``<br>``."""
    text = "".join(_pieces(node, skip))
    return [line for each in text.split("\n") if (line := " ".join(each.split()))]


def _pieces(root: Element, skip: frozenset[Element]) -> Iterator[str]:
    """Walk without recursion: broken pages nest thousands deep."""
    stack: list[Element | str] = [root]
    while stack:
        node = stack.pop()
        if isinstance(node, str):
            yield node
            continue
        if node in skip or is_silent(node):
            continue
        edge = "\n" if node.tag in BLOCKS else ""
        stack.append(edge)
        for child in reversed(node):
            stack.append(_inline(child.tail))
            stack.append(child)
        yield edge + _inline(node.text)


def _inline(text: str | None) -> str:
    """White space in markup is a space, and none at all between two Chinese characters' lines."""
    return re.sub(r"\s*[\r\n]\s*", " ", text) if text else ""


def text_of(node: Element) -> str:
    """Return an element's visible text in one line."""
    return " ".join(lines_of(node))


def visible_chars(text: str) -> int:
    """Return the number of characters that are not white space."""
    return len("".join(text.split()))
