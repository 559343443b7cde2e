"""What a scan saw at the addresses with a match: every one of them is a look, or is counted as left."""

from collections import Counter
from collections.abc import Sequence

from storage.collections.stores import Stores
from storage.collections.watching import addresses_with_match
from storage.records import Look, Scan


def count_looks(scan: Scan, looks: Sequence[Look], stores: Stores) -> dict[str, int]:
    """Return how many looks saw what (``look:up`` …), and ``look:left``: addresses that were not asked for.

    Args:
        scan: whose crawls have ended.
        looks: of this scan.
        stores: the database.

    Raises:
        ServiceDown: MongoDB does not answer.
    """
    counts = Counter(f"look:{look.state}" for look in looks)
    left = (
        address
        for source in scan.sources
        for address in addresses_with_match(stores, source, before=scan.started)
    )
    counts["look:left"] = sum(1 for _ in left)
    return {name: number for name, number in counts.items() if number}


def cases_of_looks(looks: Sequence[Look], stores: Stores) -> set[tuple[int, str]]:
    """Return (work id, site) of every case that the pages looked at belong to.

    Raises:
        ServiceDown: MongoDB does not answer.
    """
    pages = {look.page_id for look in looks} | {look.answer_id for look in looks} - {""}
    return {(match.work_id, match.site) for page in pages for match in stores.matches.of_page(page)}
