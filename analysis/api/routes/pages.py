"""``/pages``."""

from fastapi import APIRouter

from analysis.api.models.common import Part, part
from analysis.api.models.matches import MatchAnswer
from analysis.api.models.pages import PageAnswer, PageWithText
from analysis.api.routes.common import Cursor, Limit, Name, Text
from analysis.api.services import ApiServices, CallerIdentity
from analysis.queries import matches, pages
from analysis.queries.listing import DEFAULT_LIMIT
from storage.records import PageState, Verdict

router = APIRouter(tags=["pages"])


@router.get("/pages")
def list_pages(
    identity: CallerIdentity,
    services: ApiServices,
    *,
    source: Text = "",
    site: Text = "",
    scan: Text = "",
    state: PageState | None = None,
    reason: Text = "",
    verdict: Verdict | None = None,
    unread: bool = False,
    cursor: Cursor = "",
    limit: Limit = DEFAULT_LIMIT,
) -> Part[PageAnswer]:
    """List the current pages: waiting, then compared, then failed pages, which are sorted by reason.

    With `unread`, list only compared pages with content that could not be compared. Rights holders get the
    pages with matches of their works; verdicts and shares refer only to these matches.
    """
    query = pages.PageQuery(
        source=source, site=site, scan=scan, state=state, reason=reason, verdict=verdict, unread=unread
    )
    listing = pages.list_pages(identity, services.stores, query, cursor=cursor, limit=limit)
    return part(listing, [PageAnswer.model_validate(page) for page in listing.items])


@router.get("/pages/{name}")
def get_page(identity: CallerIdentity, services: ApiServices, name: Name) -> PageWithText:
    """Show a page with its text and its matches."""
    page = pages.get_page(identity, services.stores, name)
    page_matches = matches.matches_of_page(identity, services.stores, page.id)
    return PageWithText.of(page, [MatchAnswer.of(match) for match in page_matches])
