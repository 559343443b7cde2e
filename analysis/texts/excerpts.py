"""Excerpts of a match's two texts: its spans with context, up to a maximum length."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from analysis.texts.marking import MarkedRun, marked_runs, reordered_run
from analysis.words.labels import REORDERED
from storage.records import Match, Span

CONTEXT_CHARS = 30
SHOWN_CHARS = 2000  # maximum number of shown characters per match, over all its spans
_ROW_CHARS = 160
_END = r"[。！？!?…\n][。！？!?…”’」』）)》〉\r\n]*"  # end of a sentence, with closing marks
_SENTENCE = re.compile(rf".*?{_END}|.+", re.DOTALL)
_ENDS_SENTENCE = re.compile(rf"{_END}\Z")


@dataclass(frozen=True, slots=True, kw_only=True)
class Excerpt:
    """One span as it is shown.

    Attributes:
        span: position and similarity of the two stretches.
        page_before: context of the page before the span; the other three fields are similar.
        rows: the runs, in rows whose two sides correspond.
        left_out: characters of the span that are not shown.
    """

    span: Span
    page_before: str
    page_after: str
    passage_before: str
    passage_after: str
    rows: tuple[tuple[MarkedRun, ...], ...]
    left_out: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SideBySide:
    """The shown parts of a match's two texts.

    Attributes:
        left_out_chars: characters in spans that are not shown at all.
        left_out_spans: number of spans that are not shown.
    """

    excerpts: tuple[Excerpt, ...]
    left_out_chars: int
    left_out_spans: int


def side_by_side(match: Match, page: str, passage: str, *, limit: int = SHOWN_CHARS) -> SideBySide | None:
    """Return the excerpts of a match, in the order of the page.

    Args:
        match: the match.
        page: text of the page.
        passage: text of the passage.
        limit: maximum number of shown characters.

    Returns:
        None if the spans do not fit the texts, so these are not the compared texts.
    """
    spans = sorted(match.spans, key=lambda span: span.page_start)
    if any(span.page_end > len(page) or span.passage_end > len(passage) for span in spans):
        return None
    shown: list[Excerpt] = []
    room = limit
    for span in spans:
        if room <= 0:
            break
        excerpt = _make_excerpt(span, page, passage, room=room)
        shown.append(excerpt)
        room -= sum(len(run) for row in excerpt.rows for run in row)
    hidden = spans[len(shown) :]
    return SideBySide(
        excerpts=tuple(shown),
        left_out_chars=sum(span.page_end - span.page_start for span in hidden),
        left_out_spans=len(hidden),
    )


def runs_of(span: Span, page: str, passage: str, *, room: int) -> list[MarkedRun]:
    """Return the runs of a span, truncated to a maximum length.

    Args:
        span: a stretch of both texts.
        page: text of the page.
        passage: text of the passage.
        room: maximum characters of the longer side.
    """
    ours, theirs = page[span.page_start : span.page_end], passage[span.passage_start : span.passage_end]
    is_reordered = not REORDERED.keys().isdisjoint(span.disguises)
    runs = [reordered_run(ours, theirs)] if is_reordered else marked_runs(ours, theirs)
    return list(_truncate_runs(runs, room))


def _make_excerpt(span: Span, page: str, passage: str, *, room: int) -> Excerpt:
    shown = runs_of(span, page, passage, room=room)
    left_out = span.page_end - span.page_start - sum(len(run.page) for run in shown)
    cut = span.passage_end - span.passage_start > sum(len(run.passage) for run in shown)
    return Excerpt(
        span=span,
        page_before=page[max(0, span.page_start - CONTEXT_CHARS) : span.page_start],
        page_after="" if left_out or cut else page[span.page_end : span.page_end + CONTEXT_CHARS],
        passage_before=passage[max(0, span.passage_start - CONTEXT_CHARS) : span.passage_start],
        passage_after="" if left_out or cut else passage[span.passage_end : span.passage_end + CONTEXT_CHARS],
        rows=tuple(_group_into_rows(shown)),
        left_out=left_out,
    )


def _truncate_runs(runs: Iterable[MarkedRun], room: int) -> Iterator[MarkedRun]:
    """Yield runs with at most ``room`` characters."""
    for run in runs:
        yield run.head(room)
        room -= len(run)
        if room <= 0:
            return


def _group_into_rows(runs: Iterable[MarkedRun]) -> Iterator[tuple[MarkedRun, ...]]:
    """Yield rows of about ``_ROW_CHARS`` characters, cut where a sentence ends on both sides."""
    row: list[MarkedRun] = []
    filled = 0
    for run in _split_at_sentences(runs):
        row.append(run)
        filled += len(run)
        if filled >= _ROW_CHARS and run.kind == "equal" and _ENDS_SENTENCE.search(run.page):
            yield tuple(row)
            row, filled = [], 0
    if row:
        yield tuple(row)


def _split_at_sentences(runs: Iterable[MarkedRun]) -> Iterator[MarkedRun]:
    """Yield the runs, with equal ones cut after the ends of sentences."""
    for run in runs:
        if run.kind == "equal":
            for sentence in _SENTENCE.findall(run.page):
                yield MarkedRun(kind="equal", page=sentence, passage=sentence)
        else:
            yield run
