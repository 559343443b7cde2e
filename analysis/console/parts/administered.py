"""Links between the pages of administration that a user may open."""

from nicegui import ui

from analysis.console.places import ADMINISTRATION, ALERTS, AUDIT, DOCTOR, EVIDENCE_LOG, SETTINGS, Place
from analysis.console.view import View
from system.messages import N_

_WAYS = (
    (ADMINISTRATION, N_("Accounts")),
    *((entry, entry.title) for entry in (AUDIT, EVIDENCE_LOG, ALERTS, DOCTOR, SETTINGS)),
)


def administered(view: View, current_page: Place) -> None:
    """Show links to the pages of administration that the user may open, and mark the current page."""
    with ui.element("nav").classes("row-line tabs") as ways:
        ways.props["aria-label"] = view.gettext(ADMINISTRATION.title)
        for entry, title in _WAYS:
            if entry.permission is None or view.may(entry.permission):
                way = ui.link(view.gettext(title), entry.path).classes("tab")
                if entry is current_page:
                    way.props["aria-current"] = "page"
