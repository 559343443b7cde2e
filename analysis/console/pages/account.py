"""One's own account: password, one-time passwords, sessions and tokens."""

from nicegui import ui

from analysis.console.view import View


async def build(view: View) -> None:
    """Show what one may change of one's own account."""
    ui.label(view.identity.name)
