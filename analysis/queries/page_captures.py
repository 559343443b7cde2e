"""Read and check the captures of addresses, which are stored fetches."""

from collections.abc import Iterable, Iterator

from analysis.accounts.permissions import Identity
from analysis.evidence.captures import read_exchange, warc_members
from analysis.queries.page_history import captures_of, stored_address
from analysis.queries.pages import visible_pages
from crawler.pages.verifying import CheckedCapture, Verifier
from crawler.pages.warc_reading import ArchivedExchange
from storage.collections.stores import Stores
from storage.records import Capture
from system.errors import UnknownRecord


def fetches_of(identity: Identity, stores: Stores, text: str) -> list[Capture]:
    """Return the stored fetches of an address, the newest first.

    Args:
        identity: asks.
        stores: the database.
        text: the address; its scheme may be left out.

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
    """Return the WARC records of a body, or of all fetches if ``sha256`` is empty.

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
    """Yield the stored fetches of some addresses, or of all, each checked against its digest.

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
