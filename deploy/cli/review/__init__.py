"""Commands: analysts' decisions on matches, and the thresholds of verdicts."""

from analysis.words.i18n import N_
from deploy.cli.commands import Command, Group

REVIEW: Group = {
    "list": Command("review", N_("List matches with their ids and what was said of them."), "list_matches"),
    "show": Command(
        "review", N_("Show a match: the texts side by side, and what was decided, why and by whom.")
    ),
    "next": Command(
        "review", N_("Show the gravest open match and, on a terminal, ask what it is."), "show_next"
    ),
    "confirm": Command("review", N_("Say that matches are infringements.")),
    "dismiss": Command(
        "review", N_("Say that matches do not infringe; their stretches never come back as new.")
    ),
    "doubt": Command("review", N_("Set matches aside, with a note; nothing is said of them yet.")),
    "reopen": Command("review", N_("Take back what was said of matches.")),
}

DISMISSALS: Group = {
    "list": Command("dismissals", N_("List what was dismissed, and why."), "list_dismissals"),
    "remove": Command(
        "dismissals",
        N_("Take dismissals back: their stretches count again; asks first."),
        "remove_dismissals",
    ),
}

PROFILE: Group = {
    "list": Command("profile", N_("List the profiles and what each is used for."), "list_profiles"),
    "show": Command("profile", N_("Show the thresholds of a profile.")),
    "evaluate": Command("profile", N_("Judge reviewed matches or labelled texts by other thresholds.")),
}
