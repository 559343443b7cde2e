"""Documents inside a page: in ``srcdoc``, ``data:`` addresses and ``javascript:`` addresses. Pure.

They are read like the page itself. Nesting, number and size are bounded.
"""

import base64
import binascii
from collections.abc import Sequence
from dataclasses import dataclass, field
from urllib.parse import unquote_to_bytes

from crawler.extraction.marked import marked_elements
from crawler.extraction.parsing import ParsedPage, decode_page, parse_page
from crawler.extraction.rest.as_shown import document_lines, may_differ, new_lines
from crawler.extraction.rest.chinese import has_chinese, keys_of
from crawler.extraction.rest.generated import generated_texts
from crawler.extraction.rest.silent import lines_without_silent
from crawler.extraction.rest.strings import (
    is_chinese_markup,
    markup_strings,
    script_lines,
    sheet_lines,
    word_offsets,
)
from crawler.extraction.rest.text_lines import Node, TextLine, node_inside
from crawler.extraction.rest.walk import Walk
from system.patterns import re

MAX_NESTED = 3  # maximum depth of nested documents
MAX_DOCUMENTS = 200  # maximum number of documents of a page
_MAX_CHARS = 4_000_000  # maximum characters of all documents together
# maximum number and characters of strings with markup that are read as documents
_MAX_WRITTEN, _MAX_WRITTEN_CHARS = 200, 1_000_000
_DATA = re.compile(r"\s*data:\s*([^,;]*)((?:;[^,;]*)*),", re.IGNORECASE)
_CHARSET = re.compile(r"charset\s*=\s*[\"']?([\w-]+)", re.IGNORECASE)
_TEXT_TYPES = "text|image/svg|application/xhtml"
_DATA_IN_SHEET = re.compile(
    rf"data:(?:{_TEXT_TYPES})[^\"'()\s]*,(?:[^\"'()\s\\]++|\\.)*+"
    rf"|\"(data:(?:{_TEXT_TYPES})[^\"]*)\"|'(data:(?:{_TEXT_TYPES})[^']*)'",
    re.IGNORECASE,
)
_MAY_BE_CHINESE = re.compile(r"%[eE][2-9]|&#|<script|%3Cscript", re.IGNORECASE)
# Parts of a decoded picture that may contain a text, a program or data.
_MAY_HAVE_TEXT = re.compile(
    r"[^\x00-\x7f]|[\\&%]|<s(?:cript|tyle)|data:|\son[a-z]+\s*=|[A-Za-z0-9+/_-]{60}|[A-Za-z0-9+/_\s-]{100}",
    re.IGNORECASE,
)
_MARKUP_TYPES = ("html", "svg", "xml")


