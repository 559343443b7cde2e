"""Commands: what to crawl."""

from analysis.words.i18n import N_
from deploy.cli.commands import Command, Group

SOURCE: Group = {
    "add": Command(
        "source.source", "add", N_("Add a source; asks before it replaces a source of the same name.")
    ),
    "test": Command(
        "source.source",
        "try_source",
        N_("Fetch a few pages of a source and show the result of each step; store nothing."),
    ),
    "list": Command("source.source_list", "list_sources", N_("List the sources and their state.")),
    "enable": Command(
        "source.source", "enable", N_("Enable a source, so that scans crawl it, and end its pause.")
    ),
    "disable": Command("source.source", "disable", N_("Disable a source, so that scans skip it.")),
    "remove": Command("source.source", "remove", N_("Delete a source; asks first. Its pages stay.")),
}
