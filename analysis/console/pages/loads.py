"""The last loads of works, each with a button that removes the works that it added."""

from collections.abc import Sequence
from functools import partial

from nicegui import ui

from analysis.actions.loads import losses_of_load, undo_load
from analysis.console.parts.dialogs import confirmed
from analysis.console.parts.lists import address, nothing
from analysis.console.parts.removals import losses_line
from analysis.console.parts.tables import Column, Row, Table
from analysis.console.parts.texts import foreign, plain
from analysis.console.places import WORKS
from analysis.console.shell import name_control
from analysis.console.view import View
from analysis.queries.loads import Load, list_loads
from storage.records import Work
from tracker.corpus.removal import REMOVED_DAYS

_NAMED = 3  # maximum number of listed works per load


async def build(view: View) -> None:
    """Show the loads, the newest first."""
    loads = await view.read(list_loads)
    ui.link(view.gettext(WORKS.title), WORKS.path)
    if not loads:
        nothing(view, view.gettext("No load has works that are still stored."))
        return
    columns = (
        Column(view.gettext("Time"), "word"),
        Column(view.gettext("Done by"), "name"),
        Column(view.gettext("New works"), "wide"),
        Column(view.gettext("Works that stay"), "wide"),
        Column(view.gettext("Undo"), "word"),
    )
    table = Table(view.gettext("Loads"), columns)
    for load in loads:
        with table.row() as row:
            row.cell(view.moment(load.at))
            row.cell(load.by or "–")
            _works(view, row, load.works)
            _works(view, row, (*load.kept, *load.changed))
            with row.cell():
                if load.works:
                    button = ui.button(view.gettext("Undo …"), on_click=partial(_undo, view, load))
                    name = f"{view.moment(load.at)} {load.works[0].title}"[:120]
                    button.props("outline dense no-caps")
                    name_control(button, view.gettext("Undo: {name}").format(name=name))


def _works(view: View, row: Row, works: Sequence[Work]) -> None:
    """Add a cell with the first works of a load."""
    with row.cell():
        for work in works[:_NAMED]:
            with ui.element("div"), ui.link(target=f"/works/{work.id}"):
                foreign(work.title)
        if (more := len(works) - _NAMED) > 0:
            plain(view.ngettext("{count} more", "{count} more", more).format(count=more), "div")
        if not works:
            plain("–")


async def _undo(view: View, load: Load) -> None:
    """Show what would be removed and what stays; remove it if the user confirms."""
    now, losses = await view.act(losses_of_load, load.id)
    characters = sum(work.characters for work in now.works)
    lines = [losses_line(view, losses, characters=characters)]
    if titles := _titles(now.kept):
        line = view.gettext("These works stay, because they contain texts of other loads too: {titles}.")
        lines.append(line.format(titles=titles))
    if titles := _titles(now.changed):
        line = view.gettext("These older works stay as this load changed them: {titles}.")
        lines.append(line.format(titles=titles))
    lines.append(view.gettext("They can be restored for {days} days.").format(days=REMOVED_DAYS))
    count = len(now.works)
    question = view.ngettext("Remove {count} work?", "Remove {count} works?", count).format(count=count)
    if await confirmed(view, question, tuple(lines), act=view.gettext("Remove"), is_grave=True):
        await view.act(undo_load, load.id)
        ui.navigate.to(address(WORKS.path, {"status": "removed"}))


def _titles(works: Sequence[Work]) -> str:
    named = [work.title[:80] for work in works[:_NAMED]]
    return ", ".join([*named, "…"][: len(works)])
