"""Divide markup among documents of limited size."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Piece:
    """Markup that stays together.

    Attributes:
        markup: the finished markup.
        case: number in the report, from 1, of the case that begins with it; 0 if no case does.
        matches: number of matches that it shows.
    """

    markup: str
    case: int = 0
    matches: int = 0


def in_pages(pieces: Iterable[Piece], *, limit: int) -> Iterator[list[Piece]]:
    """Yield runs of pieces with at most ``limit`` bytes in UTF-8. A longer piece forms a run alone.

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
