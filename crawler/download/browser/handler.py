"""The download handler of rendered sources: a browser for pages, plain HTTP for everything else.

scrapy-playwright manages browser, contexts and pages; ``page`` handles one page. Scrapy requires a handler
for each scheme; both are the same object here, so a process has one browser.

A page at an allowed private address loads only from such addresses, and any other page never from them.
Their browser contexts are separate.

A source with cookies has one browser context for each identity, which starts with the cookies of the crawl,
including those of its login. Otherwise every page has a separate context and sees no state of other pages.
"""

import asyncio
import itertools
import tempfile
import time
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar
from weakref import WeakKeyDictionary

import psutil
from playwright.async_api import Error, Page
from scrapy.responsetypes import responsetypes
from scrapy_playwright.handler import ScrapyPlaywrightDownloadHandler

from crawler.download.browser.chromium import launch_options
from crawler.download.browser.messages import cookies_of, headers_for, received_of, response_fields
from crawler.download.browser.page import BrowserResult, PageVisit
from crawler.download.confidential import ConfidentialValues, confidential_of
from crawler.download.forwarding.lookup import resolve_name, safe_lookup
from crawler.download.forwarding.proxy import ClientLimits, ForwardProxy
from crawler.download.handler import BoundedHTTPHandler
from crawler.download.private_allowlist import PrivateAllowlist, host_port_of
from crawler.failures import SiteRefuses, error_of
from crawler.job import job_of
from crawler.meta import FROM_BROWSER, RECEIVED, RENDER
from system.sites import host_of

if TYPE_CHECKING:
    from scrapy import Request, Spider
    from scrapy.crawler import Crawler
    from scrapy.http import Response

_PAGES = 4  # maximum number of pages that are open at once
_PAGE_BYTES = 64 * 1024 * 1024  # maximum bytes that one page may receive
_RENDERING_S = 40.0  # time for rendering, in addition to the time limit of the document
_CLOSING_S = 5.0
_MEMORY_CHECK_S = 1.0
_MAX_MEMORY = 1536 * 1024 * 1024  # maximum memory of one renderer process
_MAX_FOLDER = 40
_VIEWPORT = {"width": 1280, "height": 900}


