"""``pindna licence``: the sites that may publish a work, and the terms."""

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated
from zoneinfo import ZoneInfo

import typer

from analysis.accounts.permissions import Identity
from analysis.actions.licences import grant_licence, revoke_licence
from analysis.actions.scans import send_waiting
from analysis.queries.works import licensed_works, owned_work_called, unjudged_pages, work_called
from analysis.words.i18n import gettext as _
from analysis.words.i18n import ngettext, translator
from analysis.words.licence_terms import (
    all_terms,
    has_ended,
    licence_as_object,
    marked_terms,
    new_licence,
    terms,
)
from analysis.words.site_patterns import site_pattern
from deploy.cli.asking import Yes, choose, confirm_removal
from deploy.cli.console import can_ask, print_json_line, print_progress, print_result, print_table
from deploy.cli.dates import parse_day
from deploy.cli.identity import As, user_session
from deploy.cli.options import AsJson, WaitForAll, WorkName, with_options
from deploy.cli.wait import WaitProgress
from deploy.cli.wait import wait as wait_for
from storage.records import SiteLicence, Work, utc_now
from system.errors import PindnaError
from tracker.judgement.licences import licences_of
from tracker.runtime import Runtime

Site = Annotated[str, typer.Argument(metavar="SITE", help=_("Host, or a pattern such as *.example.cn."))]


class LicensedAlready(PindnaError):
    """A site already has a licence for a work. Data: ``site``, ``title``, ``terms``."""

    template = (
        "{site} may publish “{title}” already: {terms}. Use --replace to replace it, or --add to keep both."
    )


class BothWays(PindnaError):
    """The options contradict each other: add a licence, and replace the licences of the site."""

    template = "Use either --replace or --add, not both."


@dataclass(frozen=True, slots=True, kw_only=True)
class TermOptions:
    """The options for the terms of a licence."""

    since: Annotated[
        datetime | None,
        typer.Option("--from", parser=parse_day, metavar="DAY", help=_("First day of the licence.")),
    ] = None
    until: Annotated[
        datetime | None,
        typer.Option("--until", parser=parse_day, metavar="DAY", help=_("Last day of the licence.")),
    ] = None
    attribution: Annotated[
        bool, typer.Option("--attribution", help=_("Pages must name title, author or rights holder."))
    ] = False
    share: Annotated[
        float | None, typer.Option(min=0, max=1, help=_("Largest share of a passage on one page, 0 to 1."))
    ] = None

    def licence(self, site: str, zone: ZoneInfo) -> SiteLicence:
        """Return a site's licence on these terms.

        Raises:
            BadTerm: it ends before it begins.
        """
        return new_licence(
            site,
            zone,
            first=self.since and self.since.date(),
            last=self.until and self.until.date(),
            attribution=self.attribution,
            share=self.share,
        )


@with_options
def add(
    work: WorkName,
    site: Site,
    *,
    options: TermOptions,
    replace: Annotated[
        bool, typer.Option("--replace", help=_("Replace the site's licences with it."))
    ] = False,
    further: Annotated[
        bool, typer.Option("--add", help=_("Add it to the site's licences; the most permissive counts."))
    ] = False,
    wait: WaitForAll = True,
    by: As = "",
) -> None:
    if replace and further:
        raise BothWays
    site_pattern(site)  # refuse a wrong site before any service starts
    with user_session(by, worker=wait) as (identity, runtime):
        zone = ZoneInfo(runtime.settings.tracker.timezone)
        licence = options.licence(site, zone)
        licensed_work = owned_work_called(identity, runtime.stores, work)
        old = [entry for entry in licensed_work.permissions if entry.site == licence.site]
        if licence in old:
            print_result(_("{site} has this licence already.").format(site=licence.site))
            return
        way = (
            "add" if further else "replace" if replace or not old else _ask(licensed_work, licence, old, zone)
        )
        if not way:
            print_result(_("Nothing was changed."))
            return
        grant_licence(identity, runtime, licensed_work.id, licence, replace=way == "replace")
        _print_granted(licensed_work, licence, earlier=[] if way == "replace" else old, zone=zone)
        if wait:
            _wait_for_verdicts(identity, runtime, licensed_work)


