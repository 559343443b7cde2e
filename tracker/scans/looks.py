"""Checks by a scan of addresses that have a match: each is visited, or counted as not visited."""

from storage.collections.match_addresses import addresses_with_match
from storage.collections.stores import Stores
from storage.records import Scan
from system.batches import batched

_BATCH = 1_000


def count_looks(scan: Scan, stores: Stores) -> dict[str, int]:
    """Return the number of looks by result (``look:up`` …), and ``look:left``: addresses not visited.

    Args:
        scan: a scan whose crawls have ended.
        stores: the database.
    """
    counts = {f"look:{state}": number for state, number in stores.looks.counts_of_scan(scan.id).items()}
    unchecked = (
        address
        for source in scan.sources
        for address in addresses_with_match(stores, source, before=scan.started)
    )
    counts["look:left"] = sum(1 for _ in unchecked)
    return {name: number for name, number in counts.items() if number}


def cases_of_looks(scan: Scan, stores: Stores) -> set[tuple[int, str]]:
    """Return (work id, site) of every case with pages that a scan visited."""
    pages = stores.looks.pages_of_scan(scan.id)
    cases: set[tuple[int, str]] = set()
    for batch in batched(pages, _BATCH):
        cases |= stores.matches.keys_on_pages(batch)
    return cases
