"""A site: its contacts, and the look-up of who answers for it."""

from nicegui import ui

from analysis.accounts.permissions import Identity
from analysis.console.parts.contact_proposals import ContactProposals
from analysis.console.parts.lists import address, nothing
from analysis.console.parts.panels import titled_panel
from analysis.console.parts.tables import Column, Table
from analysis.console.parts.texts import foreign_link
from analysis.console.places import CASES
from analysis.console.view import View
from analysis.queries.contacts import contact_site, find_lookup, list_contacts
from analysis.words.labels import CONTACT_ROLES
from storage.collections.stores import Stores
from storage.records import Contact


async def build(view: View, *, site: str) -> None:
    """Show a site."""
    name = contact_site(site)
    view.entitle(view.gettext("Site {name}").format(name=name))
    ui.link(view.gettext("Cases of the site"), address(CASES.path, {"site": name}))
    box = ui.element("div").classes("stack")

    async def show() -> None:
        stored = await view.read(_contacts_of, name)
        lookup = await view.read(find_lookup, name)
        box.clear()
        with box:
            with titled_panel(view.gettext("Contacts")):
                _table(view, stored)
            with titled_panel(view.gettext("Who answers for the site")):
                ContactProposals(view, name, renew=show).show(lookup)

    await show()


def _contacts_of(identity: Identity, stores: Stores, site: str) -> list[Contact]:
    return list(list_contacts(identity, stores, site=site))


def _table(view: View, contacts: list[Contact]) -> None:
    _ = view.gettext
    if not contacts:
        nothing(view, _("No contacts yet."))
        return
    columns = [
        Column(_("role"), "word"),
        Column(_("name"), "name"),
        Column(_("mail"), "name"),
        Column(_("telephone"), "word"),
        Column(_("form"), "wide"),
        Column(_("note"), "wide"),
    ]
    table = Table(_("Contacts"), columns)
    for contact in contacts:
        with table.row() as row:
            row.cell(view.word(CONTACT_ROLES, contact.role))
            for text in (contact.name, contact.email, contact.phone):
                row.cell(text or "–")
            with row.cell():
                foreign_link(contact.form)
            row.cell(contact.note or "–")
