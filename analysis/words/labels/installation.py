"""Labels of accounts, alerts and settings, and messages of the operating system."""

from collections.abc import Mapping

from analysis.words.i18n import N_, NC_
from storage.records import Cadence, MailingState, Role
from storage.settings.alerts import Weekday
from storage.settings.editable import Origin
from storage.settings.section import SettingGroup

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
ORIGINS: Mapping[Origin, str] = {
    "default": NC_("setting", "default"),
    "stored": NC_("setting", "changed here"),
    "file": N_("file"),
    "environment": N_("environment"),
    "command": NC_("setting", "command"),
}
SETTING_GROUPS: Mapping[SettingGroup, str] = {
    "alerts": N_("Alerts"),
    "scans": N_("Daily scan"),
    "mail": N_("Mail"),
    "timestamps": N_("Timestamps"),
}
WEEKDAYS: Mapping[Weekday, str] = {
    "monday": N_("Monday"),
    "tuesday": N_("Tuesday"),
    "wednesday": N_("Wednesday"),
    "thursday": N_("Thursday"),
    "friday": N_("Friday"),
    "saturday": N_("Saturday"),
    "sunday": N_("Sunday"),
}
ENCRYPTIONS: Mapping[str, str] = {
    "tls": N_("TLS (mostly port 465)"),
    "starttls": N_("STARTTLS (mostly port 587)"),
    "none": N_("none; a password is sent to this machine only"),
}
LANGUAGES: Mapping[str, str] = {"zh": "中文", "en": "English"}
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
