"""Commands: the database as a file, and brought up to date."""

from analysis.words.i18n import N_
from deploy.cli.commands import Command, Group

BACKUP: Group = {
    "create": Command(
        "backup", N_("Write the database into a file, as it is at this moment; work may go on.")
    ),
    "verify": Command(
        "backup", N_("Check that a backup is whole and what was written; no services are needed.")
    ),
    "restore": Command("backup", N_("Make the database what it was; everything else must be stopped.")),
}
