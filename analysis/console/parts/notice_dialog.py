"""Dialog for a notice: its text and files, its state, and the possible actions."""

from urllib.parse import quote

from nicegui import ui

from analysis.actions import notices as acts
from analysis.console.parts.case_page import CasePage, fact
from analysis.console.parts.dialogs import answer_of
from analysis.console.parts.new_notice import foreign_text, mailbox_words
from analysis.console.parts.texts import foreign, plain
from analysis.console.view import View
from analysis.notices.sending import Resolution
from analysis.queries.notices import forms_of, get_notice
from analysis.words.i18n import NC_
from analysis.words.labels import NOTICE_KINDS, NOTICE_STATES
from storage.records import Notice, NoticeState, Outcome
from system.errors import PindnaError
from system.messages import N_

_RESOLUTIONS: dict[Resolution, str] = {
    "sent": N_("It was sent by other means"),
    "not-sent": N_("It was not sent"),
    "withdrawn": N_("Withdraw it"),
}
# The resolutions that a user may choose in each state, for :func:`analysis.notices.sending.resolve`.
_OPEN: dict[NoticeState, tuple[Resolution, ...]] = {
    "made": ("sent", "withdrawn"),
    "failed": ("sent", "withdrawn"),
    "uncertain": ("sent", "not-sent"),
}
_OUTCOMES: dict[Outcome, str] = {
    "accepted": N_("The site will remove the copies"),
    "refused": N_("The site refuses"),
}
_FORMS = {
    "docx": "Word",
    "pdf": "PDF",
    "txt": N_("Text"),
    "eml": N_("Mail"),
    "evidence": N_("Evidence package"),
    "addresses": N_("List of addresses"),
}


async def open_notice(page: CasePage, name: str) -> None:
    """Show a notice until the dialog is closed."""
    view = page.view
    notice = await view.read(get_notice, name)
    title = f"{notice.name} · {view.word(NOTICE_KINDS, notice.kind)}"
    with view.client, ui.dialog() as dialog, ui.card().classes("dialog wide-dialog"):
        dialog.props["aria-label"] = title
        plain(title, "h2").classes("subtitle part")
        _facts(page, notice)
        if view.may("notices:make") and not notice.is_draft:
            _forms(view, notice)
        foreign_text(notice.text)
        if view.may("notices:send") and not notice.is_draft:
            _Acts(page, notice, dialog).show()
        ui.button(view.gettext("Close"), on_click=dialog.close).props("flat no-caps autofocus")
    await answer_of(dialog)


def _forms(view: View, notice: Notice) -> None:
    """Show a link to the form of each platform, filled for the notice."""
    try:
        forms = forms_of(view.identity, view.installation.runtime.settings.analysis.notices)
    except PindnaError as error:
        plain(view.texts.error(error), "p").classes("problem")
        return
    with ui.element("div").classes("row-line"):
        plain(view.gettext("Forms of platforms"))
        for form in forms:
            link = ui.link(
                form.title_in(view.texts.language), f"/notices/{notice.name}/forms/{quote(form.name)}"
            )
            link.props["download"] = ""


def _facts(page: CasePage, notice: Notice) -> None:
    view = page.view
    _ = view.gettext
    state = _("Draft: it is never sent") if notice.is_draft else view.word(NOTICE_STATES, notice.state)
    lines = [
        (_("State"), state),
        (_(NC_("notice", "To")), mailbox_words(notice.addressee)),
        (_("Subject"), notice.subject),
        (_("Cases"), _cases_line(notice)),
        (_("Created at"), " · ".join(filter(None, (view.moment(notice.made), notice.by)))),
        (_(NC_("time", "Sent")), " · ".join(filter(None, (view.moment(notice.sent), notice.sent_by)))),
        (_("Receipt"), notice.receipt),
        (_("Problem"), _(notice.problem)),
        (_("Reply due"), view.moment(notice.reply_due)),
        (_("Reply"), notice.reply),
        (_("Why"), notice.because),
    ]
    with ui.element("dl").classes("facts"):
        for name, value in lines:
            if value and value != "–":
                with fact(name):
                    foreign(value, most=1_000)
        if notice.files:
            with fact(_("Files")), ui.element("div").classes("row-line"):
                for form in notice.files:
                    link = ui.link(_(_FORMS.get(form, form)), f"/notices/{notice.name}/{form}")
                    link.props["download"] = ""


