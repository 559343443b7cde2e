"""Write a report to files in any format; each file is complete or is not written."""

import hashlib
from pathlib import Path
from typing import Literal

from xlsxwriter.exceptions import XlsxFileError

from analysis.evidence.capture_files import capture_files
from analysis.queries.reports import ReportQuery, report_of
from analysis.reports.readable_csv import render_readable_csv
from analysis.reports.records import Report
from analysis.reports.render_csv import render_csv
from analysis.reports.render_html import render_documents, render_html, render_short
from analysis.reports.render_json import render_json
from analysis.reports.render_xlsx import write_xlsx
from analysis.words.i18n import translator
from analysis.words.printing import PrintingTimedOut, print_pdf
from deploy.cli.console import write_document
from deploy.cli.files import CannotWrite, whole_file, write, write_data
from deploy.cli.identity import terminal_identity
from storage.settings import Settings
from system.errors import PindnaError
from system.local_files import readable
from tracker.runtime import Runtime

Format = Literal["html", "pdf", "xlsx", "csv", "json"]

STDOUT = "-"


class ReportTooLong(PindnaError):
    """Printing a report to PDF took too long. Data: ``seconds``."""

    template = (
        "The report is too long to be printed: the browser was ended after {seconds} s. --format html writes "
        "all of it; --full with a smaller number, --work or --site make it shorter."
    )


def write_report(
    built: Report, form: Format, target: Path, settings: Settings, *, codes: bool, is_short: bool = False
) -> list[Path]:
    """Write a report in a format, and return the files; an HTML report may have several.

    Args:
        built: the report.
        form: of the file.
        target: the file.
        settings: language and time zone.
        codes: CSV for programs.
        is_short: the short version, in HTML or PDF.

    Raises:
        CannotWrite: a file cannot be written.
        PrinterMissing, PrintingFailed: no PDF can be made.
        ReportTooLong: not in time.
    """
    language, timezone = translator().language, settings.tracker.timezone
    if form == "xlsx":
        with whole_file(target) as unfinished:
            try:
                write_xlsx(built, unfinished, language=language, timezone=timezone)
            except XlsxFileError as error:
                raise CannotWrite(path=readable(target), problem=str(error)) from error
    elif form == "pdf":
        document = _html_alone(built, settings, is_short=is_short)
        try:
            printed = print_pdf(document, settings.crawler, footer="pindna")
        except PrintingTimedOut as error:
            raise ReportTooLong(seconds=error.data["seconds"]) from error
        with whole_file(target) as unfinished:
            unfinished.write_bytes(printed)
    elif form == "html" and not is_short and _is_file(target):
        files = []
        for page in render_documents(built, name=target.name, language=language, timezone=timezone):
            files.append(target.with_name(page.name))
            write(files[-1], page.text)
        return [target, *(file for file in files if file != target)]
    else:
        _write_text(_text_of(built, form, settings, codes=codes, is_short=is_short), target)
    return [target]


def _is_file(target: Path) -> bool:
    """Return whether the target is a regular file, which can have other documents next to it."""
    return str(target) != STDOUT and (target.is_file() or not target.exists())


def _write_text(text: str, target: Path) -> None:
    if str(target) == STDOUT:
        write_document(text + "\n")
    else:
        write(target, text)


def write_folder(runtime: Runtime, built: Report, folder: Path) -> None:
    """Write a folder with a report, the captures that are its evidence, and the digests of all files.

    Raises:
        CannotWrite: a file cannot be written.
        ServiceDown: the database does not answer.
    """
    names: dict[str, str] = {}
    digests: dict[str, str] = {}
    pages = [entry.page for entry in built.matches if entry.page is not None]
    for file in capture_files(pages, runtime.stores):
        write_data(folder / file.name, file.data)
        names[file.key], digests[file.name] = file.name, file.sha256
    language, timezone = translator().language, runtime.settings.tracker.timezone
    for document in render_documents(
        built, name="report.html", language=language, timezone=timezone, files=names
    ):
        write(folder / document.name, document.text)
        digests[document.name] = hashlib.sha256(document.text.encode()).hexdigest()
    write(folder / "SHA256SUMS", "".join(f"{digest}  {name}\n" for name, digest in sorted(digests.items())))


def _html_alone(built: Report, settings: Settings, *, is_short: bool = False) -> str:
    render = render_short if is_short else render_html
    return render(built, language=translator().language, timezone=settings.tracker.timezone)


def _text_of(
    built: Report, form: Format, settings: Settings, *, codes: bool = False, is_short: bool = False
) -> str:
    """Return the text of a report."""
    if form == "html":
        return _html_alone(built, settings, is_short=is_short)
    if form == "json":
        return render_json(built)
    timezone = settings.tracker.timezone
    return render_csv(built) if codes else render_readable_csv(built, timezone=timezone)


def render_report(runtime: Runtime, *, scan_id: str) -> str:
    """Return the HTML report of a scan; it is not recorded as the last report of its scope."""
    user, settings = terminal_identity(runtime.settings), runtime.settings
    built = report_of(user, runtime.stores, settings, ReportQuery(scan=scan_id))
    return _html_alone(built, settings)
