"""Panels: sections of a page, each under its heading."""

from nicegui import ui
from nicegui.element import Element

from analysis.console.parts.texts import plain


def titled_panel(title: str) -> Element:
    """Open a section with its heading, also its name for screen readers; fill it in a ``with`` block."""
    section = ui.element("section").classes("panel")
    section.props["aria-label"] = title
    with section:
        plain(title, "h2").classes("subtitle")
    return section
