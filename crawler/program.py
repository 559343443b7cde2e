"""Runs one crawl: opens settings, stores and source, starts Scrapy, and returns the error."""

import logging
import os
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from math import inf

from scrapy.crawler import AsyncCrawlerProcess
from scrapy.settings import Settings as ScrapySettings

from crawler.capture_session import begin_session
from crawler.download.browser.chromium import is_rendered_when_needed, require_browser
from crawler.download.browser.chromium import scrapy_settings as browser_settings
from crawler.download.confidential import confidential_of
from crawler.download.private_allowlist import private_allowlist_of
from crawler.job import Job
from crawler.readers.pool import ReaderPool
from crawler.spiders.base import SourceSpider
from crawler.spiders.discovery import DiscoverySpider
from crawler.spiders.news import NewsSpider
from crawler.spiders.novel import NovelSpider
from crawler.spiders.site import SiteSpider
from crawler.spiders.urls import UrlsSpider
from crawler.spiders.watch import WatchSpider
from storage.collections.stores import Stores, open_stores
from storage.frontier.redis import RedisFrontier, RedisPace
from storage.records import SCHEDULED, Source, SourceKind
from storage.running.live_settings import LiveSettings
from storage.servers.redis_client import Client, open_redis
from storage.settings import CrawlerSettings, load_settings
from system.errors import PindnaError, UnknownRecord
from system.exit_status import ExitStatus
from system.version import PRODUCT

SPIDERS: dict[SourceKind, type[SourceSpider]] = {
    "news": NewsSpider,
    "novel": NovelSpider,
    "site": SiteSpider,
    "urls": UrlsSpider,
    "discovery": DiscoverySpider,
}
_MAX_ROUND = 100_000  # maximum number of addresses of a round with neighbours; the tasks set lower limits
_MAX_ROUND_MINUTES = 2.0  # short, because a worker waits for the round; remaining addresses are checked later
# Loggers that write tracebacks at ERROR for failures whose reason is stored with the page.
_SILENCED = (
    "scrapy.downloadermiddlewares.httpcompression",
    "scrapy.downloadermiddlewares.robotstxt",
    "scrapy.core.downloader.handlers.http11",
    "scrapy-playwright",
)
_VERBOSE = ("pymongo", "scrapy")  # loggers that create records for every page, which the handler drops


class RoundCutShort(PindnaError):
    """A round ended before all of its addresses were requested.

    Attributes:
        source, left: the source, and the number of remaining addresses.
    """

    template = (
        "The takedown check of {source} ran out of time; {left} addresses remain and are checked later."
    )
    exit_status = ExitStatus.INTERRUPTED


def crawl(*, source: str, scan_id: str, crawl_id: str, parent: int) -> PindnaError | None:
    """Crawl a source. Blocks; can be called once in a process.

    Args:
        source: its name.
        scan_id: the scan that the pages belong to.
        crawl_id: the crawl whose counts are stored.
        parent: id of the process that waits for the crawl; the crawl ends when that process dies.

    Returns:
        The error that the crawl ended with; None if at least one start address was read.

    Raises:
        BadSettings: a setting is wrong.
        UnknownRecord: the source does not exist.
        BrowserMissing: the source must be rendered and there is no browser.
    """
    with _open_services() as (settings, stores, client):
        job = _open_job(stores, client, settings, source=source, scan_id=scan_id, crawl_id=crawl_id)
        if job.source.opens(job.clock()) > job.clock():  # the crawl hours ended before a worker was free
            record_unstarted(job)
            return None
        _run_to_end(job, parent, SPIDERS[job.source.kind])
        _pause_if_blocked(job)
    return job.outcome()


def record_unstarted(job: Job) -> None:
    """Store the remaining addresses of a crawl that may not start: all, or those of an earlier process."""
    tally = job.frontier.tally()
    unasked = len(set(job.source.addresses)) or 1
    addresses = tally.numbers if tally.entries else {"entries": unasked, "left": unasked}
    job.stores.scans.record_progress(
        job.crawl_id, counts=job.counts, addresses=addresses, end="hours" if addresses["left"] else "finished"
    )
    if addresses["left"]:
        _keep_rest(job)
    else:
        job.frontier.finish()


def _keep_rest(job: Job) -> None:
    """Keep the remaining entries until the crawl hours of the source begin."""
    now = job.clock()
    job.frontier.release(sorted(job.held_ids))
    job.frontier.retain((job.source.opens(now) - now).total_seconds())


