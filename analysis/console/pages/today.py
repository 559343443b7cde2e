"""What the last scan found, and what is to be done today."""

from nicegui import ui

from analysis.console.view import View


async def build(view: View) -> None:
    """Show the numbers of today, each of which leads to its list."""
    ui.label(view.identity.name)
