"""Pages that a test takes for compared, without a comparison."""

from typing import Any

from storage.collections.stores import Stores

_RESULT = {
    "corpus_version": 1,
    "verdict": "copy",
    "coverage": 1.0,
    "copied_chars": 20,
    "low_confidence": False,
    "unaligned": 0,
}


def mark_compared(stores: Stores, page_id: str, **result: Any) -> None:
    """Store what a comparison of a page, which waits for one, would have found."""
    reserved = stores.pages.reserve_fetched(count=100, lease_s=60).token
    token, _ = stores.pages.take_many([page_id], token=reserved, lease_s=60)
    stores.pages.mark_compared(page_id, token=token, **(_RESULT | result))
