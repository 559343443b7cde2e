"""``pindna site contact``: contacts at sites, hosting providers, search engines or your own law firm."""

from typing import Annotated

import typer

from analysis.actions.contacts import contact_texts, remove_contact, set_contact
from analysis.queries.contacts import contact_site
from analysis.queries.contacts import list_contacts as contacts_of
from analysis.words.i18n import gettext as _
from analysis.words.labels import CONTACT_ROLES
from deploy.cli.console import print_result
from deploy.cli.identity import As, user_session
from deploy.cli.labels import word_of
from deploy.cli.objects import object_of
from deploy.cli.options import AsJsonLines, AsJsonObject, Limit
from deploy.cli.tables import print_list, print_outcome
from storage.records import Contact, ContactRole

FIELDS = "site role name address phone email form note updated"
_Site = Annotated[
    str,
    typer.Argument(
        metavar="SITE", help=_("Site; for a search engine or a law firm, the site of that organisation.")
    ),
]
_Role = Annotated[ContactRole, typer.Option(help=_("Role of the contact."))]


def change(
    site: _Site,
    *,
    role: _Role = "site",
    name: Annotated[str | None, typer.Option(metavar="TEXT", help=_("Name of the organisation."))] = None,
    address: Annotated[str | None, typer.Option(metavar="TEXT", help=_("Postal address."))] = None,
    phone: Annotated[str | None, typer.Option(metavar="TEXT", help=_("Telephone number."))] = None,
    email: Annotated[str | None, typer.Option(metavar="TEXT", help=_("Mail address."))] = None,
    form: Annotated[
        str | None, typer.Option(metavar="URL", help=_("Address of the web form for complaints."))
    ] = None,
    note: Annotated[
        str | None, typer.Option(metavar="TEXT", help=_("Other information about the contact."))
    ] = None,
    by: As = "",
    as_json: AsJsonObject = False,
) -> None:
    """Store a contact; fields that were not given stay unchanged."""
    site_name = contact_site(site)
    facts = {"name": name, "address": address, "phone": phone, "email": email, "form": form, "note": note}
    texts = contact_texts({field: text for field, text in facts.items() if text is not None})
    with user_session(by) as (user, runtime):
        changed = set_contact(user, runtime, role, site_name, texts)
    line = _("Changed: {name}").format(name=site_name)
    print_outcome(object_of(changed, FIELDS), line, as_json=as_json)


def list_contacts(
    site: Annotated[str | None, typer.Argument(metavar="SITE", help=_("Only contacts of this site."))] = None,
    *,
    limit: Limit = None,
    as_json: AsJsonLines = False,
) -> None:
    site_name = None if site is None else contact_site(site)
    with user_session() as (identity, runtime):
        contacts = list(contacts_of(identity, runtime.stores, site=site_name, limit=limit))
    headers = _("site"), _("role"), _("name"), _("mail"), _("telephone"), _("form"), _("note")
    print_list(contacts, FIELDS, headers, _cells, as_json=as_json)


def remove(site: _Site, *, role: _Role = "site", by: As = "") -> None:
    """Delete a contact; notices that exist keep their addressee."""
    site_name = contact_site(site)
    with user_session(by) as (user, runtime):
        remove_contact(user, runtime, role, site_name)
    print_result(_("Removed: {name}").format(name=site_name))


def _cells(contact: Contact) -> tuple[str, ...]:
    role = word_of(CONTACT_ROLES, contact.role)
    return contact.site, role, contact.name, contact.email, contact.phone, contact.form, contact.note
