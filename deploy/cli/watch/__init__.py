"""Commands: check whether the copies of confirmed cases are still up."""

from analysis.words.i18n import N_
from deploy.cli.commands import Command, Group

WATCH: Group = {
    "list": Command(
        "watch_list",
        N_("List the watched addresses, by the time of their next check."),
        "list_watches",
    ),
    "now": Command(
        "watch", N_("Check now, even if not due; without addresses, only those that are due."), "look_now"
    ),
}
