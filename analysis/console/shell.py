"""The frame of every page: navigation, signed-in user, language, and light or dark theme."""

import copy
from collections.abc import Awaitable, Callable
from http import HTTPStatus
from inspect import Parameter, signature
from typing import TypeVar

from fastapi import Request
from nicegui import Client, ui
from nicegui.element import Element

from analysis.api.problems import status_of
from analysis.console.installation import Installation
from analysis.console.places import MENU, Place
from analysis.console.plain import LANGUAGE_COOKIE, cookies_of
from analysis.console.view import View
from analysis.words.i18n import Language
from system.bugs import record_bug
from system.errors import PindnaError
from system.messages import N_

_THEME_COOKIE = "pindna_theme"
_THEMES = ("auto", "light", "dark")
_YEAR_S = 365 * 24 * 3600
_RESPONSE_S = 30.0  # time limit for building a page; after that an error is shown
_LOOK_S = 3.0  # interval between checks of the services
_RECONNECT_S = 30.0  # time for a browser to reconnect before its page is deleted

E = TypeVar("E", bound=Element)
Builder = Callable[..., Awaitable[None]]


def add_page(installation: Installation, entry: Place, build: Builder) -> None:
    """Serve a page.

    Args:
        installation: the services.
        entry: where it is, what it is called and who may see it.
        build: builds the page below its heading; gets the view, and as keywords the parts of the path and of
            the query that it names, or all of them where it takes keywords of any name.
    """

    async def show(request: Request, client: Client) -> None:
        view = View(installation, request, client)
        _prepare(view, request)
        client.on_exception(view.report)
        outage = _frame(view, entry, theme=_theme(request))
        with ui.element("div").props('id="main" tabindex="-1"').classes("page"):
            await _build(view, entry, build, _arguments(request, build))
        # must be last: a timer waits for the browser, which ends the first answer
        _watch_outage(view, outage)

    ui.page(entry.path, response_timeout=_RESPONSE_S, reconnect_timeout=_RECONNECT_S)(show)


async def _build(view: View, entry: Place, build: Builder, arguments: dict[str, str]) -> None:
    """Build a page, or show why it cannot be shown."""
    view.heading = ui.label().props('role="heading" aria-level="1"').classes("title")
    view.entitle(view.gettext(entry.title))
    try:
        if entry.permission is not None:
            view.identity.require(entry.permission)
        await build(view, **arguments)
    except PindnaError as error:
        view.client.status_code = status_of(error)
        problem_box(view, error)
    except Exception as error:  # noqa: BLE001 - a page must show a bug too
        view.client.status_code = HTTPStatus.INTERNAL_SERVER_ERROR
        problem_box(view, record_bug(error))


def _arguments(request: Request, build: Builder) -> dict[str, str]:
    """Return the query parameters of a page's address that the page supports."""
    values = {name: str(value) for name, value in {**request.query_params, **request.path_params}.items()}
    _view, *parameters = signature(build).parameters.values()
    if any(parameter.kind is Parameter.VAR_KEYWORD for parameter in parameters):
        return values
    return {parameter.name: values[parameter.name] for parameter in parameters if parameter.name in values}


def name_control(element: E, name: str) -> E:
    """Give a control without text a name for screen readers, and return the control."""
    element.props["aria-label"] = name
    return element


def problem_box(view: View, error: PindnaError) -> None:
    """Show an error in the page."""
    with ui.element("div").props('role="alert"').classes("problem"):
        ui.label(view.texts.error(error))


def _prepare(view: View, request: Request) -> None:
    """Set the language and the theme of the page; NiceGUI's settings apply to all visitors."""
    page = copy.copy(view.client.page)
    page.language = "zh-CN" if view.texts.language == "zh" else "en-US"
    page.dark = {"light": False, "dark": True}.get(_theme(request))
    view.client.page = page
    ui.add_head_html('<link rel="stylesheet" href="/static/console.css">')


