"""What is stored of one address: versions, visits, events, fetches and looks."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from analysis.accounts.permissions import Identity
from analysis.queries.pages import visible_pages
from crawler.addresses import canonical
from storage.collections.stores import Stores
from storage.records import Capture, Look, Page, PageEvent, Visit
from system.errors import UnknownRecord

_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*://", re.IGNORECASE)
_SCHEMES = ("http://", "https://")


@dataclass(frozen=True, slots=True, kw_only=True)
class PageHistory:
    """An address.

    Attributes:
        url: as pages are stored under it.
        versions: of its text, the one seen last first.
        visit: how its visits fare; None: it was not visited.
        events: what happened to it.
        captures: its fetches that are kept, the newest first.
        looks: what each look at it saw.
    """

    url: str
    versions: tuple[Page, ...] = ()
    visit: Visit | None = None
    events: tuple[PageEvent, ...] = ()
    captures: tuple[Capture, ...] = ()
    looks: tuple[Look, ...] = ()

    def absences(self, page: Page) -> Iterator[tuple[datetime, datetime]]:
        """Yield from when to when the address was away between the first and the last sight of a version.

        A version that failed is no text that could be away.
        """
        if page.state == "failed":
            return
        since: datetime | None = None
        for event in sorted(self.events, key=lambda event: event.at):
            if event.kind in ("gone", "moved") and since is None:
                since = event.at
            elif event.kind == "returned" and since is not None:
                if page.first_seen <= since <= page.last_seen:
                    yield since, event.at
                since = None


def stored_address(text: str, stores: Stores) -> str:
    """Return the spelling under which a page is stored; one without a scheme is looked for under both.

    Args:
        text: as the user wrote it.
        stores: the database.
    """
    spellings = [text] if _SCHEME.match(text) else [scheme + text for scheme in _SCHEMES]
    for address in map(canonical, spellings):
        if stores.visits.get(address) is not None or stores.pages.versions(address):
            return address
    return canonical(spellings[0])


def history_of(identity: Identity, stores: Stores, text: str) -> PageHistory:
    """Return what is stored of an address.

    Args:
        identity: asks.
        stores: the database.
        text: the address; its scheme may be left out.

    Raises:
        NotPermitted: pages are not this one's to read.
        UnknownRecord: there is no such page, or none for this one.
    """
    identity.require("pages:read")
    url = stored_address(text, stores)
    versions, visit = visible_pages(identity, stores, stores.pages.versions(url)), stores.visits.get(url)
    if not versions and (visit is None or not identity.sees_everything):
        raise UnknownRecord(kind="page", name=text)
    return PageHistory(
        url=url,
        versions=tuple(versions),
        visit=visit,
        events=tuple(stores.page_events.of_url(url)),
        captures=tuple(captures_of(url, stores)),
        looks=tuple(stores.looks.of_url(url)),
    )


def captures_of(url: str, stores: Stores) -> list[Capture]:
    """Return the kept fetches of an address in any spelling, the newest first."""
    address = canonical(url)
    bodies = {sha256 for page in stores.pages.versions(address) for sha256 in page.snapshots}
    by_url = (*stores.captures.of_url(address), *stores.captures.of_url(url))
    candidates = (*by_url, *stores.captures.of_bodies(sorted(bodies)))
    of_address = {capture.id: capture for capture in candidates if canonical(capture.url) == address}
    return sorted(of_address.values(), key=lambda capture: capture.fetched, reverse=True)
