"""Dialog for a rights holder's data in notices: contact data, and documents that prove its rights."""

from nicegui import events, ui

from analysis.actions.holders import set_holder
from analysis.console.parts.dialogs import answer_of
from analysis.console.parts.texts import foreign, plain
from analysis.console.view import View
from analysis.notices.holders import NewDocument, changed_texts
from analysis.queries.holders import holder_of
from analysis.reading.work_files import safe_name
from analysis.words.labels import DOCUMENT_KINDS
from storage.collections.holders import MAX_FILE_BYTES
from storage.records import Holder, HolderDocument

_MEGABYTE = 1024 * 1024
_FORM_BYTES = 64 * 1024  # maximum size of a request, without the file


async def ask_holder(view: View, name: str, work_id: int) -> bool:
    """Show the dialog for a holder's data. Return whether the data was changed.

    Args:
        view: the page.
        name: of the holder, as works have it.
        work_id: the book that a proof of title may be for.
    """
    return await _HolderDialog(view, await view.read(holder_of, name), work_id).ask()


class _HolderDialog:
    """The dialog with the fields of a holder, its stored documents, and newly added documents."""

    def __init__(self, view: View, holder: Holder, work_id: int) -> None:
        self._view, self._holder, self._work_id = view, holder, work_id
        self._given: list[NewDocument] = []
        _ = view.gettext
        title = _("Details of {name}").format(name=holder.name[:80])
        with (
            view.client,
            ui.dialog().props("persistent") as self._dialog,
            ui.card().classes("dialog"),
        ):
            self._dialog.props["aria-label"] = title
            foreign(title, tag="h3").classes("subtitle part")
            self._fields = self._texts()
            plain(_("Documents"), "h4").classes("subtitle part")
            self._boxes = {document.use: _box(view, document) for document in holder.documents}
            self._show_add_form()
            with ui.row().classes("row-line"):
                ui.button(_("Cancel"), on_click=lambda: self._dialog.submit(False)).props("flat no-caps")
                ui.button(_("Save"), on_click=self._save).props("unelevated no-caps")

    async def ask(self) -> bool:
        """Show the dialog until it is closed. Return whether something was saved."""
        return bool(await answer_of(self._dialog))

    def _texts(self) -> dict[str, ui.input]:
        """Show a field for each text of a holder. Return the fields by name."""
        _ = self._view.gettext
        labels = {
            "address": _("Postal address"),
            "contact": _("Contact person of the rights holder"),
            "position": _("Position of this person"),
            "phone": _("Telephone number"),
            "email": _("Mail address"),
            "registration": _("Number of the business licence or the identity document"),
        }
        fields = {name: ui.input(label, value=getattr(self._holder, name)) for name, label in labels.items()}
        for field in fields.values():
            field.props('outlined dense maxlength="300"').classes("full")
        return fields

    def _show_add_form(self) -> None:
        """Show the form that adds documents."""
        view, _ = self._view, self._view.gettext
        kinds = {kind: _(label) for kind, label in DOCUMENT_KINDS.items()}
        self._kind = ui.select(kinds, label=_("Kind of the next file"), value="title")
        self._kind.props("outlined dense options-dense").classes("full")
        self._is_of_work = ui.checkbox(_("Proves the title to this work only"))
        self._is_of_work.bind_visibility_from(self._kind, "value", value="title")
        self._added = ui.element("ul").classes("results").props('aria-live="polite"')
        most = min(MAX_FILE_BYTES, view.installation.settings.upload_megabytes * _MEGABYTE - _FORM_BYTES)
        too_large = _("Documents above {megabytes} MB cannot be added.").format(
            megabytes=round(most / _MEGABYTE)
        )
        upload = ui.upload(
            label=_("Drop documents here, or choose them with +"),
            multiple=True,
            auto_upload=True,
            max_file_size=most,
            on_upload=self._take,
            on_rejected=lambda: ui.notify(too_large, type="warning"),
        )
        upload.props("flat bordered").classes("uploads")

    async def _take(self, event: events.UploadEventArguments) -> None:
        kind, is_of_work = self._kind.value, self._is_of_work.value
        document = NewDocument(
            kind=kind,
            name=safe_name(event.file.name),
            data=await event.file.read(),
            work_id=self._work_id if kind == "title" and is_of_work else None,
        )
        self._given.append(document)
        with self._added, ui.element("li"):
            foreign(f"{self._view.word(DOCUMENT_KINDS, kind)}: {document.name}")

    async def _save(self) -> None:
        texts = changed_texts(self._holder, {name: field.value for name, field in self._fields.items()})
        dropped = [use for use, box in self._boxes.items() if not box.value]
        name = self._holder.name
        await self._view.act(set_holder, name, texts, documents=self._given, dropped=dropped)
        self._dialog.submit(True)


def _box(view: View, document: HolderDocument) -> ui.checkbox:
    """Show a document with a checkbox; if the user clears it, the document is removed."""
    kind = view.word(DOCUMENT_KINDS, document.kind)
    line = view.gettext("Keep: {kind}, {name}")
    return ui.checkbox(line.format(kind=kind, name=document.name[:80]), value=True)
