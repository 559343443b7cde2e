"""Delays requests to keep the pace of a host across all processes and machines.

The gap is the longer of the source's delay and robots.txt's Crawl-delay. A retry also waits for its own
pause. For a source without a limit on concurrent requests, AutoThrottle adds delays when the site answers
slowly. No request waits beyond the time limit of the crawl.
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

_CLOSING_S = 1.0  # time between the limit of the crawl and the close of its spider
_UNHELD_S = 1.0  # for this time, a host without a gap is not checked again


class PaceMiddleware:
    """Reserves a time for each request, including robots.txt and further parts."""

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
        """Record when the time of the crawl ends and its spider closes."""
        seconds = self._crawler.settings.getfloat("CLOSESPIDER_TIMEOUT")
        if seconds:
            self._ends_at = time.monotonic() + job_of(self._crawler).seconds_left(seconds) + _CLOSING_S

    def record_crawl_delay(self, robotparser: "RobotParser", request: "Request") -> None:
        """Record a Crawl-delay."""
        delay = robotparser.crawl_delay(self._user_agent)
        if delay:
            self._crawl_delays[pace_key(request)] = float(delay)

    async def process_request(self, request: "Request") -> None:
        """Wait for the request's turn.

        Raises:
            HostileResponse: the site has used up its readers' time.
            SiteRefuses: the site refused us too often.
            CrawlTimeOver: the wait is longer than the remaining time of the crawl.
            PauseTooLong: the gap is longer than ``crawler.max_wait_s``.
        """
        if request.meta.get(UNPACED):
            return
        job = job_of(self._crawler)
        if job.readers.is_over_budget(request.url):
            raise HostileResponse("its pages used up the readers' time")
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
        await self._wait_seconds(wait_s)

    async def _wait_seconds(self, seconds: float) -> None:
        left_s = max(0.0, self._ends_at - time.monotonic())
        await asyncio.sleep(min(seconds, left_s))
        if seconds > left_s:
            raise CrawlTimeOver("the crawl's time is over")


def pace_key(request: "Request") -> str:
    """Return host and port, the key of a pace."""
    parts = urlsplit(request.url)
    return f"{parts.hostname}:{parts.port}" if parts.port else str(parts.hostname)
