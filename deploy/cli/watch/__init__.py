"""Commands: whether the copies of confirmed cases are still up."""

from analysis.words.i18n import N_
from deploy.cli.commands import Command, Group

WATCH: Group = {
    "list": Command(
        "watch.watch_list",
        "list_watches",
        N_("List the addresses that are watched, those that are asked next first."),
    ),
    "now": Command(
        "watch.watch", "look_now", N_("Look now, whenever it is due; by default at what is due already.")
    ),
}
