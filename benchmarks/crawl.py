"""Speed of crawls, compared with bare Scrapy spiders on the same site in the same run.

A bare spider only downloads pages. Each crawl of pindna is compared with a bare spider on the same site under
the same rules:

- *polite*: there is a pause between requests (a tenth of the default pause, to keep the run short), and the
  site answers at once.
- *far*: there is no pause, the site takes 0.2 s to answer, and eight requests are open at the same time.
- The rows without a suffix: there is no pause, and a site on the same machine answers at once. No site on the
  web does that, but these rows show the processing cost of a page. Two more rows show a bare spider that also
  extracts every page, and the extraction alone.

The *first* crawl extracts every page; the *next* crawl finds every page unchanged. Rates are pages per second
between the first and the last requested chapter, so the start of a process is not included. CPU time is
counted from the first chapter to the end of the process.
"""

import json
import subprocess
import sys
import time
import urllib.request
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import psutil
from support.crawling.crawl_site import chapter, crawl_site
from support.crawling.crawls import Ground, open_ground

from benchmarks.crawl_cpu import Sample, cpu_ms_of, megabytes_of, sample_until_exit
from crawler.readers.questions import PageQuestion
from storage.records import Source
from storage.settings import StorageSettings

_POLITE_S = 0.05
_FAR_MS = 200
_CONCURRENCY = 8
_EXTRACTED_PAGES = 500  # pages

_BARE = """
import sys
import scrapy
from crawler.readers.questions import PageQuestion
from scrapy.crawler import AsyncCrawlerProcess

class Bare(scrapy.Spider):
    name = "bare"
    start_urls = [sys.argv[1]]

    def parse(self, response):
        for href in response.css("li a::attr(href)").getall():
            yield response.follow(href, callback=self.keep)
        for href in response.xpath("//a[text()='下一页']/@href").getall():
            yield response.follow(href)

    def keep(self, response):
        if sys.argv[4] == "extract":
            PageQuestion(response.body, response.url, "utf-8").answer()

process = AsyncCrawlerProcess({
    "LOG_ENABLED": False,
    "TELNETCONSOLE_ENABLED": False,
    "REMOTE_CONTROL_ENABLED": False,
    "DOWNLOAD_DELAY": float(sys.argv[2]),
    "DOWNLOAD_DELAY_JITTER": 0.0,
    "CONCURRENT_REQUESTS": 16,
    "CONCURRENT_REQUESTS_PER_DOMAIN": int(sys.argv[3]),
})
process.crawl(Bare)
process.start()
"""


@dataclass(frozen=True, slots=True)
class _CrawlRules:
    """Rules of a crawl, and the speed of its site.

    Attributes:
        name: suffix of the names of the table rows.
        pause_s: pause between two requests.
        delay_ms: time that the site takes to answer.
        crawls: number of consecutive crawls of pindna.
    """

    name: str
    pause_s: float
    delay_ms: int
    crawls: int


_ALL_RULES = (
    _CrawlRules(", polite", _POLITE_S, 0, 1),
    _CrawlRules(", far", 0.0, _FAR_MS, 2),
    _CrawlRules("", 0.0, 0, 2),
)


@dataclass(frozen=True, slots=True)
class CrawlRate:
    """Speed and cost of one crawl.

    Attributes:
        name: ``bare …`` for a bare spider; otherwise a crawl of pindna.
        pages: number of requested pages.
        rate: pages per second.
        share: rate divided by the bare spider's rate under the same rules; 0 without a bare spider.
        megabytes: resident memory of the crawl and its readers after each quarter of the crawl.
        cpu_ms: milliseconds of CPU per page, by process group.
    """

    name: str
    pages: int
    rate: float
    share: float
    megabytes: tuple[float, ...] = ()
    cpu_ms: Mapping[str, float] = field(default_factory=dict)


def measure(storage: StorageSettings, *, pages: int, only_costs: bool = False) -> list[CrawlRate]:
    """Crawl a site of ``pages`` pages under all rules, and return the rates.

    Args:
        storage: addresses of MongoDB and Redis, which are child processes of this process.
        pages: number of pages of the site.
        only_costs: measure only the rules without a pause on a site that answers at once.
    """
    servers = psutil.Process().children(recursive=True)
    rates: list[CrawlRate] = []
    for rules in _ALL_RULES[-1:] if only_costs else _ALL_RULES:
        bare = _crawl_with_bare_spider(f"bare spider{rules.name}", pages, rules)
        rates.append(bare)
        if rules is _ALL_RULES[-1]:
            rates.append(
                _crawl_with_bare_spider(
                    "bare spider that extracts", pages, rules, extracts=True, rate=bare.rate
                )
            )
            rates.append(_measure_extraction(pages))
        names = [f"{name}{rules.name}" for name in ("first crawl", "next crawl, unchanged")]
        rates += _crawl_with_pindna(storage, pages, rules, names, servers, rate=bare.rate)
    return rates


