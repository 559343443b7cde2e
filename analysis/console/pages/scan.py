"""One scan: the counts of its crawls, its results, and the pages that were not compared."""

from collections.abc import Mapping
from typing import Any

from nicegui import ui

from analysis.console.pages.scans import scan_badge
from analysis.console.parts.lists import address
from analysis.console.parts.progress import live_crawls
from analysis.console.parts.texts import plain
from analysis.console.parts.tiles import tile, tiles
from analysis.console.parts.tones import VERDICT_TONES
from analysis.console.view import View
from analysis.queries.scans import get_scan
from analysis.words.labels import LEFT, TRIGGERS, UNREAD, VERDICTS
from storage.records import LEADS, Scan
from storage.records import VERDICTS as ALL_VERDICTS


async def build(view: View, *, scan: str) -> None:
    """Show a scan by its id."""
    shown = await view.read(get_scan, scan)
    view.entitle(view.gettext("Scan of {moment}").format(moment=view.moment(shown.started)))
    with ui.element("div").classes("row-line"):
        plain(shown.id, "code").classes("mono")
        scan_badge(view, shown)
        if shown.finished is not None:
            ended = view.gettext("ended {moment}").format(moment=view.moment(shown.finished))
            plain(ended).classes("soft")
        ui.label(view.word(TRIGGERS, shown.trigger)).classes("soft")
    if shown.error:
        ui.label(shown.error).classes("problem")
    await live_crawls(view, shown)
    if shown.status != "running":
        _results(view, shown)


def _results(view: View, scan: Scan) -> None:
    plain(view.gettext("Compared pages"), "h2").classes("subtitle")
    with tiles():
        for verdict in ALL_VERDICTS:
            if number := scan.counts.get(f"verdict:{verdict}", 0):
                target = address("/pages", {"scan": scan.id, "verdict": verdict})
                tone = VERDICT_TONES[verdict] if verdict in LEADS else ""
                tile(f"{number:,}", view.word(VERDICTS, verdict), target, tone=tone)
    _not_fully(view, scan)
    _not_compared(view, scan)
    _counted(view, view.gettext("Remaining addresses"), LEFT, scan.left)


def _not_fully(view: View, scan: Scan) -> None:
    """Show how many pages were compared only in part, and the reasons."""
    if not scan.unread.pages:
        return
    plain(view.gettext("Not fully compared"), "h2").classes("subtitle")
    with tiles():
        target = address("/pages", {"scan": scan.id, "unread": "1"})
        tile(f"{scan.unread.pages:,}", view.gettext("pages compared in part"), target, tone="warn")
        for reason, amount in scan.unread.amounts.items():
            tile(f"{amount:,}", view.gettext(UNREAD[reason]), "")


def _not_compared(view: View, scan: Scan) -> None:
    plain(view.gettext("Not compared, and why"), "h2").classes("subtitle")
    if not scan.not_compared:
        ui.label(view.gettext("Every page that was fetched was compared.")).classes("soft")
        return
    with tiles():
        for reason, number in sorted(scan.not_compared.items(), key=lambda pair: -pair[1]):
            target = address("/pages", {"scan": scan.id, "state": "failed", "reason": reason})
            tile(f"{number:,}", view.texts.reason(reason), target, tone="warn")


def _counted(view: View, title: str, labels: Any, numbers: Mapping[str, int]) -> None:
    if not numbers:
        return
    plain(title, "h2").classes("subtitle")
    with tiles():
        for reason, number in sorted(numbers.items(), key=lambda pair: -pair[1]):
            tile(f"{number:,}", view.word(labels, reason), "")
