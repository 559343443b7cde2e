"""Pages by what they count for: all that are stale wait again at once; those that are current."""

from storage.collections.stale import PARTS
from storage.records import utc_now


def reopen_all(stores, *, corpus_version=None, scan_id="", running=(), count=1_000):
    """Reopen the stale pages of all parts, ``count`` at a time; returns how many."""
    version = stores.versions.current() if corpus_version is None else corpus_version
    total = 0
    for part in range(PARTS):
        is_done = False
        while not is_done:
            number, is_done = stores.pages.stale.reopen(
                part,
                count=count,
                corpus_version=version,
                before=utc_now(),
                scan_id=scan_id,
                running=running,
            )
            total += number
    return total


def current_pages(stores):
    """Return what was seen of each address last."""
    return [page for page in stores.pages.all() if page.standing == "current"]
