"""The ways between the pages of administration, as far as somebody may go them."""

from nicegui import ui

from analysis.console.places import ADMINISTRATION, ALERTS, AUDIT, DOCTOR, EVIDENCE_LOG, SETTINGS, Place
from analysis.console.view import View
from system.messages import N_

_WAYS = (
    (ADMINISTRATION, N_("Accounts")),
    *((place, place.title) for place in (AUDIT, EVIDENCE_LOG, ALERTS, DOCTOR, SETTINGS)),
)


def administered(view: View, here: Place) -> None:
    """Show the way to each page of administration that may be seen, and which one this is."""
    with ui.element("nav").classes("row-line tabs") as ways:
        ways.props["aria-label"] = view.gettext(ADMINISTRATION.title)
        for place, title in _WAYS:
            if place.permission is None or view.may(place.permission):
                way = ui.link(view.gettext(title), place.path).classes("tab")
                if place is here:
                    way.props["aria-current"] = "page"
