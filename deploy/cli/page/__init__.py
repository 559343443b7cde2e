"""Commands: what is stored of one address."""

from analysis.words.i18n import N_
from deploy.cli.commands import Command, Group

PAGE: Group = {
    "show": Command("page.page", "show", N_("Show the stored versions of an address and their history.")),
    "snapshot": Command(
        "page.page_evidence",
        "snapshot",
        N_("Print a page as its server sent it, checked against its SHA-256."),
    ),
    "verify": Command(
        "page.page_evidence",
        "verify",
        N_("Check that captures are unaltered: of these pages, or all captures."),
    ),
    "prune": Command("page.page_evidence", "prune", N_("Delete old evidence of pages that match no work.")),
}
