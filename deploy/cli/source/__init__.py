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
        N_("Fetch a few pages of a source and show what each step sees; store nothing."),
    ),
    "list": Command("source.source_list", "list_sources", N_("List the sources and how they fare.")),
    "enable": Command("source.source", "enable", N_("Let scans crawl a source; ends its pause.")),
    "disable": Command("source.source", "disable", N_("Let scans leave a source out.")),
    "remove": Command("source.source", "remove", N_("Forget a source, after asking; its pages stay.")),
}