def watch(*, round_id: str, source: str, parent: int) -> PindnaError | None:
    """Request the addresses of a round of the takedown watch. Blocks; can be called once in a process.

    Addresses whose look of this round is stored are skipped.

    Args:
        round_id: of the round.
        source: name of the source whose settings are used for the requests.
        parent: id of the process that waits for the round.

    Returns:
        The error that the round ended with, or None.

    Raises:
        BadSettings: a setting is wrong.
        BrowserMissing: the source must be rendered and there is no browser.
    """
    with _open_services() as (settings, stores, client):
        job = _open_round(stores, client, settings, source=source, round_id=round_id)
        if not job.expected_versions:
            return None
        _run_to_end(job, parent, WatchSpider)
        return _cut_short(job) or job.outcome()


def _cut_short(job: Job) -> RoundCutShort | None:
    """Return the error of a round that ran out of time; None if no address remains."""
    pending = 0 if job.fatal or job.block_reason else job.frontier.pending()
    return RoundCutShort(source=job.source.name, left=pending) if pending else None


@contextmanager
def _open_services() -> Iterator[tuple[CrawlerSettings, Stores, Client]]:
    settings = load_settings()
    stores, client = open_stores(settings.storage), open_redis(settings.storage)
    live = LiveSettings(settings, stores.stored_settings.get)
    try:
        live.follow(is_quiet=True)
        live.serve_secrets()
        yield live.state.settings.crawler, stores, client
    finally:
        stores.close()
        client.close()


def _run_to_end(job: Job, parent: int, spider: type[SourceSpider]) -> None:
    job.session_id = begin_session(
        job.stores, job.source, scan_id=job.scan_id, second_resolver=job.settings.second_resolver
    ).id
    job.readers = open_readers(job.settings)
    try:
        _run_crawl(job, parent, spider)
    finally:
        job.readers.close()
    if job.fatal is not None:
        return
    if not job.frontier.pending():
        job.frontier.finish()
    elif job.end == "hours":
        _keep_rest(job)


def open_readers(settings: CrawlerSettings) -> ReaderPool:
    """Return readers with the limits of the settings."""
    return ReaderPool(
        settings.extract_processes, max_megabytes=settings.reader_megabytes, max_site_s=settings.site_reader_s
    )


def _open_job(
    stores: Stores, client: Client, settings: CrawlerSettings, *, source: str, scan_id: str, crawl_id: str
) -> Job:
    definition = stores.sources.get(source)
    crawl = stores.scans.frontier_of(crawl_id) or scan_id
    frontier = RedisFrontier(
        client, f"{crawl}:{source}", lease_s=settings.frontier_lease_s, max_texts=definition.max_pages
    )
    frontier.open()
    counts = stores.scans.counts_of(crawl_id)
    return Job(
        source=definition,
        scan_id=scan_id,
        crawl_id=crawl_id,
        database=stores,
        frontier=frontier,
        pace=RedisPace(client),
        settings=settings,
        ignores_due_dates=_is_by_hand(stores, scan_id),
        counts=Counter(counts),
        earlier_counts=Counter(counts),
        clock=stores.clock.now,
    )


def _open_round(
    stores: Stores, client: Client, settings: CrawlerSettings, *, source: str, round_id: str
) -> Job:
    checked = {look.url for look in stores.looks.of_scan(round_id)}
    watches = stores.watches.of_round(round_id)
    definition = _source_of_round(stores, source, [row.url for row in watches])
    frontier = RedisFrontier(
        client, f"watch:{round_id}", lease_s=settings.frontier_lease_s, max_texts=_MAX_ROUND
    )
    frontier.open()
    return Job(
        source=definition,
        scan_id=round_id,
        crawl_id=round_id,
        database=stores,
        frontier=frontier,
        pace=RedisPace(client),
        settings=settings,
        expected_versions={row.url: row.page_id for row in watches},
        checked_urls=frozenset(checked),
        clock=stores.clock.now,
    )


def _source_of_round(stores: Stores, name: str, urls: Sequence[str]) -> Source:
    """Return the source of a round with a short time limit; a default source if it was deleted."""
    try:
        stored = stores.sources.get(name)
    except UnknownRecord:
        return Source(name=name, kind="urls", start_urls=tuple(urls), max_minutes=_MAX_ROUND_MINUTES)
    minutes = min(stored.max_minutes or _MAX_ROUND_MINUTES, _MAX_ROUND_MINUTES)
    return replace(stored, max_minutes=minutes)


def _is_by_hand(stores: Stores, scan_id: str) -> bool:
    try:
        return stores.scans.get(scan_id).trigger not in SCHEDULED
    except UnknownRecord:
        return True


