"""Commands: what is known of the sites."""

from analysis.words.i18n import N_
from deploy.cli.commands import Command, Group

SITE: Group = {
    "repeated": Command(
        "site.site",
        "show_repeated",
        N_("Show the sentences that a site repeats on many pages; they are left out of the texts."),
    ),
    "template": Command(
        "site.site",
        "show_template",
        N_("Show the positions of texts that were learnt from the pages of a site."),
    ),
    "contact": Command("site.site_contact", "app", N_("Contacts for notices about a site.")),
}