class BrowserHandler(ScrapyPlaywrightDownloadHandler, BoundedHTTPHandler):  # type: ignore[misc]
    """Renders the requests that ask for it in the browser, and downloads the rest over plain HTTP."""

    lazy = False
    _by_crawler: ClassVar["WeakKeyDictionary[Crawler, BrowserHandler]"] = WeakKeyDictionary()

    def __init__(self, crawler: "Crawler") -> None:
        super().__init__(crawler)
        settings = crawler.settings
        self._private: PrivateAllowlist = settings["PINDNA_PRIVATE_ALLOWLIST"]
        self.proxy = ForwardProxy(safe_lookup(resolve_name), refuses_peer=self._private.refuses_peer)
        self._private_limits = ClientLimits(
            lookup=safe_lookup(resolve_name, allowed=self._private.source_hosts, only_allowed=True)
        )
        self.process_request_headers = headers_for
        self._path = Path(settings["PINDNA_BROWSER"])
        self._agent = str(settings["USER_AGENT"])
        self._keeps_cookies = settings.getbool("COOKIES_ENABLED")
        self._takes_screenshots = settings.getbool("PINDNA_SCREENSHOT")
        self._max_bytes = settings.getint("DOWNLOAD_MAXSIZE")
        self._timeout_s = settings.getfloat("DOWNLOAD_TIMEOUT")
        self._visits: dict[Page, PageVisit] = {}
        self._numbers = itertools.count(1)
        self._slots = asyncio.Semaphore(_PAGES)
        self._folder = tempfile.TemporaryDirectory(
            prefix="pindna-browser-", dir=_short_folder(tempfile.gettempdir()), ignore_cleanup_errors=True
        )
        self._watch: asyncio.Task[None] | None = None
        self._is_closed = False

    @classmethod
    def from_crawler(cls, crawler: "Crawler") -> "BrowserHandler":
        """Return the crawl's handler, the same for both schemes."""
        if crawler not in cls._by_crawler:
            cls._by_crawler[crawler] = cls(crawler)
        return cls._by_crawler[crawler]

    async def start_late(self) -> None:
        """Start the driver in a running crawl, after Scrapy's start signal."""
        await self._launch()

    async def _launch(self) -> None:
        await self.proxy.start()
        self.config.launch_options = launch_options(
            self._path, proxy=self.proxy.url, folder=self._folder.name, agent=self._agent
        )
        await super()._launch()
        self._watch = asyncio.create_task(self._watch_memory())

    async def close(self) -> None:
        """End the browser and its processes; the call of the second scheme does nothing."""
        if self._is_closed:
            return
        self._is_closed = True
        if self._watch is not None:
            self._watch.cancel()
        await self.proxy.close()
        with suppress(Error):
            await super().close()
        self._folder.cleanup()

    async def download_request(self, request: "Request") -> "Response":
        """Download a request, in the browser if it must be rendered.

        Raises:
            BrowserFailed: the browser does not start.
            Exception: as a download raises it, see :mod:`crawler.failures`.
        """
        if not request.meta.get(RENDER):
            request.meta.pop("playwright", None)
            response: Response = await super().download_request(request)
            return response
        async with self._slots:
            job = job_of(self._crawler)
            if host_of(request.url) in job.refused_hosts:  # the site refused us while this request waited
                raise SiteRefuses("refused")
            is_private = host_port_of(request.url) in self._private.source_hosts
            name = self._context_name(request) + ("-private" if is_private else "")
            self.proxy.admit(
                name, max_bytes=_PAGE_BYTES, limits=self._private_limits if is_private else ClientLimits()
            )
            request.meta.update(
                playwright=True,
                playwright_context=name,
                playwright_context_kwargs=self._context_options(name),
            )
            try:
                return await self._download(request)
            finally:
                if not self._keeps_cookies:
                    await self._close_context(name)

    async def _download(self, request: "Request") -> "Response":
        try:
            async with asyncio.timeout(self._timeout_s + _RENDERING_S):
                response: Response = await super().download_request(request)
                return response
        except TimeoutError as error:
            raise error_of("timeout") from error
        except Error as error:  # the page or the browser was closed
            raise error_of("other") from error

    def _context_name(self, request: "Request") -> str:
        if self._keeps_cookies:
            return f"jar-{request.meta.get('cookiejar', 0)}"
        return f"page-{next(self._numbers)}"

    def _context_options(self, name: str) -> dict[str, Any]:
        return {
            "accept_downloads": False,
            "locale": "zh-CN",
            "proxy": {"server": self.proxy.url, "username": name, "password": self.proxy.password},
            "service_workers": "block",
            "viewport": _VIEWPORT,
        }

    async def _download_request_with_page(
        self,
        request: "Request",
        page: Page,
        spider: "Spider",  # noqa: ARG002 - scrapy-playwright's signature
    ) -> "Response":
        """Render the page and return the response."""
        began = time.monotonic()
        visit = PageVisit(
            page=page,
            url=request.url,
            client=self.proxy.admit(request.meta["playwright_context"], max_bytes=0),
            max_bytes=self._max_bytes,
            timeout_s=self._timeout_s,
            screenshot=self._takes_screenshots and request.meta[RENDER] == "text",
        )
        self._visits[page] = visit
        try:
            page.on("popup", _close)
            await page.route("**", lambda route: visit.decide_route(route))  # noqa: PLW0108 - see _listen
            await page.context.add_cookies(await cookies_of(request, page.context))
            session = await page.context.new_cdp_session(page)
            result = await visit.show(session)
            # AutoThrottle needs the response time of the site, without the time for rendering.
            request.meta["download_latency"] = visit.answered_at - began
            return self._response_for(request, visit, result)
        finally:
            self._visits.pop(page, None)
            await self._close_page(page)

    def _response_for(self, request: "Request", visit: PageVisit, result: BrowserResult) -> "Response":
        received = received_of(
            result,
            addresses=visit.client.addresses,
            browser=f"Chromium {self._browser_version()}",
            confidential=self._confidential_values,
        )
        request.meta[RECEIVED] = received
        fields = response_fields(result)
        kind = responsetypes.from_args(headers=fields["headers"], url=fields["url"], body=fields["body"])
        return kind(request=request, flags=[FROM_BROWSER], **fields)

    @cached_property
    def _confidential_values(self) -> ConfidentialValues:
        return confidential_of(job_of(self._crawler).source)

    def _browser_version(self) -> str:
        return str(self.browser.version) if hasattr(self, "browser") else ""

    async def _close_page(self, page: Page) -> None:
        """Close a page; kill the renderer processes if that fails."""
        try:
            async with asyncio.timeout(_CLOSING_S):
                await page.close()
        except (Error, TimeoutError):
            if not page.is_closed():
                self._kill_renderers()

    async def _close_context(self, name: str) -> None:
        """Close the context of a page, and dismiss its client."""
        wrapper = self.context_wrappers.get(name)
        is_closed = True
        try:
            if wrapper is not None:
                async with asyncio.timeout(_CLOSING_S):
                    await wrapper.context.close()
        except (Error, TimeoutError):
            is_closed = name not in self.context_wrappers
        self.proxy.dismiss(name)
        if not is_closed:
            self._kill_renderers()

    def _kill_renderers(self) -> None:
        for process in self.browser_provider.renderers():
            with suppress(psutil.Error):
                process.kill()

    async def _watch_memory(self) -> None:
        """Kill renderer processes that need too much memory."""
        while True:
            await asyncio.sleep(_MEMORY_CHECK_S)
            if self._visits:
                await asyncio.to_thread(self._kill_large)

    def _kill_large(self) -> None:
        for process in self.browser_provider.renderers():
            with suppress(psutil.Error):
                if process.memory_info().rss > _MAX_MEMORY:
                    process.kill()


async def _close(page: Page) -> None:
    with suppress(Error):
        await page.close()


def _short_folder(folder: str) -> str:
    """Return a folder whose name is short enough for the browser's socket path of 107 bytes."""
    return folder if len(folder) <= _MAX_FOLDER else "/tmp"  # noqa: S108 - the new folder is private
