"""Render a report as a workbook for spreadsheets (Office Open XML), with one sheet per table.

Texts are written as texts. XlsxWriter does not search them for formulas and links, so the title of a page
cannot run a formula and needs no apostrophe before it. Dates and times are spreadsheet values in the reader's
time zone, so they can be sorted and filtered. Dates that spreadsheets cannot represent are texts: years
before 1900, and dates on works or pages in other zones. Sheets are written row by row, so memory does not
grow with the number of rows.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime, tzinfo
from itertools import islice
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import xlsxwriter

from analysis.fields.case_row import CaseRow
from analysis.fields.cases import CSV_FIELDS as CASE_FIELDS
from analysis.fields.cells import readable_cell
from analysis.reports.readable_csv import readable_headings, readable_rows
from analysis.reports.records import Report
from analysis.words import labels
from analysis.words.i18n import N_, NC_, Translator, translator
from analysis.words.labels import word
from analysis.words.visible import visible
from storage.records import ClaimedDate, Precision

MAX_ROWS = 1_048_576
_FIRST_YEAR = 1900  # first year of the spreadsheet calendar
_FORMATS: Mapping[Precision, str] = {
    "day": "yyyy-mm-dd",
    "minute": "yyyy-mm-dd hh:mm",
    "second": "yyyy-mm-dd hh:mm:ss",
}
_MAX_WIDTH = 48
_TIME_WIDTH = 20  # a date in a narrower column is shown as ####

Row = Sequence[object]
_OPTIONS = {
    "constant_memory": True,
    "strings_to_formulas": False,
    "strings_to_urls": False,
    "strings_to_numbers": False,
    "in_memory": False,
}


def write_xlsx(
    report: Report, path: Path, *, language: str | None = None, timezone: str = "Asia/Shanghai"
) -> None:
    """Write the report as a workbook.

    Args:
        report: the report.
        path: path of the file; an existing file is replaced.
        language: ``zh`` or ``en``; None: the language of the settings or the environment.
        timezone: IANA name of the zone of all times.

    Raises:
        zoneinfo.ZoneInfoNotFoundError: there is no such time zone.
        OSError: the file cannot be written.
        xlsxwriter.exceptions.FileCreateError: the file cannot be written.
    """
    texts, zone = translator(language), ZoneInfo(timezone)
    with xlsxwriter.Workbook(path, _OPTIONS) as book:
        sheets = _Sheets(book, zone)
        sheets.write(
            texts.gettext(N_("Matches")),
            readable_headings(texts, timezone),
            readable_rows(report, texts, zone),
        )
        for name, headings, rows in _tables(report, texts, zone):
            sheets.write(texts.gettext(name), [texts.gettext(heading) for heading in headings], rows)


class _Sheets:
    """Writes sheets of one workbook."""

    def __init__(self, book: Any, zone: tzinfo) -> None:
        self._book, self._zone = book, zone
        self._bold = book.add_format({"bold": True, "bottom": 1})
        self._dates = {
            precision: book.add_format({"num_format": form, "align": "left"})
            for precision, form in _FORMATS.items()
        }

    def write(self, name: str, headings: Sequence[str], rows: Iterable[Row]) -> None:
        """Write a sheet; rows beyond the maximum of a sheet are left out."""
        sheet = self._book.add_worksheet(name)
        sheet.freeze_panes(1, 0)
        for column, heading in enumerate(headings):
            sheet.set_column(column, column, max(_TIME_WIDTH, min(_MAX_WIDTH, 6 + 2 * len(heading))))
        for column, heading in enumerate(headings):
            sheet.write_string(0, column, heading, self._bold)
        for number, row in enumerate(islice(rows, MAX_ROWS - 1), 1):
            for column, value in enumerate(row):
                self._write_cell(sheet, number, column, value)

    def _write_cell(self, sheet: Any, row: int, column: int, value: object) -> None:
        """Write a number as a number, a date as a date and everything else as a text."""
        if value is None or value == "":
            return
        if isinstance(value, int | float) and not isinstance(value, bool):
            sheet.write_number(row, column, value)
        elif (moment := _calendar_date(value, self._zone)) is not None:
            local, precision = moment
            sheet.write_datetime(row, column, local, self._dates[precision])
        else:
            sheet.write_string(row, column, visible(str(value)))  # XlsxWriter truncates long texts


def _calendar_date(value: object, zone: tzinfo) -> tuple[datetime, Precision] | None:
    """Return a date or time in a zone, without the zone, and its precision; None: the value is a text."""
    if isinstance(value, ClaimedDate):
        local, precision = value.local, value.precision
        if local.utcoffset() != local.astimezone(zone).utcoffset():
            return None
    elif isinstance(value, datetime):
        local, precision = value.astimezone(zone), "second"
    elif isinstance(value, date):
        local, precision = datetime(value.year, value.month, value.day, tzinfo=zone), "day"
    else:
        return None
    return (local.replace(tzinfo=None, microsecond=0), precision) if local.year >= _FIRST_YEAR else None


def _tables(
    report: Report, texts: Translator, zone: tzinfo
) -> Iterator[tuple[str, tuple[str, ...], Iterator[Row]]]:
    """Yield (name, headings, rows) of all sheets except the sheet of the matches."""
    yield N_("Cases"), _CASES, _cases(report, texts, zone)
    yield N_("Sites"), _SITES, _sites(report, texts)
    yield N_("Works and sites"), _MAP, _maps(report, texts, zone)
    yield N_("Timeline"), _TIMELINE, _timeline(report)
    yield N_("Coverage"), _COVERAGE, _coverage(report)
    yield N_("Groups"), _GROUPS, _groups(report, texts)
    yield N_("Repeat offenders"), _OFFENDERS, _offenders(report)
    yield N_("Not checked"), _NOT_CHECKED, _not_checked(report, texts)


_CASES = tuple(field.label for field in CASE_FIELDS)


def _cases(report: Report, texts: Translator, zone: tzinfo) -> Iterator[Row]:
    for entry in report.cases:
        case = entry.case
        row = CaseRow(case=case, deadline=case.deadline, is_overdue=entry.is_overdue, priority=entry.priority)
        yield [readable_cell(field, row, texts, zone) for field in CASE_FIELDS]


_SITES = (
    N_("Site"),
    N_("Verdict"),
    NC_("count", "Works"),
    NC_("count", "Matches"),
    N_("Copied characters"),
    NC_("count", "Pages"),
    N_("Not compared"),
)


def _sites(report: Report, texts: Translator) -> Iterator[Row]:
    for site in report.sites:
        verdict = word(texts, labels.VERDICTS, site.verdict) if site.verdict else ""
        figures = site.works, site.matches, site.copied_chars, site.pages, site.not_compared
        yield (site.site, verdict, *figures)


_MAP = (
    N_("Work"),
    N_("From passage"),
    N_("To passage"),
    N_("Site"),
    N_("Verdict"),
    NC_("count", "Passages"),
    NC_("count", "Pages"),
    N_("First appeared"),
    N_("Date is from the page"),
    N_("Days after the work was published"),
)


def _maps(report: Report, texts: Translator, zone: tzinfo) -> Iterator[Row]:
    for work_map in report.pictures.maps:
        for row in work_map.rows:
            for site, cell in zip(work_map.sites, row.cells, strict=True):
                if cell is not None:
                    yield (
                        work_map.title,
                        row.first,
                        row.last,
                        site,
                        word(texts, labels.VERDICTS, cell.verdict),
                        cell.passages,
                        cell.pages,
                        cell.appeared.astimezone(zone).date(),
                        texts.gettext(N_("yes") if cell.is_claimed else N_("no")),
                        cell.lag_days,
                    )


_TIMELINE = (NC_("step", "From"), N_("pages found"), N_("pages found gone"))


def _timeline(report: Report) -> Iterator[Row]:
    return ((step.start, step.found, step.gone) for step in report.pictures.timeline.steps)


_COVERAGE = (N_("Profile"), N_("From coverage"), NC_("count", "Matches"))


def _coverage(report: Report) -> Iterator[Row]:
    for distribution in report.pictures.distributions:
        yield from (
            (distribution.profile, index / len(distribution.bins), count)
            for index, count in enumerate(distribution.bins)
        )


_GROUPS = (
    N_("Work"),
    N_("Passage"),
    N_("Site"),
    N_("Address"),
    N_("Match"),
    N_("Verdict"),
    N_("Coverage of the passage"),
    N_("First appeared"),
    N_("Date is from the page"),
    N_("The text of the first page"),
)


def _groups(report: Report, texts: Translator) -> Iterator[Row]:
    for group in report.pictures.groups:
        for page in group.carriers:
            yield (
                group.work,
                group.passage,
                page.site,
                page.url,
                page.match,
                word(texts, labels.VERDICTS, page.verdict),
                round(page.passage_coverage, 4),
                page.appeared,
                texts.gettext(N_("yes") if page.is_claimed else N_("no")),
                texts.gettext(N_("yes") if page.is_same else N_("no")),
            )


_OFFENDERS = (
    N_("Site"),
    NC_("count", "Works"),
    NC_("count", "Cases"),
    N_("Copied characters"),
    NC_("count", "Pages"),
    NC_("count", "Gone"),
    NC_("count", "Notices"),
    N_("Acceptances"),
    N_("Refusals"),
    N_("Unanswered"),
    N_("Watched addresses"),
    N_("Watched and gone"),
    N_("Watched and moved"),
    NC_("count", "Removals"),
    N_("Hours to removal"),
    NC_("count", "Returns"),
)


def _offenders(report: Report) -> Iterator[Row]:
    for offender in report.pictures.offenders:
        yield (
            offender.site,
            offender.works,
            " ".join(offender.case_names),
            offender.copied_chars,
            offender.pages,
            offender.pages_gone,
            offender.notices,
            offender.accepted,
            offender.refused,
            offender.unanswered,
            offender.watched,
            offender.watched_gone,
            offender.watched_moved,
            offender.removals,
            offender.hours_to_removal,
            offender.returns,
        )


_NOT_CHECKED = (N_("Reason"), N_("Cause"), NC_("count", "Pages"), N_("Characters or number"))


def _not_checked(report: Report, texts: Translator) -> Iterator[Row]:
    for group in report.not_checked:
        yield texts.reason(group.reason), word(texts, labels.FAULTS, group.fault), group.pages
    for unread in report.not_read:
        yield texts.gettext(labels.UNREAD[unread.reason]), "", unread.pages, unread.amount
