"""What follows for crawls that run when a source is disabled."""

from storage.collections.stores import Stores
from storage.records import Source


def end_crawls_if_disabled(stores: Stores, before: Source, after: Source) -> None:
    """End the crawls of a source that is disabled now and was not before.

    A worker sees it within two seconds and ends the process of the crawl; a crawl that waits for a worker is
    over at once. What was fetched is kept and compared, and the scan shows why the crawl ended. A source that
    was disabled before and is crawled by its name is still crawled.

    Args:
        stores: the database, which has the source as it is now.
        before: the source as it was.
        after: as it is now.
    """
    if before.enabled and not after.enabled:
        stores.scans.stop_source(after.name)
