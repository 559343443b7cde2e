"""Commands: the fingerprint index."""

from analysis.words.i18n import N_
from deploy.cli.commands import Command, Group

INDEX: Group = {
    "stats": Command("index", N_("Show what the index holds.")),
    "rebuild": Command("index", N_("Rebuild the index from the database, then swap.")),
    "compact": Command("index", N_("Take what was removed out of the index and give back memory.")),
    "verify": Command(
        "index", N_("Check the index against the database without changing it."), "verify_index"
    ),
}
