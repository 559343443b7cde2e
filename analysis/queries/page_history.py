"""What is stored of one address: versions, visits, events, fetches and looks."""

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


def fetches_of(identity: Identity, stores: Stores, text: str) -> list[Capture]:
    """Return the fetches of an address that are kept, the newest first; arguments as of :func:`history_of`.

    Raises:
        NotPermitted: evidence is not this one's to read.
        UnknownRecord: the page is not for this one.
    """
    identity.require("evidence:read")
    url = stored_address(text, stores)
    if not identity.sees_everything and not visible_pages(identity, stores, stores.pages.versions(url)):
        raise UnknownRecord(kind="page", name=text)
    return captures_of(url, stores)


def exchange_of(identity: Identity, stores: Stores, sha256: str, captures: list[Capture]) -> ArchivedExchange:
    """Return a request and its response as they were stored.

    Args:
        identity: asks.
        stores: the database.
        sha256: of the body.
        captures: of :func:`fetches_of`; rights holders get only bodies of these.

    Raises:
        NotPermitted: evidence is not this one's to read.
        UnknownRecord: there is no such body, or not for this one.
        SnapshotDamaged: it is not what was stored.
    """
    identity.require("evidence:read")
    if not identity.sees_everything and all(capture.sha256 != sha256 for capture in captures):
        raise UnknownRecord(kind="snapshot", name=sha256)
    return read_exchange(sha256, stores)


def records_of(identity: Identity, stores: Stores, sha256: str, captures: list[Capture]) -> list[bytes]:
    """Return the WARC records of a body, or of all fetches where ``sha256`` is empty.

    Raises:
        NotPermitted: evidence is not this one's to take.
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
    """Yield the fetches of some addresses, or all that are kept, each checked against its digest.

    Raises:
        NotPermitted: evidence is not this one's to read, or not that of all pages.
        UnknownRecord: nothing is kept of an address, or not for this one.
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