@dataclass(slots=True)
class Documents:
    """Reader of the documents inside one page.

    Attributes:
        scripts: contents of scripts in documents.
        sheets: contents of style sheets in documents.
        sources: sources of the documents that are markup.
        unread_chars: characters of documents beyond the bounds.
    """

    scripts: list[str] = field(default_factory=list)
    sheets: list[str] = field(default_factory=list)
    sources: list[str] = field(default_factory=list)
    unread_chars: int = 0
    _count: int = 0
    _chars: int = 0
    _depth: int = 0
    _written: int = 0
    _written_chars: int = 0

    def read(self, value: str, node: Node, name: str) -> Sequence[TextLine]:
        """Return the lines of a document, from a ``srcdoc`` attribute or an address with data."""
        if _is_picture(value):
            return ()
        self._count += 1
        self._chars += len(value)
        if self._depth >= MAX_NESTED or self._count > MAX_DOCUMENTS or self._chars > _MAX_CHARS:
            self.unread_chars += len(value)
            return ()
        self._depth += 1
        try:
            return self._read(value, node, name)
        finally:
            self._depth -= 1

    def read_written(self, text: str, node: Node) -> Sequence[TextLine]:
        """Return the lines of markup in a script's strings, if styles may change it."""
        return [line for markup in markup_strings(text) for line in self.read_markup(markup, node)]

    def read_markup(self, markup: str, node: Node | None) -> Sequence[TextLine]:
        """Return the lines of markup that a script may write, as far as styles change how it is shown."""
        if self._depth >= MAX_NESTED or not (is_chinese_markup(markup) and may_differ(markup)):
            return ()
        self._written += 1
        self._written_chars += len(markup)
        if self._written > _MAX_WRITTEN or self._written_chars > _MAX_WRITTEN_CHARS:
            self.unread_chars += len(markup)
            return ()
        self._depth += 1
        try:
            lines = self._markup_lines(markup, node)
        finally:
            self._depth -= 1
        return [line._replace(source="script") if line.source == "frame" else line for line in lines]

    def read_sheet(self, sheet: str, node: Node) -> Sequence[TextLine]:
        """Return the lines of documents that a style sheet names, and of sheets that it imports."""
        if "data:" not in sheet:
            return ()
        lines: list[TextLine] = []
        end = 0
        for at in word_offsets(sheet, b"data:"):
            start = at - 1 if at > end and sheet[at - 1] in "\"'" else at
            match = _DATA_IN_SHEET.match(sheet, start) or _DATA_IN_SHEET.match(sheet, at)
            if match is not None and at >= end:
                end = match.end()
                lines += self.read(match[1] or match[2] or match[0], node, "style")
        return lines

    def _read(self, value: str, node: Node, name: str) -> Sequence[TextLine]:
        if name == "srcdoc":
            return self._markup_lines(value, node)
        if not (match := _DATA.match(value)):
            text = unquote_to_bytes(value).decode("utf-8", "ignore")
            if name != "href":  # only a frame shows the result of its script
                self.scripts.append(f"document.write({text})")
            lines = [TextLine(line, "script", node, detail=name) for line in script_lines(text)]
            return [*lines, *self.read_written(text, node)]
        kind, options = match[1].strip().lower(), match[2].lower()
        if kind and not kind.startswith(("text/", "image/svg", "application/")):
            return ()
        text = _decoded(value[match.end() :], options)
        if "svg" in kind and _MAY_HAVE_TEXT.search(text) is None:  # skip icons, which pages repeat often
            return ()
        if any(markup in kind for markup in _MARKUP_TYPES):
            return self._markup_lines(text, node)
        return self._lines_of(text, kind, node)

    def _lines_of(self, text: str, kind: str, node: Node) -> Sequence[TextLine]:
        """Return the lines of a document without markup."""
        if kind == "text/css":
            self.sheets.append(text)
            return [
                *(TextLine(line, "style", node) for line in sheet_lines(text)),
                *self.read_sheet(text, node),
            ]
        if "script" in kind:
            self.scripts.append(text)
            return [TextLine(line, "script", node) for line in script_lines(text)]
        return [
            TextLine(" ".join(line.split()), "frame", node) for line in text.split("\n") if has_chinese(line)
        ]

    def _markup_lines(self, text: str, node: Node | None) -> Sequence[TextLine]:
        self.sources.append(text)
        page = parse_page(text)
        if page is None:
            return ()
        walk = walk_over(page, self, parent=node)
        self.scripts += walk.scripts
        self.sheets += walk.sheets
        lines = walk.lines
        if may_differ(text) and (copy := parse_page(text)) is not None:
            keys = keys_of([line.text for line in lines])
            shown = new_lines(document_lines(copy.tree), lines, keys)
            lines = [*lines, *(line._replace(node=node) for line in shown)]
        return [line._replace(source="frame") if line.source == "text" else line for line in lines]


def walk_over(
    page: ParsedPage, documents: Documents, *, sheets: Sequence[str] = (), parent: Node | None = None
) -> Walk:
    """Walk over a tree and the documents in it.

    Args:
        page: the page, or a document in it.
        documents: reader of the documents inside.
        sheets: its external sheets.
        parent: the position of the document.
    """
    marked = marked_elements(page.tree)
    styles = [element.text or "" for element in marked.all_of("style")]
    walk = Walk(documents, generated_texts([*styles, *sheets]), marked)
    walk.run(page.tree, parent)
    walk.lines += lines_without_silent(page.tree, marked, parent)
    style_node = node_inside(parent, "style")
    for sheet in sheets:
        walk.lines += [TextLine(line, "style", style_node) for line in sheet_lines(sheet)]
    for sheet in (*walk.sheets, *sheets):
        walk.lines += documents.read_sheet(sheet, style_node)
    return walk


def _is_picture(value: str) -> bool:
    """Return whether an address is a picture without Chinese; style sheets have hundreds."""
    if not value.isascii() or (match := _DATA.match(value)) is None:
        return False
    kind = match[1].lower()
    if kind.startswith(("image/", "font/", "application/font", "application/x-font", "audio/", "video/")):
        return "svg" not in kind or not ("base64" in match[2].lower() or _MAY_BE_CHINESE.search(value))
    return False


def _decoded(data: str, options: str) -> str:
    content = unquote_to_bytes(data)
    if "base64" in options:
        bare = b"".join(content.split()).rstrip(b"=")
        try:
            content = base64.b64decode(bare + b"=" * (-len(bare) % 4), altchars=None)
        except binascii.Error:
            return data
    charset = _CHARSET.search(options)
    return decode_page(content, declared=charset[1] if charset else None).text
