"""Access control: each request is checked here before a page, a file or a websocket handles it.

The host must be one of this server's names. Requests to a foreign name that resolves to this server (DNS
rebinding) are refused. Only monitoring programs may use any name (:mod:`analysis.console.observing`).
Requests that change something, and all websockets, must come from a page of this server (``Origin``).
Everything except the sign-in page requires the cookie of a session. Programs use ``/api`` with a token and
never with a cookie, so another site cannot misuse a browser there.
"""

import logging
from collections.abc import Iterable
from http import HTTPStatus
from urllib.parse import parse_qs, quote, urlsplit

from nicegui import Client
from nicegui import __version__ as nicegui_version
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from analysis.accounts.permissions import Identity
from analysis.accounts.signing_in import session_identity
from analysis.console import observing, security_contact
from analysis.console.installation import Installation
from analysis.console.places import ACCOUNT
from analysis.console.plain import HEADERS, cookies_of, language_of_request, render
from analysis.console.protocol import bounded
from storage.records import Session
from storage.servers.throttle import Limit, TooOften
from system.errors import PindnaError

logger = logging.getLogger(__name__)

_SAFE_METHODS = frozenset({"GET", "HEAD"})
_METHODS = _SAFE_METHODS | {"POST"}
_API_METHODS = _METHODS | {"PUT", "PATCH", "DELETE"}
_API = "/api"
_WEBSOCKET = "/_nicegui_ws"
# Static files, which are the same for all users, and the sign-in page.
_OPEN_FOLDERS = (
    "/static/",
    *(f"/_nicegui/{nicegui_version}/{kind}/" for kind in ("static", "libraries", "components", "esm")),
)
_OPEN_PATHS = frozenset({"/sign-in", "/first", "/favicon.ico", security_contact.PATH}) | observing.PATHS
# the only pages for a user who must enrol a device first
_FOR_ENROLMENT = frozenset({ACCOUNT.path, "/sign-out"})
_MAX_NEXT_CHARS = 500


