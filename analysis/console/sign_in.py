"""Sign-in: plain pages without scripts, on which users sign in and the first administrator is created."""

import asyncio
from collections.abc import Callable
from functools import partial
from http import HTTPStatus
from typing import Annotated, ParamSpec, TypeVar

from anyio import CapacityLimiter, to_thread
from fastapi import APIRouter, Form, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from analysis.accounts.first_link import FirstLink, FirstLinkEnded
from analysis.accounts.passwords import AT_ONCE, PasswordsDiffer
from analysis.accounts.signing_in import SignInRefused, Visitor, session_identity, sign_out
from analysis.console.installation import Installation
from analysis.console.plain import HEADERS, LANGUAGE_COOKIE, cookies_of, language_of_request, render
from analysis.words.i18n import LANGUAGES, translator
from storage.records import Session
from storage.servers.throttle import TooOften
from system.errors import PindnaError, ServiceDown

P = ParamSpec("P")
T = TypeVar("T")
_MAX_WAITING = 100  # maximum number of sign-ins that wait for the check of a password
_YEAR_S = 365 * 24 * 3600
_MAX_FIELD_CHARS = 1_000
_Field = Annotated[str, Form(max_length=_MAX_FIELD_CHARS)]


def visitor_of(request: Request) -> Visitor:
    """Return the origin of a request."""
    address = request.client.host if request.client else ""
    return Visitor(address=address, agent=request.headers.get("user-agent", ""))


def local_path(target: str) -> str:
    """Return a path of this server to open after the sign-in; the first page for any other target."""
    is_local = target.startswith("/") and not target.startswith(("//", "/\\")) and target.isprintable()
    return target if is_local else "/"


class TooManySignIns(PindnaError):
    """Very many people sign in at once, or a program tries passwords."""

    template = "Too many users are signing in. Try again in a minute."


def refusal_status(error: PindnaError) -> HTTPStatus:
    """Return the HTTP status of a refused sign-in."""
    if isinstance(error, SignInRefused):
        return HTTPStatus.UNAUTHORIZED
    if isinstance(error, (TooOften, TooManySignIns)):
        return HTTPStatus.TOO_MANY_REQUESTS
    return HTTPStatus.SERVICE_UNAVAILABLE if isinstance(error, ServiceDown) else HTTPStatus.BAD_REQUEST


class _Hashing:
    """Threads for checks of passwords, so that strangers do not delay users who are signed in."""

    def __init__(self) -> None:
        self._limiter = CapacityLimiter(AT_ONCE)

    async def run(self, act: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Call a function in one of a few threads, and return its result.

        Raises:
            TooManySignIns: too many wait already.
        """
        if self._limiter.statistics().tasks_waiting >= _MAX_WAITING:
            raise TooManySignIns
        return await to_thread.run_sync(partial(act, *args, **kwargs), limiter=self._limiter)


def sign_in_routes(installation: Installation) -> APIRouter:
    """Return the routes for signing in and out.

    Args:
        installation: the services.
    """
    router = APIRouter(include_in_schema=False)
    hashing = _Hashing()

    @router.get("/sign-in")
    def show(request: Request, next: str = "/", language: str = "") -> Response:  # noqa: A002 - its name in addresses
        return _form(request, next=next, language=language)

    @router.post("/sign-in")
    async def sign_in(
        request: Request,
        name: _Field,
        password: _Field,
        code: _Field = "",
        next: _Field = "/",  # noqa: A002
    ) -> Response:
        door, visitor = installation.door, visitor_of(request)
        try:
            await asyncio.to_thread(_end_earlier, installation, request)
            secret, session = await hashing.run(door.sign_in, name, password, code, visitor=visitor)
        except PindnaError as error:
            return _form(request, next=next, name=name, error=error)
        return _let_in(installation, secret, session, local_path(next))

    @router.post("/sign-out")
    async def leave(request: Request) -> Response:
        await asyncio.to_thread(sign_out, installation.stores, request.state.session)
        answer = RedirectResponse("/sign-in", 303)
        answer.delete_cookie(installation.cookie, path="/", secure=installation.is_secure, httponly=True)
        answer.headers["Clear-Site-Data"] = '"cache", "storage"'
        return answer

    return router


def first_routes(installation: Installation, link: FirstLink | None) -> APIRouter:
    """Return the routes that create the first administrator.

    Args:
        installation: the services.
        link: that `pindna serve` printed; None: there was an administrator.
    """
    router = APIRouter(include_in_schema=False)

    @router.get("/first")
    async def show_first(request: Request, secret: str = "") -> Response:
        if link is None or not await asyncio.to_thread(link.is_open, secret):
            return _form(request, next="/", error=FirstLinkEnded(), status=410)
        return _page(request, "first.html", secret=secret)

    @router.post("/first")
    async def make_first(
        request: Request, secret: _Field, name: _Field, password: _Field, again: _Field
    ) -> Response:
        if link is None:
            return _form(request, next="/", error=FirstLinkEnded(), status=410)
        try:
            if password != again:
                raise PasswordsDiffer
            made, session = await asyncio.to_thread(
                link.claim, secret, name, password, visitor=visitor_of(request)
            )
        except FirstLinkEnded as error:
            return _form(request, next="/", error=error, status=410)
        except PindnaError as error:
            return _page(request, "first.html", status=400, secret=secret, name=name, error=error)
        return _let_in(installation, made, session, "/")

    return router


def _end_earlier(installation: Installation, request: Request) -> None:
    """End the browser's earlier session, so that it does not pass to another user."""
    secret = cookies_of(request.headers).get(installation.cookie, "")
    identity = session_identity(installation.stores, installation.settings, secret) if secret else None
    if identity is not None:
        sign_out(installation.stores, identity[0])


def _let_in(installation: Installation, secret: str, session: Session, target: str) -> Response:
    """Return the answer after a successful sign-in, with the cookie of the session."""
    answer = RedirectResponse(target, 303)
    answer.set_cookie(
        installation.cookie,
        secret,
        expires=session.ends,
        path="/",
        secure=installation.is_secure,
        httponly=True,
        samesite="lax",
    )
    return answer


def _form(
    request: Request,
    *,
    next: str,  # noqa: A002
    language: str = "",
    name: str = "",
    error: PindnaError | None = None,
    status: int | None = None,
) -> HTMLResponse:
    """Return the sign-in page; ``status`` replaces the status of the error."""
    if status is None:
        status = refusal_status(error) if error else HTTPStatus.OK
    answer = _page(
        request,
        "sign_in.html",
        status=status,
        language=language,
        name=name,
        error=error,
        next=local_path(next),
    )
    if isinstance(error, TooOften):
        answer.headers["Retry-After"] = str(error.data["seconds"])
    if language in LANGUAGES:
        answer.set_cookie(LANGUAGE_COOKIE, language, max_age=_YEAR_S, samesite="lax")
    return answer


def _page(
    request: Request,
    template: str,
    *,
    status: int = 200,
    language: str = "",
    name: str = "",
    error: PindnaError | None = None,
    **values: str,
) -> HTMLResponse:
    texts = translator(language, "console") if language in LANGUAGES else language_of_request(request.headers)
    problem = texts.error(error) if error else ""
    return HTMLResponse(render(texts, template, name=name, problem=problem, **values), status, HEADERS)
