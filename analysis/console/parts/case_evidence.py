"""Evidence of a case: the existing packages, and a button that makes a new package."""

from collections.abc import Iterable

from nicegui import ui

from analysis.actions import evidence as acts
from analysis.console.parts.case_page import CasePage
from analysis.console.parts.lists import nothing
from analysis.console.parts.tables import Column, Table
from analysis.queries.evidence import packages_among
from storage.records import Event

_SHOWN = 20


async def show_evidence(page: CasePage, history: Iterable[Event]) -> None:
    """Show the packages of a case, the newest first, with a button for a new package."""
    view = page.view
    _ = view.gettext
    if view.may("evidence:export"):
        _export(page)
    made = [event for event in history if event.kind == "exported"][:_SHOWN]
    kept = await view.read(packages_among, [event.subject for event in made])
    if not made:
        nothing(view, _("No package yet."))
        return
    columns = [
        Column(_("Package")),
        Column(_("Created at"), "word"),
        Column(_("Size"), "number"),
        Column("SHA-256"),
    ]
    table = Table(_("Evidence packages"), columns)
    for event in made:
        package = kept.get(event.subject)
        with table.row() as row:
            if package is None:
                row.cell(event.subject)
            else:
                with row.cell():
                    link = ui.link(package.number, f"/evidence/{package.number}")
                    link.props["download"] = f"{package.number}.zip"
            row.cell(view.moment(event.at))
            row.cell(f"{package.bytes / 1e6:,.1f} MB" if package else "–")
            with row.cell() as cell:
                cell.classes("mono")
                ui.label(package.sha256 if package else _("not stored on this server"))


def _export(page: CasePage) -> None:
    view, case = page.view, page.case
    _ = view.gettext

    async def export() -> None:
        button.set_enabled(False)
        waiting.set_visibility(True)
        try:
            line = _("The package is ready. It is in the list.")
            await page.do(acts.export, [case.name], excerpts=bool(excerpts.value), line=line)
        finally:
            if not button.is_deleted:
                button.set_enabled(True)
                waiting.set_visibility(False)

    with ui.element("div").classes("row-line"):
        button = ui.button(_("Make an evidence package"), icon="inventory_2", on_click=export)
        button.props("outline dense no-caps")
        excerpts = ui.checkbox(_("For outsiders: only the matched stretches")).props("dense")
        if not view.identity.sees_everything:  # rights holders only get excerpts
            excerpts.set_value(True)
            excerpts.set_enabled(False)
    waiting = ui.element("div").props('role="status"')
    with waiting:
        ui.linear_progress(show_value=False).props("indeterminate")
        ui.label(_("Collecting, recomputing, packing and sealing. You can leave this page.")).classes("small")
    waiting.set_visibility(False)
