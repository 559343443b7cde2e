"""Commands: whether the copies of confirmed cases are still up."""

from analysis.words.i18n import N_
from deploy.cli.commands import Command, Group

WATCH: Group = {
    "list": Command(
        "watch_list",
        N_("List the addresses that are watched, those that are asked next first."),
        "list_watches",
    ),
    "now": Command(
        "watch", N_("Look now, whenever it is due; by default at what is due already."), "look_now"
    ),
}
