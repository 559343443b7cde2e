"""Scrapy's downloader, within the number of requests to a site that may be under way at once.

Scrapy 2.19 counts a request as under way one turn of the event loop after it has left the queue, so several
that wait leave together: up to twice as many as allowed, over connections that are closed right after.
"""

from typing import TYPE_CHECKING

from scrapy.core.downloader import Downloader, Slot

if TYPE_CHECKING:
    from collections.abc import Coroutine
    from typing import Any

    from scrapy import Request
    from scrapy.http import Response
    from twisted.internet.defer import Deferred


class BoundedDownloader(Downloader):
    """Counts a request as under way when it leaves the queue."""

    def _wait_for_download(
        self, slot: Slot, request: "Request", queue_dfd: "Deferred[Response]"
    ) -> "Coroutine[Any, Any, None]":
        slot.transferring.add(request)
        return super()._wait_for_download(slot, request, queue_dfd)
