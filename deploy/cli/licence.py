"""``pindna licence``: which sites may publish a work, and on what terms."""

from datetime import UTC, datetime, timedelta
from typing import Annotated
from zoneinfo import ZoneInfo

import typer

from analysis.i18n import gettext as _
from deploy.cli.console import print_json_line, print_result, print_table
from deploy.cli.corpus import site_pattern
from deploy.cli.options import AsJson
from deploy.cli.session import session
from storage.errors import PindnaError
from storage.records import SiteLicence, Work
from tracker.corpus.loading import find_work
from tracker.judgement.licences import grant, revoke

app = typer.Typer(no_args_is_help=True)
WorkName = Annotated[str, typer.Argument(metavar="WORK", help=_("Title, URL or id."))]
Site = Annotated[str, typer.Argument(metavar="SITE", help=_("Host, or a pattern such as *.example.cn."))]
_DAY = ["%Y-%m-%d"]


class BadTerm(PindnaError):
    """A licence ends before it begins."""

    template = "The licence ends before it begins. Give --from a day that is not after --until."


@app.command("add", help=_("Let a site publish a work; a licence that it has already is replaced."))
def add(
    work: WorkName,
    site: Site,
    *,
    since: Annotated[
        datetime | None, typer.Option("--from", formats=_DAY, help=_("First day of the licence."))
    ] = None,
    until: Annotated[
        datetime | None, typer.Option("--until", formats=_DAY, help=_("Last day of the licence."))
    ] = None,
    attribution: Annotated[
        bool, typer.Option("--attribution", help=_("Pages must name title, author or rights holder."))
    ] = False,
    share: Annotated[
        float | None,
        typer.Option(min=0, max=1, help=_("Largest share of a passage on one page, 0 to 1.")),
    ] = None,
) -> None:
    """Grant a licence."""
    if since and until and since > until:
        raise BadTerm
    with session() as runtime:
        zone = ZoneInfo(runtime.settings.tracker.timezone)
        licence = SiteLicence(
            site=site_pattern(site),
            since=since and since.replace(tzinfo=zone).astimezone(UTC),
            until=until and (until.replace(tzinfo=zone) + timedelta(days=1)).astimezone(UTC),
            attribution=attribution,
            share=share,
        )
        licensed_work = find_work(work, runtime.stores)
        grant(licensed_work, licence, runtime.stores)
    print_result(
        _("{site} may publish “{title}”: {terms}. The next scan judges stored pages by it.").format(
            site=licence.site, title=licensed_work.title, terms=terms(licence, zone)
        )
    )


@app.command("list", help=_("List the licences of one work, or of all."))
def list_licences(
    work: Annotated[str | None, typer.Argument(metavar="WORK", help=_("Title, URL or id."))] = None,
    *,
    as_json: AsJson = False,
) -> None:
    """Print every licence."""
    with session() as runtime:
        stores = runtime.stores
        works = stores.works.all() if work is None else [find_work(work, stores)]
        zone = ZoneInfo(runtime.settings.tracker.timezone)
    rows = [(licensed_work, licence) for licensed_work in works for licence in licensed_work.permissions]
    if as_json:
        for licensed_work, licence in rows:
            print_json_line(_as_object(licensed_work, licence, zone))
        return
    cells = ((licensed_work.title, licence.site, terms(licence, zone)) for licensed_work, licence in rows)
    print_table((_("work"), _("site"), _("terms")), cells)


@app.command("remove", help=_("Take a site's licence for a work back."))
def remove(work: WorkName, site: Site) -> None:
    """Revoke a licence."""
    with session() as runtime:
        licensed_work = find_work(work, runtime.stores)
        revoke(licensed_work, site_pattern(site), runtime.stores)
    print_result(
        _("{site} may not publish “{title}” any more. The next scan judges stored pages by it.").format(
            site=site, title=licensed_work.title
        )
    )


def terms(licence: SiteLicence, zone: ZoneInfo) -> str:
    """Return the terms of a licence as words."""
    first, last = _days(licence, zone)
    parts = [
        _("from {day}").format(day=first) if first else "",
        _("until {day}").format(day=last) if last else "",
        _("with attribution") if licence.attribution else "",
        _("up to {share:.0%} of a passage").format(share=licence.share) if licence.share is not None else "",
    ]
    return ", ".join(filter(None, parts)) or _("without terms")


def _days(licence: SiteLicence, zone: ZoneInfo) -> tuple[str | None, str | None]:
    """Return the first and the last day of a licence."""
    last = licence.until and licence.until - timedelta(microseconds=1)
    return _day(licence.since, zone), _day(last, zone)


def _day(moment: datetime | None, zone: ZoneInfo) -> str | None:
    return f"{moment.astimezone(zone):%Y-%m-%d}" if moment else None


def _as_object(work: Work, licence: SiteLicence, zone: ZoneInfo) -> dict[str, object]:
    first, last = _days(licence, zone)
    return {
        "work_id": work.id,
        "work": work.title,
        "site": licence.site,
        "from": first,
        "until": last,
        "attribution": licence.attribution,
        "share": licence.share,
    }
