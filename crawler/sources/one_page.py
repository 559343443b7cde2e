"""``python -m crawler.sources.one_page URL``: fetch a page for ``crawler.sources.fetching``.

Prints a line of JSON, then the body.
"""

import argparse
import json
import sys
from collections.abc import AsyncIterator
from typing import Any
from urllib.parse import urlsplit

import scrapy
from scrapy.crawler import AsyncCrawlerProcess
from scrapy.http import Request, Response

from crawler.download.resolver import REFUSED_NAMES
from crawler.exchange import Exchange
from crawler.failures import failure_reason
from crawler.job import Job
from crawler.meta import RECEIVED, RENDER
from crawler.pages.stylesheets import SheetReader
from crawler.program import open_readers, scrapy_settings
from storage.frontier.memory import MemoryFrontier, MemoryPace
from storage.records import Source
from storage.settings import load_settings
from system.child_process import report_error
from system.errors import PindnaError

# Only the middlewares of pindna that are needed for safety.
_SAFETY = {
    "crawler.middlewares.address.AddressMiddleware": 60,
    "scrapy.downloadermiddlewares.robotstxt.RobotsTxtMiddleware": None,
    "crawler.middlewares.robots.SharedRobotsMiddleware": 100,
    "crawler.middlewares.limits.LimitsMiddleware": 595,
}


class _OnePage(scrapy.Spider):
    """Fetches one address and records the answer."""

    name = "one-page"

    def __init__(self, job: Job, answer: dict[str, Any], **arguments: Any) -> None:
        super().__init__(**arguments)
        self.job = job
        self._url = job.source.start_urls[0]
        self._answer = answer

    async def start(self) -> AsyncIterator[Request]:
        meta = {RENDER: "text" if self.job.source.render is True else None}
        yield Request(self._url, callback=self.keep_answer, errback=self.keep_failure, meta=meta)

    async def keep_answer(self, response: Response) -> None:
        content_type = (response.headers.get("Content-Type") or b"").decode("latin-1")
        declared = content_type.lower().partition("charset=")[2].strip(" \"';") or None
        received: Exchange | None = response.meta.get(RECEIVED)
        is_rendered = received is not None and received.rendered is not None
        self._answer.update(
            url=response.url,
            declared=declared,
            body=response.body,
            sheets=() if is_rendered else await self._sheets_of(response),
            content_type=content_type.partition(";")[0].strip().lower(),
            is_rendered=is_rendered,
        )

    async def _sheets_of(self, response: Response) -> tuple[tuple[str, str], ...]:
        engine = self.crawler.engine
        if engine is None:
            return ()
        sheets = SheetReader(engine.download_async, self.job.readers)
        return await sheets.of_page(response.body, url=response.url)

    def keep_failure(self, failure: Any) -> None:
        reason = failure_reason(failure.value)
        if reason == "dns" and urlsplit(self._url).hostname in REFUSED_NAMES:
            reason = "inner-address"
        self._answer.update(reason=reason)


def main() -> None:
    """Fetch the address on the command line and print the answer."""
    parser = argparse.ArgumentParser(prog="python -m crawler.sources.one_page", description="Fetch a page.")
    parser.add_argument("url")
    parser.add_argument("--render", action="store_true", help="render it in a browser")
    parser.add_argument("--public", action="store_true", help="refuse all private addresses")
    arguments = parser.parse_args()
    crawler_settings = load_settings().crawler
    if arguments.public:
        crawler_settings = crawler_settings.model_copy(update={"allow_inner": ()})
    job = Job(
        source=Source(
            name="one-page", kind="urls", start_urls=(arguments.url,), delay_s=0.0, render=arguments.render
        ),
        scan_id="",
        crawl_id="",
        database=None,
        frontier=MemoryFrontier(max_texts=1),
        pace=MemoryPace(),
        settings=crawler_settings,
        readers=open_readers(crawler_settings),
    )
    settings = scrapy_settings(crawler_settings, job.source)
    plain = {
        "DOWNLOADER_MIDDLEWARES": _SAFETY,
        "EXTENSIONS": {},
        "ITEM_PIPELINES": {},
        "SCHEDULER": "scrapy.core.scheduler.Scheduler",
    }
    settings.setdict(plain, priority="cmdline")
    answer: dict[str, Any] = {}
    process = AsyncCrawlerProcess(settings)
    process.crawl(_OnePage, job=job, answer=answer)
    process.start()
    job.readers.close()
    body = answer.pop("body", b"")
    sys.stdout.buffer.write(json.dumps(answer or {"reason": "no answer"}).encode() + b"\n" + body)


if __name__ == "__main__":
    try:
        main()
    except PindnaError as raised:
        sys.exit(report_error(raised))
