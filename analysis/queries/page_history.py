"""Everything stored about one address: versions, visits, events, captures and looks."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime

from analysis.accounts.permissions import Identity
from analysis.evidence.captures import captures_of, read_exchange, warc_members
from analysis.queries.pages import visible_pages
from crawler.addresses import canonical
from crawler.pages.verifying import CheckedCapture, Verifier
from crawler.pages.warc_reading import ArchivedExchange
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


def fetches_of(identity: Identity, stores: Stores, text: str) -> list[Capture]:
    """Return the stored captures of an address, the newest first. For the arguments see :func:`history_of`.

    Raises:
        NotPermitted: the user may not read evidence.
        UnknownRecord: the user may not see the page.
    """
    identity.require("evidence:read")
    url = stored_address(text, stores)
    if not identity.sees_everything and not visible_pages(identity, stores, stores.pages.versions(url)):
        raise UnknownRecord(kind="page", name=text)
    return captures_of(url, stores)


def exchange_of(identity: Identity, stores: Stores, sha256: str, captures: list[Capture]) -> ArchivedExchange:
    """Return a stored request and its response.

    Args:
        identity: the user or program that asks.
        stores: the database.
        sha256: SHA-256 of the body.
        captures: captures from :func:`fetches_of`. Rights holders get only the bodies of these captures.

    Raises:
        NotPermitted: the user may not read evidence.
        UnknownRecord: there is no such body, or the user may not see it.
        SnapshotDamaged: the body was changed after it was stored.
    """
    identity.require("evidence:read")
    if not identity.sees_everything and all(capture.sha256 != sha256 for capture in captures):
        raise UnknownRecord(kind="snapshot", name=sha256)
    return read_exchange(sha256, stores)


def records_of(identity: Identity, stores: Stores, sha256: str, captures: list[Capture]) -> list[bytes]:
    """Return the WARC records of a body, or of all captures if ``sha256`` is empty.

    Raises:
        NotPermitted: the user may not take evidence.
        UnknownRecord, SnapshotDamaged, ServiceDown: see :func:`exchange_of`.
    """
    identity.require("evidence:export")
    if not sha256:
        return warc_members(captures, stores)
    exchange_of(identity, stores, sha256, captures)
    return [stores.snapshots.get(sha256).warc]


def checked_captures(
    identity: Identity, stores: Stores, addresses: Iterable[str]
) -> Iterator[CheckedCapture]:
    """Yield the captures of addresses, or all captures if there are none, each checked against its digest.

    Raises:
        NotPermitted: the user may not read evidence, or not the evidence of all pages.
        UnknownRecord: an address has no captures, or the user may not see them.
    """
    identity.require("evidence:read")
    unique = list(dict.fromkeys(addresses))
    if not unique and not identity.sees_everything:
        identity.require("audit:read")
    verifier = Verifier(stores)
    for capture in _captures_of(identity, stores, unique) if unique else stores.captures.iter_all():
        yield verifier.check(capture)


def _captures_of(identity: Identity, stores: Stores, addresses: Iterable[str]) -> Iterator[Capture]:
    for text in addresses:
        captures = fetches_of(identity, stores, text)
        if not captures:
            raise UnknownRecord(kind="page", name=text)
        yield from captures
