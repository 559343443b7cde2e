"""Effect of analysts' decisions on a match: stretches are confirmed, dismissed, or open. Pure.

Decisions are applied to the passage in the order of their dates, so the later of two overlapping ones
prevails. A stretch is *covered* if decisions cover nine tenths of it and leave no ``NEW_CHARS`` characters
free in one piece. Alignment moves its ends by a few characters from version to version; but a page that
copies another paragraph is news, however much was decided before. A stretch that continues beyond dismissed
text is cut there, so one piece does not count and the other does.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from storage.records import Decision, Match, MatchDecision, ReviewState, Span, SuppressedSpan, decisive
from tracker.alignment.flags import runs_of

COVERED = 0.9  # minimum share of a stretch that decisions must cover
NEW_CHARS = 100  # this many characters without a decision are new, in a stretch of any length
_BEARING = 0.1  # minimum share that a decision must cover to be listed, unless it covers NEW_CHARS

_Bools = npt.NDArray[np.bool_]
_Numbers = npt.NDArray[np.int64]
Stretch = tuple[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewedSpans:
    """The stretches of a match with the decisions on them.

    Attributes:
        counted: stretches that count; none of a match that is dismissed as a whole.
        suppressed: stretches that are dismissed.
        decided: the decisions that affect any of them, by position.
        undecided: if some stretches are decided, the extents of the passage without a decision.
    """

    counted: tuple[Span, ...] = ()
    suppressed: tuple[SuppressedSpan, ...] = ()
    decided: tuple[MatchDecision, ...] = ()
    undecided: tuple[Stretch, ...] = ()

    @property
    def review(self) -> ReviewState:
        """The review state of the match as a whole."""
        if not self.counted:
            return "dismissed" if self.suppressed else ""
        if not self.decided or self.undecided:
            return ""
        states = {decided.state for decided in self.decided}
        return "doubtful" if "doubtful" in states else "confirmed"

    @property
    def because(self) -> str:
        """The reasons of the decisions behind the review state, each once."""
        if self.review == "dismissed":
            return joined_reasons(self.suppressed)
        return joined_reasons(decisive(self.decided, self.review))

    @property
    def reviewed_at(self) -> datetime | None:
        """The date of the last decision behind the review state."""
        return max((decided.made for decided in decisive(self.decided, self.review)), default=None)


UNDECIDED = ReviewedSpans()


def review_spans(spans: Sequence[Span], decisions: Iterable[Decision]) -> ReviewedSpans:
    """Apply the decisions on a passage to a match's stretches.

    Args:
        spans: stretches of one page that agree with the passage.
        decisions: on this version of the passage, of the page's site.
    """
    ordered = sorted(decisions, key=lambda decision: (decision.made, decision.id))
    counted, suppressed = without_dismissed(spans, ordered)
    prevailing = _prevailing(ordered)
    decided = tuple(_bearing(spans, ordered, prevailing))
    gaps = (gap for span in counted for gap in _gaps(_passage_place(span), prevailing)) if decided else ()
    return ReviewedSpans(
        counted=tuple(counted), suppressed=suppressed, decided=decided, undecided=tuple(union(gaps))
    )


def settled(match: Match, decisions: Iterable[Decision]) -> Match:
    """Return a stored match with the decisions on its passage applied.

    A match that is dismissed as a whole keeps its stretches in ``spans``, because its figures describe them.
    """
    every = {
        (span.page_start, span.page_end, span.passage_start): span
        for span in (*match.spans, *(suppressed.span for suppressed in match.suppressed))
    }
    all_decisions = list(decisions)
    spans = [piece for stretch in sorted(every) for piece in cut_span(every[stretch], all_decisions)]
    reviewed = review_spans(spans, all_decisions)
    return replace(
        match,
        spans=reviewed.counted or tuple(spans),
        suppressed=reviewed.suppressed,
        review=reviewed.review,
        because=reviewed.because,
        reviewed=reviewed.reviewed_at,
        decided=reviewed.decided,
        undecided=reviewed.undecided,
    )


def cut_span(span: Span, decisions: Iterable[Decision]) -> list[Span]:
    """Split a stretch into pieces that are each practically all dismissed, or not at all.

    The page's side is cut in proportion, which is exact if both sides are equally long; a reversed stretch is
    cut from its end.

    Args:
        span: a stretch of a page that agrees with the passage.
        decisions: on the passage.
    """
    ordered = sorted(decisions, key=lambda decision: (decision.made, decision.id))
    dismissals = [number for number, decision in enumerate(ordered) if decision.state == "dismissed"]
    if not dismissals:
        return [span]
    numbers = _part(_prevailing(ordered), _passage_place(span))
    cuts = [0, *_borders(np.isin(numbers, dismissals)), len(numbers)]
    return [_piece(span, start, end) for start, end in pairwise(cuts)]


def _borders(flags: _Bools) -> list[int]:
    """Return the borders between long runs of either kind."""
    runs = [(start, end, True) for start, end in runs_of(flags)]
    runs += [(start, end, False) for start, end in runs_of(~flags)]
    long = sorted(run for run in runs if run[1] - run[0] >= NEW_CHARS)
    return [later[0] for earlier, later in pairwise(long) if earlier[2] != later[2]]


def _piece(span: Span, start: int, end: int) -> Span:
    """Return the piece of a stretch between two offsets of the passage's side, relative to its start."""
    length = span.page_end - span.page_start
    scale = length / (span.passage_end - span.passage_start)
    page_start, page_end = round(start * scale), round(end * scale)
    if span.backwards:
        page_start, page_end = length - page_end, length - page_start
    return replace(
        span,
        page_start=span.page_start + page_start,
        page_end=span.page_start + page_end,
        passage_start=span.passage_start + start,
        passage_end=span.passage_start + end,
    )


