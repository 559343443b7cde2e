"""Commands: whether the copies of confirmed cases are still up."""

from analysis.words.i18n import N_
from deploy.cli.commands import Command, Group

WATCH: Group = {
    "list": Command(
        "watch.watch_list",
        "list_watches",
        N_("List the watched addresses, by the time of their next check."),
    ),
    "now": Command(
        "watch.watch",
        "look_now",
        N_("Check now, even if not due; without addresses, only those that are due."),
    ),
}
