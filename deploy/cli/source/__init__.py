"""Commands: what to crawl."""

from analysis.words.i18n import N_
from deploy.cli.commands import Command, Group

SOURCE: Group = {
    "add": Command("source", N_("Add a source; asks before it replaces the one of that name.")),
    "test": Command(
        "source_trial",
        N_("Fetch a few pages of a source and show what each step sees; store nothing."),
        "try_source",
    ),
    "list": Command("source_list", N_("List the sources and how they fare."), "list_sources"),
    "enable": Command("source_switch", N_("Let scans crawl a source; ends its pause.")),
    "disable": Command("source_switch", N_("Let scans leave a source out.")),
    "remove": Command("source_switch", N_("Forget a source, after asking; its pages stay.")),
}
