"""Render a report as a workbook for spreadsheets (Office Open XML), with one sheet per table."""

from collections.abc import Iterator
from datetime import tzinfo
from pathlib import Path
from zoneinfo import ZoneInfo

import xlsxwriter

from analysis.fields.case_row import CaseRow
from analysis.fields.cases import CSV_FIELDS as CASE_FIELDS
from analysis.fields.cells import readable_cell
from analysis.reports.readable_csv import readable_headings, readable_rows
from analysis.reports.records import Report
from analysis.reports.sheets import WORKBOOK_OPTIONS, Row, Sheets
from analysis.words import labels
from analysis.words.i18n import N_, NC_, Translator, translator
from analysis.words.labels import word


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
    with xlsxwriter.Workbook(path, WORKBOOK_OPTIONS) as book:
        sheets = Sheets(book, zone)
        sheets.write(
            texts.gettext(N_("Matches")),
            readable_headings(texts, timezone),
            readable_rows(report, texts, zone),
        )
        for name, headings, rows in _tables(report, texts, zone):
            sheets.write(texts.gettext(name), [texts.gettext(heading) for heading in headings], rows)


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
