"""``/scans``."""

from http import HTTPStatus
from typing import Annotated

from fastapi import APIRouter, Response
from pydantic import BaseModel, StringConstraints

from analysis.actions import scans as actions
from analysis.api.models.common import Part, part
from analysis.api.models.scans import CrawlAnswer, ScanAnswer, ScanWithCrawls
from analysis.api.once import Idempotency
from analysis.api.routes.common import Cursor, Limit, Name, example
from analysis.api.services import ApiServices, CallerIdentity
from analysis.queries import scans
from analysis.queries.listing import DEFAULT_LIMIT
from storage.records import ScanStatus

router = APIRouter(tags=["scans"])


class NewScan(BaseModel):
    """The names of the sources to scan; empty: all sources that are enabled and not paused."""

    model_config = example({"sources": ["portal"]})

    sources: list[Annotated[str, StringConstraints(max_length=200)]] = []


class Stopped(BaseModel):
    """The number of crawls that received the request to end."""

    crawls: int


@router.get("/scans")
def list_scans(
    identity: CallerIdentity,
    services: ApiServices,
    *,
    status: ScanStatus | None = None,
    cursor: Cursor = "",
    limit: Limit = DEFAULT_LIMIT,
) -> Part[ScanAnswer]:
    """List scans, the newest first."""
    listing = scans.list_scans(identity, services.stores, status=status, cursor=cursor, limit=limit)
    return part(listing, [ScanAnswer.model_validate(scan) for scan in listing.items])


@router.get("/scans/{name}")
def get_scan(identity: CallerIdentity, services: ApiServices, name: Name) -> ScanWithCrawls:
    """Show a scan with its crawls and their present counts."""
    scan = scans.get_scan(identity, services.stores, name)
    crawls = scans.crawls_of(identity, services.stores, scan.id)
    return ScanWithCrawls.of(scan, [CrawlAnswer.model_validate(crawl) for crawl in crawls])


@router.post("/scans", status_code=HTTPStatus.CREATED, response_model=ScanAnswer)
def start_scan(identity: CallerIdentity, services: ApiServices, once: Idempotency, body: NewScan) -> Response:
    """Start a scan, which workers carry out."""
    identity.require("scans:run")

    def act() -> ScanAnswer:
        return ScanAnswer.model_validate(actions.start_scan(identity, services.runtime, body.sources))

    return once.answer(body, act)


@router.post("/scans/{name}/stop")
def stop_scan(identity: CallerIdentity, services: ApiServices, name: Name) -> Stopped:
    """End the crawls of a scan. The fetched pages are still compared."""
    return Stopped(crawls=actions.stop_scan(identity, services.runtime, name))
