"""Commands: the known facts about sites."""

from analysis.words.i18n import N_
from deploy.cli.commands import Command, Group

SITE: Group = {
    "repeated": Command(
        "site",
        N_("Show the sentences that a site repeats on many pages; they are left out of the texts."),
        "show_repeated",
    ),
    "template": Command(
        "site", N_("Show the positions of texts that were learnt from the pages of a site."), "show_template"
    ),
    "lookup": Command("site_lookup", N_("Look up who answers for a site."), "look_up"),
    "contact": Command("", N_("Contacts for notices about a site."), "CONTACT"),
}

CONTACT: Group = {
    "set": Command("site_contact", N_("Record a contact for a site."), "change"),
    "confirm": Command("site_lookup", N_("Confirm proposals of a look-up as a contact.")),
    "list": Command("site_contact", N_("List the contacts, of all sites or of one."), "list_contacts"),
    "remove": Command("site_contact", N_("Delete a contact.")),
}
