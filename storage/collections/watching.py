"""Which addresses of a source have a match, and so are looked at by each of its crawls."""

from collections.abc import Iterator
from datetime import datetime

from storage.batches import batched
from storage.collections.stores import Stores
from storage.collections.visits import KnownAddress
from storage.sites import site_of_host

_BATCH = 500


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
    known = set(stores.matches.pages_on_sites(sites))
    for batch in batched(known, _BATCH):
        pages = {page_id for _, page_id in batch}
        for address in stores.visits.addresses_among(source, {url for url, _ in batch}):
            if address.page_id in pages and (before is None or address.checked < before):
                yield address
