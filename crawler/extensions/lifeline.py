"""Ends the crawl when its parent process dies, because no other process would stop it."""

import asyncio
import os
from typing import TYPE_CHECKING

from scrapy import signals

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

_INTERVAL_S = 1.0
_GRACE_S = 3.0  # time for running requests; after it, the process exits in any case
_EXIT_STATUS = 1


class LifelineExtension:
    """Watches the parent's process id, which changes when the parent dies, even before the first check."""

    def __init__(self, crawler: "Crawler") -> None:
        self._crawler = crawler
        self._parent = crawler.settings.getint("PINDNA_PARENT_PID")
        self._task: asyncio.Task[None] | None = None

    @classmethod
    def from_crawler(cls, crawler: "Crawler") -> "LifelineExtension":
        """Connect to the spider's beginning and end."""
        extension = cls(crawler)
        crawler.signals.connect(extension.start, signal=signals.spider_opened)
        crawler.signals.connect(extension.stop, signal=signals.spider_closed)
        return extension

    async def start(self) -> None:
        """Start watching."""
        self._task = asyncio.create_task(self._watch_parent())

    async def stop(self, reason: str) -> None:
        """Stop watching, unless this extension closes the spider."""
        if self._task is not None and reason != "orphaned":
            self._task.cancel()

    async def _watch_parent(self) -> None:
        while os.getppid() == self._parent:  # noqa: ASYNC110 - a dying parent sends no event
            await asyncio.sleep(_INTERVAL_S)
        asyncio.get_running_loop().call_later(_GRACE_S, os._exit, _EXIT_STATUS)
        engine = self._crawler.engine
        if engine is not None:
            await engine.close_spider_async(reason="orphaned")
