"""Pages: their sources, texts and states."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from analysis.accounts.permissions import Identity
from analysis.queries.listing import DEFAULT_LIMIT, Listing, Request
from analysis.queries.scope import only_visible, owners_of
from analysis.words.known_sites import hosts_of
from storage.collections.filters import PageFilter
from storage.collections.keyset import IndexRun
from storage.collections.stores import Stores
from storage.records import FREE, Match, Page, PageState, Verdict
from system.errors import UnknownId
from tracker.judgement.parts import PartVerdicts


@dataclass(frozen=True, slots=True, kw_only=True)
class PageQuery:
    """Filters of a list of current pages.

    Attributes:
        source: name of the source.
        site: a host, or a site with all its hosts.
        scan: id of the scan that last saw the pages.
        state: ``fetched`` (waiting for comparison), ``compared``, or ``failed`` (not compared).
        reason: reason why pages were not compared.
        verdict: verdict of the pages. It is ignored for rights holders, because only their own matches count.
        unread: only compared pages with content that could not be compared.
    """

    source: str = ""
    site: str = ""
    scan: str = ""
    state: PageState | None = None
    reason: str = ""
    verdict: Verdict | None = None
    unread: bool = False

    @property
    def states(self) -> tuple[PageState, ...]:
        """The requested states; empty: all."""
        if self.unread and self.state is None:
            return ("compared",)
        return (self.state,) if self.state else ()


def list_pages(
    identity: Identity,
    stores: Stores,
    query: PageQuery = PageQuery(),
    *,
    cursor: str = "",
    limit: int = DEFAULT_LIMIT,
) -> Listing[Page]:
    """Return pages without their texts: waiting, then compared, then failed pages, the newest of each first.

    Rights holders get the pages with matches of their works, sorted by id.

    Raises:
        NotPermitted, BadCursor, BadLimit: the request is not allowed.
    """
    identity.require("pages:read")
    page_filter = PageFilter(
        source=query.source or None,
        scan_id=query.scan or None,
        hosts=hosts_of(query.site, stores) if query.site else None,
        states=query.states,
        reason=query.reason or None,
        verdict=query.verdict if identity.sees_everything else None,
        is_unread=query.unread,
    )
    owners = owners_of(identity)
    request = Request(f"pages {owners} {query}", cursor, limit)
    if owners is None:
        runs = page_filter.runs()
        batch = stores.lists.pages(runs, after=request.place(runs), limit=limit)
        return request.listing((replace(page, lease=FREE) for page in batch.records), batch.end)
    position = request.place([IndexRun({}, (("page_id", 1),))])
    if page_filter.hosts == ():
        return Listing(())
    batch = stores.lists.pages_of(owners, page_filter, after=position, limit=limit)
    return request.listing(_of_holder(identity, stores, batch.records), batch.end)


def _of_holder(identity: Identity, stores: Stores, pages: Sequence[Page]) -> Iterable[Page]:
    """Yield pages of a rights holder, without the results of matches with works of other holders."""
    matches = stores.matches.of_pages([page.id for page in pages])
    by_page: dict[str, list[Match]] = {}
    for match in only_visible(identity, stores, matches, lambda match: match.work_id):
        by_page.setdefault(match.page_id, []).append(match)
    return [narrowed_page(page, by_page[page.id]) for page in pages if page.id in by_page]


def narrowed_page(page: Page, visible_matches: Sequence[Match]) -> Page:
    """Return a page as a rights holder sees it: with the results of the visible matches only."""
    verdicts, in_article = (
        PartVerdicts.of(visible_matches),
        [match for match in visible_matches if match.part == "article"],
    )
    return replace(
        page,
        verdict=verdicts.page,
        rest_verdict=None if page.rest_verdict is None else verdicts.rest,
        is_doubtful=verdicts.is_doubtful,
        coverage=max((match.coverage for match in in_article), default=0.0),
        copied_chars=max((match.copied_chars for match in in_article), default=0),
        background=(),
        lease=FREE,
    )


def get_page(identity: Identity, stores: Stores, page_id: str) -> Page:
    """Return a page with its text.

    Raises:
        NotPermitted: the user may not read pages.
        UnknownId: it does not exist, or the user may not see it.
    """
    identity.require("pages:read")
    page = stores.pages.get(page_id)
    if page is None:
        raise UnknownId(kind="page", name=page_id)
    visible = visible_pages(identity, stores, [page])
    if not visible:
        raise UnknownId(kind="page", name=page_id)
    return visible[0]


def visible_pages(identity: Identity, stores: Stores, pages: Sequence[Page]) -> list[Page]:
    """Return the pages that the user may see, without leases and without fields that the user may not see."""
    if identity.sees_everything:
        return [replace(page, lease=FREE) for page in pages]
    return list(_of_holder(identity, stores, pages))


def versions_of(identity: Identity, stores: Stores, page: Page) -> list[Page]:
    """Return the visible versions of a page's address without their texts, the last seen first.

    Raises:
        NotPermitted: the user may not read pages.
    """
    identity.require("pages:read")
    versions = [
        replace(version, text="", rest="", rest_pieces=()) for version in stores.pages.versions(page.url)
    ]
    return visible_pages(identity, stores, versions)
