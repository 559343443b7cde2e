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
    "import": Command(
        "candidates",
        N_("Read sites from files of any known form and store them as candidates; nothing is requested."),
        "import_files",
    ),
    "candidates": Command("candidates", N_("List the candidates, those that name most works first.")),
    "candidate": Command("candidates", N_("Show a candidate: its evidence, and what it would crawl.")),
    "accept": Command("candidate_decisions", N_("Make sources of candidates.")),
    "reject": Command("candidate_decisions", N_("Reject candidates; later imports do not change that.")),
    "reopen": Command("candidate_decisions", N_("Undo the rejection of candidates.")),
    "remove": Command("source_switch", N_("Delete a source; asks first. Its pages stay.")),
}
