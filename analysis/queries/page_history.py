"""Everything stored about one address: versions, visits, events, captures and looks."""

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
    """The history of an address.

    Attributes:
        url: the address in the spelling of stored pages.
        versions: versions of its text, the last seen first.
        visit: data about its visits; None: it was not visited.
        events: its events.
        captures: its stored captures, the newest first.
        looks: its looks.
    """

    url: str
    versions: tuple[Page, ...] = ()
    visit: Visit | None = None
    events: tuple[PageEvent, ...] = ()
    captures: tuple[Capture, ...] = ()
    looks: tuple[Look, ...] = ()

    def absences(self, page: Page) -> Iterator[tuple[datetime, datetime]]:
        """Yield start and end of each absence of the address while a version was seen.

        A failed version has no text, so it has no absences.
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
    """Return the spelling of an address under which a page is stored. A missing scheme may be HTTP or HTTPS.

    Args:
        text: the address as the user typed it.
        stores: the database.
    """
    spellings = [text] if _SCHEME.match(text) else [scheme + text for scheme in _SCHEMES]
    for address in map(canonical, spellings):
        if stores.visits.get(address) is not None or stores.pages.versions(address):
            return address
    return canonical(spellings[0])


def history_of(identity: Identity, stores: Stores, text: str) -> PageHistory:
    """Return the history of an address.

    Args:
        identity: the user or program that asks.
        stores: the database.
        text: the address; its scheme may be left out.

    Raises:
        NotPermitted: the user may not read pages.
        UnknownRecord: there is no such page, or the user may not see it.
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
    """Return the stored fetches of an address in any spelling, the newest first."""
    address = canonical(url)
    bodies = {sha256 for page in stores.pages.versions(address) for sha256 in page.snapshots}
    by_url = (*stores.captures.of_url(address), *stores.captures.of_url(url))
    candidates = (*by_url, *stores.captures.of_bodies(sorted(bodies)))
    of_address = {capture.id: capture for capture in candidates if canonical(capture.url) == address}
    return sorted(of_address.values(), key=lambda capture: capture.fetched, reverse=True)
