"""``python -m crawler.sources.one_page URL``: fetch a page and print it for ``crawler.sources.fetching``."""

import json
import sys
from collections.abc import AsyncIterator
from typing import Any
from urllib.parse import urlsplit

import scrapy
from scrapy.crawler import AsyncCrawlerProcess
from scrapy.http import Request, Response

from crawler.download.resolver import REFUSED_NAMES
from crawler.failures import failure_reason
from crawler.pages.stylesheets import SheetReader
from crawler.program import open_readers, scrapy_settings
from crawler.readers.pool import ReaderPool
from storage.child_process import report_error
from storage.errors import PindnaError
from storage.records import Source
from storage.settings import load_settings

# Of our own middlewares only the safety.
_SAFETY = {
    "crawler.middlewares.address.AddressMiddleware": 60,
    "scrapy.downloadermiddlewares.robotstxt.RobotsTxtMiddleware": None,
    "crawler.middlewares.robots.SharedRobotsMiddleware": 100,
    "crawler.middlewares.limits.LimitsMiddleware": 595,
}


class _OnePage(scrapy.Spider):
    """Fetches one address and keeps what came."""

    name = "one-page"

    def __init__(self, url: str, answer: dict[str, Any], readers: ReaderPool, **arguments: Any) -> None:
        super().__init__(**arguments)
        self._readers = readers
        self._url = url
        self._answer = answer

    async def start(self) -> AsyncIterator[Request]:
        yield Request(self._url, callback=self.keep_answer, errback=self.keep_failure)

    async def keep_answer(self, response: Response) -> None:
        content_type = (response.headers.get("Content-Type") or b"").decode("latin-1")
        declared = content_type.lower().partition("charset=")[2].strip(" \"';") or None
        engine = self.crawler.engine
        sheets = SheetReader(engine.download_async, self._readers) if engine is not None else None
        styles = await sheets.of_page(response.body, url=response.url) if sheets is not None else ()
        self._answer.update(url=response.url, declared=declared, body=response.body, sheets=styles)

    def keep_failure(self, failure: Any) -> None:
        reason = failure_reason(failure.value)
        if reason == "dns" and urlsplit(self._url).hostname in REFUSED_NAMES:
            reason = "inner-address"
        self._answer.update(reason=reason)


def main() -> None:
    """Fetch the address on the command line and print the answer."""
    url = sys.argv[1]
    source = Source(name="one-page", kind="news", start_urls=(url,), delay_s=0.0)
    own = load_settings().crawler
    settings = scrapy_settings(own, source)
    plain = {
        "DOWNLOADER_MIDDLEWARES": _SAFETY,
        "EXTENSIONS": {},
        "ITEM_PIPELINES": {},
        "SCHEDULER": "scrapy.core.scheduler.Scheduler",
    }
    settings.setdict(plain, priority="cmdline")
    answer: dict[str, Any] = {}
    readers = open_readers(own)
    process = AsyncCrawlerProcess(settings)
    process.crawl(_OnePage, url=url, answer=answer, readers=readers)
    process.start()
    readers.close()
    body = answer.pop("body", b"")
    sys.stdout.buffer.write(json.dumps(answer or {"reason": "no answer"}).encode() + b"\n" + body)


if __name__ == "__main__":
    try:
        main()
    except PindnaError as raised:
        sys.exit(report_error(raised))
