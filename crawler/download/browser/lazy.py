"""The download handler for sources where only some pages need a browser.

Scrapy creates one handler for each scheme. Both use plain HTTP and share one browser handler. It is imported
and started with the first request that must be rendered.
"""

import asyncio
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from crawler.download.handler import BoundedHTTPHandler
from crawler.meta import RENDER

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response

    from crawler.download.browser.handler import BrowserHandler


class _SharedBrowser:
    """The browser of one crawl, started when it is needed."""

    def __init__(self, crawler: "Crawler") -> None:
        self._crawler = crawler
        self._lock = asyncio.Lock()
        self.handler: BrowserHandler | None = None

    async def started(self) -> "BrowserHandler":
        """Return the browser's handler; the first call starts its driver.

        Raises:
            BrowserFailed: the driver does not start.
        """
        async with self._lock:
            if self.handler is None:
                from crawler.download.browser.handler import BrowserHandler  # noqa: PLC0415 - see above

                handler = BrowserHandler.from_crawler(self._crawler)
                await handler.start_late()
                self.handler = handler
        return self.handler


_browsers: "WeakKeyDictionary[Crawler, _SharedBrowser]" = WeakKeyDictionary()


class LazyBrowserHandler(BoundedHTTPHandler):
    """Downloads over plain HTTP; renders the requests that ask for it in the browser."""

    def __init__(self, crawler: "Crawler") -> None:
        super().__init__(crawler)
        self._browser = _browsers.setdefault(crawler, _SharedBrowser(crawler))

    @classmethod
    def from_crawler(cls, crawler: "Crawler") -> "LazyBrowserHandler":
        """Return a handler."""
        return cls(crawler)

    async def download_request(self, request: "Request") -> "Response":
        """Download a request.

        Raises:
            BrowserFailed: the browser does not start.
            Exception: as a download raises it, see :mod:`crawler.failures`.
        """
        if not request.meta.get(RENDER):
            return await super().download_request(request)
        handler: Any = await self._browser.started()
        response: Response = await handler.download_request(request)
        return response

    async def close(self) -> None:
        """Close all connections, and the browser if it was started."""
        await super().close()
        if self._browser.handler is not None:
            await self._browser.handler.close()
