"""The stretches of a match side by side, as far as they are shown at a glance."""

from collections.abc import Iterable
from typing import Literal

from nicegui import ui

from analysis.console.parts.texts import foreign, plain
from analysis.console.view import View
from analysis.excerpts import SideBySide
from analysis.marking import Run

_UNMARKED = ("equal", "layout", "reordered")
_ROW_CHARS = 2_000


def excerpts(view: View, texts: SideBySide) -> None:
    """Show stretches of page and work beside one another; what differs is marked and stands in brackets."""
    with ui.element("div").classes("excerpts"):
        plain(view.gettext("the page"), "h3")
        plain(view.gettext("the work"), "h3")
        for excerpt in texts.excerpts:
            for row in excerpt.rows:
                _side(row, "page")
                _side(row, "passage")
    if texts.left_out_spans:
        left = view.gettext("… {chars} more characters in further stretches")
        plain(left.format(chars=texts.left_out_chars), "p").classes("soft")


def _side(runs: Iterable[Run], side: Literal["page", "passage"]) -> None:
    with ui.element("p"):
        for run in runs:
            text = run.page if side == "page" else run.passage
            if run.kind in _UNMARKED or not text:
                foreign(text, most=_ROW_CHARS, tag="span")
            else:
                foreign(f"[{text}]", most=_ROW_CHARS, tag="mark")
