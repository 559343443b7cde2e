"""Which addresses of a source have a match, and so are looked at; and which pages beside them have none."""

from collections.abc import Collection, Iterator
from datetime import datetime

from storage.batches import batched
from storage.collections.stores import Stores
from storage.collections.visits import KnownAddress
from storage.records import Visit

_BATCH = 500
_CANDIDATES = 50  # pages of a host among which neighbours are chosen


def addresses_with_match(
    stores: Stores, source: str, *, before: datetime | None = None
) -> Iterator[KnownAddress]:
    """Yield the addresses of a source whose last version has a match that counts.

    Args:
        stores: the database.
        source: its name.
        before: only addresses that were asked for last before this moment.

    Raises:
        ServiceDown, StorageFailed: the database refused.
    """
    known = (
        address
        for address in stores.visits.addresses_of(source)
        if before is None or address.checked < before
    )
    for batch in batched(known, _BATCH):
        matching = stores.matches.pages_with_matches([address.page_id for address in batch])
        yield from (address for address in batch if address.page_id in matching)


def neighbours_on(stores: Stores, host: str, *, without: Collection[str], count: int) -> list[Visit]:
    """Return what is known of pages on a host that were up the last time and have no match.

    Args:
        stores: the database.
        host: as :func:`storage.sites.host_of` returns it.
        without: addresses that are none.
        count: how many at most, those that were seen last.

    Raises:
        ServiceDown, StorageFailed: the database refused.
    """
    pages = {
        url: page_id
        for url, page_id in stores.pages.some_clear_on(host, count=_CANDIDATES)
        if url not in without
    }
    known = stores.visits.get_many(pages)
    up = [visit for url, visit in known.items() if visit.presence_of(pages[url]).state == "up"]
    return sorted(up, key=lambda visit: visit.last_checked, reverse=True)[:count]
