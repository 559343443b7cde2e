"""Where the chapters of a work were copied, and how long after the original: chapters down, sites across."""

from nicegui import ui

from analysis.console.parts.badges import verdict_badge
from analysis.console.parts.tables import Column, Table
from analysis.console.parts.texts import plain
from analysis.console.view import View
from analysis.queries.maps import map_of
from analysis.reports.maps import MapCell, MapRow


async def work_map(view: View, work_id: int) -> None:
    """Show the map of a work; nothing where no copy was found."""
    shown = await view.read(map_of, work_id)
    if shown is None:
        return
    with ui.element("section").classes("panel") as panel:
        panel.props["aria-label"] = view.gettext("Chapters and sites")
        plain(view.gettext("Chapters and sites"), "h2").classes("subtitle")
        if shown.left_out:
            told = view.gettext("Only the {count} most copied matches are drawn.")
            plain(told.format(count=shown.matches), "p").classes("note small")
        columns = (
            Column(view.gettext("Chapters"), "wide"),
            *(Column(site, "word") for site in shown.drawn.sites),
        )
        table = Table(view.gettext("Chapters and sites"), columns)
        for row in shown.drawn.rows:
            _row(view, table, row)


def _row(view: View, table: Table, band: MapRow) -> None:
    number = str(band.first) if band.first == band.last else f"{band.first}–{band.last}"
    with table.row() as row:
        row.cell(f"{number} {band.title}".strip())
        for cell in band.cells:
            with row.cell():
                if cell is not None:
                    _cell(view, cell)


def _cell(view: View, cell: MapCell) -> None:
    verdict_badge(view, cell.verdict)
    told = view.ngettext("{count} page", "{count} pages", cell.pages).format(count=cell.pages)
    if cell.lag_days is not None:
        days = view.ngettext("{count} day after", "{count} days after", cell.lag_days)
        told = f"{told} · {days.format(count=cell.lag_days)}"
    plain(told, "div").classes("soft small")
