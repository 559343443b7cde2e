"""Tiles: numbers that are links to the lists of the counted items."""

from nicegui import ui

from analysis.console.parts.texts import capitalised, plain
from analysis.console.parts.tones import Tone


def tiles() -> ui.element:
    """Return the container of tiles."""
    return ui.element("div").classes("tiles")


def tile(number: str, label: str, target: str, *, tone: Tone = "") -> None:
    """Show a number with its label.

    Args:
        number: as it is shown.
        label: what it counts.
        target: the list of what it counts, in the console; empty: there is none.
        tone: of the number.
    """
    element = ui.link(target=target) if target else ui.element("div")
    with element.classes(f"tile {tone}", remove="nicegui-link"):
        plain(number, "div").classes("number")
        plain(capitalised(label), "div").classes("soft small")
