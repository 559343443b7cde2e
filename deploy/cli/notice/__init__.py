"""Commands: letters about cases."""

from analysis.words.i18n import N_
from deploy.cli.commands import Command, Group

NOTICE: Group = {
    "make": Command(
        "notice.notice",
        "make",
        N_("Make a notice about a case: .docx, PDF, text and mail, with the evidence."),
    ),
    "list": Command("notice.notice_list", "list_notices", N_("List the notices, the newest first.")),
    "show": Command(
        "notice.notice_list", "show", N_("Show a notice: its text, its files, and what became of it.")
    ),
    "send": Command(
        "notice.notice", "send", N_("Send a notice by mail: if the settings allow it and you confirm it.")
    ),
    "resolve": Command(
        "notice.notice",
        "resolve_notice",
        N_("Record the result of a notice that is uncertain or was sent by post."),
    ),
    "reply": Command(
        "notice.notice", "reply", N_("Record the reply to a notice; the state of its case changes with it.")
    ),
}
