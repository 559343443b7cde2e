"""Tiles with the copied shares of a page, as in similarity reports."""

from nicegui import ui

from analysis.console.parts.texts import capitalised, foreign, plain
from analysis.console.parts.tiles import tile, tiles
from analysis.console.view import View
from analysis.texts.shares import Shares
from analysis.words.figures import percent


def share_tiles(view: View, shares: Shares) -> None:
    """Show how much of a page is copied."""
    with tiles():
        if shares.outside:
            tile(
                f"{shares.outside:,}", view.gettext("characters copied outside the article"), "", tone="warn"
            )
        tile(percent(shares.of(shares.total)), view.gettext("copied in all"), "")
        tile(percent(shares.of(shares.copied)), view.gettext("without quotations and common text"), "")
        with ui.element("div").classes("tile"):
            plain(percent(shares.of(shares.largest)), "div").classes("number")
            label = capitalised(view.gettext("of one work, the largest share"))
            plain(label, "div").classes("soft small")
            if shares.largest_work:
                foreign(shares.largest_work, most=60).classes("small")
        tile(
            f"{shares.total:,}", view.gettext("characters copied of {chars:,}").format(chars=shares.chars), ""
        )
