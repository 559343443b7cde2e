"""Adds text to the rest of a page that was read already. Pure."""

from collections.abc import Sequence
from dataclasses import replace

from crawler.pages.joining import join_rests
from crawler.pages.page_records import is_compared, text_hash
from fingerprint.exact import letters_hash
from storage.collections.pages import page_id
from storage.records import MAX_REST_PIECES, Page, RestPiece


def add_rest(page: Page, rows: Sequence[tuple[str, RestPiece]], *, max_chars: int) -> Page:
    """Return a page with more in its rest; a page that had too few words may have enough then.

    Args:
        page: as it was read.
        rows: texts, each with a piece that says why it is in the rest and where it is from.
        max_chars: of the rest that are kept; others are counted as not read.
    """
    if not rows:
        return page
    text, pieces = _joined(rows)
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


def _joined(rows: Sequence[tuple[str, RestPiece]]) -> tuple[str, list[RestPiece]]:
    texts = [text for text, _ in rows]
    if len(rows) > MAX_REST_PIECES:  # the last piece takes the others
        texts = [*texts[: MAX_REST_PIECES - 1], "\n".join(texts[MAX_REST_PIECES - 1 :])]
    pieces, at = list[RestPiece](), 0
    for text, (_, piece) in zip(texts, rows, strict=False):
        pieces.append(replace(piece, start=at, end=at + len(text)))
        at += len(text) + 1
    return "\n".join(texts), pieces
