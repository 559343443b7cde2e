"""Commands: what was found of one work on one site."""

from analysis.words.i18n import N_
from deploy.cli.commands import Command, Group

CASE: Group = {
    "list": Command(
        "case", N_("List the cases: a work on a site each, the gravest verdict first."), "list_cases"
    ),
    "show": Command("case", N_("Show a case, what it calls for, who was first, and its matches.")),
    "history": Command("case", N_("Show what happened to a case: who did what, when and why.")),
    "confirm": Command("case_actions", N_("Say that all open matches of cases are infringements.")),
    "dismiss": Command("case_actions", N_("Say that no open match of cases infringes.")),
    "assign": Command("case_actions", N_("Say who works on cases, and until when.")),
    "note": Command("case_actions", N_("Add a note to the history of a case.")),
    "notify": Command("case_actions", N_("Note that the site was written to by other means.")),
    "reply": Command("case_actions", N_("Note what the site answered, or that it did not.")),
    "close": Command("case_actions", N_("Close cases for a reason; a new copy opens them again.")),
    "reopen": Command("case_actions", N_("Open closed cases again.")),
}
