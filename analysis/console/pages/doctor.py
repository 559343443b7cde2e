"""The system check: the findings of ``pindna doctor``. Slow checks run only on request."""

from collections.abc import Awaitable, Callable

from nicegui import ui

from analysis.console.parts.administered import administered
from analysis.console.parts.case_page import section
from analysis.console.parts.findings import findings_table
from analysis.console.parts.texts import plain
from analysis.console.places import DOCTOR
from analysis.console.view import View
from analysis.health.services import Finding
from analysis.queries.services import service_health, thorough_health

_SOON_S = 0.1  # delay after the page is shown, because workers need some time to answer


async def build(view: View) -> None:
    """Check the services immediately, and the disk, the browser and the index when a button is clicked."""
    _ = view.gettext
    administered(view, DOCTOR)
    workers = view.installation.workers
    with section(_("Services")):
        examine = _panel(
            view,
            _("Services"),
            _("Checking the services …"),
            lambda: view.act(service_health, workers, view.texts),
        )
        ui.timer(_SOON_S, examine, once=True)
    with section(_("Disk, browser and index")):
        plain(_("The check renders a page and looks up every passage in the index. This takes a while."), "p")
        button = ui.button(_("Run a check"))
        button.on_click(
            _panel(
                view,
                _("Disk, browser and index"),
                _("Checking …"),
                lambda: view.act(thorough_health, view.texts),
            )
        )


def _panel(
    view: View, title: str, placeholder: str, examine: Callable[[], Awaitable[list[Finding]]]
) -> Callable[[], Awaitable[None]]:
    """Add an empty area for findings. Return the function that runs the check and fills the area."""
    box = ui.element("div").props('role="status"')

    async def show() -> None:
        box.clear()
        with box:
            plain(placeholder).classes("soft")
        findings: list[Finding] = []
        try:
            findings = await examine()
        finally:
            box.clear()
        with box:
            findings_table(view, title, findings)

    return show
