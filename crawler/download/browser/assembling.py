"""Combines the layouts of a page and its frames, and writes the page with its marks. Pure."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from crawler.download.browser.lines import LineSource, ShownLine
from crawler.download.browser.marked_page import PageMarks, hidden_nodes, marked_html, shown_script
from crawler.download.browser.shown_text import ShownDocument, place_in, show_document
from crawler.download.browser.snapshot import SnapshotDocument, documents_of
from storage.records import UnreadReason

MAX_LINE_CHARS = 1_000_000  # maximum characters of all lines together
_MAX_DEPTH = 12  # maximum depth of nested frames
_ERROR_PAGE = "chrome-error:"
_OUR_NAMES = re.compile("pindna-(?:hidden|shown)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class FrameCapture:
    """The layout of a frame that runs in a separate process.

    Attributes:
        owner: the browser's id of the element that shows the frame.
        reply: of ``DOMSnapshot.captureSnapshot``.
    """

    owner: int
    reply: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class BrowserCapture:
    """The layouts of a page and of its frames; outer frames come before inner ones."""

    reply: Mapping[str, Any]
    frames: Sequence[FrameCapture] = ()


@dataclass(frozen=True, slots=True)
class AssembledPage:
    """A page with its marks.

    Attributes:
        text: HTML; None if it is too long.
        skipped: whether the browser did not lay out the whole page.
    """

    text: str | None
    skipped: bool


def assemble(capture: BrowserCapture, *, max_chars: int) -> AssembledPage:
    """Return a page with its marks.

    Args:
        capture: layouts of the page.
        max_chars: limit for the result.
    """
    groups = [documents_of(capture.reply), *(documents_of(frame.reply) for frame in capture.frames)]
    owners = {frame.owner: group[0] for frame, group in zip(capture.frames, groups[1:], strict=True) if group}
    page = groups[0][0]
    shown = _Frames(groups, owners).show(page, groups[0])
    lines, cut = _within_bounds(shown.lines)
    unread: dict[UnreadReason, int] = {
        "frames": shown.unread_frames,
        "images": shown.canvases,
        "limit": cut,
    }
    marks = PageMarks(hidden_nodes(page, shown.nodes | shown.skipped), lines, _as_counts(unread))
    text = marked_html(page, marks)
    return AssembledPage(text if len(text) <= max_chars else None, bool(shown.skipped))


def bare_page(html: str, *, unread: int) -> str:
    """Return a page without a known layout, marked as unread.

    Args:
        html: the page; anything that looks like our marks is renamed.
        unread: characters of its text.
    """
    html = _OUR_NAMES.sub("pindna-of-the-page", html)
    head, end, tail = html.rpartition("</body>")
    script = shown_script((), _as_counts({"limit": unread}))
    return f"{head}{script}{end}{tail}" if end else html + script


def _as_counts(unread: Mapping[UnreadReason, int]) -> dict[UnreadReason, int]:
    return {reason: number for reason, number in unread.items() if number}


def _within_bounds(lines: Sequence[ShownLine]) -> tuple[Sequence[ShownLine], int]:
    """Return the lines within the limit, and how many characters the other lines have."""
    total = 0
    for number, line in enumerate(lines):
        total += len(line.text)
        if total > MAX_LINE_CHARS:
            return lines[:number], sum(len(other.text) for other in lines[number:])
    return lines, 0


class _Frames:
    """Shows documents with the frames in them."""

    def __init__(
        self, groups: Sequence[Sequence[SnapshotDocument]], owners: Mapping[int, SnapshotDocument]
    ) -> None:
        self._owners = owners
        self._group_of = {id(document): group for group in groups for document in group}

    def show(
        self, document: SnapshotDocument, group: Sequence[SnapshotDocument], outer: str = "", depth: int = 0
    ) -> ShownDocument:
        frames = {}
        for node in self._frame_nodes(document) if depth < _MAX_DEPTH else ():
            inner = self._inner_document(document, group, node)
            if inner is not None and not inner.url.startswith(_ERROR_PAGE):
                path = place_in(document, node, outer)
                frames[node] = self.show(inner, self._group_of[id(inner)], path, depth + 1)
        source: LineSource = "frame" if depth else "page"
        return show_document(document, frames=frames, source=source, outer=outer)

    def _frame_nodes(self, document: SnapshotDocument) -> list[int]:
        separate = [node for node, browser_id in enumerate(document.ids) if browser_id in self._owners]
        return sorted({*document.documents, *separate})

    def _inner_document(
        self, document: SnapshotDocument, group: Sequence[SnapshotDocument], node: int
    ) -> SnapshotDocument | None:
        if node in document.documents:
            return group[document.documents[node]]
        return self._owners.get(document.ids[node])
