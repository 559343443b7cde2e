"""The rest of a page: how it is looked up, and what its matches come to.

What a page has outside its article is judged with more doubt. Lists have teasers of the works that they lead
to, a few lines of each, so every passage counts by itself: nothing is judged together over passages or works,
and a few characters of a passage are a quotation at most
(:func:`tracker.judgement.verdict.milder_outside`). Shares of the page are taken of article and
rest together. What is common, or dismissed as a whole together with what is no more than a phrase, is not
listed.
"""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from storage.records import Page, RestPiece, Span
from tracker.alignment.text import ComparedText
from tracker.comparison.corpus import Corpus
from tracker.comparison.matching import Candidates
from tracker.comparison.reading import ReadPage, read_page
from tracker.judgement.alignments import PassageAlignment
from tracker.judgement.judging import Judge
from tracker.judgement.match import PassageMatch
from tracker.judgement.verdict import milder_outside

MIN_LETTERS = 16  # equal ones in the runs of a chain; menus and lists have many names that others have
MAX_FOUND_IN = 50  # pieces that are named of a match, those with most of it


@dataclass(frozen=True, slots=True, kw_only=True)
class RestText:
    """The rest of a page, as comparison takes it.

    Attributes:
        text: of the rest; offsets of its matches count in it.
        pieces: where its parts are from, in order.
        candidates: those that its Han letters led to, from :func:`tracker.comparison.matching.look_up`; None:
            they are looked up when it is compared.
    """

    text: ComparedText
    pieces: Sequence[RestPiece] = ()
    candidates: Candidates | None = None


def rest_of(page: Page) -> RestText | None:
    """Return the rest of a stored page; None where it has none."""
    return RestText(text=ComparedText(page.rest), pieces=page.rest_pieces) if page.rest else None


def read_rest(rest: RestText, corpus: Corpus) -> ReadPage:
    """Return the rest as it is read, and the passages that may be in it.

    Raises:
        ServiceDown: the index does not answer.
    """
    return read_page(rest.text, corpus, candidates=rest.candidates, is_rest=True)


def judge_rest(
    judge: Judge, alignments: Iterable[PassageAlignment], read: ReadPage, pieces: Sequence[RestPiece]
) -> list[PassageMatch]:
    """Return the matches in a page's rest that amount to something, with the pieces that they are in.

    Args:
        judge: of the rest.
        alignments: what the rest shares with passages.
        read: the rest as it was read.
        pieces: of the rest.
    """
    judged = (_milder(judge.match(alignment)) for alignment in alignments)
    listed = (read.on_page(match) for match in judged if match.verdict not in ("clear", "common"))
    return [replace(match, part="rest", found_in=found_in(match.spans, pieces)) for match in listed]


def _milder(match: PassageMatch) -> PassageMatch:
    """Return a match with a verdict that so few characters outside an article can have."""
    return replace(match, verdict=milder_outside(match.verdict, match.copied_chars))


def found_in(spans: Iterable[Span], pieces: Sequence[RestPiece]) -> tuple[RestPiece, ...]:
    """Return the pieces that have most characters of some stretches, in their order.

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
