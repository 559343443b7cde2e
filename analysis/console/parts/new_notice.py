"""Dialog for a new notice: options, preview, and the finished notice."""

from collections.abc import Iterable
from functools import partial

from nicegui import ui

from analysis.actions import notices as acts
from analysis.actions.contacts import set_contact
from analysis.console.parts.case_page import CasePage, fact
from analysis.console.parts.dialogs import answer_of
from analysis.console.parts.holder_dialog import ask_holder
from analysis.console.parts.texts import foreign, plain
from analysis.notices.facts import FACTS, USUAL_ROLE
from analysis.notices.gathering import NoticeRequest
from analysis.notices.making import NoticePreview
from analysis.words.i18n import NC_
from analysis.words.labels import CONTACT_ROLES, NOTICE_KINDS
from analysis.words.visible import visible
from storage.records import Addressee
from system.errors import PindnaError

_SHOWN_CHARS = 20_000


class NewNoticeDialog:
    """The dialog for a new notice about a case.

    Args:
        page: of the case.
    """

    def __init__(self, page: CasePage) -> None:
        self._page = page
        view = page.view
        _ = view.gettext
        title = _("Write a notice about {name}").format(name=page.case.name)
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
                self._signer = ui.input(_("Signatory"))
                self._first = ui.number(_("Maximum number of addresses; 0: all"), value=0, min=0, precision=0)
                for field in (self._kind, self._role, self._contact, self._signer, self._first):
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
            signer=(self._signer.value or "").strip(),
            first=int(self._first.value or 0),
        )

    async def _show(self) -> None:
        """Show the preview of the notice."""
        page = self._page
        try:
            preview = await page.view.act(acts.preview, page.case.name, self._wanted())
        except PindnaError as error:
            self._preview.clear()
            with self._preview:
                plain(page.view.texts.error(error), "p").classes("problem")
            self._allow(draft=False, whole=False)
            return
        self._preview.clear()
        with self._preview:
            self._report(preview)
        self._allow(draft=True, whole=not preview.missing)

    def _report(self, preview: NoticePreview) -> None:
        view, facts = self._page.view, preview.facts
        _ = view.gettext
        with ui.element("dl").classes("facts"):
            with fact(_(NC_("notice", "To"))):
                foreign(mailbox_words(facts.addressee))
                ask = partial(self._ask_contact, facts.addressee)
                ui.button(_("Recipients…"), on_click=ask).props("flat dense no-caps")
            with fact(_("On behalf of")):
                foreign(facts.holder.name)
                if view.may("works:write"):
                    ask_holder_of = partial(self._ask_holder, facts.holder.name, facts.work.book_id)
                    ui.button(_("Details…"), on_click=ask_holder_of).props("flat dense no-caps")
            with fact(_("Addresses")):
                plain(f"{len(facts.infringements):,}")
                if facts.left_out:
                    line = view.ngettext(
                        "{count} address that was gone at the last check is not listed",
                        "{count} addresses that were gone at the last check are not listed",
                        facts.left_out,
                    )
                    plain(line.format(count=facts.left_out), "div").classes("soft small")
        for line in _missing_lines(self._page, preview.missing):
            plain(line, "p").classes("note")
        plain(_("Preview"), "h3").classes("subtitle part")
        text = preview.letter.text()
        foreign_text(text[:_SHOWN_CHARS] + ("…" if len(text) > _SHOWN_CHARS else ""))

    async def _ask_contact(self, addressee: Addressee) -> None:
        """Ask for the recipient, and update the preview."""
        view = self._page.view
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
        if await ask_holder(self._page.view, name, work_id):
            await self._show()

    def _allow(self, *, draft: bool, whole: bool) -> None:
        self._draft.set_enabled(draft)
        self._do.set_enabled(whole)

    async def _make(self, *, is_draft: bool = False) -> None:
        page = self._page
        self._allow(draft=False, whole=False)
        self._waiting.set_visibility(True)
        try:
            made = page.view.gettext("The notice was created but not sent. It is in the list.")
            await page.do(acts.make, page.case.name, self._wanted(), is_draft=is_draft, line=made)
            self._dialog.close()
        finally:
            self._waiting.set_visibility(False)
            self._allow(draft=True, whole=True)


def foreign_text(text: str) -> None:
    """Show a foreign text of several lines; hidden characters become visible."""
    plain(visible(text), "pre").classes("letter").props('tabindex="0"')


def _missing_lines(page: CasePage, missing: Iterable[str]) -> list[str]:
    view = page.view
    line = view.gettext("Missing: {fact} ({advice})")
    facts = (FACTS[code] for code in missing)
    return [line.format(fact=view.gettext(fact.label), advice=view.gettext(fact.field)) for fact in facts]


def mailbox_words(addressee: Addressee) -> str:
    """Return the known facts about the recipient of a notice."""
    email = f"<{addressee.email}>" if addressee.email else ""
    return " ".join(filter(None, (addressee.name, email))) or "–"
