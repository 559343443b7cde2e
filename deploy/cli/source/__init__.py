"""Commands: what to crawl."""

from analysis.words.i18n import N_
from deploy.cli.commands import Command, Group

SOURCE: Group = {
    "add": Command("source", N_("Add a source; asks before it replaces a source of the same name.")),
    "test": Command(
        "source_trial",
        N_("Fetch a few pages of a source and show the result of each step; store nothing."),
        "try_source",
    ),
    "list": Command("source_list", N_("List the sources and their state."), "list_sources"),
    "enable": Command("source_switch", N_("Enable a source, so that scans crawl it, and end its pause.")),
    "disable": Command("source_switch", N_("Disable a source, so that scans skip it.")),
    "remove": Command("source_switch", N_("Delete a source; asks first. Its pages stay.")),
}
