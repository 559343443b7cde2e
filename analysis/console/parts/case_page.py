"""Shared state of the parts of a case's page: the displayed case, and the function that changes it."""

from collections.abc import Awaitable, Callable
from typing import Any

from nicegui import ui
from nicegui.element import Element

from analysis.cases.views import CaseView
from analysis.console.parts.badges import badge
from analysis.console.parts.texts import plain
from analysis.console.view import View
from analysis.fields.case_row import CaseRow
from storage.collections.cases import CaseMoved
from storage.records import Case


class CasePage:
    """A displayed case, and the actions on it.

    Args:
        view: the page.
        case: as it is shown; if it changed since, the user sees who changed it.
        renew: shows the case as it is stored now.
    """

    def __init__(self, view: View, case: Case, renew: Callable[[], Awaitable[None]]) -> None:
        self.view = view
        self.case = case
        self._renew = renew

    async def do(self, act: Callable[..., Any], *args: object, line: str, **kwargs: object) -> None:
        """Run an action, report its success, and show the case again.

        Args:
            act: a function of ``analysis.actions``.
            args: its arguments, after who acts and the services.
            line: what was done.
            kwargs: its keywords.

        Raises:
            PindnaError: of the action; a change by another user is reported here.
        """
        try:
            await self.view.act(act, *args, **kwargs)
        except CaseMoved as error:
            self.view.report(error)
            await self._renew()
            return
        await self._renew()
        with self.view.client:
            ui.notify(line, type="positive")


def section(title: str) -> Element:
    """Return the container of a part of the page, with its heading."""
    frame = ui.element("section").classes("panel")
    frame.props["aria-label"] = title
    with frame:
        heading(title)
    return frame


def heading(title: str) -> None:
    """Show the heading of a part of the page."""
    plain(title, "h2").classes("subtitle part")


def fact(name: str) -> Element:
    """Add the name of a fact to a ``dl``. Return the element for its value."""
    plain(name, "dt")
    return ui.element("dd")


def deadline_mark(view: View, case_view: CaseView | CaseRow) -> None:
    """Show the deadline of a case, and in words that it is overdue."""
    if case_view.deadline is None:
        plain("–")
        return
    day = view.moment(case_view.deadline)[:10]
    if case_view.is_overdue:
        badge(view.gettext("overdue since {moment}").format(moment=day), "grave")
    else:
        plain(day)
