"""``pindna report``: what was found, as a file."""

from datetime import datetime
from pathlib import Path
from typing import Annotated, Literal
from zoneinfo import ZoneInfo

import typer

from analysis.i18n import gettext as _
from analysis.i18n import translator
from analysis.render_csv import render_csv
from analysis.render_html import render_html
from analysis.render_json import render_json
from analysis.report import build_report
from deploy.cli.console import print_result, write_document
from deploy.cli.files import write
from deploy.cli.session import session
from storage.records import utc_now
from tracker.runtime import Runtime

Format = Literal["html", "json", "csv"]

_TIMES = ["%Y-%m-%d", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M:%S%z"]


def report(
    *,
    form: Annotated[Format, typer.Option("--format", help=_("Kind of file."))] = "html",
    path: Annotated[
        Path | None, typer.Option("--output", "-o", help=_("File to write; - for standard output."))
    ] = None,
    scan_id: Annotated[str | None, typer.Option("--scan", help=_("Only what this scan saw."))] = None,
    work: Annotated[str | None, typer.Option(help=_("Only this work (title or id)."))] = None,
    site: Annotated[str | None, typer.Option(help=_("Only this site."))] = None,
    since: Annotated[
        datetime | None,
        typer.Option(
            formats=_TIMES, help=_("Only what was seen since this day or time, such as 2026-11-21.")
        ),
    ] = None,
) -> None:
    """Write a report."""
    with session() as runtime:
        text = render_report(
            runtime,
            form,
            scan_id=scan_id,
            work=work,
            site=site,
            since=_aware(since, runtime.settings.tracker.timezone),
        )
        target = path or runtime.settings.analysis.report_dir / f"pindna-{utc_now():%Y%m%d-%H%M%S}.{form}"
    if str(target) == "-":
        write_document(text + "\n")
        return
    write(target, text)
    print_result(_("The report is in {path}.").format(path=target.resolve()))


def _aware(moment: datetime | None, timezone: str) -> datetime | None:
    """Return a time as the reader of the report means it: in the report's time zone unless it names one."""
    if moment is None or moment.tzinfo is not None:
        return moment
    return moment.replace(tzinfo=ZoneInfo(timezone))


def render_report(
    runtime: Runtime,
    form: Format,
    *,
    scan_id: str | None = None,
    work: str | None = None,
    site: str | None = None,
    since: datetime | None = None,
) -> str:
    """Return a report as text."""
    built = build_report(runtime.stores, scan_id=scan_id, since=since, work=work, site=site)
    if form == "html":
        return render_html(built, language=translator().language, timezone=runtime.settings.tracker.timezone)
    return render_json(built) if form == "json" else render_csv(built)
