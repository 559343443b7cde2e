"""What of a page stands in texts that go before a work: background texts, and earlier publications.

*Background texts* are nobody's: statutes, official templates, liturgies, classics. What a page shares with a
work and with one of them is common text, however long it is; what the work has of its own beside it counts.
An *earlier publication* is the holder's own: what it holds is taken from the holder's later works and left to
it, so that a copy is told as one of the text that came first, with its date and its licences.

A prior text goes before a work only where it explains the page as well. Where more than ``MAX_OWN`` of the
characters agree with the work and not with the prior text, the page follows the work: an adaptation of a
classic is its author's. Runs of ``MIN_SPAN`` characters that do not agree with the prior text are no part of
it either, though its stretch goes on behind them.

Complexity: one alignment more of each stretch that meets one of a prior text; without prior texts nothing.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from storage.records import Work
from tracker.alignment.align import MIN_SPAN, Aligned
from tracker.alignment.columns import columns_between
from tracker.alignment.cutting import is_repetition, passage_letters, without
from tracker.alignment.text import ComparedText
from tracker.judgement.match import PassageAlignment

MAX_OWN = 0.1  # of the characters of a stretch that agree with the work and not with the prior text

_Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class _Agreement:
    """Where a page agrees with a passage along one stretch.

    Attributes:
        start, end: first and last + 1 character of the page.
        agrees: shape (end − start,): characters that are the same, or sound so; what is no letter agrees.
        same: shape (end − start,): letters that are the same character.
    """

    start: int
    end: int
    agrees: _Bools
    same: _Bools


def set_apart(
    page: ComparedText, alignments: Sequence[PassageAlignment], background: Sequence[PassageAlignment]
) -> list[PassageAlignment]:
    """Return the alignments without what stands in prior texts; those of which nothing is left are left out.

    What stands in a background text goes from ``aligned`` to ``background``; what stands in an earlier
    publication of the same holder goes.

    Args:
        page: the page.
        alignments: what alignment confirmed of works that have an owner, earlier publications among them.
        background: what it confirmed of background texts.
    """
    nobodys = [part for own in background for part in _agreements(page, own)]
    rests = [_without_background(page, own, nobodys) for own in alignments] if nobodys else list(alignments)
    earlier = [(own.work, list(_agreements(page, own))) for own in rests if own.work.role == "earlier"]
    if earlier:
        rests = [_without_earlier(page, own, earlier) for own in rests]
    return [rest for rest in rests if rest.aligned or rest.background]


def _without_background(
    page: ComparedText, alignment: PassageAlignment, nobodys: Sequence[_Agreement]
) -> PassageAlignment:
    """Return an alignment with what is nobody's told apart."""
    own, background = list[Aligned](), list(alignment.background)
    text = ComparedText(alignment.passage.text)
    for aligned in alignment.aligned:
        taken = _taken(page, text, aligned, nobodys)
        outside, inside = _parted(page, text, aligned, taken)
        own += outside
        background += inside
    return replace(alignment, aligned=own, background=background)


def _without_earlier(
    page: ComparedText, alignment: PassageAlignment, earlier: Sequence[tuple[Work, Sequence[_Agreement]]]
) -> PassageAlignment:
    """Return an alignment of a later work without what the same holder published earlier."""
    parts = [part for work, own in earlier if _goes_before(work, alignment.work) for part in own]
    if not parts:
        return alignment
    text = ComparedText(alignment.passage.text)
    own = [
        part
        for aligned in alignment.aligned
        for part in _parted(page, text, aligned, _taken(page, text, aligned, parts))[0]
    ]
    return replace(alignment, aligned=own)


def _goes_before(earlier: Work, work: Work) -> bool:
    """Return whether an earlier publication is, for all that is said, one of a work's own holder."""
    if work.role == "earlier" or earlier.book_id == work.book_id:
        return False
    return not (earlier.holder and work.holder and earlier.holder != work.holder)


def _parted(
    page: ComparedText, text: ComparedText, aligned: Aligned, taken: _Bools
) -> tuple[Sequence[Aligned], Sequence[Aligned]]:
    """Return what of a stretch is not taken, and what is; a short one is the one or the other."""
    covered = taken[aligned.span.page_start : aligned.span.page_end]
    if not covered.any():
        return [aligned], []
    outside = without(page, text, aligned, taken)
    if outside == [aligned]:
        return outside, []
    if not outside:
        return ([], [aligned]) if covered.mean() >= 0.5 else ([aligned], [])  # noqa: PLR2004 - a half
    return outside, without(page, text, aligned, ~taken)


def _taken(page: ComparedText, text: ComparedText, aligned: Aligned, parts: Sequence[_Agreement]) -> _Bools:
    """Return which characters of the page a stretch leaves to prior texts: shape (characters,)."""
    taken = np.zeros(len(page.text), dtype=bool)
    span, own = aligned.span, None
    for part in parts:
        start, end = max(span.page_start, part.start), min(span.page_end, part.end)
        if start >= end:
            continue
        own = own or _agreement(page, text, aligned)
        theirs = slice(start - part.start, end - part.start)
        ours = slice(start - own.start, end - own.start)
        if (own.same[ours] & ~part.same[theirs]).mean() <= MAX_OWN:
            taken[start:end] |= _without_long_gaps(part.agrees[theirs])
    return taken


def _without_long_gaps(agrees: _Bools) -> _Bools:
    """Return the places that agree, and between them those of runs shorter than ``MIN_SPAN``."""
    filled = np.ones_like(agrees)
    for start, end in runs_of(~agrees):
        if end - start >= MIN_SPAN:
            filled[start:end] = False
    return filled


def runs_of(flags: _Bools) -> list[tuple[int, int]]:
    """Return where flags are set, as half-open stretches.

    >>> runs_of(np.array([True, True, False, True]))
    [(0, 2), (3, 4)]
    """
    edges = np.flatnonzero(np.diff(np.concatenate(([False], flags, [False])).astype(np.int8)))
    return [(int(start), int(end)) for start, end in zip(edges[::2], edges[1::2], strict=True)]


def _agreements(page: ComparedText, alignment: PassageAlignment) -> Iterable[_Agreement]:
    """Yield where a page agrees with a passage, by stretch."""
    text = ComparedText(alignment.passage.text)
    for aligned in alignment.aligned:
        yield _agreement(page, text, aligned)


def _agreement(page: ComparedText, text: ComparedText, aligned: Aligned) -> _Agreement:
    """Return where a page agrees with a passage along a stretch."""
    start, end = aligned.span.page_start, aligned.span.page_end
    columns = columns_between(page, text, _page_letters(page, aligned), passage_letters(text, aligned))
    held = columns.page >= 0
    places = page.letters.offsets[columns.page[held]].astype(np.int64) - start
    agrees = np.ones(end - start, dtype=bool)
    same = np.zeros(end - start, dtype=bool)
    agrees[places], same[places] = columns.sound[held], columns.character[held]
    return _Agreement(start, end, agrees, same)


def _page_letters(page: ComparedText, aligned: Aligned) -> tuple[int, int]:
    """Return the first and last + 1 letter of a stretch on the page, also where it is a repetition."""
    first, last = aligned.letters
    if is_repetition(page, aligned):
        length, first = last - first, int(np.searchsorted(page.letters.offsets, aligned.span.page_start))
        last = first + length
    return first, last
