"""Commands: settings that administrators change at run time."""

from analysis.words.i18n import N_
from deploy.cli.commands import Command, Group

SETTINGS: Group = {
    "get": Command("settings", N_("Show the settings that can be changed, or the value of one."), "get"),
    "set": Command("settings", N_("Change a setting, or store a secret."), "change"),
}
