"""Takes screenshots of addresses as evidence, for ``pindna evidence export --screenshot``.

The spider and middlewares of a source request the addresses in a browser, with a frontier in memory and in a
separate process (``python -m crawler.sources.pictures``, with the source as JSON on standard input). The
process stores captures, but no pages, visits or looks, because it is not a crawl.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from pydantic import TypeAdapter
from scrapy.crawler import Crawler

from crawler.download.browser.chromium import require_browser
from crawler.job import Job, job_of
from crawler.pages.outcomes import EntryResult, FailedFetch, Outcome, ending_of
from crawler.pages.storing import keep_evidence
from crawler.program import open_readers, run_alone
from storage.collections.stores import open_stores
from storage.frontier.memory import MemoryFrontier, MemoryPace
from storage.records import Source
from storage.settings import CrawlerSettings, load_settings
from system.child_process import last_line, report_error
from system.errors import PindnaError
from system.secrets import stored_environment

NO_ANSWER = "no answer"
_SOURCE = TypeAdapter(Source)
_MAX_MINUTES = 30
_GRACE_S = 120


def take_pictures(source: Source, urls: Iterable[str], settings: CrawlerSettings) -> Mapping[str, str]:
    """Take screenshots of addresses; return the addresses that failed, with the reasons.

    Args:
        source: with the settings for the requests; it need not be stored.
        urls: the addresses.
        settings: with the browser.

    Raises:
        BrowserMissing: there is no browser.
    """
    require_browser(settings, wanted_by=source.name)
    addresses = tuple(dict.fromkeys(urls))
    picture_source = replace(
        source,
        kind="urls",
        start_urls=addresses,
        sitemaps=(),
        feeds=(),
        discovery=None,
        render=True,
        screenshot=True,
        max_pages=len(addresses),
        max_minutes=_MAX_MINUTES,
        processes=1,
    )
    command = [sys.executable, "-P", "-m", "crawler.sources.pictures"]
    definition = _SOURCE.dump_json(picture_source)
    try:
        process = subprocess.run(  # noqa: S603 - our own module
            command,
            input=definition,
            env={**os.environ, **stored_environment(definition.decode())},
            capture_output=True,
            timeout=_MAX_MINUTES * 60 + _GRACE_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return dict.fromkeys(addresses, "timeout")
    texts = dict(json.loads(line) for line in process.stdout.splitlines())
    problem = (last_line(process.stderr) if process.returncode else "") or NO_ANSWER
    return {url: texts.get(url, problem) for url in addresses if texts.get(url, problem)}


class PicturePipeline:
    """Stores the evidence of each entry, prints the result, and ends the entry."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._stores = open_stores(load_settings().storage)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> "PicturePipeline":
        """Build the pipeline."""
        return cls(crawler)

    def close_spider(self) -> None:
        """Close the database."""
        self._stores.close()

    async def process_item(self, item: Any) -> Any:
        """Store the captures; print the address, with the reason if there is no screenshot."""
        if not isinstance(item, EntryResult):
            return item
        job = job_of(self._crawler)
        reason = NO_ANSWER
        if item.outcome is not None:
            # The job has no database, so every address is requested again.
            keeping = replace(job, database=self._stores)
            (lost,) = await job.store(keep_evidence, keeping, [item.outcome])
            failure = item.outcome.reason if isinstance(item.outcome, FailedFetch) else ""
            reason = "" if _has_picture(item.outcome) and not lost else failure or NO_ANSWER
        sys.stdout.write(json.dumps([item.entry.url, reason]) + "\n")
        sys.stdout.flush()
        job.frontier.end(item.entry.id, ending_of(item), [])
        job.held_ids.discard(item.entry.id)
        return item


def _has_picture(outcome: Outcome) -> bool:
    """Return whether the outcome has a screenshot."""
    exchanges = (fetched.received for fetched in outcome.fetched)
    return any(
        exchange is not None and exchange.rendered and exchange.rendered.screenshot for exchange in exchanges
    )


def main() -> int:
    """Take screenshots of the addresses of the source on standard input; return the exit status."""
    source = _SOURCE.validate_json(sys.stdin.buffer.read())
    settings = load_settings()
    job = Job(
        source=source,
        scan_id="",
        crawl_id="",
        database=None,
        frontier=MemoryFrontier(max_texts=source.max_pages),
        pace=MemoryPace(),
        settings=settings.crawler,
        readers=open_readers(settings.crawler),
    )
    run_alone(job, pipeline="crawler.sources.pictures.PicturePipeline")
    job.readers.close()
    return report_error(job.fatal) if job.fatal is not None else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except PindnaError as raised:
        sys.exit(report_error(raised))
