"""One crawl of one source: what it was asked to do and what came of it so far.

The job is handed to the spider as an argument; the scheduler, pipelines, middlewares and extensions reach it
through the spider. Stores block, so every call to them goes through :meth:`Job.store`, which runs it in a
thread.
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

HOURS_MARGIN = timedelta(seconds=2)  # before the end of a source's hours: then nothing more is begun

P = ParamSpec("P")
R = TypeVar("R")


class SourceUnreadable(PindnaError):
    """No start address could be fetched. Data: ``source``, ``url``, ``problem``, ``advice``."""

    template = "Source {source} could not be read: {url} ({problem}). {advice}"


class SourceRefuses(PindnaError):
    """A site turned us away, so its source pauses. Data: ``source``, ``reason``, ``until``."""

    template = (
        "Source {source} refuses us ({reason}) and pauses until {until}; "
        "`pindna source enable` ends the pause."
    )
    exit_status = ExitStatus.PARTLY


class CrawlStalled(PindnaError):
    """Nothing moved for so long that nothing will. Data: ``source``, ``minutes``, ``left``."""

    template = (
        "The crawl of source {source} made no progress for {minutes} minutes and was ended; {left} addresses "
        "are left. Crawl it again, or look for what holds it up with `pindna source test`."
    )
    exit_status = ExitStatus.PARTLY


@dataclass(slots=True)
class Job:
    """A crawl under way.

    Attributes:
        database: what is stored; None in a trial, which neither knows of earlier crawls nor keeps anything.
        frontier: what is still to be asked for, shared with the other processes of the crawl.
        pace: when hosts may be asked, shared with every crawl.
        ignores_due_dates: a crawl by hand: known pages are asked for before they are due.
        readers: that read pages.
        held_ids: of the entries that this process works on; their leases are extended.
        has_new_entries: there may be new entries in the frontier.
        counts: ``pages`` (new ones), ``unchanged``, ``failed`` …; see docs/json.md.
        earlier_counts: of an earlier process that was killed at the same crawl.
        reached: start addresses that answered this process.
        has_read: some address of the crawl was read, by whatever process.
        problems: (start address, reason) of those that did not.
        fatal: the error of ours that ends the crawl, e.g. a database that went away.
        ban_detectors: by host, over its last answers.
        refused_hosts: that turn us away; they are left alone for the rest of the crawl.
        block_reason: why the site refuses us, once it is certain; ends the crawl and pauses the source.
        end: how the crawl came to its end; empty while it runs.
        hold_until: the site named a time to come back.
        expected_versions: of a round of the takedown watch: the version that is looked for, by address.
        checked_urls: of such a round: the addresses that have their look, and are not asked again.
        closes_at: when the hours in which the source may be asked end; None: they do not.
        clock: tells the time of visits and looks.
        crawl_delay_s: longest pause between two requests that one of the source's own sites asks for.
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
    clock: Callable[[], datetime] = utc_now
    crawl_delay_s: float = 0.0
    _contexts: dict[str, PageContext] = field(default_factory=dict)
    _extraction_versions: dict[str, str] = field(default_factory=dict)
    # Pages of one host come together; the first reads what is known of it, which may be 90 kB.
    _context_locks: dict[str, asyncio.Lock] = field(default_factory=dict)
    _version_locks: dict[str, asyncio.Lock] = field(default_factory=dict)

    @property
    def stores(self) -> Stores:
        """Return the database of a crawl; what a trial runs as well asks ``database`` first.

        Raises:
            RuntimeError: this is a trial.
        """
        if self.database is None:
            message = "a trial has no database"
            raise RuntimeError(message)
        return self.database

    @property
    def stall_timeout_s(self) -> float:
        """Return how long nothing may happen: longer than any pause that a site or the source may ask for."""
        pause_s = max(self.settings.max_wait_s, self.source.delay_s or 0.0)
        return self.settings.stall_s + pause_s

    async def store(self, call: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
        """Run a blocking store method in a thread.

        Raises:
            PindnaError: as the method does; the first one is kept and ends the crawl.
        """
        try:
            return await asyncio.to_thread(call, *args, **kwargs)
        except PindnaError as error:
            self.fatal = self.fatal or error
            raise

    async def context_of(self, host: str) -> PageContext:
        """Return what is known of a host beforehand: the source's rules, what it repeats, and its template.

        It stays the same for the whole crawl, whatever other processes learn.

        Raises:
            PindnaError: the database refused.
        """
        async with self._context_locks.setdefault(host, asyncio.Lock()):
            if host not in self._contexts:
                self._contexts[host] = await self._read_context(host)
        return self._contexts[host]

    async def _read_context(self, host: str) -> PageContext:
        stores = self.database  # a trial has none
        removed = await self.store(removable_sentences, host, stores) if stores else frozenset[int]()
        template = await self.store(_template, host, stores) if stores else NO_TEMPLATE
        return PageContext(
            self.source.rules,
            removed,
            timezone=self.source.timezone,
            template=template,
            max_rest_chars=self.settings.max_rest_chars,
        )

    async def extraction_version_of(self, host: str) -> str:
        """Return the version of extraction, and of all that is known of a host.

        That is the source's rules, what the host repeats, which places of its texts an analyst took back, and
        what its sheets hide. A place that it taught has a say in pages that are read for another reason: it
        changes few texts, and a site is not asked for all its pages once more for these. What another version
        read is read again.

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
        """Return where a host's texts are not looked for, because an analyst took that back."""
        if self.database is None:
            return frozenset()
        return (await self.store(self.database.templates.of_host, host)).unused

    def record_answer(self, url: str, answer: SiteAnswer) -> None:
        """Take an answer into account that says whether its site lets us in.

        A source of several sites goes on with the others; it is blocked when its own sites all refuse.
        """
        reason = self.ban_detectors.setdefault(host_of(url), BanDetector()).record_answer(answer)
        if reason is not None:
            self.refuse(url, reason)

    def refuse(self, url: str, reason: str, *, until: datetime | None = None) -> None:
        """Leave a site alone for the rest of the crawl: it turns us away.

        Args:
            url: of the site.
            reason: in one word.
            until: when it names a time to come back.
        """
        self.refused_hosts.add(host_of(url))
        self.counts["refused_hosts"] = len(self.refused_hosts)
        if self.source.kind != "discovery" and self.own_hosts <= self.refused_hosts:
            self.block_reason, self.hold_until = reason, until or self.hold_until

    @property
    def own_hosts(self) -> set[str]:
        """Return the hosts of the source's addresses to begin at."""
        source = self.source
        return {host_of(url) for url in source.addresses}

    @property
    def is_short_of_time(self) -> bool:
        """Return whether the crawl's time does not suffice for all the texts that it may ask for."""
        return self._max_requests() < self.source.max_pages

    def record_crawl_delay(self, url: str, delay_s: float) -> None:
        """Take into account how long a site wants us to pause, and count what can be reached.

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
        """Return how long the crawl may go on: to its limit, or until shortly before its hours are over."""
        if self.closes_at is None:
            return limit_s
        return max(0.0, min(limit_s, (self.closes_at - HOURS_MARGIN - self.clock()).total_seconds()))

    def _max_requests(self) -> float:
        """Return how many requests to a site fit into the crawl's time."""
        minutes = self.source.max_minutes
        return minutes * 60 / self.crawl_delay_s if minutes and self.crawl_delay_s else inf

    @property
    def fault(self) -> Fault:
        """Return whose fault it is that the crawl ended with an error; empty without one, and before its end.

        A process that is killed has not come to its end: nothing that a site did before is blamed for it.
        """
        if not self.end:
            return ""
        if self.fatal is not None:
            return "ours"
        if self.block_reason:
            return "theirs"
        return fault_of(self.problems[0][1]) if self.outcome() is not None else ""

    def outcome(self) -> PindnaError | None:
        """Return the error that the crawl ends with, None when it did its work."""
        if self.fatal is not None:
            return self.fatal
        if self.block_reason:
            until = moment_text(self.hold_until, UTC) if self.hold_until else "it is enabled again"
            return SourceRefuses(source=self.source.name, reason=self.block_reason, until=until)
        if self.reached or self.has_read or not self.problems:
            return None
        url, reason = self.problems[0]
        return SourceUnreadable(source=self.source.name, url=url, problem=reason, advice=advice_on(reason))


def _template(host: str, stores: Stores) -> Template:
    host_template = stores.templates.of_host(host)
    return Template(host_template.used, host_template.frame_hashes)


def job_of(crawler: "Crawler") -> Job:
    """Return the job that the crawler's spider was given; there is none before the spider is built."""
    spider: Any = crawler.spider
    job: Job = spider.job
    return job
