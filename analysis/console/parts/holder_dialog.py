"""What a notice needs of a rights holder: how to reach it, and documents that prove its rights."""

from nicegui import events, ui

from analysis.acting.holders import set_holder
from analysis.console.parts.texts import foreign, plain
from analysis.console.view import View
from analysis.labels import DOCUMENT_KINDS
from analysis.notices.holders import GivenDocument, changed_texts
from analysis.queries.holders import holder_of
from analysis.work_files import safe_name
from storage.collections.holders import MAX_FILE_BYTES
from storage.records import HolderDocument

_MEGABYTE = 1024 * 1024
_FORM_BYTES = 64 * 1024  # of a request, beside the file


async def ask_holder(view: View, name: str, work_id: int) -> bool:
    """Ask what is known of a holder; returns whether it was changed.

    Args:
        view: the page.
        name: of the holder, as works have it.
        work_id: the book that a proof of title may be for.
    """
    _ = view.gettext
    known = await view.read(holder_of, name)
    title = _("What is known of {name}").format(name=name[:80])
    given: list[GivenDocument] = []
    with view.client, ui.dialog().props("persistent") as dialog, ui.card().classes("dialog"):
        dialog.props["aria-label"] = title
        foreign(title, tag="h3").classes("subtitle part")
        fields = {
            "address": ui.input(_("Postal address"), value=known.address),
            "contact": ui.input(_("Person who speaks for the holder"), value=known.contact),
            "position": ui.input(_("What that person is"), value=known.position),
            "phone": ui.input(_("Telephone number"), value=known.phone),
            "email": ui.input(_("Mail address"), value=known.email),
            "registration": ui.input(
                _("Number of the business licence or the identity document"), value=known.registration
            ),
        }
        for field in fields.values():
            field.props('outlined dense maxlength="300"').classes("full")
        plain(_("Documents"), "h4").classes("subtitle part")
        boxes = {document.use: _box(view, document) for document in known.documents}
        kinds = {kind: _(label) for kind, label in DOCUMENT_KINDS.items()}
        kind = ui.select(kinds, label=_("What the next file is"), value="title")
        kind.props("outlined dense options-dense").classes("full")
        is_own = ui.checkbox(_("It proves the title to this work only")).bind_visibility_from(
            kind, "value", value="title"
        )
        added = ui.element("ul").classes("results").props('aria-live="polite"')

        async def take(event: events.UploadEventArguments) -> None:
            of_work = work_id if kind.value == "title" and is_own.value else None
            own = GivenDocument(
                kind=kind.value,
                name=safe_name(event.file.name),
                data=await event.file.read(),
                work_id=of_work,
            )
            given.append(own)
            with added, ui.element("li"):
                foreign(f"{kinds[own.kind]}: {own.name}")

        def refuse() -> None:
            told = _("Documents above {megabytes} MB are not taken.")
            ui.notify(told.format(megabytes=round(most / _MEGABYTE)), type="warning")

        most = min(MAX_FILE_BYTES, view.installation.settings.upload_megabytes * _MEGABYTE - _FORM_BYTES)
        upload = ui.upload(
            label=_("Drop documents here, or choose them with +"),
            multiple=True,
            auto_upload=True,
            max_file_size=most,
            on_upload=take,
            on_rejected=refuse,
        )
        upload.props("flat bordered").classes("uploads")

        async def save() -> None:
            texts = changed_texts(known, {name: field.value for name, field in fields.items()})
            dropped = [use for use, box in boxes.items() if not box.value]
            await view.act(set_holder, known.name, texts, documents=given, dropped=dropped)
            dialog.submit(True)

        with ui.row().classes("row-line"):
            ui.button(_("Cancel"), on_click=lambda: dialog.submit(False)).props("flat no-caps")
            ui.button(_("Save"), on_click=save).props("unelevated no-caps")
    try:
        return bool(await dialog)
    finally:
        dialog.delete()


def _box(view: View, document: HolderDocument) -> ui.checkbox:
    """Show a document that stays unless its box is emptied."""
    kind = view.word(DOCUMENT_KINDS, document.kind)
    told = view.gettext("Keep: {kind}, {name}")
    return ui.checkbox(told.format(kind=kind, name=document.name[:80]), value=True)
