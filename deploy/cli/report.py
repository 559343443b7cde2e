"""``pindna report``: what was found, as a file."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Annotated
from zoneinfo import ZoneInfo

import typer

from analysis.i18n import gettext as _
from analysis.reports.building import KNOWN_PROFILES, MAX_FACTS, MAX_TEXTS, build_report
from analysis.reports.earlier import last_report, scope_key
from deploy.cli.clock import own_zone
from deploy.cli.console import print_result
from deploy.cli.dates import parse_moment
from deploy.cli.files import refuse_place
from deploy.cli.report_files import STDOUT, Format, write_folder, write_report
from deploy.cli.session import session
from storage.collections.stores import Stores
from storage.records import utc_now
from storage.settings import Settings, TrackerSettings
from tracker.judgement.profiles import Profile, all_profiles

_MAX_TEXTS: Mapping[Format, int] = {
    "html": MAX_TEXTS,
    "pdf": MAX_TEXTS,
    "xlsx": MAX_FACTS,
    "csv": MAX_FACTS,
    "json": MAX_FACTS,
}


def report(
    *,
    form: Annotated[Format, typer.Option("--format", help=_("Kind of file."))] = "html",
    path: Annotated[
        Path | None, typer.Option("--output", "-o", help=_("File to write; - for standard output."))
    ] = None,
    scan_id: Annotated[
        str | None,
        typer.Option("--scan", help=_("Only what this scan saw (its id, or the beginning of one).")),
    ] = None,
    work: Annotated[str | None, typer.Option(help=_("Only this work (title or id:NUMBER)."))] = None,
    site: Annotated[str | None, typer.Option(help=_("Only this site."))] = None,
    case: Annotated[str | None, typer.Option(help=_("Only this case, such as c7."))] = None,
    since: Annotated[
        datetime | None,
        typer.Option(
            parser=parse_moment,
            metavar="DAY|TIME",
            help=_("Only what was seen since this day or time, such as 2026-11-21."),
        ),
    ] = None,
    new_since: Annotated[
        datetime | None,
        typer.Option(
            parser=parse_moment,
            metavar="DAY|TIME",
            help=_(
                "Mark what was first seen after this time as new; default: the last report of this scope."
            ),
        ),
    ] = None,
    with_captures: Annotated[
        bool,
        typer.Option(
            "--with-captures",
            help=_("Write a folder: the HTML report, and beside it each page as it was received (WARC)."),
        ),
    ] = False,
    full: Annotated[
        int | None,
        typer.Option("--full", min=0, metavar="NUMBER", help=_("Matches that are shown with their texts.")),
    ] = None,
    codes: Annotated[
        bool,
        typer.Option("--codes", help=_("CSV for programs: codes and UTC in place of words and local times.")),
    ] = False,
) -> None:
    """Write a report."""
    check_form(form, path, with_captures=with_captures, codes=codes)
    if case and (work or site):
        raise typer.BadParameter(_("--case is a work on a site; leave --work and --site out."))
    refuse_place(path / "report.html" if path and with_captures else path)
    with session() as runtime:
        stores, zone = runtime.stores, ZoneInfo(runtime.settings.tracker.timezone)
        scan_id = None if scan_id is None else stores.scans.named(scan_id).id
        work, site = _of_case(stores, case, work=work, site=site)
        plain = build_report(
            stores,
            scan_id=scan_id,
            work=work,
            site=site,
            since=_aware(since, zone),
            max_texts=_MAX_TEXTS[form] if full is None else full,
            profiles={**KNOWN_PROFILES, **known_profiles(runtime.settings.tracker)},
            zone=zone,
        )
        key = scope_key(plain.scope)
        last = _aware(new_since, zone) or last_report(stores, scope=key, form=form, scan_id=scan_id)
        built = replace(plain, new_since=last)
        target = path or _default_path(runtime.settings, "" if with_captures else f".{form}")
        if with_captures:
            write_folder(runtime, built, target)
        else:
            write_report(built, form, target, runtime.settings, codes=codes)
        stores.reports.note(scope=key, form=form, made=built.generated)
    if str(target) != STDOUT:
        print_result(_("The report is in {path}.").format(path=target.resolve()))


def _of_case(
    stores: Stores, case: str | None, *, work: str | None, site: str | None
) -> tuple[str | None, str | None]:
    """Return the work and the site of a case; those that were named where no case was."""
    if case is None:
        return work, site
    record = stores.cases.get(case)
    return f"id:{record.work_id}", record.site


def check_form(form: Format, path: Path | None, *, with_captures: bool, codes: bool) -> None:
    """Refuse options that do not go together.

    Raises:
        typer.BadParameter: they do not.
    """
    if codes and form != "csv":
        raise typer.BadParameter(_("--codes is for --format csv."))
    if form in {"pdf", "xlsx"} and str(path) == STDOUT:
        raise typer.BadParameter(_("--format {form} needs a file.").format(form=form))
    if with_captures and (form != "html" or str(path) == STDOUT):
        raise typer.BadParameter(_("--with-captures writes a folder with an HTML report."))


def _default_path(settings: Settings, ending: str) -> Path:
    return settings.analysis.report_dir / f"pindna-{utc_now().astimezone(own_zone()):%Y%m%d-%H%M%S%z}{ending}"


def _aware(moment: datetime | None, zone: ZoneInfo) -> datetime | None:
    """Return a time as the reader of the report means it: in the report's time zone unless it names one."""
    if moment is None or moment.tzinfo is not None:
        return moment
    return moment.replace(tzinfo=zone)


def known_profiles(settings: TrackerSettings) -> dict[str, Profile]:
    """Return pindna's profiles and those of the settings, by id.

    Raises:
        BadSettings: a profile in the settings is wrong.
    """
    return {profile.id: profile for profile in all_profiles(settings).values()}
