"""Panels: sections of a page with headings."""

from nicegui import ui
from nicegui.element import Element

from analysis.console.parts.texts import plain


def titled_panel(title: str) -> Element:
    """Open a section with a heading, also its name for screen readers. Fill it in a ``with`` block."""
    section = ui.element("section").classes("panel")
    section.props["aria-label"] = title
    with section:
        plain(title, "h2").classes("subtitle")
    return section
