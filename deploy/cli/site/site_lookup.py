"""``pindna site lookup`` and ``site contact confirm``: who may answer for a site, and which of it is true."""

from typing import Annotated

import typer

from analysis.actions.contacts import confirm_proposals, look_up_site
from analysis.queries.contacts import LookupView, contact_site, get_lookup
from analysis.words.i18n import gettext as _
from analysis.words.i18n import translator
from analysis.words.labels import CONTACT_ROLES, PROPOSAL_KINDS, PROPOSAL_SUBJECTS
from analysis.words.lookups import count_line, replaced_lines, result_line
from deploy.cli.clock import local_moment
from deploy.cli.console import busy, print_json_line, print_progress, print_result, print_table
from deploy.cli.identity import As, user_session
from deploy.cli.labels import word_of
from deploy.cli.objects import object_of
from deploy.cli.options import AsJsonObject
from deploy.cli.site.site_contact import FIELDS
from deploy.cli.tables import print_outcome
from storage.records import ContactRole, Proposal

_PROPOSAL = "id step subject kind value source words pages is_in_text at"
_Site = Annotated[str, typer.Argument(metavar="SITE", help=_("Site, or a host of it."))]


def look_up(
    site: _Site,
    *,
    stored: Annotated[
        bool, typer.Option("--stored", help=_("Show the last look-up instead of a new one."))
    ] = False,
    by: As = "",
    as_json: AsJsonObject = False,
) -> None:
    """Look up who answers for a site: in its stored pages and, if configured, in DNS and RDAP."""
    name = contact_site(site)
    with user_session(by) as (identity, runtime):
        if stored:
            view = get_lookup(identity, runtime.stores, name)
        else:
            with busy(_("Looking up {site}").format(site=name)):
                view = look_up_site(identity, runtime, name)
    if as_json:
        print_json_line(_as_object(view))
    else:
        _print(view)


def _print(view: LookupView) -> None:
    lookup, texts = view.lookup, translator()
    print_result(_("{site}, looked up on {moment}").format(site=lookup.id, moment=local_moment(lookup.at)))
    for result in lookup.results:
        print_result("  " + result_line(result, texts))
    headers = _("id"), _("about"), _("kind"), _("value"), _("contact"), _("source")
    if lookup.proposals:
        print_table(headers, (_cells(view, proposal) for proposal in lookup.proposals))
        line = _("Check what is true, then confirm it: `pindna site contact confirm {site} ID…`")
        print_progress(line.format(site=lookup.id))


def _cells(view: LookupView, proposal: Proposal) -> tuple[str | tuple[str, ...], ...]:
    role = view.role_of(proposal)
    count = count_line(proposal, view.lookup, translator())
    return (
        proposal.id,
        word_of(PROPOSAL_SUBJECTS, proposal.subject),
        word_of(PROPOSAL_KINDS, proposal.kind),
        proposal.value,
        word_of(CONTACT_ROLES, role) if role else "–",
        tuple(filter(None, (proposal.words, proposal.source, count))),
    )


def _as_object(view: LookupView) -> dict[str, object]:
    lookup = view.lookup
    results = [object_of(result, "step state at", reason=str(result.reason)) for result in lookup.results]
    proposals = [
        object_of(proposal, _PROPOSAL, confirmed=view.role_of(proposal)) for proposal in lookup.proposals
    ]
    return object_of(lookup, "site=id at by pages_read", results=results, proposals=proposals)


def confirm(
    site: _Site,
    proposals: Annotated[list[str], typer.Argument(metavar="ID…", help=_("Ids of proposals."))],
    *,
    role: Annotated[
        ContactRole | None, typer.Option(help=_("Role of the contact; default: as the proposals say."))
    ] = None,
    by: As = "",
    as_json: AsJsonObject = False,
) -> None:
    """Store proposals of the last look-up as facts of a contact; the audit log has who confirmed them."""
    name = contact_site(site)
    with user_session(by) as (identity, runtime):
        confirmed = confirm_proposals(identity, runtime, name, proposals, role=role)
    contact = confirmed.contact
    line = _("Changed: {name}").format(name=f"{contact.site} ({word_of(CONTACT_ROLES, contact.role)})")
    lines = [line, *replaced_lines(contact, confirmed.replaced, translator())]
    as_object = object_of(contact, FIELDS, replaced=confirmed.replaced)
    print_outcome(as_object, "\n".join(lines), as_json=as_json)
