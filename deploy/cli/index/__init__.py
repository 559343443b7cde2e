"""Commands: the fingerprint index."""

from analysis.words.i18n import N_
from deploy.cli.commands import Command, Group

INDEX: Group = {
    "stats": Command("index", N_("Show the contents of the index.")),
    "rebuild": Command("index", N_("Rebuild the index from the database, then swap.")),
    "compact": Command("index", N_("Delete removed passages from the index, and free memory.")),
    "verify": Command(
        "index", N_("Check the index against the database without changing it."), "verify_index"
    ),
}
