"""A report as CSV for programs: one row a match, names of columns and codes as they are, times in ISO 8601.

:mod:`analysis.reports.readable_csv` is the same for people.

Dismissed matches come last.

The text begins with a byte order mark, without which Excel does not take it for UTF-8. A cell that a
spreadsheet would take for a formula gets an apostrophe before it, and hidden characters become visible: a
page's title must not compute anything.
"""

import csv
import io
from collections.abc import Iterable, Iterator

from analysis.reports.records import PageFacts, Report
from analysis.reports.spreadsheet import BYTE_ORDER_MARK, cell
from analysis.words.background import background_of
from analysis.words.posts import post_text
from storage.records import Background, Case, ClaimedDate, Homophone, Match, Presence

_MAX_PLACES = 20

COLUMNS = (
    "work_id",
    "work",
    "passage",
    "site",
    "url",
    "page_title",
    "verdict",
    "low_confidence",
    "coverage",
    "passage_coverage",
    "copied_chars",
    "longest_span",
    "char_identity",
    "sound_identity",
    "disguises",
    "spans",
    "profile",
    "licence",
    "page_older",
    "page_older_by",
    "work_published",
    "page_published",
    "first_seen",
    "last_seen",
    "review",
    "common_stretches",
    "dismissed_stretches",
    "dismissed_because",
    "review_because",
    "review_by",
    "review_inherited",
    "match",
    "case",
    "last_look",
    "last_check",
    "absent_since",
    "look_reason",
    "moved_to",
    "older_versions",
    "case_status",
    "content_hash",
    "snapshots",
    "capture_digests",
    "evidence",
    "edition",
    "homophones",
    "background",
    "posts",
    "part",
    "found_in",
)


def render_csv(report: Report) -> str:
    """Return the report's matches as CSV (RFC 4180, CRLF) with a byte order mark, for programs.

    Write it without translation of line ends (``newline=""``) in UTF-8.
    """
    return table_text(COLUMNS, (map(_code, row) for row in rows_of(report)))


def _code(value: object) -> object:
    """Return a value as programs read it: dates that a work or a page bears in ISO 8601, too."""
    return value.iso() if isinstance(value, ClaimedDate) else value


def rows_of(report: Report) -> Iterator[tuple[object, ...]]:
    """Yield the values of :data:`COLUMNS` for each match, the dismissed ones last."""
    for case in report.cases:
        for entry in case.matches:
            yield _row(entry.match, entry.page, case.case, entry.presence)
    for match in report.dismissed:
        yield _row(match, None, None)


def table_text(headings: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    """Return a table as CSV with a byte order mark, in cells that compute nothing."""
    out = io.StringIO(newline="")
    writer = csv.writer(out)
    writer.writerow(headings)
    writer.writerows([cell(value) for value in row] for row in rows)
    return BYTE_ORDER_MARK + out.getvalue()


def _row(
    match: Match, page: PageFacts | None, case: Case | None, presence: Presence | None = None
) -> tuple[object, ...]:
    reasons = dict.fromkeys(suppression.because for suppression in match.suppressed)
    return (
        match.work_id,
        match.work_title,
        match.passage_title,
        match.site,
        match.url,
        match.page_title,
        match.verdict,
        int(match.low_confidence),
        round(match.coverage, 4),
        round(match.passage_coverage, 4),
        match.copied_chars,
        match.longest_span,
        round(match.char_identity, 4),
        round(match.sound_identity, 4),
        " ".join(match.disguises),
        len(match.spans),
        match.profile,
        match.licence,
        int(match.page_older),
        match.page_older_by,
        match.work_published,
        match.page_published,
        match.first_seen,
        match.last_seen,
        match.review,
        len(match.common),
        len(match.suppressed),
        "; ".join(reasons),
        match.because,
        "; ".join(match.decided_by),
        int(match.inherited is not None),
        match.name,
        case.name if case else "",
        *_presence_cells(presence),
        page.older_versions if page else "",
        case.state if case else "",
        page.content_hash if page else "",
        " ".join(page.snapshots) if page else "",
        " ".join(capture.digest for capture in page.captures if capture.digest) if page else "",
        " ".join(dict.fromkeys(capture.state for capture in page.captures)) if page else "",
        match.edition,
        "; ".join(map(_homophone, match.homophones)),
        "; ".join(map(_background_cell, background_of(match, page.background))) if page else "",
        "; ".join(map(post_text, match.posts)),
        match.part,
        "; ".join(f"{piece.reason} {piece.place}".strip() for piece in match.found_in),
    )


def _homophone(pair: Homophone) -> str:
    """Return what the page has and what the work has, each with its syllable."""
    return f"{pair.character} {pair.syllable}/{pair.original} {pair.original_syllable}"


def _background_cell(own: Background) -> str:
    """Return a background text's title with the page's stretches that stand in it, as characters from 1."""
    places = [f"{span.page_start + 1}-{span.page_end}" for span in own.spans[:_MAX_PLACES]]
    return " ".join([own.work, *places, *(["…"] if len(own.spans) > _MAX_PLACES else [])])


def _presence_cells(presence: Presence | None) -> tuple[object, ...]:
    if presence is None:
        return ("",) * 5
    return (
        presence.state,
        presence.checked,
        presence.absent_since,
        presence.reason,
        presence.moved_to,
    )
