"""A browser for tests: an absent one skips a test locally and fails it in CI."""

import asyncio
import json
import os
import re
import tempfile

import pytest

from crawler.download.browser.chromium import browser_path, has_driver, launch_options
from crawler.exchange import HIDDEN_MARK, SHOWN_TYPE
from crawler.extraction.parsing import parse
from storage.settings import CrawlerSettings

if has_driver():
    from playwright.async_api import async_playwright

    from crawler.download.browser.capturing import Capturer
    from crawler.download.browser.settling import Settler

_ADDRESS = "http://page.test/"


def require_browser():
    """Return its path."""
    path = browser_path(CrawlerSettings())
    if path is None or not has_driver():
        (pytest.fail if os.environ.get("CI") else pytest.skip)("no chromium, or no extra “browser”")
    return path


_TYPES = {"css": "text/css", "js": "text/javascript", "txt": "text/plain"}


class RenderedPage:
    """A page as the crawler's browser captured it: the lines that a reader sees, and what is not seen."""

    def __init__(self, body):
        self.body = body
        scripts = re.findall(rf'<script type="{re.escape(SHOWN_TYPE)}">(.*?)</script>', body, re.DOTALL)
        (script,) = scripts
        shown = json.loads(script)
        self.lines = [line["text"] for line in shown["lines"]]
        self.rows, self.unread = shown["lines"], shown["unread"]
        self.tree = parse(body)

    @property
    def hidden(self):
        """The texts of the topmost elements that are marked as hidden."""
        found = self.tree.xpath(f"//*[@{HIDDEN_MARK}][not(ancestor::*[@{HIDDEN_MARK}])]")
        return ["".join(each.itertext()).strip() for each in found]


class BrowserTab:
    """Captures pages as a crawl does, without its proxy; any host's addresses are answered from ``pages``."""

    def __init__(self):
        path = require_browser()
        self._runner = asyncio.Runner()
        self._runner.run(self._open(path))

    async def _open(self, path):
        self._folder = tempfile.TemporaryDirectory(prefix="tab-", ignore_cleanup_errors=True)
        options = launch_options(path, proxy="", folder=self._folder.name, agent="pindna")
        self._driver = await async_playwright().start()
        self._browser = await self._driver.chromium.launch(**{**options, "proxy": None})

    def capture(self, body, *, pages=None, max_chars=8_000_000, width=1280):
        """Return a page of ``body``, in whose frames ``pages`` are, by their address."""
        return RenderedPage(self._runner.run(self._capture(body, pages or {}, max_chars, width)))

    async def _capture(self, body, pages, max_chars, width):
        context = await self._browser.new_context(viewport={"width": width, "height": 900})
        page = await context.new_page()

        async def answer(route):
            url = route.request.url
            content = body if url == _ADDRESS else pages.get(url)
            if content is None:
                await route.abort()
                return
            kind = _TYPES.get(url.rpartition(".")[2], "text/html")
            await route.fulfill(body=content, content_type=f"{kind}; charset=utf-8")

        await page.route("**", answer)
        await page.goto(_ADDRESS, wait_until="commit")
        session = await context.new_cdp_session(page)
        tree = await session.send("Page.getFrameTree")
        settler = Settler(session, tree["frameTree"]["frame"]["id"])
        await settler.wait_until_settled(max_chars=max_chars, is_busy=lambda: False, is_left=lambda: False)
        found = await Capturer(page, session, settler, is_busy=lambda: False).capture(max_chars=max_chars)
        await context.close()
        return found

    def close(self):
        """End the browser."""
        self._runner.run(self._browser.close())
        self._runner.run(self._driver.stop())
        self._runner.close()
        self._folder.cleanup()
