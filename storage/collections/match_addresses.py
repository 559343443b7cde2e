"""Addresses of a source with a match, which scans check, and pages without a match on the same hosts."""

from collections.abc import Collection, Iterator
from datetime import datetime

from storage.collections.stores import Stores
from storage.collections.visits import KnownAddress
from storage.records import Visit
from system.batches import batched
from system.sites import site_of_host

_BATCH = 500
_CANDIDATES = 50  # number of pages of a host from which neighbours are chosen


def addresses_with_match(
    stores: Stores, source: str, *, before: datetime | None = None
) -> Iterator[KnownAddress]:
    """Yield the addresses of a source whose last version has a match, neither dismissed nor ``clear``.

    The time is linear in the number of matches on the source's sites, and independent of the number of
    addresses.

    Args:
        stores: the database.
        source: name of the source.
        before: only addresses whose last request was before this moment.

    Raises:
        ServiceDown, StorageFailed: the database refused.
    """
    sites = sorted({site_of_host(host) for host in stores.visits.hosts_of(source)})
    page_ids = set(stores.matches.pages_on_sites(sites))
    for batch in batched(page_ids, _BATCH):
        pages = {page_id for _, page_id in batch}
        for address in stores.visits.addresses_among(source, {url for url, _ in batch}):
            if address.page_id in pages and (before is None or address.checked < before):
                yield address


def neighbours_on(stores: Stores, host: str, *, without: Collection[str], count: int) -> list[Visit]:
    """Return the visits of pages on a host that have no match and were up at their last visit.

    Args:
        stores: the database.
        host: as :func:`system.sites.host_of` returns it.
        without: addresses to exclude.
        count: maximum number, the last seen first.

    Raises:
        ServiceDown, StorageFailed: the database refused.
    """
    pages = {
        url: page_id
        for url, page_id in stores.pages.sample_clear_pages(host, count=_CANDIDATES)
        if url not in without
    }
    visits = stores.visits.get_many(pages)
    up = [visit for url, visit in visits.items() if visit.presence_of(pages[url]).state == "up"]
    return sorted(up, key=lambda visit: visit.last_checked, reverse=True)[:count]