def without_dismissed(
    spans: Sequence[Span], decisions: Sequence[Decision]
) -> tuple[list[Span], tuple[SuppressedSpan, ...]]:
    """Return the spans that count, and the dismissed ones.

    If several spans are at one position of the page and one of them is dismissed, all of them are dismissed.

    Args:
        spans: stretches of one page that agree with the passage.
        decisions: on the passage, the earliest first.
    """
    prevailing = _prevailing(decisions)
    suppressed = tuple(
        dismissed for span in spans if (dismissed := _suppressed_by(span, decisions, prevailing))
    )
    places = {_page_place(dismissed.span) for dismissed in suppressed}
    return [span for span in spans if _page_place(span) not in places], suppressed


def _suppressed_by(span: Span, decisions: Sequence[Decision], prevailing: _Numbers) -> SuppressedSpan | None:
    """Return the span as dismissed if dismissals cover its stretch of the passage, else None."""
    numbers = _part(prevailing, _passage_place(span))
    dismissals = [number for number in _distinct(numbers) if decisions[number].state == "dismissed"]
    if not dismissals or not _covers(np.isin(numbers, dismissals)):
        return None
    largest = decisions[max(dismissals, key=lambda number: int((numbers == number).sum()))]
    return SuppressedSpan(span=span, dismissal_id=largest.id, because=largest.because)


def joined_reasons(reasons: Iterable[SuppressedSpan | MatchDecision]) -> str:
    """Return the reasons of decisions, each once."""
    return "; ".join(filter(None, dict.fromkeys(reason.because for reason in reasons)))


def union(stretches: Iterable[Stretch]) -> list[Stretch]:
    """Return the stretches merged where they touch or overlap, in order.

    >>> union([(5, 9), (0, 3), (3, 6), (20, 21)])
    [(0, 9), (20, 21)]
    """
    joined: list[Stretch] = []
    for start, end in sorted(stretches):
        if joined and start <= joined[-1][1]:
            joined[-1] = joined[-1][0], max(end, joined[-1][1])
        else:
            joined.append((start, end))
    return joined


def _gaps(stretch: Stretch, prevailing: _Numbers) -> list[Stretch]:
    """Return the pieces of a stretch without a decision; none if it is covered."""
    free = _part(prevailing, stretch) < 0
    if _covers(~free):
        return []
    return [(stretch[0] + start, stretch[0] + end) for start, end in runs_of(free)]


def _bearing(
    spans: Iterable[Span], decisions: Sequence[Decision], prevailing: _Numbers
) -> Iterator[MatchDecision]:
    """Yield the decisions that cover enough of the stretches to be listed, by position."""
    parts: dict[int, list[int]] = {}
    for span in spans:
        numbers = _part(prevailing, _passage_place(span))
        for number in _distinct(numbers):
            held = np.flatnonzero(numbers == number)
            if len(held) >= min(NEW_CHARS, _BEARING * len(numbers)):
                places = span.passage_start + held
                parts.setdefault(number, []).extend((int(places[0]), int(places[-1]) + 1))
    for number, places_of in sorted(parts.items(), key=lambda entry: min(entry[1])):
        yield _as_decided(decisions[number], min(places_of), max(places_of))


def _as_decided(decision: Decision, start: int, end: int) -> MatchDecision:
    return MatchDecision(
        decision_id=decision.id,
        state=decision.state,
        start=start,
        end=end,
        because=decision.because,
        by=decision.by,
        made=decision.made,
        page_id=decision.page_id,
        page_seen=decision.page_seen,
        url=decision.url,
    )


def _prevailing(decisions: Sequence[Decision]) -> _Numbers:
    """Return for each character of the passage the number of the last decision on it, −1 without any."""
    prevailing = np.full(max((decision.end for decision in decisions), default=0), -1, dtype=np.int64)
    for number, decision in enumerate(decisions):
        prevailing[decision.start : decision.end] = number
    return prevailing


def _part(prevailing: _Numbers, stretch: Stretch) -> _Numbers:
    """Return a stretch's part, also beyond the last decision."""
    start, end = stretch
    held = prevailing[start:end]
    return np.concatenate((held, np.full(end - start - len(held), -1, dtype=np.int64)))


def _distinct(numbers: _Numbers) -> list[int]:
    return [int(number) for number in np.unique(numbers) if number >= 0]


def _covers(decided: _Bools) -> bool:
    """Return whether the decided part of a stretch is practically all of it."""
    if not len(decided) or decided.mean() < COVERED:
        return False
    return all(end - start < NEW_CHARS for start, end in runs_of(~decided))


def _page_place(span: Span) -> Stretch:
    return span.page_start, span.page_end


def _passage_place(span: Span) -> Stretch:
    return span.passage_start, span.passage_end
