"""``/evidence``: evidence packages and the evidence log."""

from http import HTTPStatus
from typing import Annotated

from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import FileResponse, StreamingResponse
from pydantic import BaseModel, Field, StringConstraints

from analysis.actions import evidence as actions
from analysis.api.models.common import Part, part
from analysis.api.models.evidence import LogAnswer, PackageAnswer
from analysis.api.once import Idempotency
from analysis.api.problems import language_of
from analysis.api.routes.common import Cursor, Limit, Name, example
from analysis.api.services import ApiServices, CallerIdentity
from analysis.evidence.zip_of_packages import zip_of
from analysis.queries import evidence
from analysis.queries.listing import DEFAULT_LIMIT

router = APIRouter(tags=["evidence"])
_ZIP = "application/zip"
_AT_ONCE = 50


class NewPackage(BaseModel):
    """The cases and matches of a package, by name.

    With `excerpts` the package is for outsiders: it contains only the copied stretches of works, and no
    history. Rights holders get only such packages.
    """

    model_config = example({"names": ["c7", "m12"], "excerpts": True})

    names: list[Annotated[str, StringConstraints(max_length=500)]] = Field(min_length=1, max_length=_AT_ONCE)
    excerpts: bool = False


@router.get("/evidence/packages")
def list_packages(
    identity: CallerIdentity, services: ApiServices, cursor: Cursor = "", limit: Limit = DEFAULT_LIMIT
) -> Part[PackageAnswer]:
    """List the packages that were made through the console or the API, the newest first."""
    listing = evidence.list_packages(identity, services.stores, cursor=cursor, limit=limit)
    return part(listing, [PackageAnswer.of(package) for package in listing.items])


@router.post("/evidence/packages", status_code=HTTPStatus.CREATED, response_model=PackageAnswer)
def export_package(
    identity: CallerIdentity, services: ApiServices, once: Idempotency, body: NewPackage
) -> Response:
    """Make an evidence package. This takes some seconds."""
    identity.require("evidence:export")

    def act() -> PackageAnswer:
        kept = actions.export(identity, services.runtime, body.names, excerpts=body.excerpts)
        return PackageAnswer.of(kept)

    return once.answer(body, act)


@router.get(
    "/evidence/together",
    response_class=StreamingResponse,
    responses={HTTPStatus.OK: {"content": {_ZIP: {"schema": {"type": "string", "format": "binary"}}}}},
)
def download_together(
    identity: CallerIdentity,
    services: ApiServices,
    of: Annotated[
        list[Annotated[str, StringConstraints(min_length=1, max_length=100)]],
        Query(min_length=1, max_length=evidence.MOST_TOGETHER, description="numbers of packages"),
    ],
) -> StreamingResponse:
    """Fetch the files of several packages in one zip, with their SHA-256."""
    packages = evidence.packages_together(identity, services.stores, of)
    headers = {"Content-Disposition": 'attachment; filename="evidence.zip"'}
    return StreamingResponse(zip_of(packages), media_type=_ZIP, headers=headers)


@router.get("/evidence/packages/{number}")
def get_package(identity: CallerIdentity, services: ApiServices, number: Name) -> PackageAnswer:
    """Show a package."""
    return PackageAnswer.of(evidence.get_package(identity, services.stores, number))


@router.get(
    "/evidence/packages/{number}/file",
    response_class=FileResponse,
    responses={HTTPStatus.OK: {"content": {_ZIP: {"schema": {"type": "string", "format": "binary"}}}}},
)
def download_package(identity: CallerIdentity, services: ApiServices, number: Name) -> FileResponse:
    """Fetch the file of a package."""
    package = evidence.get_package(identity, services.stores, number)
    path = evidence.file_of(package)
    return FileResponse(path, media_type=_ZIP, filename=f"{package.number}.zip")


@router.get("/evidence/log")
def get_log(request: Request, identity: CallerIdentity, services: ApiServices) -> LogAnswer:
    """Show the state of the evidence log, and whether it was altered."""
    state = evidence.log_state(identity, services.stores, services.runtime.settings)
    return LogAnswer(
        log=state.log,
        entries=state.entries,
        at=state.at,
        unlogged=state.unlogged,
        last_root=state.last_root,
        problem=language_of(request).error(state.problem) if state.problem else None,
    )
