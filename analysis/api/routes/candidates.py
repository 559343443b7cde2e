"""``/candidates``."""

import hashlib
import shutil
import tempfile
from http import HTTPStatus
from pathlib import Path
from typing import Annotated

from fastapi import APIRouter, Query, Request, Response, UploadFile
from fastapi import Path as PathParameter
from pydantic import BaseModel, Field

from analysis.actions import candidates as actions
from analysis.api.models.candidates import CandidateAnswer, CandidatePlan, ImportAnswer
from analysis.api.models.common import Part, part
from analysis.api.models.sources import SavedSource
from analysis.api.once import Idempotency
from analysis.api.problems import language_of
from analysis.api.routes.common import Cursor, Limit, Reason, example
from analysis.api.services import ApiServices, CallerIdentity
from analysis.discovery.importing import KeptLines
from analysis.queries import candidates
from analysis.queries.listing import DEFAULT_LIMIT
from analysis.reading.work_files import safe_name
from storage.records import CandidateState, SourceKind

router = APIRouter(tags=["candidates"])
Site = Annotated[str, PathParameter(max_length=500, description="site of a candidate")]
_MAX_LINES = 1_000


class Acceptance(BaseModel):
    """How a candidate becomes a source. Without `name` the source has the name of the site."""

    model_config = example({"kind": "site"}, is_closed=True)

    name: str = Field(default="", max_length=100)
    kind: SourceKind | None = Field(default=None, description="null: the kind that suits the addresses")


class Rejection(BaseModel):
    """Why a candidate is rejected; may be empty."""

    model_config = example({"because": "正版网站"}, is_closed=True)

    reason: Reason = ""


class _Sent(BaseModel):
    """A file as the body that belongs to an idempotency key."""

    name: str
    sha256: str


@router.post("/candidates/import", response_model=ImportAnswer)
def import_candidates(
    request: Request,
    identity: CallerIdentity,
    services: ApiServices,
    once: Idempotency,
    file: UploadFile,
    *,
    name: Annotated[str, Query(max_length=200, description="default: the file's")] = "",
) -> Response:
    """Store the sites that a file names as candidates. Nothing of them is requested.

    The form is recognised by content: 书源 (JSON), OPML, feeds, sitemaps, bookmarks, lists of addresses
    (text, CSV, XLSX), CDXJ, removal requests (CSV) and exported chats.
    """
    identity.require("sources:write")
    with tempfile.TemporaryDirectory(prefix="pindna-") as folder:
        path = Path(folder) / "file"
        with path.open("wb") as copy:
            shutil.copyfileobj(file.file, copy)
        with path.open("rb") as sent:
            digest = hashlib.file_digest(sent, "sha256").hexdigest()
        shown = safe_name(name or file.filename or "file")

        def act() -> ImportAnswer:
            kept = KeptLines(_MAX_LINES)
            summary = actions.import_candidates(
                identity, services.runtime, path, name=shown, report=kept.report
            )
            return ImportAnswer.of(summary, kept.lines, language_of(request))

        return once.answer(_Sent(name=shown, sha256=digest), act, status=HTTPStatus.OK)


@router.get("/candidates")
def list_candidates(
    request: Request,
    identity: CallerIdentity,
    services: ApiServices,
    *,
    state: CandidateState = "open",
    cursor: Cursor = "",
    limit: Limit = DEFAULT_LIMIT,
) -> Part[CandidateAnswer]:
    """List candidates in a state: those that name most works first, then by site."""
    listing = candidates.list_candidates(identity, services.stores, state=state, cursor=cursor, limit=limit)
    texts = language_of(request)
    return part(listing, [CandidateAnswer.of(candidate, texts) for candidate in listing.items])


@router.get("/candidates/{site}")
def get_candidate(
    request: Request,
    identity: CallerIdentity,
    services: ApiServices,
    site: Site,
    kind: SourceKind | None = None,
) -> CandidatePlan:
    """Show a candidate, and the definition of the source that it would become."""
    candidate = candidates.get_candidate(identity, services.stores, site)
    plan = candidates.planned_source(identity, services.stores, site, kind=kind)
    return CandidatePlan.of(candidate, plan, language_of(request))


@router.post("/candidates/{site}/accept", status_code=HTTPStatus.CREATED, response_model=SavedSource)
def accept_candidate(
    identity: CallerIdentity, services: ApiServices, once: Idempotency, site: Site, body: Acceptance
) -> Response:
    """Make a source of a candidate, with the usual pace, limits and robots.txt."""
    identity.require("sources:write")

    def act() -> SavedSource:
        source = actions.accept_candidate(identity, services.runtime, site, name=body.name, kind=body.kind)
        return SavedSource.of(source, services.runtime.settings.crawler.allow_inner)

    return once.answer(body, act)


@router.post("/candidates/{site}/reject", status_code=HTTPStatus.NO_CONTENT)
def reject_candidate(identity: CallerIdentity, services: ApiServices, site: Site, body: Rejection) -> None:
    """Reject a candidate. Files that name the site again do not change that."""
    actions.reject_candidate(identity, services.runtime, site, reason=body.reason)


@router.post("/candidates/{site}/reopen", status_code=HTTPStatus.NO_CONTENT)
def reopen_candidate(identity: CallerIdentity, services: ApiServices, site: Site) -> None:
    """Undo the rejection of a candidate."""
    actions.reopen_candidate(identity, services.runtime, site)
