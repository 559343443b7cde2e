"""Commands: what is known of the sites."""

from analysis.words.i18n import N_
from deploy.cli.commands import Command, Group

SITE: Group = {
    "repeated": Command(
        "site", N_("Show what a site prints on many pages; it is left out of their texts."), "show_repeated"
    ),
    "template": Command(
        "site", N_("Show where a site has its texts, as its pages taught it."), "show_template"
    ),
    "contact": Command("", N_("Whom to write to about a site."), "CONTACT"),
}

CONTACT: Group = {
    "set": Command("site_contact", N_("Say whom to write to about a site."), "change"),
    "list": Command("site_contact", N_("List the contacts, of all sites or of one."), "list_contacts"),
    "remove": Command("site_contact", N_("Forget a contact.")),
}
