"""The list of scans: running scans with live counts, and finished scans."""

from nicegui import ui

from analysis.actions.scans import start_scan
from analysis.console.parts.badges import badge
from analysis.console.parts.dialogs import confirmed
from analysis.console.parts.lists import SHOWN, nothing, pager
from analysis.console.parts.progress import live_crawls
from analysis.console.parts.tables import Column, Table
from analysis.console.parts.texts import plain
from analysis.console.parts.tones import SCAN_TONES
from analysis.console.view import View
from analysis.queries.scans import list_scans
from analysis.words.i18n import NC_
from analysis.words.labels import SCAN_STATES, TRIGGERS
from storage.records import Scan

_RUNNING_SHOWN = 10


async def build(view: View, *, cursor: str = "") -> None:
    """Show running and finished scans."""
    if view.may("scans:run"):
        await _start(view)
    running = await view.read(list_scans, status="running", limit=_RUNNING_SHOWN)
    for scan in running.items:
        with ui.element("section").classes("panel") as panel:
            panel.props["aria-label"] = scan.id
            with plain("", "h2").classes("subtitle"):
                ui.link(view.moment(scan.started), f"/scans/{scan.id}")
            await live_crawls(view, scan)
    listing = await view.read(list_scans, cursor=cursor, limit=SHOWN)
    plain(view.gettext("All scans"), "h2").classes("subtitle")
    if not listing.items:
        nothing(view, view.gettext("No scan has run yet. Add a source, then scan."))
        return
    columns = (
        Column(view.gettext("Started at"), "word"),
        Column(view.gettext("State"), "word"),
        Column(view.gettext("Trigger"), "word"),
        Column(view.gettext("Sources"), "wide"),
        Column(view.gettext(NC_("count", "Pages")), "number"),
        Column(view.gettext(NC_("count", "Copies")), "number"),
        Column(view.gettext("Not fully compared"), "number"),
        Column(view.gettext("Not compared"), "number"),
        Column(view.gettext("Remaining addresses"), "number"),
    )
    table = Table(view.gettext("Scans"), columns)
    for scan in listing.items:
        _row(view, table, scan)
    pager(view, "/scans", {}, following=listing.next)


def _row(view: View, table: Table, scan: Scan) -> None:
    copies = scan.counts.get("verdict:copy", 0) + scan.counts.get("verdict:partial", 0)
    with table.row() as row:
        row.link(view.moment(scan.started), f"/scans/{scan.id}")
        with row.cell():
            scan_badge(view, scan)
        row.cell(view.word(TRIGGERS, scan.trigger))
        row.cell(", ".join(scan.sources) or view.gettext("stored pages"))
        row.cell(f"{scan.counts.get('pages', 0):,}")
        row.cell(f"{copies:,}")
        row.cell(f"{scan.unread.pages:,}")
        row.cell(f"{sum(scan.not_compared.values()):,}")
        row.cell(f"{sum(scan.left.values()):,}")


def scan_badge(view: View, scan: Scan) -> None:
    """Show the state of a scan."""
    badge(view.word(SCAN_STATES, scan.status), SCAN_TONES[scan.status])


async def _start(view: View) -> None:
    async def start() -> None:
        question = view.gettext("Scan every enabled source now?")
        lines = (view.gettext("Paused sources and sources that are being scanned are skipped."),)
        if await confirmed(view, question, lines, act=view.gettext("Scan")):
            scan = await view.act(start_scan)
            ui.navigate.to(f"/scans/{scan.id}")

    ui.button(view.gettext("Scan now"), icon="radar", on_click=start)
