"""Extends the leases of the entries that this process works on; a dead process loses its leases."""

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING

from scrapy import signals

from crawler.job import Job, job_of
from system.errors import PindnaError

if TYPE_CHECKING:
    from scrapy.crawler import Crawler


class LeasesExtension:
    """Extends each lease three times in its length."""

    def __init__(self, crawler: "Crawler") -> None:
        self._crawler = crawler
        self._task: asyncio.Task[None] | None = None

    @classmethod
    def from_crawler(cls, crawler: "Crawler") -> "LeasesExtension":
        """Connect to the spider's beginning and end."""
        extension = cls(crawler)
        crawler.signals.connect(extension.start, signal=signals.spider_opened)
        crawler.signals.connect(extension.stop, signal=signals.spider_closed)
        return extension

    async def start(self) -> None:
        """Start to extend leases."""
        self._task = asyncio.create_task(self._extend_forever(job_of(self._crawler)))

    async def stop(self) -> None:
        """Stop; the remaining leases expire."""
        if self._task is not None:
            self._task.cancel()

    async def _extend_forever(self, job: Job) -> None:
        while job.fatal is None:
            await asyncio.sleep(job.settings.frontier_lease_s / 3)
            if job.held_ids:
                with suppress(PindnaError):  # the job stores the error, which ends the crawl
                    await job.store(job.frontier.extend, list(job.held_ids))
