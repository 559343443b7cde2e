"""Paged lists: the address contains the filter, so that a list can be linked and bookmarked."""

from collections.abc import Mapping
from urllib.parse import urlencode

from nicegui import ui

from analysis.console.view import View

SHOWN = 25  # rows per page: one or two screens, which are built quickly


def address(path: str, parameters: Mapping[str, str | int | None] | None = None) -> str:
    """Return the address of a page of the console.

    Args:
        path: of the page.
        parameters: of its query; those that are empty are left out.
    """
    query_values = {name: value for name, value in (parameters or {}).items() if value not in (None, "")}
    return f"{path}?{urlencode(query_values)}" if query_values else path


def pager(
    view: View, path: str, parameters: Mapping[str, str | int | None], *, following: str | None
) -> None:
    """Show links to the first and to the next page of a list.

    Args:
        view: the page.
        path: of the page.
        parameters: of the list, without the cursor.
        following: cursor of the next part; None: there is none.
    """
    with ui.element("nav").classes("row-line") as nav:
        nav.props["aria-label"] = view.gettext("Pages of the list")
        if "cursor" in view.client.request.query_params:
            ui.link(view.gettext("First page"), address(path, parameters))
        if following:
            ui.link(view.gettext("Next page"), address(path, {**parameters, "cursor": following}))


def nothing(view: View, text: str = "") -> None:
    """Show that a list is empty."""
    ui.label(text or view.gettext("Nothing to show.")).classes("empty")
