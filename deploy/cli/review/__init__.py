"""Commands: analysts' decisions on matches, and the thresholds of verdicts."""

from analysis.words.i18n import N_
from deploy.cli.commands import Command, Group

REVIEW: Group = {
    "list": Command("review", N_("List matches with their ids and decisions."), "list_matches"),
    "show": Command(
        "review", N_("Show a match: the texts side by side, and what was decided, why and by whom.")
    ),
    "next": Command(
        "review", N_("Show the gravest open match and, on a terminal, ask for a decision."), "show_next"
    ),
    "confirm": Command("review", N_("Confirm matches as infringing.")),
    "dismiss": Command(
        "review", N_("Dismiss matches as not infringing; their stretches are never new again.")
    ),
    "doubt": Command("review", N_("Set matches aside as doubtful, with a note.")),
    "reopen": Command("review", N_("Withdraw decisions about matches.")),
}

DISMISSALS: Group = {
    "list": Command("dismissals", N_("List dismissed stretches and the reasons."), "list_dismissals"),
    "remove": Command(
        "dismissals",
        N_("Withdraw dismissals: their stretches count again; asks first."),
        "remove_dismissals",
    ),
}

PROFILE: Group = {
    "list": Command("profile", N_("List the profiles and what each is used for."), "list_profiles"),
    "show": Command("profile", N_("Show the thresholds of a profile.")),
    "evaluate": Command("profile", N_("Judge reviewed matches or labelled texts by other thresholds.")),
}
