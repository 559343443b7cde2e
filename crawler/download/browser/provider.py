"""Starts and ends Playwright's driver and the browser; a failed start ends the crawl with an error."""

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
    """Manages one driver and one browser at a time."""

    async def launch_browser(self) -> Browser:
        """Return a browser.

        Raises:
            BrowserFailed: the browser does not start, or bypasses its proxy.
        """
        try:
            browser: Browser = await super().launch_browser()
            problem = "it bypasses its proxy" if await sends_past_proxy(browser) else ""
        except (Error, TimeoutError) as error:
            problem = next((line.strip() for line in str(error).splitlines() if line.strip()), "no answer")
            raise self._launch_failure(problem) from error
        if problem:
            await browser.close()
            raise self._launch_failure(problem)
        return browser

    def _launch_failure(self, problem: str) -> BrowserFailed:
        path = self.config.launch_options.get("executable_path", "")
        return BrowserFailed(path=path, problem=problem[:200])

    async def close(self) -> None:
        """End the driver and the browser; kill processes that do not end."""
        processes = self.processes()
        with suppress(TimeoutError, Error):
            async with asyncio.timeout(_CLOSE_S):
                await super().close()
        await asyncio.to_thread(_end_processes, processes)

    def processes(self) -> list[psutil.Process]:
        """Return the processes of the driver and the browser."""
        try:
            manager: Any = self.playwright_context_manager
            driver = psutil.Process(manager._connection._transport._proc.pid)  # noqa: SLF001 - there is no public way
            return [driver, *driver.children(recursive=True)]
        except (AttributeError, psutil.Error):  # the driver is not running
            return []

    def renderers(self) -> list[psutil.Process]:
        """Return the renderer processes."""
        return [process for process in self.processes() if "--type=renderer" in _browser_command(process)]


def _browser_command(process: psutil.Process) -> list[str]:
    with suppress(psutil.Error):
        return list(process.cmdline())
    return []


def _end_processes(processes: list[psutil.Process]) -> None:
    _, alive = psutil.wait_procs(processes, timeout=_END_S)
    for process in alive:
        with suppress(psutil.Error):
            process.kill()