def _theme(request: Request) -> str:
    chosen = cookies_of(request.headers).get(_THEME_COOKIE, "")
    return chosen if chosen in _THEMES else "auto"


def _frame(view: View, entry: Place, *, theme: str) -> ui.label:
    """Show the frame of the page. Return the element for a line about an outage."""
    with ui.header().classes("bar"):
        ui.link(view.gettext("To the content"), "#main").classes("skip")
        menu = name_control(ui.button(icon="menu").props("flat round dense"), view.gettext("Menu"))
        ui.link("pindna", "/").classes("brand")
        ui.space()
        _language_switch(view)
        _theme_switch(view, theme)
        _account(view)
        outage = ui.label().props('role="alert"').classes("outage")
    drawer = ui.left_drawer(value=None, bordered=True).props('breakpoint="1100" width="208"')
    menu.classes("menu-button").on_click(drawer.toggle)
    with drawer.classes("drawer"):
        _menu(view, entry)
    return outage


def _watch_outage(view: View, line: ui.label) -> None:
    """Show a line while a service does not answer."""
    line.visible = False

    def look() -> None:
        problem = view.installation.outage.problem
        line.text = view.texts.error(problem) if problem else ""
        line.visible = problem is not None

    ui.timer(_LOOK_S, look)


def _menu(view: View, current: Place) -> None:
    with name_control(ui.element("nav"), view.gettext("Pages")), ui.element("ul").classes("menu"):
        for entry in MENU:
            if entry.permission is not None and not view.may(entry.permission):
                continue
            is_here = current.path == entry.path or (
                entry.path != "/" and current.path.startswith(f"{entry.path}/")
            )
            with ui.element("li"):
                link = ui.link(target=entry.path).classes("entry")
                if is_here:
                    link.props('aria-current="page"')
                with link:
                    ui.icon(entry.icon).props('aria-hidden="true"')
                    ui.label(view.gettext(entry.title))


def _language_switch(view: View) -> None:
    other: Language = "en" if view.texts.language == "zh" else "zh"
    button = ui.button("English" if other == "en" else "中文").props("flat dense no-caps")
    button.props(f'lang="{"en" if other == "en" else "zh-CN"}"')

    async def choose() -> None:
        """Store the language in the account, and in the browser for the sign-in page."""
        await view.act(lambda _who, _runtime: view.own_account.set_language(other))
        _choose(view, LANGUAGE_COOKIE, other)

    button.on_click(choose)


def _theme_switch(view: View, theme: str) -> None:
    following = _THEMES[(_THEMES.index(theme) + 1) % len(_THEMES)]
    icon = {"auto": "brightness_auto", "light": "light_mode", "dark": "dark_mode"}[theme]
    names = {"auto": N_("Same as the device"), "light": N_("Light"), "dark": N_("Dark")}
    label = view.gettext("Light or dark: {choice}").format(choice=view.gettext(names[theme]))
    button = ui.button(icon=icon, on_click=lambda: _choose(view, _THEME_COOKIE, following))
    name_control(button.props("flat round dense"), label).tooltip(label)


def _choose(view: View, cookie: str, value: str) -> None:
    """Store a choice in a cookie; its name and its value come from pindna, not from users."""
    attributes = f"path=/; max-age={_YEAR_S}; samesite=lax"
    view.client.run_javascript(f"document.cookie = '{cookie}={value}; {attributes}'; location.reload()")


def _account(view: View) -> None:
    name = view.identity.account.name
    label = view.gettext("Account {name}").format(name=name)
    button = ui.button(icon="account_circle").props("flat round dense")
    with name_control(button, label), ui.menu():
        ui.item(name).classes("soft")
        ui.separator()
        ui.menu_item(view.gettext("My account"), on_click=lambda: ui.navigate.to("/account"))
        ui.menu_item(view.gettext("Sign out"), on_click=lambda: _sign_out(view))


def _sign_out(view: View) -> None:
    view.client.run_javascript(
        "fetch('/sign-out', {method: 'POST', redirect: 'manual'}).then(() => location.assign('/sign-in'))"
    )
