"""``pindna source accept``, ``reject`` and ``reopen``: decisions on candidates."""

from functools import partial
from typing import Annotated

import typer

from analysis.actions.candidates import accept_candidate, reject_candidate, reopen_candidate
from analysis.queries.candidates import list_candidates
from analysis.queries.listing import whole
from analysis.words.i18n import gettext as _
from deploy.cli.asking import Yes, is_confirmed
from deploy.cli.console import print_result
from deploy.cli.identity import As, user_session
from deploy.cli.options import Because
from deploy.cli.outcomes import for_each
from storage.records import SourceKind

Sites = Annotated[list[str], typer.Argument(metavar="SITE…", help=_("Sites of candidates."))]


def accept(
    sites: Annotated[
        list[str] | None, typer.Argument(metavar="SITE…", help=_("Sites of candidates."))
    ] = None,
    *,
    every: Annotated[
        bool, typer.Option("--all", help=_("All open candidates that name a work; asks first."))
    ] = False,
    kind: Annotated[
        SourceKind | None, typer.Option(help=_("Kind of the sources; default: what suits the addresses."))
    ] = None,
    name: Annotated[str, typer.Option(help=_("Name of the source, for one site; default: the site."))] = "",
    yes: Yes = False,
    by: As = "",
) -> None:
    if not sites and not every:
        raise typer.BadParameter(_("Give sites, or --all."))
    if name and (every or len(sites or ()) != 1):
        raise typer.BadParameter(_("--name needs exactly one site."))
    with user_session(by) as (identity, runtime):
        chosen = list(sites or ())
        if every:
            candidates = whole(partial(list_candidates, identity, runtime.stores))
            chosen += [candidate.id for candidate in candidates if candidate.works]
            question = _("Make sources of {count} candidates?").format(count=f"{len(chosen):,}")
            if not is_confirmed(question, yes=yes):
                print_result(_("Nothing was changed."))
                return

        def act(site: str) -> str:
            source = accept_candidate(identity, runtime, site, name=name, kind=kind)
            line = _("Source {name} is stored; crawl it with `pindna crawl {name}`.")
            return line.format(name=source.name)

        tally = for_each(chosen, act)
    tally.end()


def reject(sites: Sites, *, reason: Because = "", by: As = "") -> None:
    with user_session(by) as (identity, runtime):

        def act(site: str) -> str:
            reject_candidate(identity, runtime, site, reason=reason)
            return _("Candidate {site} is rejected.").format(site=site)

        tally = for_each(sites, act)
    tally.end()


def reopen(sites: Sites, *, by: As = "") -> None:
    with user_session(by) as (identity, runtime):

        def act(site: str) -> str:
            reopen_candidate(identity, runtime, site)
            return _("Candidate {site} is open again.").format(site=site)

        tally = for_each(sites, act)
    tally.end()
