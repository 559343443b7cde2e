"""Ending of running crawls when their source is disabled."""

from storage.collections.stores import Stores
from storage.records import Source


def end_crawls_if_disabled(stores: Stores, before: Source, after: Source) -> None:
    """End the crawls of a source that was just disabled.

    A worker notices within two seconds and ends the crawl's process; a crawl that waits for a worker ends at
    once. Fetched pages are kept and compared, and the scan shows why the crawl ended. A source that was
    already disabled and is crawled by its name continues.

    Args:
        stores: the database, with the source as it is now.
        before: the source as it was.
        after: as it is now.
    """
    if before.enabled and not after.enabled:
        stores.scans.stop_source(after.name)
