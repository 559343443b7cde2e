"""Stored files of pages, for browsers: the fetched page, its screenshots, its WARC records.

All this content comes from foreign websites. A page is sent without active content
(:mod:`crawler.extraction.inert`), in a sandbox that runs no scripts and loads nothing. Pictures are sent as
pictures, and other files as downloads.
"""

import asyncio
from collections.abc import Callable

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, PlainTextResponse, Response

from analysis.accounts.permissions import Identity, NotPermitted
from analysis.console.installation import Installation
from analysis.console.plain import language_of_request
from analysis.queries.page_evidence import StoredBody, body_of_match, records_of_match
from analysis.reading.untrusted_pages import PageUnreadable, readers_with
from crawler.readers.questions import InertQuestion
from system.errors import PindnaError, UnknownId, UnknownRecord

_FRAME_POLICY = (
    "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'self'"
)
_FRAME = {"Content-Security-Policy": _FRAME_POLICY, "X-Frame-Options": "SAMEORIGIN"}
_PNG = b"\x89PNG\r\n\x1a\n"


def kept_file_routes(installation: Installation) -> APIRouter:
    """Return the routes to the stored files of pages with matches.

    Args:
        installation: the services.
    """
    router = APIRouter(include_in_schema=False)
    stores = installation.stores

    @router.get("/matches/{match}/as-it-was")
    async def as_it_was(request: Request, match: str, body: str) -> Response:
        return await _answer(
            request, lambda identity: _inert(installation, body_of_match(identity, stores, match, body))
        )

    @router.get("/matches/{match}/picture")
    async def picture(request: Request, match: str, body: str) -> Response:
        return await _answer(request, lambda identity: _picture(body_of_match(identity, stores, match, body)))

    @router.get("/matches/{match}/records")
    async def records(request: Request, match: str, body: str) -> Response:
        return await _answer(
            request,
            lambda identity: _download_response(
                records_of_match(identity, stores, match, body), f"{body[:16]}.warc.gz"
            ),
        )

    @router.get("/sources/-/trial/{name}")
    async def trial(request: Request, name: str) -> Response:
        return await _answer(request, lambda identity: _trial(installation, identity, name))

    return router


def _trial(installation: Installation, identity: Identity, name: str) -> Response:
    identity.require("sources:write")
    page = installation.trial_pages.get(identity.name, name)
    if page is None:
        raise UnknownId(kind="page", name=name)
    return HTMLResponse(page, headers=_FRAME)


async def _answer(request: Request, find: Callable[[Identity], Response]) -> Response:
    """Compute the answer in another thread. An error becomes one line of text."""
    try:
        return await asyncio.to_thread(find, request.state.identity)
    except PindnaError as error:
        status = 503
        if isinstance(error, (UnknownRecord, NotPermitted)):
            status = 404 if isinstance(error, UnknownRecord) else 403
        elif isinstance(error, PageUnreadable):
            status = 422
        line = language_of_request(request.headers).error(error)
        return PlainTextResponse(f"{line}\n", status, _FRAME)


def _inert(installation: Installation, kept: StoredBody) -> Response:
    readers = readers_with(installation.runtime.settings.crawler.reader_megabytes)
    exchange = kept.exchange
    page = readers.ask(InertQuestion(exchange.body, exchange.url, kept.declared), name=exchange.url)
    return HTMLResponse(page, headers=_FRAME)


def _picture(kept: StoredBody) -> Response:
    body = kept.exchange.body
    if not body.startswith(_PNG):
        return PlainTextResponse("415 Unsupported Media Type\n", 415)
    return Response(body, media_type="image/png")


def _download_response(data: bytes, name: str) -> Response:
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(data, media_type="application/octet-stream", headers=headers)
