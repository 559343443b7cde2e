"""A Scrapy scheduler over the shared frontier.

When Scrapy needs a request, the scheduler leases a few entries from the frontier and converts them. Scrapy
enqueues only continuations of a leased entry (redirects and retries); they wait in memory. The addresses
that spiders find are pushed to the frontier when the pipeline ends the entry of their page.

A process is idle only when no process holds a lease, because entries of a dead process return.
"""

import heapq
import itertools
import time
from typing import TYPE_CHECKING, Any

from scrapy.core.scheduler import BaseScheduler

from crawler.job import job_of
from crawler.meta import SKIP_REASON
from crawler.reasons import GAVE_UP
from storage.frontier.interface import Entry
from system.errors import PindnaError

if TYPE_CHECKING:
    from scrapy import Request, Spider
    from scrapy.crawler import Crawler

    from crawler.spiders.base import SourceSpider

# maximum number of entries leased at once; entries of a dead process wait for the end of their leases
_MAX_LEASED = 8
_ENTRIES_PER_REQUEST = 2  # number of entries in work per allowed concurrent request
_POLL_S = 0.5  # pause between two leases if the frontier was empty


class FrontierScheduler(BaseScheduler):
    """Converts entries of the frontier to requests."""

    def __init__(self, crawler: "Crawler") -> None:
        self._crawler = crawler
        self._continuations: list[tuple[int, int, Request]] = []
        self._order = itertools.count()
        self._leased: list[Entry] = []
        self._polled_at = 0.0
        # whether the leased entry must be the only one, because it may crash this process
        self._is_alone = False

    @classmethod
    def from_crawler(cls, crawler: "Crawler") -> "FrontierScheduler":
        """Build the scheduler; the job is known only once the spider is."""
        return cls(crawler)

    @property
    def _running_spider(self) -> "SourceSpider":
        spider: Any = self._crawler.spider
        source_spider: SourceSpider = spider
        return source_spider

    def open(self, spider: "Spider") -> None:  # noqa: ARG002 - Scrapy's signature
        """Shorten the interval of five seconds at which Scrapy polls; there is no setting for it."""
        engine: Any = self._crawler.engine
        engine._SLOT_HEARTBEAT_INTERVAL = _POLL_S  # noqa: SLF001

    def close(self, reason: str) -> None:  # noqa: ARG002 - Scrapy's signature
        """Release the entries that were not started, so that no process waits for their leases to end."""
        job = job_of(self._crawler)
        if self._leased and job.fatal is None:
            try:
                job.frontier.release([entry.id for entry in self._leased])
            except PindnaError as error:
                job.fatal = error

    def has_pending_requests(self) -> bool:
        """Return whether any request or entry remains, in this process or in another one."""
        job = job_of(self._crawler)
        if self._continuations or self._leased:
            return True
        if job.fatal is not None:
            return False
        try:
            return job.frontier.pending() > 0
        except PindnaError as error:
            job.fatal = error
            return False

    def enqueue_request(self, request: "Request") -> bool:
        """Enqueue a continuation of an entry."""
        heapq.heappush(self._continuations, (-request.priority, next(self._order), request))
        return True

    def next_request(self) -> "Request | None":
        """Return the next request: continuations first, then the frontier's order."""
        if self._continuations:
            return heapq.heappop(self._continuations)[2]
        if not self._leased:
            self._lease_entries()
        if self._continuations:
            return heapq.heappop(self._continuations)[2]
        return self._running_spider.request_for(self._leased.pop(0)) if self._leased else None

    def _lease_entries(self) -> None:
        job, now = job_of(self._crawler), time.monotonic()
        is_early = now - self._polled_at < _POLL_S and not job.has_new_entries
        # Pages that wait for their readers count: they may crash the process.
        room = _ENTRIES_PER_REQUEST * job.settings.concurrent_requests - len(job.held_ids)
        is_alone = self._is_alone and bool(job.held_ids)
        if job.fatal is not None or job.block_reason or is_early or is_alone or room <= 0:
            return
        job.has_new_entries = False
        try:
            leased = job.frontier.lease(min(_MAX_LEASED, room), held=len(job.held_ids))
        except PindnaError as error:
            job.fatal = error
            return
        self._leased, self._is_alone = list(leased.entries), leased.is_alone
        job.held_ids.update(entry.id for entry in leased.entries)
        for entry in leased.given_up:
            job.held_ids.add(entry.id)
            request = self._running_spider.request_for(entry)
            request.meta[SKIP_REASON] = GAVE_UP
            self.enqueue_request(request)
        self._polled_at = 0.0 if leased.entries else now
