"""The way in: plain pages, without scripts, on which people sign in and the first administrator is made."""

import asyncio
from typing import Annotated

from fastapi import APIRouter, Form, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from analysis.accounts.signing_in import SignInRefused, Visitor, sign_out
from analysis.console.installation import Installation
from analysis.console.plain import HEADERS, LANGUAGE_COOKIE, language_of_request, render
from analysis.i18n import LANGUAGES, translator
from storage.errors import PindnaError

_YEAR_S = 365 * 24 * 3600
_MAX_FIELD_CHARS = 1_000
_Field = Annotated[str, Form(max_length=_MAX_FIELD_CHARS)]


def visitor_of(request: Request) -> Visitor:
    """Return where a request comes from."""
    address = request.client.host if request.client else ""
    return Visitor(address=address, agent=request.headers.get("user-agent", ""))


def local_path(wanted: str) -> str:
    """Return a path of this server to go on to; the first page for whatever else was asked for."""
    is_local = wanted.startswith("/") and not wanted.startswith(("//", "/\\")) and wanted.isprintable()
    return wanted if is_local else "/"


def sign_in_routes(installation: Installation) -> APIRouter:
    """Return the routes of the way in.

    Args:
        installation: the services.
    """
    router = APIRouter(include_in_schema=False)

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
            secret, session = await asyncio.to_thread(door.sign_in, name, password, code, visitor=visitor)
        except PindnaError as error:
            status = 401 if isinstance(error, SignInRefused) else 400
            return _form(request, next=next, name=name, error=error, status=status)
        answer = RedirectResponse(local_path(next), 303)
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

    @router.post("/sign-out")
    async def leave(request: Request) -> Response:
        await asyncio.to_thread(sign_out, installation.stores, request.state.session)
        answer = RedirectResponse("/sign-in", 303)
        answer.delete_cookie(installation.cookie, path="/", secure=installation.is_secure, httponly=True)
        answer.headers["Clear-Site-Data"] = '"cache", "storage"'
        return answer

    return router


def _form(
    request: Request,
    *,
    next: str,  # noqa: A002
    language: str = "",
    name: str = "",
    error: PindnaError | None = None,
    status: int = 200,
) -> HTMLResponse:
    chosen = language if language in LANGUAGES else ""
    texts = translator(chosen) if chosen else language_of_request(request.headers)
    body = render(
        texts,
        "sign_in.html",
        next=local_path(next),
        name=name,
        problem=texts.error(error) if error else "",
    )
    answer = HTMLResponse(body, status, HEADERS)
    if chosen:
        answer.set_cookie(LANGUAGE_COOKIE, chosen, max_age=_YEAR_S, samesite="lax")
    return answer
