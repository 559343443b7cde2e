"""Commands: what is known of the sites."""

from analysis.words.i18n import N_
from deploy.cli.commands import Command, Group

SITE: Group = {
    "repeated": Command(
        "site.site",
        "show_repeated",
        N_("Show what a site prints on many pages; it is left out of their texts."),
    ),
    "template": Command(
        "site.site",
        "show_template",
        N_("Show the positions of texts that were learnt from the pages of a site."),
    ),
    "contact": Command("site.site_contact", "app", N_("Contacts for notices about a site.")),
}
