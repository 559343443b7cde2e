"""Which addresses of a source have a match, and so are looked at; and which pages beside them have none."""

from collections.abc import Collection, Iterator
from datetime import datetime

from storage.collections.stores import Stores
from storage.collections.visits import KnownAddress
from storage.records import Visit
from system.batches import batched
from system.sites import site_of_host

_BATCH = 500
_CANDIDATES = 50  # pages of a host among which neighbours are chosen


def addresses_with_match(
    stores: Stores, source: str, *, before: datetime | None = None
) -> Iterator[KnownAddress]:
    """Yield the addresses of a source whose last version has a match that counts.

    Cost: linear in the matches on the sites that the source was on, however many addresses it has.

    Args:
        stores: the database.
        source: its name.
        before: only addresses that were asked for last before this moment.

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
    """Return what is known of pages on a host that were up the last time and have no match.

    Args:
        stores: the database.
        host: as :func:`system.sites.host_of` returns it.
        without: addresses that are none.
        count: how many at most, those that were seen last.

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
