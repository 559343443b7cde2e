"""Render a report as CSV for programs: one row per match, with codes and with times in ISO 8601.

:mod:`analysis.reports.readable_csv` renders the same table for readers.

Dismissed matches come last.

The text begins with a byte order mark, because Excel would not recognise UTF-8 without it. A cell that a
spreadsheet would interpret as a formula gets an apostrophe before it, so the title of a page cannot run a
formula. Hidden characters become visible.
"""

import csv
import io
from collections.abc import Iterable, Iterator

from analysis.fields.cells import code_cell
from analysis.fields.match_row import MatchRow
from analysis.fields.matches import CSV_FIELDS
from analysis.reports.records import Report
from analysis.reports.spreadsheet import BYTE_ORDER_MARK, cell

COLUMNS = tuple(field.name for field in CSV_FIELDS)


def render_csv(report: Report) -> str:
    """Return the report's matches as CSV (RFC 4180, CRLF) with a byte order mark, for programs.

    Write it without translation of line ends (``newline=""``) in UTF-8.
    """
    rows = ((code_cell(field, row) for field in CSV_FIELDS) for row in rows_of(report))
    return table_text(COLUMNS, rows)


def rows_of(report: Report) -> Iterator[MatchRow]:
    """Yield the matches of a report with the records shown next to each, the dismissed ones last."""
    for case in report.cases:
        for entry in case.matches:
            yield MatchRow(match=entry.match, page=entry.page, case=case.case, presence=entry.presence)
    for match in report.dismissed:
        yield MatchRow(match=match)


def table_text(headings: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    """Return a table as CSV with a byte order mark, without cells that are formulas."""
    out = io.StringIO(newline="")
    writer = csv.writer(out)
    writer.writerow(headings)
    writer.writerows([cell(value) for value in row] for row in rows)
    return BYTE_ORDER_MARK + out.getvalue()
