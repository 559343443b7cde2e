"""Waits until a host may be asked: the pace is kept over all processes and machines.

The gap is the source's delay or robots.txt's Crawl-delay, whichever is longer. A request that was put off (a
retry) waits for its time as well. AutoThrottle goes on top of this where the source does not say how many
requests may be under way: it slows this process down when a site answers slowly. Nothing waits for a turn
that comes after the crawl's time.
"""

import asyncio
import time
from math import inf
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from scrapy import signals

from crawler.failures import CrawlTimeOver, HostileResponse, PauseTooLong, SiteRefuses
from crawler.job import job_of
from crawler.meta import NOT_BEFORE, UNPACED
from system.sites import host_of

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.robotstxt import RobotParser

_CLOSING_S = 1.0  # after the crawl's time the spider is closed, and nothing else is begun
_UNHELD_S = 1.0  # how long a host without a gap counts as not held


class PaceMiddleware:
    """Asks the shared pace before each request, robots.txt and further parts included."""

    def __init__(self, crawler: "Crawler") -> None:
        self._crawler = crawler
        self._crawl_delays: dict[str, float] = {}
        self._reserved_at: dict[str, float] = {}
        self._ends_at = inf
        self._user_agent = crawler.settings["USER_AGENT"]

    @classmethod
    def from_crawler(cls, crawler: "Crawler") -> "PaceMiddleware":
        """Build the middleware and listen for robots.txt files."""
        middleware = cls(crawler)
        crawler.signals.connect(middleware.record_end, signal=signals.spider_opened)
        crawler.signals.connect(middleware.record_crawl_delay, signal=signals.robots_parsed)
        return middleware

    def record_end(self) -> None:
        """Note when the crawl's time will be over, and its spider closed."""
        seconds = self._crawler.settings.getfloat("CLOSESPIDER_TIMEOUT")
        if seconds:
            self._ends_at = time.monotonic() + job_of(self._crawler).seconds_left(seconds) + _CLOSING_S

    def record_crawl_delay(self, robotparser: "RobotParser", request: "Request") -> None:
        """Take a Crawl-delay into account."""
        delay = robotparser.crawl_delay(self._user_agent)
        if delay:
            self._crawl_delays[pace_key(request)] = float(delay)

    async def process_request(self, request: "Request") -> None:
        """Wait for the request's turn.

        Raises:
            HostileResponse: the site's pages took the readers too long.
            SiteRefuses: the site turned us away too often.
            CrawlTimeOver: it would have to wait longer than the crawl lasts.
            PauseTooLong: it would have to wait longer than ``crawler.max_wait_s``.
        """
        if request.meta.get(UNPACED):
            return
        job = job_of(self._crawler)
        if job.readers.is_over_budget(request.url):
            raise HostileResponse("its pages wore out the readers")
        if job.refused_hosts and host_of(request.url) in job.refused_hosts:
            raise SiteRefuses("refused")
        put_off_s = max(0.0, request.meta.pop(NOT_BEFORE, 0.0) - time.monotonic())
        if put_off_s:
            await asyncio.sleep(put_off_s)
        host = pace_key(request)
        own_s = job.settings.delay_s if job.source.delay_s is None else job.source.delay_s
        gap_s = max(own_s, self._crawl_delays.get(host, 0.0))
        if gap_s > max(own_s, job.settings.max_wait_s):
            raise PauseTooLong("crawl-delay")
        job.record_crawl_delay(request.url, gap_s)
        if gap_s == 0 and time.monotonic() - self._reserved_at.get(host, -_UNHELD_S) < _UNHELD_S:
            return
        self._reserved_at[host] = time.monotonic()
        wait_s = await job.store(job.pace.reserve, host, gap_s=gap_s)
        await self._wait(wait_s)

    async def _wait(self, seconds: float) -> None:
        left_s = max(0.0, self._ends_at - time.monotonic())
        await asyncio.sleep(min(seconds, left_s))
        if seconds > left_s:
            raise CrawlTimeOver("the crawl's time is over")


def pace_key(request: "Request") -> str:
    """Return host and port, the unit that a pace is kept for."""
    parts = urlsplit(request.url)
    return f"{parts.hostname}:{parts.port}" if parts.port else str(parts.hostname)
