"""Commands: back up, restore and upgrade the database."""

from analysis.words.i18n import N_
from deploy.cli.commands import Command, Group

BACKUP: Group = {
    "create": Command(
        "backup", N_("Write a backup of the database as it is now; other programs may continue.")
    ),
    "verify": Command("backup", N_("Check that a backup is complete and unchanged; no services are needed.")),
    "restore": Command(
        "backup", N_("Restore the database from a backup; all other programs must be stopped.")
    ),
}
