"""Build the console and the API as one ASGI application."""

import logging
from http import HTTPStatus
from inspect import signature
from pathlib import Path
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, PlainTextResponse
from nicegui import app as nicegui_app
from nicegui import core, ui
from nicegui.classes import Classes
from nicegui.props import Props
from nicegui.style import Style
from starlette.middleware.gzip import GZipMiddleware
from starlette.responses import Response
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp

from analysis.accounts.first_link import FirstLink
from analysis.api.application import create_api
from analysis.console.background import background
from analysis.console.downloads import download_routes
from analysis.console.gate import Gate
from analysis.console.headers import SecurityHeaders
from analysis.console.installation import Installation
from analysis.console.kept_files import kept_file_routes
from analysis.console.observing import observing_routes
from analysis.console.pages import PAGES
from analysis.console.plain import HEADERS, language_of_request, render
from analysis.console.security_contact import security_routes
from analysis.console.shell import add_page
from analysis.console.sign_in import first_routes, sign_in_routes
from analysis.console.sockets import guard_messages
from analysis.console.view import is_slow_browser
from system.errors import PindnaError

_STATIC = Path(__file__).parent / "static"
_MIN_COMPRESSED = 1_000
_MAX_LINE = 10_000  # maximum characters of a single-line field


class _Files(StaticFiles):
    """The console's static files, which browsers may cache for an hour."""

    def file_response(self, *args: Any, **kwargs: Any) -> Response:
        """Return a file with a header that allows caching."""
        response = super().file_response(*args, **kwargs)
        response.headers["Cache-Control"] = "public, max-age=3600"
        return response


def create_application(installation: Installation, link: FirstLink | None) -> ASGIApp:
    """Return the console with the API. Each process can create only one, because NiceGUI is a singleton.

    Args:
        installation: the services.
        link: through which the first administrator is made; None: there is one.
    """
    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None, lifespan=background(installation))
    app.add_exception_handler(RequestValidationError, _malformed)
    nicegui_app.add_exception_handler(
        HTTPStatus.NOT_FOUND, _missing
    )  # NiceGUI would otherwise build a page without a sign-in
    app.include_router(sign_in_routes(installation))
    app.include_router(download_routes(installation))
    app.include_router(first_routes(installation, link))
    app.include_router(kept_file_routes(installation))
    app.include_router(observing_routes(installation))
    app.include_router(security_routes(installation.settings))
    app.mount("/api", create_api(installation.runtime, installation.throttle))
    app.mount("/static", _Files(directory=_STATIC))
    for menu_page, build in PAGES:
        add_page(installation, menu_page, build)
    ui.button.default_props("no-caps unelevated")
    ui.input.default_props(f"maxlength={_MAX_LINE}")
    _remember_signatures()
    logging.getLogger("nicegui").addFilter(_is_no_problem_of_ours)
    guard_messages(core.sio)
    ui.run_with(
        app,
        title="pindna",
        favicon=_STATIC / "icon.svg",
        tailwind=False,
        gzip_middleware_factory=None,
        show_welcome_message=False,
        dark=None,
    )
    answering = SecurityHeaders(Gate(app, installation), is_secure=installation.is_secure)
    return GZipMiddleware(answering, minimum_size=_MIN_COMPRESSED)


def _remember_signatures() -> None:
    """Cache the signatures that NiceGUI looks up for each element; this halves the time to build a page.

    If a function has ``__signature__``, :func:`inspect.signature` returns it (PEP 362).
    """
    for kind in (Classes, Props, Style):
        update: Any = kind._update  # noqa: SLF001 - there is no other way to it
        update.__signature__ = signature(update)


def _malformed(_request: Request, _error: Exception) -> Response:
    """Return the answer to a form that none of pindna's pages sends. It does not repeat the input."""
    status = HTTPStatus.UNPROCESSABLE_ENTITY
    return PlainTextResponse(f"{status.value} {status.phrase}\n", status)


def _missing(request: Request, _error: Exception) -> Response:
    """Return the page for an address that does not exist."""
    body = render(language_of_request(request.headers), "missing.html")
    return HTMLResponse(body, HTTPStatus.NOT_FOUND, HEADERS)


def _is_no_problem_of_ours(record: logging.LogRecord) -> bool:
    """Return whether a record of NiceGUI's log reports a bug. Errors that the page shows are not bugs."""
    error = record.exc_info[1] if record.exc_info else None
    return not (isinstance(error, PindnaError) or (isinstance(error, Exception) and is_slow_browser(error)))
