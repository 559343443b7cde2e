"""Writes a rendered page as HTML, with marks of what a reader saw. Pure.

pindna adds two marks. Every element whose text is completely hidden has ``data-pindna-hidden``. The last
child of ``body`` is a script of the type ``application/pindna-shown+json`` with the visible lines in reading
order, including those of frames and shadow trees: ``{"lines": [{"text", "place", "source"}], "unread":
{reason: number}}``. Marks with these names in the page itself are removed.
"""

import json
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from html import escape

from crawler.download.browser.lines import ShownLine
from crawler.download.browser.snapshot import COMMENT, DOCTYPE, ELEMENT, TEXT, SnapshotDocument
from crawler.exchange import HIDDEN_MARK, SHOWN_TYPE
from storage.records import UnreadReason

_VOID = frozenset(
    {
        *(
            "area",
            "base",
            "basefont",
            "bgsound",
            "br",
            "col",
            "embed",
            "frame",
            "hr",
            "img",
            "input",
            "keygen",
        ),
        *("link", "meta", "param", "source", "track", "wbr"),
    }
)
# Elements whose content is written unchanged, because parsers find no markup in it.
_RAW = frozenset({"iframe", "noembed", "noframes", "noscript", "script", "style", "xmp"})
_NOT_READ = frozenset({"head", "template", "textarea", "title", "select", *_RAW})
# elements whose first line break is dropped by parsers
_LOSES_NEWLINE = frozenset({"pre", "textarea", "listing"})
_RENAMED = {"plaintext": "pre"}  # elements without an end tag get another name


@dataclass(frozen=True, slots=True)
class PageMarks:
    """What a reader saw of a page.

    Attributes:
        hidden: completely hidden nodes: elements, and texts in visible elements.
        lines: in reading order.
        unread: what could not be read, by reason.
    """

    hidden: Collection[int]
    lines: Sequence[ShownLine]
    unread: Mapping[UnreadReason, int]


def hidden_nodes(document: SnapshotDocument, shown: Collection[int]) -> set[int]:
    """Return the elements whose text is completely hidden, and hidden texts in other elements.

    Args:
        document: of the page.
        shown: nodes that are at least partly visible.
    """
    size = len(document.parents)
    has_text, is_seen, is_silent = [False] * size, [False] * size, [False] * size
    for node, parent in enumerate(document.parents):
        is_silent[node] = document.names[node] in _NOT_READ or (parent >= 0 and is_silent[parent])
        is_text = document.types[node] == TEXT and bool(document.values[node].strip())
        has_text[node] = is_text and not is_silent[node] and node not in document.in_shadow
        is_seen[node] = node in shown
    for node in range(size - 1, 0, -1):
        parent = document.parents[node]
        if parent >= 0:
            has_text[parent] |= has_text[node]
            is_seen[parent] |= is_seen[node]
    hidden = [has and not visible for has, visible in zip(has_text, is_seen, strict=True)]
    return {
        node
        for node, parent in enumerate(document.parents)
        if hidden[node] and (document.types[node] == ELEMENT or not hidden[parent])
    }


def marked_html(document: SnapshotDocument, marks: PageMarks) -> str:
    """Return a page as HTML with its marks.

    Args:
        document: of the page.
        marks: of its nodes.
    """
    return _MarkedWriter(document, marks).write()


def shown_script(lines: Sequence[ShownLine], unread: Mapping[UnreadReason, int]) -> str:
    """Return the script element with the visible lines."""
    rows = [{"text": line.text.strip(), "place": line.path, "source": line.source} for line in lines]
    content = json.dumps({"lines": rows, "unread": dict(unread)}, ensure_ascii=False)
    content = content.replace("<", "\\u003c")
    return f'<script type="{SHOWN_TYPE}">{content}</script>'


class _MarkedWriter:
    """Writes one document."""

    def __init__(self, document: SnapshotDocument, marks: PageMarks) -> None:
        self._document = document
        self._marks = marks
        self._out: list[str] = []
        self._open: list[tuple[int, str]] = []  # open elements, with their names
        self._has_script = False

    def write(self) -> str:
        skipped: set[int] = set()
        for node, parent in enumerate(self._document.parents):
            if parent < 0:
                continue
            while self._open and not self._is_in(node, self._open[-1][0]):
                self._close_element()
            if parent in skipped or self._is_ours(node):
                skipped.add(node)
            elif node not in self._document.pseudo and node not in self._document.in_shadow:
                self._open_element(node)
        while self._open:
            self._close_element()
        self._out.append(self._embedded_script())
        return "".join(self._out).replace("\x00", "\ufffd")

    def _is_in(self, node: int, element: int) -> bool:
        while node > element:
            node = self._document.parents[node]
        return node == element

    def _is_ours(self, node: int) -> bool:
        """Return whether a node imitates our mark."""
        if self._document.names[node] != "script":
            return False
        return self._document.attributes[node].get("type", "").strip().lower() == SHOWN_TYPE

    def _open_element(self, node: int) -> None:
        kind, value = self._document.types[node], self._document.values[node]
        if kind == ELEMENT:
            self._begin_element(node)
        elif kind == TEXT:
            self._write_text(node, value)
        elif kind == COMMENT:
            self._out.append(f"<!--{_safe_comment(value)}-->")
        elif kind == DOCTYPE:
            self._out.append(f"<!DOCTYPE {self._document.doctype}>\n")

    def _begin_element(self, node: int) -> None:
        name = self._document.names[node]
        name = _RENAMED.get(name, name)
        attributes = [
            f' {key}="{_escape_attribute(value)}"'
            for key, value in self._document.attributes[node].items()
            if key.lower() != HIDDEN_MARK
        ]
        if node in self._marks.hidden:
            attributes.append(f" {HIDDEN_MARK}")
        self._out.append(f"<{name}{''.join(attributes)}>")
        if name not in _VOID:
            self._open.append((node, name))

    def _write_text(self, node: int, value: str) -> None:
        element, name = self._open[-1] if self._open else (-1, "")
        if name in _RAW:
            self._out.append(_safe_raw_text(value, name))
            return
        text = escape(value, quote=False).replace("\xa0", "&nbsp;")
        if name in _LOSES_NEWLINE and self._document.parents[node] == element and value.startswith("\n"):
            text = "\n" + text
        self._out.append(f"<span {HIDDEN_MARK}>{text}</span>" if node in self._marks.hidden else text)

    def _close_element(self) -> None:
        node, name = self._open.pop()
        if name == "body" and self._document.names[self._document.parents[node]] == "html":
            self._out.append(self._embedded_script())
        self._out.append(f"</{name}>")

    def _embedded_script(self) -> str:
        if self._has_script:
            return ""
        self._has_script = True
        return shown_script(self._marks.lines, self._marks.unread)


def _escape_attribute(value: str) -> str:
    return value.replace("&", "&amp;").replace("\xa0", "&nbsp;").replace('"', "&quot;")


def _safe_comment(value: str) -> str:
    """Return a comment without an early end, which scripts can create."""
    ends_early = "--" in value or value.startswith((">", "-")) or value.endswith("-")
    return value.replace(">", "&gt;").replace("--", "- -") if ends_early else value


def _safe_raw_text(value: str, name: str) -> str:
    """Return the content of a raw element without an early end tag, which scripts can create."""
    if "</" + name in value.lower():
        value = re.sub("</(?=" + name + ")", r"<\\/", value, flags=re.IGNORECASE)
    return value.replace("<!--", "<\\!--") if name == "script" and "<script" in value.lower() else value
