"""Commands: cases, which contain the matches of one work on one site."""

from analysis.words.i18n import N_
from deploy.cli.commands import Command, Group

CASE: Group = {
    "list": Command(
        "case",
        N_("List the cases, the gravest verdict first. Each case is one work on one site."),
        "list_cases",
    ),
    "show": Command("case", N_("Show a case: its state, priority, publication order and matches.")),
    "history": Command("case", N_("Show what happened to a case: who did what, when and why.")),
    "confirm": Command("case_actions", N_("Confirm all open matches of cases as infringing.")),
    "dismiss": Command("case_actions", N_("Dismiss all open matches of cases as not infringing.")),
    "assign": Command("case_actions", N_("Assign cases, and set their deadlines.")),
    "note": Command("case_actions", N_("Add a note to the history of a case.")),
    "notify": Command("case_actions", N_("Record a notice that was sent by other means.")),
    "reply": Command("case_actions", N_("Record the answer of the site, or that it did not answer.")),
    "close": Command("case_actions", N_("Close cases for a reason; a new copy opens them again.")),
    "reopen": Command("case_actions", N_("Open closed cases again.")),
}
