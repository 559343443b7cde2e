"""Dialog for a new notice: options, preview, and the finished notice."""

from collections.abc import Awaitable, Callable
from functools import partial

from nicegui import ui

from analysis.actions import notices as acts
from analysis.actions.contacts import set_contact
from analysis.console.parts.case_page import fact
from analysis.console.parts.dialogs import answer_of
from analysis.console.parts.holder_dialog import ask_holder
from analysis.console.parts.texts import foreign, plain
from analysis.console.view import View
from analysis.notices.facts import FACTS, USUAL_ROLE, NoticeFacts
from analysis.notices.gathering import NoticeRequest
from analysis.notices.making import NoticePreview
from analysis.queries.notices import LetterScope
from analysis.words.i18n import NC_
from analysis.words.labels import CONTACT_ROLES, NOTICE_KINDS
from analysis.words.visible import visible
from storage.records import Addressee
from system.errors import PindnaError

_SHOWN_CHARS = 20_000
_NAMED = 5  # maximum number of cases in the title


class NewNoticeDialog:
    """The dialog for a new notice about cases, or about all works of a holder on a site.

    Args:
        view: the page.
        scope: the cases or the site.
        do: runs an action and reports its success, as :meth:`CasePage.do` does.
    """

    def __init__(self, view: View, scope: LetterScope, do: Callable[..., Awaitable[None]]) -> None:
        self._view, self._scope, self._act = view, scope, do
        _ = view.gettext
        about = scope.site or ", ".join(scope.cases[:_NAMED]) + (" …" if len(scope.cases) > _NAMED else "")
        title = _("Write a notice about {name}").format(name=about)
        with (
            view.client,
            ui.dialog().props("persistent") as self._dialog,
            ui.card().classes("dialog wide-dialog"),
        ):
            self._dialog.props["aria-label"] = title
            plain(title, "h2").classes("subtitle part")
            with ui.element("div").classes("row-line filters"):
                kinds = {kind: view.word(NOTICE_KINDS, kind) for kind in USUAL_ROLE}
                self._kind = ui.select(kinds, label=_("Kind"), value="infringement")
                roles: dict[str, str] = {role: _(label) for role, label in CONTACT_ROLES.items()}
                self._role = ui.select(
                    {"": _("Usual recipients"), **roles}, label=_(NC_("notice", "To")), value=""
                )
                self._contact = ui.input(_("Site of the search engine or law firm"))
                self._holder = ui.input(_("Rights holder; empty: the holder of the works"))
                self._signer = ui.input(_("Signatory"))
                self._first = ui.number(_("Maximum number of addresses; 0: all"), value=0, min=0, precision=0)
                fields = self._kind, self._role, self._contact, self._holder, self._signer, self._first
                for field in fields:
                    field.props("outlined dense").classes("filter")
                    field.on_value_change(self._show)
            self._preview = ui.element("div").props('aria-live="polite"')
            self._waiting = ui.linear_progress(show_value=False).props("indeterminate")
            self._waiting.set_visibility(False)
            with ui.row().classes("row-line"):
                ui.button(_("Cancel"), on_click=self._dialog.close).props("flat no-caps")
                self._draft = ui.button(_("Make a draft"), on_click=lambda: self._make(is_draft=True))
                self._draft.props("outline no-caps")
                self._do = ui.button(_("Create the notice with evidence"), on_click=self._make)
                self._do.props("unelevated no-caps")

    async def ask(self) -> None:
        """Show the dialog until it is closed."""
        await self._show()
        await self._dialog
        self._dialog.delete()

    def _wanted(self) -> NoticeRequest:
        return NoticeRequest(
            kind=self._kind.value or "infringement",
            role=self._role.value or None,
            contact=(self._contact.value or "").strip(),
            holder=(self._holder.value or "").strip(),
            signer=(self._signer.value or "").strip(),
            first=int(self._first.value or 0),
        )

    async def _show(self) -> None:
        """Show the preview of the notice."""
        try:
            preview = await self._view.act(acts.preview, self._scope, self._wanted())
        except PindnaError as error:
            self._preview.clear()
            with self._preview:
                plain(self._view.texts.error(error), "p").classes("problem")
            self._allow(draft=False, whole=False)
            return
        self._preview.clear()
        with self._preview:
            self._report(preview)
        self._allow(draft=True, whole=not preview.missing)

    def _report(self, preview: NoticePreview) -> None:
        view, facts = self._view, preview.facts
        _ = view.gettext
        with ui.element("dl").classes("facts"):
            with fact(_(NC_("notice", "To"))):
                foreign(mailbox_words(facts.addressee))
                ask = partial(self._ask_contact, facts.addressee)
                ui.button(_("Recipients…"), on_click=ask).props("flat dense no-caps")
            with fact(_("On behalf of")):
                foreign(facts.holder.name)
                if view.may("works:write"):
                    ask_holder_of = partial(self._ask_holder, facts.holder.name, _work_to_prove(facts))
                    ui.button(_("Details…"), on_click=ask_holder_of).props("flat dense no-caps")
            if len(preview.works) > 1:
                with fact(_("Works")):
                    foreign("、".join(f"《{title}》" for title in preview.works), most=1_000)
            with fact(_("Addresses")):
                self._report_addresses(preview)
        for line in _missing_lines(view, preview):
            foreign(line, tag="p", most=1_000).classes("note")
        plain(_("Preview"), "h3").classes("subtitle part")
        text = preview.letter.text()
        foreign_text(text[:_SHOWN_CHARS] + ("…" if len(text) > _SHOWN_CHARS else ""))

    def _report_addresses(self, preview: NoticePreview) -> None:
        """Show the number of addresses and letters, and what is left out."""
        view = self._view
        plain(f"{preview.addresses:,}")
        lines = []
        if (letters := preview.facts.letters) > 1:
            lines.append(view.gettext("{count} notices are made").format(count=letters))
        if preview.left_out:
            line = view.ngettext(
                "{count} address that was gone at the last check is not listed",
                "{count} addresses that were gone at the last check are not listed",
                preview.left_out,
            )
            lines.append(line.format(count=preview.left_out))
        if preview.waiting:
            line = view.gettext("Left out, because they wait for the reply to an earlier notice: {cases}")
            lines.append(line.format(cases=", ".join(preview.waiting)))
        for line in lines:
            plain(line, "div").classes("soft small")

    async def _ask_contact(self, addressee: Addressee) -> None:
        """Ask for the recipient, and update the preview."""
        view = self._view
        _ = view.gettext
        title = _("Recipients for {site}").format(site=addressee.site)
        with view.client, ui.dialog() as dialog, ui.card().classes("dialog"):
            dialog.props["aria-label"] = title
            foreign(title, tag="h3").classes("subtitle part")
            name = ui.input(_("Name of the organisation"), value=addressee.name)
            email = ui.input(_("Mail address"), value=addressee.email)
            address = ui.input(_("Postal address"), value=addressee.address)
            for field in (name, email, address):
                field.props('outlined dense maxlength="300"').classes("full")

            async def save() -> None:
                values = {
                    "name": name.value or "",
                    "email": email.value or "",
                    "address": address.value or "",
                }
                await view.act(set_contact, addressee.role, addressee.site, values)
                dialog.close()
                await self._show()

            with ui.row().classes("row-line"):
                ui.button(_("Cancel"), on_click=dialog.close).props("flat no-caps")
                ui.button(_("Save"), on_click=save).props("unelevated no-caps")
        await answer_of(dialog)

    async def _ask_holder(self, name: str, work_id: int) -> None:
        """Ask for the holder's data, and update the preview."""
        if await ask_holder(self._view, name, work_id):
            await self._show()

    def _allow(self, *, draft: bool, whole: bool) -> None:
        self._draft.set_enabled(draft)
        self._do.set_enabled(whole)

    async def _make(self, *, is_draft: bool = False) -> None:
        self._allow(draft=False, whole=False)
        self._waiting.set_visibility(True)
        try:
            made = self._view.gettext("The notice was created but not sent. It is in the list.")
            await self._act(acts.make, self._scope, self._wanted(), is_draft=is_draft, line=made)
            self._dialog.close()
        finally:
            self._waiting.set_visibility(False)
            self._allow(draft=True, whole=True)


def foreign_text(text: str) -> None:
    """Show a foreign text of several lines; hidden characters become visible."""
    plain(visible(text), "pre").classes("letter").props('tabindex="0"')


def _missing_lines(view: View, preview: NoticePreview) -> list[str]:
    """Return a line for each missing fact, with the works that lack it."""
    lines = []
    for code in preview.missing:
        fact = view.gettext(FACTS[code].label)
        if works := preview.titles.get(code):
            fact = view.gettext("{fact} for {works}").format(fact=fact, works=", ".join(works))
        advice = view.gettext(FACTS[code].field)
        lines.append(view.gettext("Missing: {fact} ({advice})").format(fact=fact, advice=advice))
    return lines


def _work_to_prove(facts: NoticeFacts) -> int:
    """Return the book that the next proof of title is for: the first without a proof."""
    unproven = (subject.work for subject in facts.subjects if not facts.titles_of(subject.work))
    return next(unproven, facts.work).book_id


def mailbox_words(addressee: Addressee) -> str:
    """Return the known facts about the recipient of a notice."""
    email = f"<{addressee.email}>" if addressee.email else ""
    return " ".join(filter(None, (addressee.name, email))) or "–"
