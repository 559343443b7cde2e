"""Stores the crawl's counts every second and at its end; ends a crawl that lost a service or is refused."""

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from scrapy import signals

from storage.errors import PindnaError

if TYPE_CHECKING:
    from scrapy import Spider
    from scrapy.crawler import Crawler

    from crawler.job import Job

_BLOCKED: Final = "blocked"
_SERVICE: Final = "service"
_OURS: Final = frozenset({_BLOCKED, _SERVICE})
_INTERVAL_S: Final = 1.0
_FEW: Final = 40  # kinds of counts; their names come from failures, and should be few


class CountsExtension:
    """Reports to ``scans.set_counts``."""

    def __init__(self, crawler: "Crawler") -> None:
        self._crawler = crawler
        self._task: asyncio.Task[None] | None = None

    @classmethod
    def from_crawler(cls, crawler: "Crawler") -> "CountsExtension":
        """Connect to the spider's beginning and end."""
        extension = cls(crawler)
        crawler.signals.connect(extension.opened, signal=signals.spider_opened)
        crawler.signals.connect(extension.closed, signal=signals.spider_closed)
        return extension

    async def opened(self, spider: "Spider") -> None:
        """Begin to report."""
        self._task = asyncio.create_task(self._report_forever(spider.job))  # type: ignore[attr-defined]

    async def closed(self, spider: "Spider", reason: str) -> None:
        """Report a last time; the task that closes the spider itself must come to its end."""
        if self._task is not None and reason not in _OURS:
            self._task.cancel()
        with suppress(PindnaError):  # the job keeps it, and it decides the exit status
            await self._report(spider.job)  # type: ignore[attr-defined]

    async def _report_forever(self, job: "Job") -> None:
        while job.fatal is None and not job.blocked:
            with suppress(PindnaError):
                await self._report(job)
            await asyncio.sleep(_INTERVAL_S)
        engine = self._crawler.engine
        if engine is not None:
            await engine.close_spider_async(reason=_BLOCKED if job.blocked else _SERVICE)

    async def _report(self, job: "Job") -> None:
        stats = self._crawler.stats
        counts = {
            "pages": job.counts["pages"],
            "unchanged": job.counts["unchanged"],
            "failed": job.counts["failed"],
            **dict(job.counts.most_common(_FEW)),
        }
        for name, stat in (("requests", "request_count"), ("bytes", "response_bytes")):
            own = int(stats.get_value(f"downloader/{stat}", 0)) if stats else 0
            counts[name] = job.earlier[name] + own
        await job.store(job.stores.scans.set_counts, job.crawl_id, counts)
