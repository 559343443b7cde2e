"""``/audit``."""

from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import AwareDatetime

from analysis.api.models.cases import EventAnswer
from analysis.api.models.common import Part, part
from analysis.api.routes.common import Cursor, Limit, Text
from analysis.api.services import ApiServices, CallerIdentity
from analysis.queries.events import list_audit
from analysis.queries.listing import DEFAULT_LIMIT
from storage.records import EventKind

router = APIRouter(tags=["audit"])
_From = Annotated[AwareDatetime | None, Query(description="done at this moment or later")]
_To = Annotated[AwareDatetime | None, Query(description="done before this moment")]


@router.get("/audit")
def list_acts(
    identity: CallerIdentity,
    services: ApiServices,
    *,
    by: Text = "",
    kind: EventKind | None = None,
    subject: Text = "",
    since: _From = None,
    until: _To = None,
    cursor: Cursor = "",
    limit: Limit = DEFAULT_LIMIT,
) -> Part[EventAnswer]:
    """List the actions of users and programs, the newest first. A `subject` is, for instance, `work 7`."""
    listing = list_audit(
        identity,
        services.stores,
        by=by,
        kind=kind,
        subject=subject,
        since=since,
        until=until,
        cursor=cursor,
        limit=limit,
    )
    return part(listing, [EventAnswer.model_validate(event) for event in listing.items])
