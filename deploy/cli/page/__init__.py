"""Commands: the stored data of one address."""

from analysis.words.i18n import N_
from deploy.cli.commands import Command, Group

PAGE: Group = {
    "show": Command("page", N_("Show the stored versions of an address and their history.")),
    "snapshot": Command(
        "page_evidence", N_("Print a page as its server sent it, checked against its SHA-256.")
    ),
    "import": Command(
        "page_import",
        N_("Store pages that others captured, with their dates; the next scan compares them."),
        "import_files",
    ),
    "verify": Command(
        "page_evidence", N_("Check that captures are unaltered: of these pages, or all captures.")
    ),
    "prune": Command("page_evidence", N_("Delete old evidence of pages that match no work.")),
}
