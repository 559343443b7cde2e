"""``pindna report``: write a report of the findings to a file."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Annotated

import typer

from analysis.actions.reports import record_report
from analysis.queries.reports import ReportQuery, report_of, with_new
from analysis.reports.building import MAX_FACTS, MAX_TEXTS
from analysis.reports.earlier import scope_key
from analysis.words.i18n import gettext as _
from deploy.cli.clock import own_zone
from deploy.cli.console import print_result
from deploy.cli.dates import parse_moment
from deploy.cli.files import refuse_place
from deploy.cli.identity import As, user_session
from deploy.cli.options import CaseOption, with_options
from deploy.cli.report.report_files import STDOUT, Format, write_folder, write_report
from deploy.cli.review.match_options import Site, WorkOption
from storage.records import utc_now
from storage.settings import Settings

_MAX_TEXTS: Mapping[Format, int] = {
    "html": MAX_TEXTS,
    "pdf": MAX_TEXTS,
    "xlsx": MAX_FACTS,
    "csv": MAX_FACTS,
    "json": MAX_FACTS,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportScope:
    """The options for the scope of a report."""

    scan: Annotated[
        str | None,
        typer.Option(
            metavar="SCAN", help=_("Only results of this scan (its id, or the beginning of the id).")
        ),
    ] = None
    work: WorkOption = None
    site: Site = None
    case: CaseOption = None
    since: Annotated[
        datetime | None,
        typer.Option(
            parser=parse_moment,
            metavar="DAY|TIME",
            help=_("Only results seen since this day or time, such as 2026-11-21."),
        ),
    ] = None
    new_since: Annotated[
        datetime | None,
        typer.Option(
            parser=parse_moment,
            metavar="DAY|TIME",
            help=_(
                "Mark matches that were first seen after this time as new; default: the time of the "
                "last report of this scope."
            ),
        ),
    ] = None

    @property
    def query(self) -> ReportQuery:
        """The query for the scope of the report."""
        return ReportQuery(scan=self.scan, work=self.work, site=self.site, case=self.case, since=self.since)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportForm:
    """The options for the format and the output file of a report."""

    form: Annotated[Format, typer.Option("--format", help=_("Kind of file."))] = "html"
    path: Annotated[
        Path | None, typer.Option("--output", "-o", help=_("File to write; - for standard output."))
    ] = None
    with_captures: Annotated[
        bool,
        typer.Option(
            "--with-captures",
            help=_("Write a folder: the HTML report, and each page as it was received (WARC)."),
        ),
    ] = False
    full: Annotated[
        int | None,
        typer.Option(
            "--full",
            min=0,
            metavar="NUMBER",
            help=_("Maximum number of matches that are shown with their texts."),
        ),
    ] = None
    short: Annotated[
        bool,
        typer.Option("--short", help=_("Short version of at most six pages, without the matches.")),
    ] = False
    codes: Annotated[
        bool,
        typer.Option("--codes", help=_("CSV for programs: codes and UTC instead of words and local times.")),
    ] = False

    def check(self) -> None:
        """Refuse options that contradict each other.

        Raises:
            typer.BadParameter: they do not.
        """
        if self.short and (self.form not in {"html", "pdf"} or self.with_captures or self.full is not None):
            raise typer.BadParameter(
                _("Use --short with --format html or pdf only, without --with-captures and --full.")
            )
        if self.codes and self.form != "csv":
            raise typer.BadParameter(_("Use --codes only with --format csv."))
        if self.form in {"pdf", "xlsx"} and str(self.path) == STDOUT:
            raise typer.BadParameter(_("--format {form} needs a file.").format(form=self.form))
        if self.with_captures and (self.form != "html" or str(self.path) == STDOUT):
            raise typer.BadParameter(_("--with-captures writes a folder with an HTML report."))

    def target(self, settings: Settings) -> Path:
        """Return the file or folder to write; if no name was given, the name is the time."""
        ending = "" if self.with_captures else f".{self.form}"
        name = f"pindna-{utc_now().astimezone(own_zone()):%Y%m%d-%H%M%S%z}{ending}"
        return self.path or settings.analysis.report_dir / name


@with_options
def report(*, form: ReportForm, scope: ReportScope, by: As = "") -> None:
    form.check()
    if scope.case and (scope.work or scope.site):
        raise typer.BadParameter(_("A case is one work on one site. Use --case without --work and --site."))
    refuse_place(form.path / "report.html" if form.path and form.with_captures else form.path)
    with user_session(by) as (user, runtime):
        stores, settings = runtime.stores, runtime.settings
        max_texts = 0 if form.short else _MAX_TEXTS[form.form] if form.full is None else form.full
        records = report_of(user, stores, settings, scope.query, max_texts=max_texts)
        built = with_new(user, stores, settings, records, form=form.form, since=scope.new_since)
        target = form.target(settings)
        if form.path is None:
            with suppress(OSError):  # the report contains texts of works, so only its user may read it
                target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if form.with_captures:
            write_folder(runtime, built, target)
            files = [target]
        else:
            files = write_report(built, form.form, target, settings, codes=form.codes, is_short=form.short)
        record_report(user, runtime, scope=scope_key(built.scope), form=form.form, made=built.generated)
    if str(target) != STDOUT:
        print_result(_("The report is in {path}.").format(path=target.resolve()))
        for file in files[1:]:
            print_result(_("Further file of the report: {path}").format(path=file.resolve()))
