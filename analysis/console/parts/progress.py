"""The progress of a running scan, updated every few seconds while its page is open."""

from nicegui import ui

from analysis.actions.scans import stop_scan
from analysis.console.parts.badges import badge
from analysis.console.parts.dialogs import confirmed
from analysis.console.parts.tables import Column, Table
from analysis.console.parts.tones import CRAWL_TONES
from analysis.console.view import View
from analysis.queries.scans import crawls_of, get_scan
from analysis.words.labels import COUNTS, CRAWL_STATES
from storage.records import Crawl, Scan

_EVERY_S = 3.0
_SHOWN = ("requests", "pages", "unchanged", "failed")


async def live_crawls(view: View, scan: Scan) -> None:
    """Show the crawls of a scan with their present counts, and a button that stops them.

    Args:
        view: the page; it reloads when the scan ends.
        scan: which one.
    """
    box = ui.element("div").props('aria-live="polite"')
    await _fill(view, scan, box)
    if scan.status != "running":
        return

    async def renew() -> None:
        with view.by_itself():
            if (await view.read(get_scan, scan.id)).status != "running":
                ui.navigate.reload()
                return
            await _fill(view, scan, box)

    ui.timer(_EVERY_S, renew)
    if view.may("scans:run"):
        _stop(view, scan)


async def _fill(view: View, scan: Scan, box: ui.element) -> None:
    crawls = await view.read(crawls_of, scan.id)
    box.clear()
    with box:
        columns = (
            Column(view.gettext("Source"), "wide"),
            Column(view.gettext("State"), "word"),
            *(Column(view.word(COUNTS, name), "number") for name in _SHOWN),
            Column(view.gettext("Remaining addresses"), "number"),
            Column(view.gettext("Problem"), "wide"),
        )
        table = Table(view.gettext("Crawls"), columns)
        for crawl in crawls:
            _row(view, table, crawl)


def _row(view: View, table: Table, crawl: Crawl) -> None:
    remaining = crawl.addresses.get("left", 0) if crawl.state == "due" else sum(crawl.left.values())
    with table.row() as row:
        row.link(crawl.source, f"/sources/{crawl.source}")
        with row.cell():
            badge(view.word(CRAWL_STATES, crawl.state), CRAWL_TONES[crawl.state])
        for name in _SHOWN:
            row.cell(f"{crawl.counts.get(name, 0):,}")
        row.cell(f"{remaining:,}")
        row.cell(view.texts.message(crawl.message) or crawl.error)


def _stop(view: View, scan: Scan) -> None:
    async def stop() -> None:
        question = view.gettext("Stop this scan?")
        lines = (
            view.gettext(
                "The crawls of the scan end. Pages that were already fetched are kept and compared."
            ),
        )
        if await confirmed(view, question, lines, act=view.gettext("Stop")):
            count = await view.act(stop_scan, scan.id)
            line = view.ngettext("{count} crawl is stopped.", "{count} crawls are stopped.", count)
            ui.notify(line.format(count=count), type="positive")

    ui.button(view.gettext("Stop"), icon="stop", on_click=stop).props("outline color=negative")
