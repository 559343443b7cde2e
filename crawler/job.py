"""One crawl of one source: its task, its progress and its shared objects.

The spider receives the job as an argument; scheduler, pipelines, middlewares and extensions reach it through
the spider. Stores block, so :meth:`Job.store` runs every call to them in a thread.
"""

import asyncio
import hashlib
import json
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime, timedelta
from math import ceil, inf
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from crawler.bans import BanDetector, SiteAnswer
from crawler.extraction import EXTRACTION_VERSION, PageContext
from crawler.extraction.template import NO_TEMPLATE, Template
from crawler.protected_sentences import removable_sentences
from crawler.readers.pool import ReaderPool
from crawler.reasons import advice_on, fault_of
from storage.collections.stores import Stores
from storage.frontier.interface import Frontier, Pace
from storage.records import CrawlEnd, Fault, Source, moment_text, utc_now
from storage.settings import CrawlerSettings
from system.errors import PindnaError
from system.exit_status import ExitStatus
from system.sites import host_of

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

HOURS_MARGIN = timedelta(seconds=2)  # no request starts within this time before the end of a source's hours

P = ParamSpec("P")
R = TypeVar("R")


class SourceUnreadable(PindnaError):
    """No start address could be fetched.

    Attributes:
        source, url, problem, advice: the first failure and what to do about it.
    """

    template = "Cannot crawl source {source}: {url} failed ({problem}). {advice}"


class SourceRefuses(PindnaError):
    """A site refused us, so its source pauses.

    Attributes:
        source, reason, until: the source, why it was refused, and the end of its pause.
    """

    template = (
        "The site of source {source} refused access ({reason}). The source pauses until {until}. "
        "To end the pause, run `pindna source enable`."
    )
    exit_status = ExitStatus.PARTLY


class CrawlStalled(PindnaError):
    """A crawl made no progress for too long.

    Attributes:
        source, minutes, left: the source, the time without progress, and the number of remaining addresses.
    """

    template = (
        "The crawl of source {source} made no progress for {minutes} minutes and was stopped; {left} "
        "addresses remain. Crawl the source again, or find the cause with `pindna source test`."
    )
    exit_status = ExitStatus.PARTLY


