"""The map of a work: a table with chapters as rows, sites as columns, and verdict and delay in each cell."""

from nicegui import ui

from analysis.console.parts.texts import foreign, plain
from analysis.console.parts.tones import VERDICT_TONES
from analysis.console.view import View
from analysis.queries.work_page import MappedWork
from analysis.reports.maps import MapCell, MapRow, WorkMap
from analysis.words.labels import VERDICTS


def work_map(view: View, mapped: MappedWork) -> None:
    """Show the sites on which the chapters of a work were found."""
    map_data = mapped.map
    if map_data is None:
        line = view.gettext("No matches yet. The next scan compares the pages of the sources with this work.")
        plain(line, "p").classes("soft")
        return
    plain(
        view.gettext(
            "Rows are chapters, columns are sites. Each cell shows the most serious verdict, the "
            "number of pages, and the days from the original to the first copy. An empty cell "
            "means no match."
        ),
        "p",
    ).classes("soft small")
    with ui.element("div").classes("table-box").props("tabindex=0 role=region") as box:
        box.props["aria-label"] = view.gettext("Chapters and sites")
        _table(view, map_data)
    if map_data.sites_left_out:
        line = view.ngettext(
            "{count} further site is left out.",
            "{count} further sites are left out.",
            map_data.sites_left_out,
        )
        plain(line.format(count=map_data.sites_left_out), "p").classes("soft small")
    if mapped.is_cut:
        line = view.gettext("Based on the {count} most serious matches. Reports count all of them.")
        plain(line.format(count=f"{mapped.matches:,}"), "p").classes("note small")


def _table(view: View, map_data: WorkMap) -> None:
    table = ui.element("table").classes("map")
    table.props["aria-label"] = view.gettext("Chapters and sites")
    with table:
        with ui.element("thead"), ui.element("tr"):
            plain(view.gettext("Chapters"), "th").props("scope=col")
            for site in map_data.sites:
                with ui.element("th").props("scope=col"):
                    foreign(site)
        with ui.element("tbody"):
            for row in map_data.rows:
                _row(view, row)


def _row(view: View, row: MapRow) -> None:
    with ui.element("tr"):
        with ui.element("th").props("scope=row"):
            plain(str(row.first) if row.first == row.last else f"{row.first}–{row.last}")
            if row.title:
                foreign(row.title, most=24).classes("soft small")
        for cell in row.cells:
            if cell is None:
                ui.element("td")
            else:
                _cell(view, cell)


def _cell(view: View, cell: MapCell) -> None:
    with ui.element("td").classes(f"tone {VERDICT_TONES[cell.verdict]}"):
        plain(view.word(VERDICTS, cell.verdict), "div").classes("strong")
        pages = view.ngettext("{count} page", "{count} pages", cell.pages).format(count=cell.pages)
        plain(pages, "div").classes("small")
        if cell.lag_days is not None:
            lag = view.ngettext("{days} day later", "{days} days later", cell.lag_days)
            earlier = view.ngettext("{days} day earlier", "{days} days earlier", -cell.lag_days)
            line = lag if cell.lag_days >= 0 else earlier
            plain(line.format(days=abs(cell.lag_days)), "div").classes("small")