def scrapy_settings(settings: CrawlerSettings, source: Source) -> ScrapySettings:
    """Return Scrapy's settings for a source: the project's, overridden by pindna.toml and the source.

    Raises:
        BrowserMissing: the source must be rendered and there is no browser.
        MissingVariable, OpenVariable: the source names an environment variable that cannot be read.
    """
    confidential_of(source)  # check before the start that the environment variables can be read
    scrapy = ScrapySettings()
    scrapy.setmodule("crawler.settings", priority="project")
    scrapy.setdict(
        {
            # A limit on concurrent requests already slows the crawl of a slow site down; AutoThrottle would
            # add timers, each of which fires late.
            "AUTOTHROTTLE_ENABLED": source.concurrency is None,
            "CLOSESPIDER_TIMEOUT": source.max_minutes * 60,
            "CONCURRENT_REQUESTS": settings.concurrent_requests,
            "COOKIES_ENABLED": source.cookies is not None or source.login is not None,
            "DOWNLOAD_MAXSIZE": settings.max_response_bytes,
            "DOWNLOAD_TIMEOUT": settings.timeout_s,
            "HTTPPROXY_ENABLED": bool(source.proxies),
            "PINDNA_PRIVATE_ALLOWLIST": private_allowlist_of(source, settings.allow_inner),
            "PINDNA_PARENT_PID": os.getppid(),
            "RETRY_TIMES": settings.retries,
            "ROBOTSTXT_OBEY": source.obey_robots,
            "USER_AGENT": source.user_agent or user_agent(settings.contact),
        },
        priority="cmdline",
    )
    if source.render is True:
        path = require_browser(settings, wanted_by=source.name)
        browser = browser_settings(path, screenshot=source.screenshot)
        scrapy.setdict(browser, priority="cmdline")
    elif is_rendered_when_needed(source, settings):
        path = require_browser(settings, wanted_by=source.name)
        scrapy.setdict(browser_settings(path, screenshot=False, is_lazy=True), priority="cmdline")
    if source.concurrency is not None:
        scrapy.set("CONCURRENT_REQUESTS_PER_DOMAIN", source.concurrency, priority="cmdline")
    return scrapy


def user_agent(contact: str) -> str:
    """Return the user agent: the name of the crawler and the contact of its operator."""
    return f"{PRODUCT} (+{contact})" if contact else PRODUCT


def silence_scrapy(settings: ScrapySettings) -> None:
    """Silence loggers that repeat stored reasons, or log below the level of the log."""
    for name in _VERBOSE:
        logging.getLogger(name).setLevel(settings["LOG_LEVEL"])
    for name in _SILENCED:
        logging.getLogger(name).setLevel(logging.CRITICAL)


def run_alone(job: Job, *, pipeline: str) -> None:
    """Run a source's spider over a frontier in memory. Blocks; can be called once in a process.

    Every address is requested in full, as if it were new, and no extension stores anything.

    Args:
        job: what to run.
        pipeline: dotted name of the item pipeline for the results.
    """
    settings = scrapy_settings(job.settings, job.source)
    middlewares = {
        **settings.getdict("DOWNLOADER_MIDDLEWARES"),
        "crawler.middlewares.conditional.ConditionalMiddleware": None,
    }
    overrides = {"DOWNLOADER_MIDDLEWARES": middlewares, "EXTENSIONS": {}, "ITEM_PIPELINES": {pipeline: 100}}
    settings.setdict(overrides, priority="cmdline")
    process = AsyncCrawlerProcess(settings)
    silence_scrapy(settings)
    process.crawl(SPIDERS[job.source.kind], job=job)
    process.start()


def _run_crawl(job: Job, parent: int, spider: type[SourceSpider]) -> None:
    settings = scrapy_settings(job.settings, job.source)
    settings.set("PINDNA_PARENT_PID", parent, priority="cmdline")
    end_with_hours(job, settings)
    if job.expected_versions:  # an immediate refresh to the front page must count as a redirect
        settings.setdict({"METAREFRESH_ENABLED": True, "METAREFRESH_MAXDELAY": 5}, priority="cmdline")
    process = AsyncCrawlerProcess(settings)
    silence_scrapy(settings)
    process.crawl(spider, job=job)
    process.start()


def end_with_hours(job: Job, settings: ScrapySettings) -> None:
    """Set the time limit of a crawl to end before the crawl hours of its source do."""
    hours = job.source.opening_hours
    job.closes_at = hours.next_change(job.clock()) if hours else None
    if job.closes_at is not None:  # at least 1, because zero would mean no limit
        left_s = max(1.0, job.seconds_left(settings.getfloat("CLOSESPIDER_TIMEOUT") or inf))
        settings.set("CLOSESPIDER_TIMEOUT", left_s, priority="cmdline")


def _pause_if_blocked(job: Job) -> None:
    if job.block_reason:
        job.hold_until = job.stores.health.pause(
            job.source.name, reason=job.block_reason, until=job.hold_until, first_h=job.settings.pause_h
        )
        job.stores.health.raise_alert(
            job.source.name, "blocked", detail=job.block_reason, scan_id=job.scan_id
        )