def _cases_line(notice: Notice) -> str:
    """Return the cases and works of a notice about several works."""
    if len(notice.cases) == 1:
        return ""
    return ", ".join(f"{case.name} 《{case.work_title}》" for case in notice.cases)


class _Acts:
    """The actions that are possible in the state of a notice."""

    def __init__(self, page: CasePage, notice: Notice, dialog: ui.dialog) -> None:
        self._page, self._notice, self._dialog = page, notice, dialog

    def show(self) -> None:
        """Show the fields and buttons of the actions."""
        notice, view = self._notice, self._page.view
        _ = view.gettext
        if notice.state in ("made", "failed") and "eml" in notice.files:
            self._sending()
        resolutions = _OPEN.get(notice.state, ())
        if not resolutions and notice.state not in ("sent", "unanswered"):
            return
        self._words = ui.textarea(_("Source of this information, or the text of the reply"))
        self._words.props('outlined dense autogrow rows=1 maxlength="4000"').classes("wide-field")
        with ui.element("div").classes("row-line"):
            for resolution in resolutions:
                self._resolution(resolution)
            if notice.state in ("sent", "unanswered"):
                for outcome in _OUTCOMES:
                    self._outcome(outcome)

    def _sending(self) -> None:
        """Show the field in which the user repeats the notice's name, and the button that sends it."""
        notice, view = self._notice, self._page.view
        settings = view.installation.runtime.settings.analysis.notices
        if not settings.send:
            line = view.gettext("Sending mail is turned off. Ask an operator to turn it on.")
            plain(line, "p").classes("note")
            return

        async def send() -> None:
            button.set_enabled(False)
            line = view.gettext("{name} was sent.").format(name=notice.name)
            try:
                await self._page.do(acts.send, notice.name, confirm=name.value or "", line=line)
            finally:
                self._dialog.close()

        to = f"{notice.addressee.name} <{notice.addressee.email}>"
        question = view.gettext("To send it to {addressee}, type {name}").format(
            addressee=to, name=notice.name
        )
        foreign(question, tag="p")
        with ui.element("div").classes("row-line"):
            name = ui.input(view.gettext("Name of the notice")).props("outlined dense autocomplete=off")
            button = ui.button(view.gettext("Send"), icon="send", on_click=send).props("unelevated no-caps")
            button.set_enabled(False)
            name.on_value_change(
                lambda: button.set_enabled((name.value or "").strip().lower() == notice.name)
            )

    def _resolution(self, resolution: Resolution) -> None:
        view, notice = self._page.view, self._notice

        async def resolve() -> None:
            words = (self._words.value or "").strip()
            line = view.gettext("{name}: recorded.").format(name=notice.name)
            await self._page.do(acts.resolve, notice.name, resolution, reason=words, line=line)
            self._dialog.close()

        ui.button(view.gettext(_RESOLUTIONS[resolution]), on_click=resolve).props("outline dense no-caps")

    def _outcome(self, outcome: Outcome) -> None:
        view, notice = self._page.view, self._notice

        async def answer() -> None:
            words = (self._words.value or "").strip()
            line = view.gettext("{name}: recorded.").format(name=notice.name)
            await self._page.do(acts.answer, notice.name, outcome, reason=words, line=line)
            self._dialog.close()

        ui.button(view.gettext(_OUTCOMES[outcome]), on_click=answer).props("outline dense no-caps")
