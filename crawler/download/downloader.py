"""Scrapy's downloader with a strict limit on concurrent requests to a site.

Scrapy 2.19 counts a request one turn of the event loop after it left the queue. So several waiting requests
may start together: up to twice as many as allowed, over connections that are closed right after.
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
    """Counts a request as soon as it leaves the queue."""

    def _wait_for_download(
        self, slot: Slot, request: "Request", queue_dfd: "Deferred[Response]"
    ) -> "Coroutine[Any, Any, None]":
        slot.transferring.add(request)
        return super()._wait_for_download(slot, request, queue_dfd)
