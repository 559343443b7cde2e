"""Starts and ends Playwright's driver and the browser; if it does not start, the crawl ends with one line."""

import asyncio
from contextlib import suppress
from typing import Any

import psutil
from playwright.async_api import Browser, Error
from scrapy_playwright.provider import PlaywrightBrowserProvider

from crawler.download.browser.chromium import BrowserFailed
from crawler.download.browser.sandbox_check import sends_past_proxy

_CLOSE_S = 15.0
_END_S = 5.0


class Provider(PlaywrightBrowserProvider):  # type: ignore[misc] # it has no types
    """One driver and one browser at a time."""

    async def launch_browser(self) -> Browser:
        """Return a browser.

        Raises:
            BrowserFailed: it does not start, or does not keep to its proxy.
        """
        try:
            browser: Browser = await super().launch_browser()
            problem = "it sends past its proxy" if await sends_past_proxy(browser) else ""
        except (Error, TimeoutError) as error:
            problem = next((line.strip() for line in str(error).splitlines() if line.strip()), "no answer")
            raise self._failure(problem) from error
        if problem:
            await browser.close()
            raise self._failure(problem)
        return browser

    def _failure(self, problem: str) -> BrowserFailed:
        path = self.config.launch_options.get("executable_path", "")
        return BrowserFailed(path=path, problem=problem[:200])

    async def close(self) -> None:
        """End the driver and the browser, and kill what does not end by itself."""
        processes = self.processes()
        with suppress(TimeoutError, Error):
            async with asyncio.timeout(_CLOSE_S):
                await super().close()
        await asyncio.to_thread(_end, processes)

    def processes(self) -> list[psutil.Process]:
        """Return the driver, the browser and its parts."""
        try:
            manager: Any = self.playwright_context_manager
            driver = psutil.Process(manager._connection._transport._proc.pid)  # noqa: SLF001 - no other way to learn it
            return [driver, *driver.children(recursive=True)]
        except (AttributeError, psutil.Error):  # it is not running
            return []

    def renderers(self) -> list[psutil.Process]:
        """Return the processes that hold pages."""
        return [process for process in self.processes() if "--type=renderer" in _command(process)]


def _command(process: psutil.Process) -> list[str]:
    with suppress(psutil.Error):
        return list(process.cmdline())
    return []


def _end(processes: list[psutil.Process]) -> None:
    _, alive = psutil.wait_procs(processes, timeout=_END_S)
    for process in alive:
        with suppress(psutil.Error):
            process.kill()
