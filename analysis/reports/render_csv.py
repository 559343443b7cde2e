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
    """Return a table as CSV with a byte order mark, in cells that compute nothing."""
    out = io.StringIO(newline="")
    writer = csv.writer(out)
    writer.writerow(headings)
    writer.writerows([cell(value) for value in row] for row in rows)
    return BYTE_ORDER_MARK + out.getvalue()
