"""Render a report as CSV for readers: with words in their language and local times.

The rows and columns are the same as in :mod:`analysis.reports.render_csv`. The headings name the time zone,
so that spreadsheets recognise the cells as times and can sort them.
"""

from collections.abc import Iterator
from datetime import datetime, tzinfo
from zoneinfo import ZoneInfo

from analysis.fields.cells import heading, readable_cell
from analysis.fields.matches import CSV_FIELDS
from analysis.reports.records import Report
from analysis.reports.render_csv import rows_of, table_text
from analysis.words.i18n import Translator, translator


def render_readable_csv(
    report: Report, *, language: str | None = None, timezone: str = "Asia/Shanghai"
) -> str:
    """Return the matches of a report as CSV for readers, with a byte order mark.

    Args:
        report: the report.
        language: ``zh`` or ``en``; None: the language of the settings or the environment.
        timezone: IANA name of the zone of all times.

    Raises:
        zoneinfo.ZoneInfoNotFoundError: there is no such time zone.
    """
    texts, zone = translator(language), ZoneInfo(timezone)
    rows = readable_rows(report, texts, zone)
    return table_text(readable_headings(texts, timezone), (map(_local_text, row) for row in rows))


def _local_text(value: object) -> object:
    """Return a time in the form that spreadsheets recognise in CSV, and any other value unchanged."""
    return f"{value:%Y-%m-%d %H:%M:%S}" if isinstance(value, datetime) else value


def readable_headings(texts: Translator, timezone: str) -> list[str]:
    """Return the headings of the columns. Headings of times contain the zone."""
    return [heading(field, texts, timezone) for field in CSV_FIELDS]


def readable_rows(report: Report, texts: Translator, zone: tzinfo) -> Iterator[list[object]]:
    """Yield a row of readable values for each match, the dismissed ones last.

    Times are aware and in the given zone.
    """
    for row in rows_of(report):
        yield [readable_cell(field, row, texts, zone) for field in CSV_FIELDS]
