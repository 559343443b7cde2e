"""The rest of a page as input of comparison, and the pieces of it that contain matches.

See :func:`tracker.comparison.judged.judge_rest` for its verdicts.
"""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from storage.records import Page, RestPiece, Span
from tracker.alignment.text import ComparedText
from tracker.comparison.matching import Candidates

MIN_LETTERS = 16  # minimum number of equal letters in a chain's runs; menus and lists share many names
MAX_FOUND_IN = 50  # maximum number of listed pieces per match, those with most of its text


@dataclass(frozen=True, slots=True, kw_only=True)
class RestText:
    """The rest of a page as input of comparison.

    Attributes:
        text: of the rest; the offsets of matches refer to it.
        pieces: the origins of its parts, in order.
        candidates: from :func:`tracker.comparison.matching.look_up` with its Han letters; None: look them up
            during the comparison.
    """

    text: ComparedText
    pieces: Sequence[RestPiece] = ()
    candidates: Candidates | None = None


def rest_of(page: Page) -> RestText | None:
    """Return the rest of a stored page; None if it has none."""
    return RestText(text=ComparedText(page.rest), pieces=page.rest_pieces) if page.rest else None


def found_in(spans: Iterable[Span], pieces: Sequence[RestPiece]) -> tuple[RestPiece, ...]:
    """Return the pieces that contain most of the stretches, in their order.

    Args:
        spans: stretches of the rest.
        pieces: of the rest, in order.
    """
    ends, held = [piece.end for piece in pieces], Counter[int]()
    for span in spans:
        for number in range(bisect_right(ends, span.page_start), len(pieces)):
            if pieces[number].start >= span.page_end:
                break
            held[number] += min(span.page_end, ends[number]) - max(span.page_start, pieces[number].start)
    return tuple(pieces[number] for number, _ in sorted(held.most_common(MAX_FOUND_IN)))
