"""Commands: analysts' decisions on matches, and the thresholds of verdicts."""

from analysis.words.i18n import N_
from deploy.cli.commands import Command, Group

REVIEW: Group = {
    "list": Command("review.review", "list_matches", N_("List matches with their ids and decisions.")),
    "show": Command(
        "review.review",
        "show",
        N_("Show a match: the texts side by side, and what was decided, why and by whom."),
    ),
    "next": Command(
        "review.review",
        "show_next",
        N_("Show the gravest open match and, on a terminal, ask for a decision."),
    ),
    "confirm": Command("review.review", "confirm", N_("Confirm matches as infringing.")),
    "dismiss": Command(
        "review.review",
        "dismiss",
        N_("Dismiss matches as not infringing; their stretches are never new again."),
    ),
    "doubt": Command("review.review", "doubt", N_("Set matches aside as doubtful, with a note.")),
    "reopen": Command("review.review", "reopen", N_("Withdraw decisions about matches.")),
}

DISMISSALS: Group = {
    "list": Command("review.dismissals", "list_dismissals", N_("List dismissed stretches and the reasons.")),
    "remove": Command(
        "review.dismissals",
        "remove_dismissals",
        N_("Withdraw dismissals: their stretches count again; asks first."),
    ),
}

PROFILE: Group = {
    "list": Command("review.profile", "list_profiles", N_("List the profiles and what each is used for.")),
    "show": Command("review.profile", "show", N_("Show the thresholds of a profile.")),
    "evaluate": Command(
        "review.profile", "evaluate", N_("Judge reviewed matches or labelled texts by other thresholds.")
    ),
}