@dataclass(slots=True)
class Job:
    """A crawl under way.

    Attributes:
        database: the stores; None in a trial, which reads no earlier crawls and stores nothing.
        frontier: the addresses to fetch, shared with the other processes of the crawl.
        pace: when hosts may be requested, shared with every crawl.
        ignores_due_dates: whether known pages are requested before they are due, as in a crawl by hand.
        readers: the processes that parse pages.
        held_ids: ids of the entries that this process works on; their leases are extended.
        has_new_entries: whether the frontier may have new entries.
        counts: ``pages`` (new ones), ``unchanged``, ``failed`` …; see docs/json.md.
        earlier_counts: counts of an earlier process of the same crawl that was killed.
        reached: how many start addresses answered this process.
        has_read: whether any process of the crawl has read an address.
        problems: (start address, reason) of the start addresses that failed.
        fatal: the error that ends the crawl, for example a database that does not answer.
        ban_detectors: by host.
        refused_hosts: hosts that refuse us; they get no more requests in this crawl.
        block_reason: why the site refuses us, once it is certain; ends the crawl and pauses the source.
        end: how the crawl ended; empty while it runs.
        hold_until: the end of the pause that the site requested.
        expected_versions: page id of the copy by address, in a round of the takedown watch.
        checked_urls: addresses whose look is stored already, in such a round.
        closes_at: when the crawl hours of the source end; None without hours.
        session_id: of the environment that the captures of this process name.
        clock: returns the time for visits and looks.
        robots_sitemaps: sitemaps that each robots.txt names, by host and port; only of existing files.
        crawl_delay_s: longest pause between two requests that a site of the source requires.
    """

    source: Source
    scan_id: str
    crawl_id: str
    database: Stores | None
    frontier: Frontier
    pace: Pace
    settings: CrawlerSettings
    readers: ReaderPool = field(default_factory=lambda: ReaderPool(1))
    ignores_due_dates: bool = True
    held_ids: set[str] = field(default_factory=set)
    has_new_entries: bool = True
    counts: Counter[str] = field(default_factory=Counter)
    earlier_counts: Counter[str] = field(default_factory=Counter)
    reached: int = 0
    has_read: bool = False
    problems: list[tuple[str, str]] = field(default_factory=list)
    fatal: PindnaError | None = None
    ban_detectors: dict[str, BanDetector] = field(default_factory=dict)
    refused_hosts: set[str] = field(default_factory=set)
    block_reason: str = ""
    end: CrawlEnd = ""
    hold_until: datetime | None = None
    expected_versions: Mapping[str, str] = field(default_factory=dict)
    checked_urls: frozenset[str] = frozenset()
    closes_at: datetime | None = None
    session_id: str = ""
    clock: Callable[[], datetime] = utc_now
    crawl_delay_s: float = 0.0
    robots_sitemaps: dict[str, tuple[str, ...]] = field(default_factory=dict)
    _contexts: dict[str, PageContext] = field(default_factory=dict)
    _extraction_versions: dict[str, str] = field(default_factory=dict)
    # Pages of a host arrive together. Only the first page loads the host's context, which may be 90 kB.
    _context_locks: dict[str, asyncio.Lock] = field(default_factory=dict)
    _version_locks: dict[str, asyncio.Lock] = field(default_factory=dict)

    @property
    def stores(self) -> Stores:
        """Return the database of a crawl; code that a trial also runs checks ``database`` first.

        Raises:
            RuntimeError: the job is a trial.
        """
        if self.database is None:
            message = "a trial has no database"
            raise RuntimeError(message)
        return self.database

    @property
    def stall_timeout_s(self) -> float:
        """Return after how many seconds without progress a crawl stalls: more than any allowed pause."""
        pause_s = max(self.settings.max_wait_s, self.source.delay_s or 0.0)
        return self.settings.stall_s + pause_s

    async def store(self, call: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
        """Run a blocking store method in a thread.

        Raises:
            PindnaError: as the method raises it; the first error ends the crawl.
        """
        try:
            return await asyncio.to_thread(call, *args, **kwargs)
        except PindnaError as error:
            self.fatal = self.fatal or error
            raise

    async def context_of(self, host: str) -> PageContext:
        """Return the extraction context of a host: the source's rules, repeated sentences and the template.

        It stays the same during a crawl, even if other processes learn more.

        Raises:
            PindnaError: the database refused.
        """
        async with self._context_locks.setdefault(host, asyncio.Lock()):
            if host not in self._contexts:
                self._contexts[host] = await self._read_context(host)
        return self._contexts[host]

    async def _read_context(self, host: str) -> PageContext:
        stores = self.database  # a trial has no database
        removed = await self.store(removable_sentences, host, stores) if stores else frozenset[int]()
        template = await self.store(_template_of, host, stores) if stores else NO_TEMPLATE
        return PageContext(
            self.source.rules,
            removed,
            timezone=self.source.timezone,
            template=template,
            max_rest_chars=self.settings.max_rest_chars,
        )

    async def extraction_version_of(self, host: str) -> str:
        """Return the version of extraction and of a host's context; texts of another version are read again.

        The version covers the source's rules, repeated sentences, text containers that an analyst rejected,
        and hiding rules of style sheets. Learnt containers are not part of it: they change few texts, which
        does not justify another request for every page of the site.

        Raises:
            PindnaError: the database refused.
        """
        async with self._version_locks.setdefault(host, asyncio.Lock()):
            if host not in self._extraction_versions:
                self._extraction_versions[host] = await self._read_extraction_version(host)
        return self._extraction_versions[host]

    async def _read_extraction_version(self, host: str) -> str:
        context = await self.context_of(host)
        rules = json.dumps([asdict(context.rules), sorted(context.repeated)], sort_keys=True)
        rules += " rendered" if self.source.render is True else ""
        if unused := await self._unused_places(host):
            rules += f" not in {sorted(unused)}"
        if self.database and (changed := await self.store(self.database.sheets.last_change, host)):
            rules += f" sheets {changed.isoformat()}"
        return f"{EXTRACTION_VERSION}:{hashlib.sha256(rules.encode()).hexdigest()[:12]}"

    async def _unused_places(self, host: str) -> frozenset[str]:
        """Return the text containers of a host that an analyst rejected."""
        if self.database is None:
            return frozenset()
        return (await self.store(self.database.templates.of_host, host)).unused

    def record_answer(self, url: str, answer: SiteAnswer) -> None:
        """Record an answer for the detection of bans.

        A source with several sites continues with the other sites; it is blocked when all of them refuse.
        """
        reason = self.ban_detectors.setdefault(host_of(url), BanDetector()).record_answer(answer)
        if reason is not None:
            self.refuse(url, reason)

    def refuse(self, url: str, reason: str, *, until: datetime | None = None) -> None:
        """Send no more requests to a site in this crawl, because it refuses us.

        Args:
            url: of the site.
            reason: a word for the report.
            until: the end of the pause that the site requested.
        """
        self.refused_hosts.add(host_of(url))
        self.counts["refused_hosts"] = len(self.refused_hosts)
        if self.source.kind != "discovery" and self.own_hosts <= self.refused_hosts:
            self.block_reason, self.hold_until = reason, until or self.hold_until

    @property
    def own_hosts(self) -> set[str]:
        """Return the hosts of the source's start addresses."""
        source = self.source
        return {host_of(url) for url in source.addresses}

    @property
    def is_short_of_time(self) -> bool:
        """Return whether the time of the crawl is too short for all texts that it may request."""
        return self._max_requests() < self.source.max_pages

    def record_crawl_delay(self, url: str, delay_s: float) -> None:
        """Record the pause that a site requires, and count how many requests fit into the crawl.

        Args:
            url: of the site.
            delay_s: seconds between two requests.
        """
        if delay_s <= self.crawl_delay_s or host_of(url) not in self.own_hosts:
            return
        self.crawl_delay_s = delay_s
        if self.is_short_of_time:
            self.counts["reach"], self.counts["pause_s"] = int(self._max_requests()), ceil(delay_s)

    def seconds_left(self, limit_s: float) -> float:
        """Return the remaining seconds: to the limit, or until shortly before the crawl hours end."""
        if self.closes_at is None:
            return limit_s
        return max(0.0, min(limit_s, (self.closes_at - HOURS_MARGIN - self.clock()).total_seconds()))

    def _max_requests(self) -> float:
        """Return how many requests to a site fit into the crawl's time."""
        minutes = self.source.max_minutes
        return minutes * 60 / self.crawl_delay_s if minutes and self.crawl_delay_s else inf

    @property
    def fault(self) -> Fault:
        """Return who is at fault for the error of the crawl; empty without an error, and before the end.

        A killed process has no end, so no site is blamed for it.
        """
        if not self.end:
            return ""
        if self.fatal is not None:
            return "ours"
        if self.block_reason:
            return "theirs"
        return fault_of(self.problems[0][1]) if self.outcome() is not None else ""

    def outcome(self) -> PindnaError | None:
        """Return the error that the crawl ends with; None if it succeeded."""
        if self.fatal is not None:
            return self.fatal
        if self.block_reason:
            until = moment_text(self.hold_until, UTC) if self.hold_until else "it is enabled again"
            return SourceRefuses(source=self.source.name, reason=self.block_reason, until=until)
        if self.reached or self.has_read or not self.problems:
            return None
        url, reason = self.problems[0]
        return SourceUnreadable(source=self.source.name, url=url, problem=reason, advice=advice_on(reason))


def _template_of(host: str, stores: Stores) -> Template:
    host_template = stores.templates.of_host(host)
    return Template(host_template.used, host_template.frame_hashes)


def job_of(crawler: "Crawler") -> Job:
    """Return the job of a crawler's spider; fails before the spider is built."""
    spider: Any = crawler.spider
    job: Job = spider.job
    return job
