"""Which addresses of a source have a match, and so are looked at by each of its crawls."""

from collections.abc import Iterator
from datetime import datetime

from storage.batches import batched
from storage.collections.stores import Stores
from storage.collections.visits import KnownAddress

_BATCH = 500


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
