"""One crawl from beginning to end: settings, stores and source to a Scrapy process and its outcome."""

import logging
import os
from typing import Final

from scrapy.crawler import AsyncCrawlerProcess
from scrapy.settings import Settings as ScrapySettings

from crawler.job import Job
from crawler.spiders.base import SourceSpider
from crawler.spiders.news import NewsSpider
from crawler.spiders.novel import NovelSpider
from storage.errors import PindnaError
from storage.records import Source, WorkKind
from storage.settings import CrawlerSettings, load_settings
from storage.stores import open_stores

_SPIDERS: Final[dict[WorkKind, type[SourceSpider]]] = {"news": NewsSpider, "novel": NovelSpider}
# Both tell at ERROR, with tracebacks, what is stored as the reason of a failed page anyway.
_NOISY: Final = ("scrapy.downloadermiddlewares.robotstxt", "scrapy.core.downloader.handlers.http11")


def crawl(*, source: str, scan_id: str, crawl_id: str) -> PindnaError | None:
    """Crawl a source to its end; blocks, and can be called once in a process.

    Returns:
        The error that the crawl ended with, None when at least one start address was read.

    Raises:
        BadSettings: a setting is wrong.
        ServiceDown: MongoDB does not answer.
        UnknownRecord: there is no such source.
    """
    settings = load_settings()
    stores = open_stores(settings.storage)
    try:
        job = Job(
            source=stores.sources.get(source),
            scan_id=scan_id,
            crawl_id=crawl_id,
            stores=stores,
            settings=settings.crawler,
        )
        _run(job)
    finally:
        stores.close()
    return job.outcome()


def scrapy_settings(settings: CrawlerSettings, source: Source) -> ScrapySettings:
    """Return the project's settings with what pindna.toml and the source decide over them."""
    found = ScrapySettings()
    found.setmodule("crawler.settings", priority="project")
    delay_s = settings.delay_s if source.delay_s is None else source.delay_s
    found.setdict(
        {
            "AUTOTHROTTLE_START_DELAY": delay_s,
            "CONCURRENT_REQUESTS": settings.concurrent_requests,
            "DOWNLOAD_DELAY": delay_s,
            "DOWNLOAD_MAXSIZE": settings.max_response_bytes,
            "DOWNLOAD_TIMEOUT": settings.timeout_s,
            "PINDNA_ALLOW_INNER": [str(network) for network in settings.allow_inner],
            "PINDNA_PARENT_PID": os.getppid(),
            "ROBOTSTXT_OBEY": source.obey_robots,
            "USER_AGENT": user_agent(settings.contact),
        },
        priority="cmdline",
    )
    return found


def user_agent(contact: str) -> str:
    """Return the crawler's name and where its owner can be reached."""
    return f"pindna/0.1 (+{contact})" if contact else "pindna/0.1"


def _run(job: Job) -> None:
    process = AsyncCrawlerProcess(scrapy_settings(job.settings, job.source))
    for name in _NOISY:
        logging.getLogger(name).setLevel(logging.CRITICAL)
    process.crawl(_SPIDERS[job.source.kind], job=job)
    process.start()
