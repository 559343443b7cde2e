"""Pages that a test compares one by one, or takes for compared without a comparison."""

from typing import Any

from storage.collections.stores import Stores
from storage.records import Page, PageResult
from tracker.comparison import ComparedText, Corpus
from tracker.scans.pages import PageLookup, compare_stored, store_compared
from tracker.scans.screening import Screening

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
    token, (page,) = stores.pages.claim_many([page_id], token=reserved, lease_s=60)
    fields: dict[str, Any] = _RESULT | result
    version = fields.pop("corpus_version")
    results = [(page, PageResult(**fields))]
    list(stores.pages.mark_compared(results, token=token, corpus_version=version))


def compare_page(
    page: Page,
    stores: Stores,
    corpus: Corpus,
    *,
    token: str,
    lease_s: float,
    screening: Screening | None = None,
    lookup: PageLookup | None = None,
) -> bool:
    """Compare a page that was taken and store what was found, as a batch of one; False: it was lost."""
    lookup = lookup or PageLookup(ComparedText(page.text), None, *stores.versions.current_and_mark())
    compared = compare_stored(page, lookup, corpus, screening)
    stored = list(store_compared([compared], stores, token=token, lease_s=lease_s))
    stores.pages.settle({url for own in stored for url in own.unsettled})
    return any(own.pages for own in stored)
