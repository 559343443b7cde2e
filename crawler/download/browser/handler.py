"""The download handler of a source that is rendered: a browser for its pages, the crawl's own for all else.

scrapy-playwright keeps browser, contexts and pages; what is done with a page is in ``page``. Scrapy makes one
handler for each scheme, so that both are this one; there is one browser in a process.

A page at an inner address of the source's own gets nothing but what is at such addresses, any other page
nothing that is: so their contexts are apart, and no page of one kind leads the browser to the other.

A source that keeps cookies has one browser context for each of its identities, seeded with the cookies of the
crawl (its login's too); else every page has a context of its own, so that none finds what another one left.
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

from crawler.addresses import site_of
from crawler.download.browser.chromium import launch_options
from crawler.download.browser.messages import cookies_of, headers_for, received_of, response_fields
from crawler.download.browser.page import PageVisit, Shown
from crawler.download.confidential import Confidential, confidential_of
from crawler.download.forwarding.judging import judge_by, resolved
from crawler.download.forwarding.proxy import ClientLimits, ForwardProxy
from crawler.download.handler import BoundedHTTPHandler
from crawler.download.private_places import Inner, place_of
from crawler.failures import SiteRefuses, error_of
from crawler.job import job_of
from crawler.meta import FROM_BROWSER, RECEIVED, RENDER

if TYPE_CHECKING:
    from scrapy import Request, Spider
    from scrapy.crawler import Crawler
    from scrapy.http import Response

_PAGES = 4  # open at once
_PAGE_BYTES = 64 * 1024 * 1024  # that one page may receive, all that it is made of together
_SHOWING_S = 20.0  # beyond the time for the document
_CLOSING_S = 5.0
_LOOK_S = 1.0
_MAX_MEMORY = 1536 * 1024 * 1024  # of one process that holds pages
_MAX_FOLDER = 40
_VIEWPORT = {"width": 1280, "height": 900}


class BrowserHandler(ScrapyPlaywrightDownloadHandler, BoundedHTTPHandler):  # type: ignore[misc]
    """Downloads by browser what asks for it."""

    lazy = False
    _made: ClassVar["WeakKeyDictionary[Crawler, BrowserHandler]"] = WeakKeyDictionary()

    def __init__(self, crawler: "Crawler") -> None:
        super().__init__(crawler)
        settings = crawler.settings
        self._inner: Inner = settings["PINDNA_PRIVATE_PLACES"]
        self.guard = ForwardProxy(judge_by(resolved), refuses_peer=self._inner.refuses_peer)
        self._shut_in = ClientLimits(judge=judge_by(resolved, places=self._inner.own, is_shut_in=True))
        self.process_request_headers = headers_for
        self._path = Path(settings["PINDNA_BROWSER"])
        self._agent = str(settings["USER_AGENT"])
        self._keeps_cookies = settings.getbool("COOKIES_ENABLED")
        self._takes_pictures = settings.getbool("PINDNA_SCREENSHOT")
        self._most_bytes = settings.getint("DOWNLOAD_MAXSIZE")
        self._timeout_s = settings.getfloat("DOWNLOAD_TIMEOUT")
        self._visits: dict[Page, PageVisit] = {}
        self._numbers = itertools.count(1)
        self._turns = asyncio.Semaphore(_PAGES)
        self._folder = tempfile.TemporaryDirectory(
            prefix="pindna-browser-", dir=_short(tempfile.gettempdir()), ignore_cleanup_errors=True
        )
        self._watch: asyncio.Task[None] | None = None
        self._is_closed = False

    @classmethod
    def from_crawler(cls, crawler: "Crawler") -> "BrowserHandler":
        """Return the crawl's handler, the same for both schemes."""
        if crawler not in cls._made:
            cls._made[crawler] = cls(crawler)
        return cls._made[crawler]

    async def _launch(self) -> None:
        await self.guard.start()
        self.config.launch_options = launch_options(
            self._path, proxy=self.guard.url, folder=self._folder.name, agent=self._agent
        )
        await super()._launch()
        self._watch = asyncio.create_task(self._watch_memory())

    async def close(self) -> None:
        """End the browser and all that belongs to it; the second scheme's call finds it done."""
        if self._is_closed:
            return
        self._is_closed = True
        if self._watch is not None:
            self._watch.cancel()
        await self.guard.close()
        with suppress(Error):
            await super().close()
        self._folder.cleanup()

    async def download_request(self, request: "Request") -> "Response":
        """Download a request, in the browser when it asks to be rendered.

        Raises:
            BrowserFailed: it does not start.
            Exception: as a download does, see :mod:`crawler.failures`.
        """
        if not request.meta.get(RENDER):
            request.meta.pop("playwright", None)
            response: Response = await super().download_request(request)
            return response
        async with self._turns:
            job = job_of(self._crawler)
            if site_of(request.url) in job.refused_sites:  # it turned us away while this one waited
                raise SiteRefuses("refused")
            is_inner = place_of(request.url) in self._inner.own
            name = self._context_name(request) + ("-inner" if is_inner else "")
            self.guard.grant(
                name, most_bytes=_PAGE_BYTES, terms=self._shut_in if is_inner else ClientLimits()
            )
            request.meta.update(
                playwright=True,
                playwright_context=name,
                playwright_context_kwargs=self._context(name),
            )
            try:
                return await self._download(request)
            finally:
                if not self._keeps_cookies:
                    await self._leave(name)

    async def _download(self, request: "Request") -> "Response":
        try:
            async with asyncio.timeout(self._timeout_s + _SHOWING_S):
                response: Response = await super().download_request(request)
                return response
        except TimeoutError as error:
            raise error_of("timeout") from error
        except Error as error:  # a page or a browser that died under us
            raise error_of("other") from error

    def _context_name(self, request: "Request") -> str:
        if self._keeps_cookies:
            return f"jar-{request.meta.get('cookiejar', 0)}"
        return f"page-{next(self._numbers)}"

    def _context(self, name: str) -> dict[str, Any]:
        return {
            "accept_downloads": False,
            "locale": "zh-CN",
            "proxy": {"server": self.guard.url, "username": name, "password": self.guard.password},
            "service_workers": "block",
            "viewport": _VIEWPORT,
        }

    async def _download_request_with_page(
        self,
        request: "Request",
        page: Page,
        spider: "Spider",  # noqa: ARG002 - scrapy-playwright's signature
    ) -> "Response":
        """Show the page and hand on what came of it."""
        began = time.monotonic()
        visit = PageVisit(
            page=page,
            url=request.url,
            passed=self.guard.grant(request.meta["playwright_context"], most_bytes=0),
            most_bytes=self._most_bytes,
            timeout_s=self._timeout_s,
            screenshot=self._takes_pictures and request.meta[RENDER] == "text",
        )
        self._visits[page] = visit
        try:
            page.on("popup", _close)
            await page.route("**", lambda route: visit.decide(route))  # noqa: PLW0108 - see _listen
            await page.context.add_cookies(await cookies_of(request, page.context))
            session = await page.context.new_cdp_session(page)
            shown = await visit.show(session)
            # AutoThrottle goes by how fast the site answers, not by how long a page is looked at.
            request.meta["download_latency"] = visit.answered - began
            return self._response(request, visit, shown)
        finally:
            self._visits.pop(page, None)
            await self._close_page(page)

    def _response(self, request: "Request", visit: PageVisit, shown: Shown) -> "Response":
        parts = visit.passed.addresses
        received = received_of(
            shown, addresses=parts, browser=f"Chromium {self._version()}", confidential=self._confidential
        )
        request.meta[RECEIVED] = received
        fields = response_fields(shown)
        kind = responsetypes.from_args(headers=fields["headers"], url=fields["url"], body=fields["body"])
        return kind(request=request, flags=[FROM_BROWSER], **fields)

    @cached_property
    def _confidential(self) -> Confidential:
        return confidential_of(job_of(self._crawler).source)

    def _version(self) -> str:
        return str(self.browser.version) if hasattr(self, "browser") else ""

    async def _close_page(self, page: Page) -> None:
        """Close a page; one that does not let itself be closed takes the browser with it."""
        try:
            async with asyncio.timeout(_CLOSING_S):
                await page.close()
        except (Error, TimeoutError):
            await self._end_browser_unless(page.is_closed())

    async def _leave(self, name: str) -> None:
        """Close a page's context, and let nothing of it out any more."""
        wrapper = self.context_wrappers.get(name)
        closed = True
        try:
            if wrapper is not None:
                async with asyncio.timeout(_CLOSING_S):
                    await wrapper.context.close()
        except (Error, TimeoutError):
            closed = name not in self.context_wrappers
        self.guard.withdraw(name)
        await self._end_browser_unless(closed)

    async def _end_browser_unless(self, well: bool) -> None:  # noqa: FBT001 - read as a sentence
        if well:
            return
        for each in self.browser_provider.renderers():
            with suppress(psutil.Error):
                each.kill()

    async def _watch_memory(self) -> None:
        """End processes of pages that grow beyond all bounds."""
        while True:
            await asyncio.sleep(_LOOK_S)
            if self._visits:
                await asyncio.to_thread(self._end_large)

    def _end_large(self) -> None:
        for each in self.browser_provider.renderers():
            with suppress(psutil.Error):
                if each.memory_info().rss > _MAX_MEMORY:
                    each.kill()


async def _close(page: Page) -> None:
    with suppress(Error):
        await page.close()


def _short(folder: str) -> str:
    """Return a folder whose name leaves room for the browser's socket: its address has 107 bytes."""
    return folder if len(folder) <= _MAX_FOLDER else "/tmp"  # noqa: S108 - what is made there is ours alone
