"""Stores the progress of a crawl every second; ends a crawl that lost a service, is refused, or stalls."""

import asyncio
import os
import time
from contextlib import suppress
from datetime import timedelta
from typing import TYPE_CHECKING

from scrapy import signals

from crawler.job import CrawlStalled, Job, job_of
from storage.frontier.interface import Ending
from storage.records import CUT_OFF, CrawlEnd
from system.bugs import record_bug
from system.child_process import report_error
from system.errors import PindnaError

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

_REFUSED = "refused"
_FAILED = "failed"  # the job contains the reason
_TIME_IS_UP = "closespider_timeout"
_OWN_REASONS = frozenset({_REFUSED, _FAILED})
_INTERVAL_S = 1.0
_GRACE_S = 10.0
# a crawl that ends this shortly before the end of the hours was ended by the hours
_NEARLY_OVER = timedelta(minutes=1)
_MAX_KINDS = 40  # maximum number of different counts; names of failures may add many
_ENDS: dict[str, CrawlEnd] = {
    "finished": "finished",
    _TIME_IS_UP: "time",
}
_READ_ENDINGS: tuple[Ending, ...] = ("list", "new", "unchanged")
_MOVING_STATS = ("downloader/request_count", "response_received_count", "downloader/exception_count")


class ProgressExtension:
    """Stores counts and the end of the crawl with ``scans.record_progress``."""

    def __init__(self, crawler: "Crawler") -> None:
        self._crawler = crawler
        self._task: asyncio.Task[None] | None = None
        self._write: asyncio.Future[None] | None = None
        self._position: tuple[int, ...] = ()
        self._moved_at = time.monotonic()

    @classmethod
    def from_crawler(cls, crawler: "Crawler") -> "ProgressExtension":
        """Connect to the spider's beginning and end."""
        extension = cls(crawler)
        crawler.signals.connect(extension.start, signal=signals.spider_opened)
        crawler.signals.connect(extension.stop, signal=signals.spider_closed)
        return extension

    async def start(self) -> None:
        """Start to report."""
        self._task = asyncio.create_task(self._report_forever(job_of(self._crawler)))

    async def stop(self, reason: str) -> None:
        """Report a last time; let the task finish if it is the one that closes the spider."""
        job = job_of(self._crawler)
        job.end = end_of(job, reason)
        if self._task is not None and reason not in _OWN_REASONS:
            self._task.cancel()
        if self._write is not None:  # a thread that still writes earlier counts must not do so after the last
            await asyncio.wait([self._write])
        with suppress(PindnaError):  # the job stores the error, which determines the exit status
            await self._report_progress(job)

    async def _report_forever(self, job: Job) -> None:
        while job.fatal is None and not job.block_reason:
            with suppress(PindnaError):  # the job stores the error
                await self._end_if_stalled(job)
            await asyncio.sleep(_INTERVAL_S)
        engine = self._crawler.engine
        if engine is not None:
            await engine.close_spider_async(reason=_REFUSED if job.block_reason else _FAILED)

    async def _end_if_stalled(self, job: Job) -> None:
        """Report, and end the crawl if nothing has changed for too long."""
        try:
            ended = await self._report_progress(job)
        except PindnaError:
            raise
        except Exception as error:  # noqa: BLE001 - without reports the tracker would consider the crawl dead
            job.fatal = record_bug(error)
            return
        stats = self._crawler.stats
        position = (ended, *(int(stats.get_value(name, 0)) if stats else 0 for name in _MOVING_STATS))
        now = time.monotonic()
        if position != self._position:
            self._position, self._moved_at = position, now
        elif now - self._moved_at > job.stall_timeout_s:
            await self._end_stalled(job)

    async def _end_stalled(self, job: Job) -> None:
        """End the crawl, and soon afterwards the process, which may hang for the same reason."""
        pending = await job.store(job.frontier.pending)
        stalled = CrawlStalled(source=job.source.name, minutes=round(job.stall_timeout_s / 60), left=pending)
        asyncio.get_running_loop().call_later(_GRACE_S, _end_now, stalled)
        job.fatal, job.end = stalled, "stalled"
        await self._report_progress(job)

    async def _report_progress(self, job: Job) -> int:
        """Store the progress of the crawl; return how many of its addresses are finished."""
        stats = self._crawler.stats
        counts = {
            "pages": job.counts["pages"],
            "unchanged": job.counts["unchanged"],
            "failed": job.counts["failed"],
            **dict(job.counts.most_common(_MAX_KINDS)),
            **{name: job.counts[name] for name in CUT_OFF.values() if job.counts[name]},
        }
        for name, stat in (("requests", "request_count"), ("bytes", "response_bytes")):
            count = int(stats.get_value(f"downloader/{stat}", 0)) if stats else 0
            counts[name] = job.earlier_counts[name] + count
        tally = await job.store(job.frontier.tally)
        job.has_read = any(tally.ended.get(ending) for ending in _READ_ENDINGS)
        self._write = asyncio.ensure_future(
            job.store(
                job.stores.scans.record_progress,
                job.crawl_id,
                counts=counts,
                addresses=tally.numbers,
                end=job.end,
                fault=job.fault,
            )
        )
        await asyncio.shield(self._write)
        return sum(tally.ended.values())


def _end_now(error: PindnaError) -> None:
    """Exit with the usual error line and status."""
    os._exit(report_error(error))


def end_of(job: Job, reason: str) -> CrawlEnd:
    """Return how a crawl ended; errors and refusals take precedence over Scrapy's reason."""
    if job.fatal is not None:
        return "stalled" if isinstance(job.fatal, CrawlStalled) else "service"
    if job.block_reason:
        return "refused"
    if reason == _TIME_IS_UP and job.closes_at and job.clock() >= job.closes_at - _NEARLY_OVER:
        return "hours"
    return _ENDS.get(reason, "stopped")
