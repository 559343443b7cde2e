"""``/sources``."""

from fastapi import APIRouter

from analysis.api.models.common import Part, part
from analysis.api.models.sources import SourceAnswer
from analysis.api.routes.common import Cursor, Limit, Name
from analysis.api.services import Asker, Given
from analysis.queries import sources
from analysis.queries.listing import DEFAULT_LIMIT

router = APIRouter(tags=["sources"])


@router.get("/sources")
def list_sources(
    who: Asker, services: Given, cursor: Cursor = "", limit: Limit = DEFAULT_LIMIT
) -> Part[SourceAnswer]:
    """List sources by name, with how they fare."""
    listing = sources.list_sources(who, services.stores, cursor=cursor, limit=limit)
    return part(listing, [SourceAnswer.of(view) for view in listing.items])


@router.get("/sources/{name}")
def get_source(who: Asker, services: Given, name: Name) -> SourceAnswer:
    """Show a source."""
    return SourceAnswer.of(sources.get_source(who, services.stores, name))
