"""How much is copied, as heads of reports on similarity show it."""

from nicegui import ui

from analysis.console.parts.texts import capitalised, foreign, plain
from analysis.console.parts.tiles import tile, tiles
from analysis.console.view import View
from analysis.shares import Shares


def share_tiles(view: View, shares: Shares) -> None:
    """Show how much of a page is copied."""
    with tiles():
        tile(f"{shares.of(shares.total):.1%}", view.gettext("copied in all"), "")
        tile(f"{shares.of(shares.copied):.1%}", view.gettext("without quotations and common text"), "")
        with ui.element("div").classes("tile"):
            plain(f"{shares.of(shares.largest):.1%}", "div").classes("number")
            label = capitalised(view.gettext("of one work, the largest share"))
            plain(label, "div").classes("soft small")
            if shares.largest_work:
                foreign(shares.largest_work, most=60).classes("small")
        tile(
            f"{shares.total:,}", view.gettext("characters copied of {chars:,}").format(chars=shares.chars), ""
        )
