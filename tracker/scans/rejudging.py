"""New verdicts on stored matches at once after a licence was granted, changed or revoked.

A scan judges every stale page again, but only the scans that are opened after the change do so. Without this
module, pages that a running scan had compared before the change kept their old verdicts until the next scan.
Here the pages with a match of that work on that site wait for comparison, a thousand at a time, with or
without a scan. The other stored pages cannot be affected.

A page that a worker compares during the change may be closed with the older version. So a request stays for a
minute, and such pages wait again.
"""

from collections.abc import Iterator
from datetime import timedelta

from storage.collections.rejudgings import Rejudging
from storage.collections.stores import Stores
from storage.records import SiteLicence
from system.batches import batched
from system.sites import host_of
from tracker.judgement.licences import may_publish

AT_ONCE = 1_000
_SETTLED = timedelta(minutes=1)
_BATCH = 500


def rejudge(stores: Stores) -> int:
    """Let the next pages of the requests wait for comparison; return their number."""
    reopened = 0
    for rejudging in stores.rejudgings.all():
        is_complete = True
        for ids in batched(list(_pages_of(rejudging, stores)), _BATCH):
            if reopened >= AT_ONCE:
                return reopened
            reopened += stores.pages.stale.reopen_older(ids, corpus_version=rejudging.version)
            is_complete &= not stores.pages.stale.count_older(ids, corpus_version=rejudging.version)
        if is_complete and stores.clock.now() - rejudging.at >= _SETTLED:
            stores.rejudgings.end(rejudging)
    return reopened


def count_unjudged(work_id: int, stores: Stores) -> int:
    """Return how many pages with matches of a book wait for a verdict after a change of its licences."""
    ids: dict[str, int] = {}
    for rejudging in stores.rejudgings.all():
        if rejudging.work_id == work_id:
            ids |= dict.fromkeys(_pages_of(rejudging, stores), rejudging.version)
    versions = set(ids.values())
    return sum(
        stores.pages.stale.count_older(
            [page_id for page_id, needed in ids.items() if needed == version], corpus_version=version
        )
        for version in versions
    )


def _pages_of(rejudging: Rejudging, stores: Stores) -> Iterator[str]:
    """Yield the ids of the pages that have a match of a work, and that a licence of the site applies to."""
    licence = SiteLicence(site=rejudging.site)
    pages = {
        page_id
        for page_id, site, url in stores.matches.places_of_work(rejudging.work_id)
        if may_publish(licence, host_of(url), site)
    }
    yield from sorted(pages)