def measure_memory(storage: StorageSettings, *, pages: int) -> list[CrawlRate]:
    """Crawl a site of ``pages`` pages twice, and return the memory use."""
    names = [f"{name} crawl of {pages} pages" for name in ("first", "next")]
    return _crawl_with_pindna(storage, pages, _ALL_RULES[-1], names)


def _crawl_with_bare_spider(
    name: str, pages: int, rules: _CrawlRules, *, extracts: bool = False, rate: float = 0.0
) -> CrawlRate:
    with crawl_site(pages, delay_ms=rules.delay_ms) as url:
        options = [str(rules.pause_s), str(_CONCURRENCY), "extract" if extracts else ""]
        command = [sys.executable, "-c", _BARE, f"{url}/book/1/", *options]
        samples = sample_until_exit(subprocess.Popen(command))  # noqa: S603 - our own program
        return _rate_of_crawl(name, url, pages, samples, bare_rate=rate)


def _measure_extraction(pages: int) -> CrawlRate:
    """Return the cost of extracting a page in this process."""
    count = min(pages, _EXTRACTED_PAGES)
    bodies = [chapter(number).encode() for number in range(count + 1)]
    PageQuestion(bodies.pop(), "http://a.invalid/", "utf-8").answer()  # warm-up
    began, spent = time.monotonic(), time.process_time()
    for number, body in enumerate(bodies):
        PageQuestion(body, f"http://a.invalid/{number}.html", "utf-8").answer()
    ms = (time.process_time() - spent) * 1000 / count
    return CrawlRate(
        "extraction alone",
        count,
        count / (time.monotonic() - began),
        0.0,
        cpu_ms={"readers": round(ms, 2)},
    )


def _crawl_with_pindna(
    storage: StorageSettings,
    pages: int,
    rules: _CrawlRules,
    names: Sequence[str],
    servers: Sequence[psutil.Process] = (),
    *,
    rate: float = 0.0,
) -> list[CrawlRate]:
    crawls = []
    with open_ground(storage) as ground, crawl_site(pages, delay_ms=rules.delay_ms) as url:
        source = Source(
            name=f"rate-{uuid.uuid4().hex[:8]}",
            kind="novel",
            start_urls=(f"{url}/book/1/",),
            delay_s=rules.pause_s,
            concurrency=_CONCURRENCY,
            max_pages=pages,
        )
        for scan, name in enumerate(names[: rules.crawls]):
            ground.open_scan(source, f"s{scan}")
            samples = _crawl(ground, source, f"s{scan}", servers)
            crawls.append(_rate_of_crawl(name, url, pages, samples, bare_rate=rate))
    return crawls


def _crawl(ground: Ground, source: Source, scan: str, servers: Sequence[psutil.Process]) -> list[Sample]:
    process = ground.start(source, scan)
    samples = sample_until_exit(process, servers)
    if process.stderr:
        process.stderr.close()
    return samples


def _rate_of_crawl(
    name: str, url: str, pages: int, samples: Sequence[Sample], *, bare_rate: float
) -> CrawlRate:
    """Return the rate of a crawl that has just ended.

    Args:
        name: name of the table row.
        url: address of the site.
        pages: expected number of requested pages.
        samples: resource use of the crawl.
        bare_rate: rate of the bare spider; 0 without a bare spider.
    """
    with urllib.request.urlopen(f"{url}/timing") as answer:  # noqa: S310 - our own site
        requested, first, last = json.loads(answer.read())
    if requested != pages:
        raise RuntimeError(f"{requested} pages were requested instead of {pages}")
    rate = float((pages - 1) / max(last - first, 1e-9))
    cpu_ms = cpu_ms_of(samples, since=first, pages=pages)
    return CrawlRate(name, pages, rate, rate / bare_rate if bare_rate else 0.0, megabytes_of(samples), cpu_ms)
