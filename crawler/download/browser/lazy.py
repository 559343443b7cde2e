"""The download handler of a source of whose pages only some need a browser: it starts with the first of them.

Scrapy makes one handler for each scheme. Both are plain HTTP, and share the browser's handler, which is
imported and started when a request asks to be rendered; a crawl without one imports and starts nothing.
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
    """The browser of one crawl, once it is started."""

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
    """Downloads over plain HTTP, and in the browser the requests that ask to be rendered."""

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
            Exception: as a download does, see :mod:`crawler.failures`.
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
