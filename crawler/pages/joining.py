"""Joins the texts, the posts and the rests of consecutive pages. Pure."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from storage.records import MAX_REST_PIECES, Post, RestPiece

_SENTENCE_ENDS = frozenset("。！？…”’」』）)》】!?.~—；;：:")
_MAX_OVERLAP = 20  # maximum number of lines that consecutive parts may share


@dataclass(frozen=True, slots=True)
class JoinedRest:
    """The rest of consecutive pages.

    Attributes:
        text: a line for each piece.
        pieces: with offsets into ``text``.
        cut_chars: number of characters beyond the limit.
    """

    text: str = ""
    pieces: tuple[RestPiece, ...] = ()
    cut_chars: int = 0


def join_texts(texts: Sequence[str]) -> str:
    """Return the text of consecutive pages.

    Lines at the end of one part and the beginning of the next are kept once, like a heading that every part
    repeats. A sentence that is cut at the end of a part continues without a break.
    """
    joined: list[str] = []
    for text in texts:
        lines = [line for line in text.split("\n") if line]
        lines = lines[_overlapping_lines(joined, lines) :]
        if joined and lines and lines[0] == joined[0]:
            lines = lines[1:]
        if joined and lines and joined[-1][-1] not in _SENTENCE_ENDS:
            joined[-1] += lines.pop(0)
        joined += lines
    return "\n".join(joined)


def join_posts(pages: Sequence[tuple[str, Sequence[Post]]]) -> tuple[str, tuple[Post, ...]]:
    """Return the text and the posts of a thread's consecutive pages.

    A post that every page repeats, like the first post in some forums, is kept once. If pages number their
    posts from 1 again, the numbers continue.

    Args:
        pages: text and posts of each page.
    """
    texts: list[str] = []
    posts: list[Post] = []
    keys: set[tuple[object, ...]] = set()
    at = last = 0
    for text, page_posts in pages:
        kept = [
            post
            for post in page_posts
            if (post.author, post.published, text[post.start : post.end]) not in keys
        ]
        keys.update((post.author, post.published, text[post.start : post.end]) for post in page_posts)
        offset = max(0, last + 1 - kept[0].place) if kept and last else 0
        for post in kept:
            written = text[post.start : post.end]
            last = post.place + offset
            posts.append(replace(post, start=at, end=at + len(written), place=last))
            if written:
                texts.append(written)
                at += len(written) + 1
    return "\n".join(texts), tuple(posts)


def join_rests(pages: Sequence[tuple[str, Sequence[RestPiece]]], *, max_chars: int) -> JoinedRest:
    """Return the rest of consecutive pages; a repeated piece, such as a menu, is kept once.

    Args:
        pages: rest and pieces of each page.
        max_chars: limit of the text; the last piece may be cut.
    """
    if len(pages) == 1 and len(pages[0][0]) <= max_chars:
        return JoinedRest(pages[0][0], _limit_pieces(pages[0][1]))
    texts: list[str] = []
    pieces: list[RestPiece] = []
    at = cut_chars = 0
    for text, piece in _different_pieces(pages):
        at += bool(texts)  # plus the line break
        kept = text[: max(0, max_chars - at)]
        cut_chars += len(text) - len(kept)
        if not kept:
            at -= bool(texts)
            continue
        texts.append(kept)
        pieces.append(replace(piece, start=at, end=at + len(kept)))
        at += len(kept)
    return JoinedRest("\n".join(texts), _limit_pieces(pieces), cut_chars)


def _different_pieces(
    pages: Iterable[tuple[str, Sequence[RestPiece]]],
) -> Iterator[tuple[str, RestPiece]]:
    """Yield the pieces with their texts, without those of earlier pages."""
    earlier_texts: set[str] = set()
    for rest, pieces in pages:
        texts = [rest[piece.start : piece.end] for piece in pieces]
        yield from (
            (text, piece)
            for text, piece in zip(texts, pieces, strict=True)
            if text and text not in earlier_texts
        )
        earlier_texts.update(texts)


def _limit_pieces(pieces: Sequence[RestPiece]) -> tuple[RestPiece, ...]:
    """Return at most :data:`storage.records.MAX_REST_PIECES` pieces; join further ones with the last."""
    if len(pieces) <= MAX_REST_PIECES:
        return tuple(pieces)
    last = replace(pieces[MAX_REST_PIECES - 1], end=pieces[-1].end)
    return (*pieces[: MAX_REST_PIECES - 1], last)


def _overlapping_lines(joined: list[str], lines: list[str]) -> int:
    """Return how many lines end ``joined`` and begin ``lines``."""
    longest = min(len(joined), len(lines), _MAX_OVERLAP)
    return next((size for size in range(longest, 0, -1) if joined[-size:] == lines[:size]), 0)
