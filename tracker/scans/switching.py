"""What follows when a source is enabled or disabled."""

from storage.collections.stores import Stores
from storage.records import Source


def follow_switch(stores: Stores, before: Source, after: Source) -> None:
    """End the pause of a source that was enabled, or the crawls of one that was disabled.

    A worker sees it within two seconds and ends the process of the crawl; a crawl that waits for a worker is
    over at once. What was fetched is kept and compared, and the scan shows why the crawl ended. A source that
    was disabled before and is crawled by its name is still crawled.

    Args:
        stores: the database, which has the source as it is now.
        before: the source as it was.
        after: as it is now.

    Raises:
        ServiceDown: MongoDB does not answer.
    """
    if after.enabled and not before.enabled:
        stores.health.resume(after.name)
    if before.enabled and not after.enabled:
        stores.scans.stop_source(after.name)
