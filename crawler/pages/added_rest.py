"""Adds text from frames, or from another reading, to the rest of a page. Pure."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from crawler.extraction import ExtractedPage
from crawler.pages.joining import join_rests
from crawler.pages.page_records import is_compared, text_hash
from fingerprint.exact import letters_hash
from storage.collections.pages import page_id
from storage.records import MAX_PLACE_CHARS, MAX_REST_PIECES, AddedSnapshot, Page, RestPiece


def add_rest(page: Page, rows: Sequence[tuple[str, RestPiece]], *, max_chars: int) -> Page:
    """Return a page with more text in its rest; a page with too few words may now be compared.

    Args:
        page: as it was read.
        rows: texts, each with a piece that contains its reason and its place.
        max_chars: limit of the rest; characters beyond it are counted as unread.
    """
    if not rows:
        return page
    text, pieces = _join_rows(rows)
    rest = join_rests([(page.rest, page.rest_pieces), (text, pieces)], max_chars=max_chars)
    limit = page.unread.get("limit", 0) + rest.cut_chars
    page = replace(
        page,
        rest=rest.text,
        rest_pieces=rest.pieces,
        rest_hash=letters_hash(rest.text),
        unread={**page.unread, "limit": limit} if limit else page.unread,
    )
    page = replace(page, id=page_id(page.url, text_hash(page)))
    if page.state == "failed" and is_compared(page.kind, page.text, page.rest):
        return replace(page, state="fetched", reason="")
    return page


def add_frame(page: Page, frame: ExtractedPage, *, sha256: str, path: str, max_chars: int) -> Page:
    """Return a page with the text of a frame in its rest.

    Args:
        page: as it was read.
        frame: text of the frame's document.
        sha256: of the document.
        path: of the frame's element.
        max_chars: limit of the rest; characters beyond it are counted as unread.
    """
    rows = list(_frame_rows(frame, path))
    if not rows:
        return page
    added = AddedSnapshot(sha256=sha256, role="frame", place=path)
    return with_added(add_rest(page, rows, max_chars=max_chars), [added])


def with_added(page: Page, added: Sequence[AddedSnapshot]) -> Page:
    """Return a page with the snapshots of the responses that were added to its rest."""
    return replace(
        page,
        snapshots=(*page.snapshots, *(snapshot.sha256 for snapshot in added)),
        added_snapshots=(*page.added_snapshots, *added),
    )


def _frame_rows(frame: ExtractedPage, path: str) -> Iterator[tuple[str, RestPiece]]:
    """Yield the texts of a frame with their places."""
    if frame.text:
        yield frame.text, _frame_piece(path)
    for piece in frame.rest_pieces:
        yield frame.rest[piece.start : piece.end], _frame_piece(f"{path} > {piece.place}".rstrip(" >"))


def _frame_piece(path: str) -> RestPiece:
    return RestPiece(start=0, end=0, reason="frame", place=path[:MAX_PLACE_CHARS])


def _join_rows(rows: Sequence[tuple[str, RestPiece]]) -> tuple[str, list[RestPiece]]:
    texts = [text for text, _ in rows]
    if len(rows) > MAX_REST_PIECES:  # the last piece gets all further texts
        texts = [*texts[: MAX_REST_PIECES - 1], "\n".join(texts[MAX_REST_PIECES - 1 :])]
    pieces, at = list[RestPiece](), 0
    for text, (_, piece) in zip(texts, rows, strict=False):
        pieces.append(replace(piece, start=at, end=at + len(text)))
        at += len(text) + 1
    return "\n".join(texts), pieces
