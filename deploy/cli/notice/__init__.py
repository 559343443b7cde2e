"""Commands: letters about cases."""

from analysis.words.i18n import N_
from deploy.cli.commands import Command, Group

NOTICE: Group = {
    "make": Command(
        "notice", N_("Make a notice about cases or a site: .docx, PDF, text and mail, with the evidence.")
    ),
    "list": Command("notice_list", N_("List the notices, the newest first."), "list_notices"),
    "show": Command("notice_list", N_("Show a notice: its text, its files, and what became of it.")),
    "forms": Command("notice_form", N_("List the forms of platforms that a notice can fill.")),
    "form": Command("notice_form", N_("Fill the form of a platform: a sheet, and the addresses in batches.")),
    "send": Command("notice", N_("Send a notice by mail: if the settings allow it and you confirm it.")),
    "resolve": Command(
        "notice", N_("Record the result of a notice that is uncertain or was sent by post."), "resolve_notice"
    ),
    "reply": Command("notice", N_("Record the reply to a notice; the state of its case changes with it.")),
}
