"""The history of a case: actions with their users, times and reasons; and a field for a note."""

from nicegui import ui

from analysis.actions import cases as acts
from analysis.console.parts.case_page import CasePage
from analysis.console.parts.drafts import keep_draft
from analysis.console.parts.lists import nothing, pager
from analysis.console.parts.tables import Column, Table
from analysis.queries.listing import Listing
from analysis.words.events import about
from analysis.words.labels import CLOSED_BECAUSE, EVENTS
from storage.records import Event

_NOTE_CHARS = 4_000


def show_history(page: CasePage, history: Listing[Event]) -> None:
    """Show the events of a case, the newest first."""
    view, case = page.view, page.case
    _ = view.gettext
    if view.may("cases:write"):
        _note(page)
    if not history.items:
        nothing(view)
        return
    columns = [
        Column(_("When"), "word"),
        Column(_("Event"), "word"),
        Column(_("Concerns")),
        Column(_("Done by")),
    ]
    table = Table(_("History"), [*columns, Column(_("Why"), "wide")])
    for event in history.items:
        with table.row() as row:
            row.cell(view.moment(event.at))
            row.cell(view.word(EVENTS, event.kind))
            row.cell(about(event, view.moment) or "–")
            row.cell(event.by or "–")
            row.cell(view.word(CLOSED_BECAUSE, event.because) or "–")
    if history.next:
        pager(view, f"/cases/{case.name}", {}, following=history.next)


def _note(page: CasePage) -> None:
    view, case = page.view, page.case

    async def add() -> None:
        if words := (text.value or "").strip():
            line = view.gettext("Added to the history of {name}.").format(name=case.name)
            await page.do(acts.note, case.name, text=words, line=line)

    with ui.element("div").classes("row-line note-field"):
        text = ui.textarea(view.gettext("Note"))
        text.props(f'outlined dense autogrow rows=1 maxlength="{_NOTE_CHARS}"')
        button = ui.button(view.gettext("Add note"), on_click=add).props("outline dense no-caps")
        keep_draft(view, text, f"note {case.name}", until=button, most=_NOTE_CHARS)
