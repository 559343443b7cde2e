"""Labels of accounts and alerts, and messages of the operating system."""

from collections.abc import Mapping

from analysis.words.i18n import N_
from storage.records import Cadence, MailingState, Role

# Permissions of accounts.
ROLES: Mapping[Role, str] = {
    "holder": N_("rights holder"),
    "analyst": N_("analyst"),
    "operator": N_("operator"),
    "administrator": N_("administrator"),
}
CADENCES: Mapping[Cadence, str] = {"at-once": N_("at once"), "daily": N_("daily"), "weekly": N_("weekly")}
MAILING_STATES: Mapping[MailingState, str] = {
    "waiting": N_("Waiting"),
    "failed": N_("Given up"),
    "sent": N_("Sent"),
}
# Messages of the operating system about files and connections, which errors contain as ``problem``.
SYSTEM_ERRORS = (
    N_("Address already in use"),
    N_("Connection refused"),
    N_("Disk quota exceeded"),
    N_("File exists"),
    N_("File name too long"),
    N_("Input/output error"),
    N_("Is a directory"),
    N_("No such file or directory"),
    N_("No space left on device"),
    N_("Not a directory"),
    N_("Operation not permitted"),
    N_("Permission denied"),
    N_("Read-only file system"),
    N_("Too many open files"),
)
