"""Downloads from the console: evidence packages and the files of notices.

A request contains the short name of a file. The file is returned only if the user may see it. The file name
is encoded in the header by RFC 6266, so it cannot inject other headers. Browsers always save the file and
never display it.
"""

from collections.abc import Callable, Iterator
from http import HTTPStatus
from pathlib import Path
from typing import Annotated, Literal

from fastapi import APIRouter, Query, Request
from fastapi.responses import FileResponse, PlainTextResponse, Response, StreamingResponse
from starlette.concurrency import run_in_threadpool

from analysis.accounts.permissions import NotPermitted
from analysis.actions.notices import fill
from analysis.console.installation import Installation
from analysis.console.plain import language_of_request
from analysis.evidence.zip_of_packages import zip_of
from analysis.notices.form_files import download_header, zip_of_files
from analysis.queries.evidence import PackagesTooLarge, file_of, get_package, packages_together
from analysis.queries.notices import get_notice
from system.errors import PindnaError, ServiceDown, UnknownId

Form = Literal["docx", "pdf", "txt", "eml", "evidence", "addresses"]


def download_routes(installation: Installation) -> APIRouter:
    """Return the routes of the downloads.

    Args:
        installation: the services.
    """
    router = APIRouter(include_in_schema=False)
    stores = installation.stores

    @router.get("/evidence/together")
    async def together(request: Request, of: Annotated[list[str], Query(max_length=200)]) -> Response:
        def find() -> Iterator[bytes]:
            return zip_of(packages_together(request.state.identity, stores, of))

        try:
            pieces = await run_in_threadpool(find)
        except PindnaError as error:
            return _refusal(request, error)
        headers = {"Content-Disposition": 'attachment; filename="evidence.zip"'}
        return StreamingResponse(pieces, media_type="application/octet-stream", headers=headers)

    @router.get("/evidence/{number}")
    async def package(request: Request, number: str) -> Response:
        return await _answer(request, lambda: file_of(get_package(request.state.identity, stores, number)))

    @router.get("/notices/{name}/forms/{form}")
    async def of_form(request: Request, name: str, form: str) -> Response:
        try:
            filled = await run_in_threadpool(fill, request.state.identity, installation.runtime, name, form)
        except PindnaError as error:
            return _refusal(request, error)
        headers, data = download_header(f"{filled.name}.zip"), zip_of_files(filled.files)
        return Response(data, media_type="application/octet-stream", headers=headers)

    @router.get("/notices/{name}/{form}")
    async def of_notice(request: Request, name: str, form: Form) -> Response:
        def find() -> Path:
            files = get_notice(request.state.identity, stores, name).files
            path = Path(files[form].path) if form in files else None
            if path is None or not path.is_file():
                raise UnknownId(kind="notice", name=f"{name} ({form})")
            return path

        return await _answer(request, find)

    return router


async def _answer(request: Request, find: Callable[[], Path]) -> Response:
    """Return a file, or a page that explains why it is not available."""
    try:
        path = await run_in_threadpool(find)
    except PindnaError as error:
        return _refusal(request, error)
    return FileResponse(path, media_type="application/octet-stream", filename=path.name)


def _refusal(request: Request, error: PindnaError) -> Response:
    status = HTTPStatus.NOT_FOUND
    if isinstance(error, NotPermitted):
        status = HTTPStatus.FORBIDDEN
    elif isinstance(error, PackagesTooLarge):
        status = HTTPStatus.REQUEST_ENTITY_TOO_LARGE
    elif isinstance(error, ServiceDown):
        status = HTTPStatus.SERVICE_UNAVAILABLE
    return PlainTextResponse(f"{language_of_request(request.headers).error(error)}\n", status)
