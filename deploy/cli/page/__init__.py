"""Commands: what is stored of one address."""

from analysis.words.i18n import N_
from deploy.cli.commands import Command, Group

PAGE: Group = {
    "show": Command("page", N_("Show what is stored of an address, and what happened to it.")),
    "snapshot": Command(
        "page_evidence", N_("Read back what a page's server sent, checked against its SHA-256.")
    ),
    "verify": Command(
        "page_evidence", N_("Check that captures are what they were; of these pages, or all of them.")
    ),
    "prune": Command("page_evidence", N_("Delete old evidence of pages that match no work.")),
}
