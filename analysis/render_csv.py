"""A report as CSV for spreadsheets: one row a match, column names in English, so that programs read it too.

Dismissed matches come last.

The text begins with a byte order mark, without which Excel does not take it for UTF-8. A cell that a
spreadsheet would take for a formula gets an apostrophe before it, and hidden characters become visible: a
page's title must not compute anything.
"""

import csv
import io

from analysis.report_records import PageFacts, Report
from analysis.spreadsheet import BYTE_ORDER_MARK, cell
from storage.records import Match

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
    "work_published",
    "page_published",
    "review",
    "common_stretches",
    "dismissed_stretches",
    "dismissed_because",
    "first_seen",
    "last_seen",
    "case_status",
    "content_hash",
    "snapshots",
    "capture_digests",
    "evidence",
)


def render_csv(report: Report) -> str:
    """Return the report's matches as CSV (RFC 4180, CRLF) with a byte order mark.

    Write it without translation of line ends (``newline=""``) in UTF-8.
    """
    out = io.StringIO(newline="")
    writer = csv.writer(out)
    writer.writerow(COLUMNS)
    for case in report.cases:
        for entry in case.matches:
            writer.writerow([cell(value) for value in _row(entry.match, entry.page, case.case.status)])
    for match in report.dismissed:
        writer.writerow([cell(value) for value in _row(match, None, "")])
    return BYTE_ORDER_MARK + out.getvalue()


def _row(match: Match, page: PageFacts | None, case_status: str) -> tuple[object, ...]:
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
        match.work_published or "",
        match.page_published or "",
        match.review,
        len(match.common),
        len(match.suppressed),
        "; ".join(reasons),
        match.first_seen,
        match.last_seen,
        case_status,
        page.content_hash if page else "",
        " ".join(page.snapshots) if page else "",
        " ".join(capture.digest for capture in page.captures if capture.digest) if page else "",
        " ".join(dict.fromkeys(capture.state for capture in page.captures)) if page else "",
    )