def _print_granted(work: Work, licence: SiteLicence, *, earlier: list[SiteLicence], zone: ZoneInfo) -> None:
    """Print what a site may publish now, and a warning if its new licence has already ended."""
    print_result(
        _("{site} may publish “{title}”: {terms}.").format(
            site=licence.site, title=work.title, terms=all_terms([*earlier, licence], zone, translator())
        )
    )
    if has_ended(licence, now=utc_now()):
        line = _(
            "This licence has already ended: {terms}. If the day is wrong, enter the licence again "
            "with --replace."
        )
        print_progress(line.format(terms=terms(licence, zone, translator())))


def _ask(work: Work, licence: SiteLicence, old: list[SiteLicence], zone: ZoneInfo) -> str:
    """Ask what to do with the present licences of a site: ``replace``, ``add``, or empty for nothing."""
    old_terms = all_terms(old, zone, translator())
    if not can_ask():
        raise LicensedAlready(site=licence.site, title=work.title, terms=old_terms)
    line = _("{site} may publish “{title}” already: {terms}.")
    print_progress(line.format(site=licence.site, title=work.title, terms=old_terms))
    answers = {
        "r": _("replace it with: {terms}").format(terms=terms(licence, zone, translator())),
        "a": _("add to it: {terms}").format(terms=terms(licence, zone, translator())),
    }
    answer = choose(_("r, a, or Enter to leave it as it is:"), answers, options="--replace, --add")
    return {"r": "replace", "a": "add"}.get(answer, "")


def list_licences(
    work: Annotated[
        str | None, typer.Argument(metavar="WORK", help=_("Work, by title, URL or id:NUMBER."))
    ] = None,
    *,
    as_json: AsJson = False,
) -> None:
    with user_session() as (identity, runtime):
        stores = runtime.stores
        works = licensed_works(identity, stores) if work is None else [work_called(identity, stores, work)]
        zone = ZoneInfo(runtime.settings.tracker.timezone)
    rows = [(licensed_work, licence) for licensed_work in works for licence in licensed_work.permissions]
    if as_json:
        for licensed_work, licence in rows:
            print_json_line(licence_as_object(licensed_work, licence, zone))
        return
    now = utc_now()
    cells = (
        (row_work.title, entry.site, marked_terms(entry, zone, translator(), now=now))
        for row_work, entry in rows
    )
    print_table((_("work"), _("site"), _("terms")), cells)


def _wait_for_verdicts(identity: Identity, runtime: Runtime, work: Work) -> None:
    """Wait until the stored matches of a work have verdicts by its licences.

    Raises:
        NoWorker: no worker answers.
    """
    total = remaining = unjudged_pages(identity, runtime.stores, work.id)
    if not total:
        return

    def look() -> WaitProgress:
        nonlocal total, remaining
        remaining = unjudged_pages(identity, runtime.stores, work.id)
        total = max(total, remaining)
        state = _("{done} of {total} pages judged again").format(done=total - remaining, total=total)
        return WaitProgress(total - remaining, total, state, is_over=not remaining)

    wait_for(_("Judging pages again"), look, lambda: send_waiting(runtime), runtime.queue, give_up=True)
    line = ngettext("{count} page was judged again.", "{count} pages were judged again.", total)
    print_result(line.format(count=total))


def remove(work: WorkName, site: Site, *, yes: Yes = False, wait: WaitForAll = True, by: As = "") -> None:
    pattern = site_pattern(site)
    with user_session(by, worker=wait) as (identity, runtime):
        zone = ZoneInfo(runtime.settings.tracker.timezone)
        licensed_work = work_called(identity, runtime.stores, work)
        old = licences_of(licensed_work, pattern)
        line = _("{site} may publish “{title}”: {terms}.")
        print_progress(
            line.format(site=pattern, title=licensed_work.title, terms=all_terms(old, zone, translator()))
        )
        confirm_removal(_("Revoke these licences?"), yes=yes)
        revoke_licence(identity, runtime, licensed_work.id, pattern)
        line = _("{site} may not publish “{title}” any more.")
        print_result(line.format(site=site, title=licensed_work.title))
        if wait:
            _wait_for_verdicts(identity, runtime, licensed_work)
