"""Markup in documents of bounded size."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Piece:
    """Markup that stays together.

    Attributes:
        markup: finished.
        case: number of the case in the report that it begins, from 1; 0 where it begins none.
        matches: how many matches it shows.
    """

    markup: str
    case: int = 0
    matches: int = 0


def in_pages(pieces: Iterable[Piece], *, limit: int) -> Iterator[list[Piece]]:
    """Yield the pieces in runs of at most so many bytes in UTF-8; a longer piece is alone.

    >>> [len(page) for page in in_pages(map(Piece, ["abc", "de", "f"]), limit=4)]
    [1, 2]
    """
    page: list[Piece] = []
    size = 0
    for piece in pieces:
        length = len(piece.markup.encode())
        if page and size + length > limit:
            yield page
            page, size = [], 0
        page.append(piece)
        size += length
    if page:
        yield page