class Gate:
    """ASGI middleware that refuses requests without access.

    Args:
        app: what lies behind.
        installation: the services.
    """

    def __init__(self, app: ASGIApp, installation: Installation) -> None:
        self._app = app
        self._installation = installation
        self._max_bytes = installation.settings.upload_megabytes * 1024 * 1024

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request here, or pass it to the application."""
        if scope["type"] not in {"http", "websocket"}:
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        path = scope["path"]
        refusal = self._refusal(scope, headers, path)
        if refusal is None and not _is_open(path):
            refusal = await self._without_session(scope, headers, path)
        if refusal is not None:
            await _answer(refusal, scope, receive, send)
            return
        scope["headers"] = _with_our_cookies(scope["headers"], headers)
        if scope["type"] == "http":
            receive = bounded(receive, self._max_bytes)
            if scope["method"] == "HEAD":  # handle HEAD like GET; the server omits the body
                scope = {**scope, "method": "GET"}
        await self._app(scope, receive, send)

    def _refusal(self, scope: Scope, headers: Headers, path: str) -> Response | None:
        """Return why a request is refused without further checks; None if it is not."""
        is_by_name = _name_of(f"//{headers.get('host', '')}") in self._installation.host_names
        if not is_by_name and path not in observing.PATHS:
            return _plain(HTTPStatus.MISDIRECTED_REQUEST)
        if scope["type"] == "http" and scope["method"] not in _methods(path):
            return _plain(HTTPStatus.METHOD_NOT_ALLOWED, Allow=", ".join(sorted(_methods(path))))
        if path == _API or path.startswith(f"{_API}/"):
            return None
        length = headers.get("content-length", "0")
        if not length.isdecimal() or int(length) > self._max_bytes:
            return _plain(HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
        is_safe = scope["type"] == "http" and scope["method"] in _SAFE_METHODS
        if not is_safe or path.startswith(_WEBSOCKET):
            return None if self._is_own(scope, headers) else _plain(HTTPStatus.FORBIDDEN)
        return None

    def _is_own(self, scope: Scope, headers: Headers) -> bool:
        """Return whether a request comes from a page of this server. Browsers always send its origin.

        Only a GET of the same site, such as a long poll of the websocket library, may lack an origin. Then
        the browser sends ``Sec-Fetch-Site`` instead.
        """
        origin = headers.get("origin")
        if origin is None:
            return scope["type"] == "http" and headers.get("sec-fetch-site") == "same-origin"
        public = urlsplit(self._installation.settings.public_url)
        scheme = "https" if self._installation.is_secure else "http"
        origins = {f"{scheme}://{headers.get('host', '')}"}
        if public.netloc:
            origins.add(f"{public.scheme}://{public.netloc}")
        return origin in origins

    async def _without_session(self, scope: Scope, headers: Headers, path: str) -> Response | None:
        """Store the session of a request. Return an answer if the request has no valid session."""
        cookie = self._installation.cookie
        secret = cookies_of(headers).get(cookie, "")
        try:
            identity = await run_in_threadpool(self._whose, secret) if secret else None
        except TooOften as error:
            return _plain(HTTPStatus.TOO_MANY_REQUESTS, **{"Retry-After": str(error.data["seconds"])})
        except PindnaError as error:
            logger.warning("%s", error)
            is_socket = path.startswith(_WEBSOCKET)
            return _reconnected(scope, secret) if is_socket else _out_of_order(headers, error)
        if path.startswith(_WEBSOCKET) and (identity is None or _page_of(scope) not in {secret, None}):
            return _plain(HTTPStatus.FORBIDDEN)
        if identity is None:
            is_page = scope.get("method") == "GET" and "text/html" in headers.get("accept", "")
            return RedirectResponse(_way_in(scope), 303) if is_page else _plain(HTTPStatus.UNAUTHORIZED)
        if self._must_enrol(identity[1]) and not (path in _FOR_ENROLMENT or path.startswith("/_nicegui")):
            is_page = scope.get("method") == "GET" and "text/html" in headers.get("accept", "")
            return RedirectResponse(ACCOUNT.path, 303) if is_page else _plain(HTTPStatus.FORBIDDEN)
        scope.setdefault("state", {}).update(secret=secret, session=identity[0], identity=identity[1])
        return None

    def _must_enrol(self, identity: Identity) -> bool:
        """Return whether the user must enrol a device before anything else."""
        return self._installation.settings.require_one_time_passwords and not identity.account.otp_secret

    def _whose(self, secret: str) -> tuple[Session, Identity] | None:
        """Return the identity of the session that a cookie belongs to, and record the use of the session.

        Raises:
            TooOften: it was used too often within the last minute.
        """
        installation = self._installation
        identity = session_identity(installation.stores, installation.settings, secret)
        if identity is not None:
            per_minute = installation.settings.requests_per_minute
            installation.throttle.count(Limit("session", times=per_minute, period_s=60), identity[0].id)
        return identity


def _is_open(path: str) -> bool:
    """Return whether a path needs no session: the sign-in page, the static files, the API."""
    if ".." in path:
        return False
    return path in _OPEN_PATHS or path == _API or path.startswith((*_OPEN_FOLDERS, f"{_API}/"))


def _page_of(scope: Scope) -> str | None:
    """Return the secret of the session that opened the page of a websocket; None if the page is unknown.

    After a restart, all pages are unknown, and NiceGUI loads them again.
    """
    query = parse_qs(scope.get("query_string", b"").decode("latin-1"))
    client = Client.instances.get(query.get("client_id", [""])[0])
    if client is None:
        return None
    return str(getattr(client.request.state, "secret", ""))


def _reconnected(scope: Scope, secret: str) -> Response | None:
    """Accept the websocket of a page that waits for a service. Return an answer to any other request."""
    if _page_of(scope) != secret:
        return _plain(HTTPStatus.FORBIDDEN)
    scope.setdefault("state", {})["secret"] = secret
    return None


def _name_of(address: str) -> str | None:
    try:
        return urlsplit(address).hostname
    except ValueError:
        return None


def _way_in(scope: Scope) -> str:
    """Return a redirect to the sign-in page, which leads back to the requested address."""
    query = scope.get("query_string", b"").decode("latin-1")
    requested_path = scope["path"] + (f"?{query}" if query else "")
    return (
        "/sign-in"
        if requested_path == "/" or len(requested_path) > _MAX_NEXT_CHARS
        else f"/sign-in?next={quote(requested_path)}"
    )


def _methods(path: str) -> frozenset[str]:
    """Return the methods that a path accepts."""
    return _API_METHODS if path == _API or path.startswith(f"{_API}/") else _METHODS


def _with_our_cookies(raw: Iterable[tuple[bytes, bytes]], headers: Headers) -> list[tuple[bytes, bytes]]:
    """Return a request's headers without foreign cookies, so that no code parses them."""
    cookies = "; ".join(f"{name}={value}" for name, value in cookies_of(headers).items())
    rest = [(name, value) for name, value in raw if name != b"cookie"]
    return [*rest, (b"cookie", cookies.encode("latin-1"))] if cookies else rest


def _plain(status: HTTPStatus, **headers: str) -> Response:
    return PlainTextResponse(f"{status.value} {status.phrase}\n", status, headers)


def _out_of_order(headers: Headers, error: PindnaError) -> Response:
    """Return the page that reports an outage of a service. The page reloads by itself."""
    if "text/html" not in headers.get("accept", ""):
        return _plain(HTTPStatus.SERVICE_UNAVAILABLE)
    texts = language_of_request(headers)
    body = render(texts, "down.html", problem=texts.error(error))
    again = {"Retry-After": "5", "Refresh": "5"}
    return HTMLResponse(body, HTTPStatus.SERVICE_UNAVAILABLE, {**HEADERS, **again})


async def _answer(response: Response, scope: Scope, receive: Receive, send: Send) -> None:
    if scope["type"] == "http":
        await response(scope, receive, send)
    else:
        await send({"type": "websocket.close", "code": 1008, "reason": ""})
