"""A report as a table for people: headings, verdicts and states in words of their language, local times.

The rows and columns are those of :mod:`analysis.reports.render_csv`. A heading names the zone of its times,
so that a spreadsheet still takes the cells for times and sorts them.
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
    """Return the report's matches as CSV with a byte order mark, as people read it.

    Args:
        report: what to show.
        language: ``zh`` or ``en``; None: that of settings or environment.
        timezone: IANA name of the zone that times are shown in.

    Raises:
        zoneinfo.ZoneInfoNotFoundError: there is no such time zone.
    """
    texts, zone = translator(language), ZoneInfo(timezone)
    rows = readable_rows(report, texts, zone)
    return table_text(readable_headings(texts, timezone), (map(_local_text, row) for row in rows))


def _local_text(value: object) -> object:
    """Return a moment as a spreadsheet that reads CSV takes it for one."""
    return f"{value:%Y-%m-%d %H:%M:%S}" if isinstance(value, datetime) else value


def readable_headings(texts: Translator, timezone: str) -> list[str]:
    """Return the headings of the columns; those of times name the zone."""
    return [heading(field, texts, timezone) for field in CSV_FIELDS]


def readable_rows(report: Report, texts: Translator, zone: tzinfo) -> Iterator[list[object]]:
    """Yield a row of values for each match, as people read them, the dismissed ones last.

    Moments are aware, in the zone.
    """
    for row in rows_of(report):
        yield [readable_cell(field, row, texts, zone) for field in CSV_FIELDS]
