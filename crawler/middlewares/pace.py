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

from crawler.addresses import site_of
from crawler.failures import Hostile, SiteRefuses, TimeIsUp, TooLongAWait
from crawler.job import job_of
from crawler.meta import NOT_BEFORE, UNPACED

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.robotstxt import RobotParser

_AFTER_S = 1.0  # that the spider is closed by then, and nothing else is begun in its place
_LOOK_S = 1.0  # how long a host without a gap counts as not held


class PaceMiddleware:
    """Asks the shared pace before each request, robots.txt and further parts included."""

    def __init__(self, crawler: "Crawler") -> None:
        self._crawler = crawler
        self._gaps: dict[str, float] = {}
        self._looked: dict[str, float] = {}
        self._ends = inf
        self._user_agent = crawler.settings["USER_AGENT"]

    @classmethod
    def from_crawler(cls, crawler: "Crawler") -> "PaceMiddleware":
        """Build the middleware and listen for robots.txt files."""
        middleware = cls(crawler)
        crawler.signals.connect(middleware.opened, signal=signals.spider_opened)
        crawler.signals.connect(middleware.robots_parsed, signal=signals.robots_parsed)
        return middleware

    def opened(self) -> None:
        """Note when the crawl's time will be over, and its spider closed."""
        seconds = self._crawler.settings.getfloat("CLOSESPIDER_TIMEOUT")
        if seconds:
            self._ends = time.monotonic() + seconds + _AFTER_S

    def robots_parsed(self, robotparser: "RobotParser", request: "Request") -> None:
        """Take a Crawl-delay into account."""
        delay = robotparser.crawl_delay(self._user_agent)
        if delay:
            self._gaps[host_of(request)] = float(delay)

    async def process_request(self, request: "Request") -> None:
        """Wait for the request's turn.

        Raises:
            Hostile: the site's pages took the readers too long.
            SiteRefuses: the site turned us away too often.
            TimeIsUp: it would have to wait longer than the crawl lasts.
            TooLongAWait: it would have to wait longer than ``crawler.max_wait_s``.
        """
        if request.meta.get(UNPACED):
            return
        job = job_of(self._crawler)
        if job.readers.is_over_budget(request.url):
            raise Hostile("its pages wore out the readers")
        if job.refused and site_of(request.url) in job.refused:
            raise SiteRefuses("refused")
        put_off = max(0.0, request.meta.pop(NOT_BEFORE, 0.0) - time.monotonic())
        if put_off:
            await asyncio.sleep(put_off)
        host = host_of(request)
        own = job.settings.delay_s if job.source.delay_s is None else job.source.delay_s
        gap_s = max(own, self._gaps.get(host, 0.0))
        if gap_s > max(own, job.settings.max_wait_s):
            raise TooLongAWait("crawl-delay")
        job.note_gap(request.url, gap_s)
        if gap_s == 0 and time.monotonic() - self._looked.get(host, -_LOOK_S) < _LOOK_S:
            return
        self._looked[host] = time.monotonic()
        wait_s = await job.store(job.pace.reserve, host, gap_s=gap_s)
        await self._wait(wait_s)

    async def _wait(self, seconds: float) -> None:
        left_s = max(0.0, self._ends - time.monotonic())
        await asyncio.sleep(min(seconds, left_s))
        if seconds > left_s:
            raise TimeIsUp("the crawl's time is over")


def host_of(request: "Request") -> str:
    """Return host and port, the unit that a pace is kept for."""
    parts = urlsplit(request.url)
    return f"{parts.hostname}:{parts.port}" if parts.port else str(parts.hostname)
