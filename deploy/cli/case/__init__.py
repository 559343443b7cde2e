"""Commands: what was found of one work on one site."""

from analysis.words.i18n import N_
from deploy.cli.commands import Command, Group

CASE: Group = {
    "list": Command(
        "case.case",
        "list_cases",
        N_("List the cases, the gravest verdict first. Each case is one work on one site."),
    ),
    "show": Command(
        "case.case", "show", N_("Show a case: its state, priority, publication order and matches.")
    ),
    "history": Command(
        "case.case", "history", N_("Show what happened to a case: who did what, when and why.")
    ),
    "confirm": Command(
        "case.case_actions", "confirm", N_("Confirm all open matches of cases as infringing.")
    ),
    "dismiss": Command(
        "case.case_actions", "dismiss", N_("Dismiss all open matches of cases as not infringing.")
    ),
    "assign": Command("case.case_actions", "assign", N_("Assign cases, and set their deadlines.")),
    "note": Command("case.case_actions", "note", N_("Add a note to the history of a case.")),
    "notify": Command("case.case_actions", "notify", N_("Record a notice that was sent by other means.")),
    "reply": Command(
        "case.case_actions", "reply", N_("Record the answer of the site, or that it did not answer.")
    ),
    "close": Command(
        "case.case_actions", "close", N_("Close cases for a reason; a new copy opens them again.")
    ),
    "reopen": Command("case.case_actions", "reopen", N_("Open closed cases again.")),
}
