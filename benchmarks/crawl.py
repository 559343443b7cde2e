"""The rates of crawls and of bare Scrapy spiders, on the same site in the same run.

Each crawl of ours is compared with a bare one of the same site under the same rules, that only downloads:

- *polite*: a pause between requests (a tenth of the default one, so that it ends today), a site that answers
  at once;
- *far*: no pause, but a site that takes 0.2 s to answer, as sites do, asked eight requests at once;
- no pause, and a site that answers at once from the same machine, which no site on the web does: what is
  measured there is what a page costs us. Beside it stand a bare spider that extracts every page as we do, and
  the extraction alone.

A *first* crawl reads every page, the *next* one finds every page unchanged. Rates are pages a second from the
first to the last chapter that the site was asked for, so the start of a process does not count; CPU is that
from the first chapter to the end of the process.
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

from benchmarks.crawl_cpu import Sample, cpu_ms_of, megabytes_of, watch
from crawler.readers.questions import PageQuestion
from storage.records import Source
from storage.settings import StorageSettings

_POLITE_S = 0.05
_FAR_MS = 200
_CONCURRENCY = 8
_EXTRACTED = 500  # pages

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
class _Regime:
    """How a site is crawled, and how fast it answers.

    Attributes:
        name: ends the name of a row.
        pause_s: between two requests.
        delay_ms: what the site takes to answer.
        crawls: of ours, one after the other.
    """

    name: str
    pause_s: float
    delay_ms: int
    crawls: int


_REGIMES = (
    _Regime(", polite", _POLITE_S, 0, 1),
    _Regime(", far", 0.0, _FAR_MS, 2),
    _Regime("", 0.0, 0, 2),
)


@dataclass(frozen=True, slots=True)
class Rate:
    """One crawl.

    Attributes:
        name: ``bare`` …, or ours.
        pages: that the site was asked for.
        rate: pages a second.
        share: of the bare spider's rate under the same rules; 0 without one.
        megabytes: resident memory of the crawl and its readers after a quarter, half, three quarters, and
            all of the crawl.
        cpu_ms: milliseconds of CPU a page, by who took them.
    """

    name: str
    pages: int
    rate: float
    share: float
    megabytes: tuple[float, ...] = ()
    cpu_ms: Mapping[str, float] = field(default_factory=dict)


def measure(storage: StorageSettings, *, pages: int, only_costs: bool = False) -> list[Rate]:
    """Crawl a site of ``pages`` pages in every way, and return the rates.

    Args:
        storage: where the services are, which are children of this process.
        pages: of the site.
        only_costs: only without a pause, on a site that answers at once.
    """
    servers = psutil.Process().children(recursive=True)
    rates: list[Rate] = []
    for regime in _REGIMES[-1:] if only_costs else _REGIMES:
        bare = _bare(f"bare spider{regime.name}", pages, regime)
        rates.append(bare)
        if regime is _REGIMES[-1]:
            rates.append(_bare("bare spider that extracts", pages, regime, extracts=True, rate=bare.rate))
            rates.append(_extraction(pages))
        names = [f"{name}{regime.name}" for name in ("first crawl", "next crawl, unchanged")]
        rates += _ours(storage, pages, regime, names, servers, rate=bare.rate)
    return rates


def memory(storage: StorageSettings, *, pages: int) -> list[Rate]:
    """Crawl a site of ``pages`` pages twice, and return the memory."""
    names = [f"{name} crawl of {pages} pages" for name in ("first", "next")]
    return _ours(storage, pages, _REGIMES[-1], names)


def _bare(name: str, pages: int, regime: _Regime, *, extracts: bool = False, rate: float = 0.0) -> Rate:
    with crawl_site(pages, delay_ms=regime.delay_ms) as url:
        options = [str(regime.pause_s), str(_CONCURRENCY), "extract" if extracts else ""]
        command = [sys.executable, "-c", _BARE, f"{url}/book/1/", *options]
        samples = watch(subprocess.Popen(command))  # noqa: S603 - our own program
        return _rate_of(name, url, pages, samples, bare=rate)


def _extraction(pages: int) -> Rate:
    """Return what the extraction of a page costs by itself, in this process."""
    count = min(pages, _EXTRACTED)
    bodies = [chapter(number).encode() for number in range(count + 1)]
    PageQuestion(bodies.pop(), "http://a.invalid/", "utf-8").answer()  # what is loaded once
    began, spent = time.monotonic(), time.process_time()
    for number, body in enumerate(bodies):
        PageQuestion(body, f"http://a.invalid/{number}.html", "utf-8").answer()
    ms = (time.process_time() - spent) * 1000 / count
    return Rate(
        "extraction alone",
        count,
        count / (time.monotonic() - began),
        0.0,
        cpu_ms={"readers": round(ms, 2)},
    )


def _ours(
    storage: StorageSettings,
    pages: int,
    regime: _Regime,
    names: Sequence[str],
    servers: Sequence[psutil.Process] = (),
    *,
    rate: float = 0.0,
) -> list[Rate]:
    crawls = []
    with open_ground(storage) as ground, crawl_site(pages, delay_ms=regime.delay_ms) as url:
        source = Source(
            name=f"rate-{uuid.uuid4().hex[:8]}",
            kind="novel",
            start_urls=(f"{url}/book/1/",),
            delay_s=regime.pause_s,
            concurrency=_CONCURRENCY,
            max_pages=pages,
        )
        for scan, name in enumerate(names[: regime.crawls]):
            ground.open_scan(source, f"s{scan}")
            samples = _crawl(ground, source, f"s{scan}", servers)
            crawls.append(_rate_of(name, url, pages, samples, bare=rate))
    return crawls


def _crawl(ground: Ground, source: Source, scan: str, servers: Sequence[psutil.Process]) -> list[Sample]:
    process = ground.start(source, scan)
    samples = watch(process, servers)
    if process.stderr:
        process.stderr.close()
    return samples


def _rate_of(name: str, url: str, pages: int, samples: Sequence[Sample], *, bare: float) -> Rate:
    """Return the rate of a crawl that has just ended.

    Args:
        name: of the row.
        url: of the site.
        pages: that it should have been asked for.
        samples: of the crawl.
        bare: rate of the bare spider; 0: there is none to compare with.
    """
    with urllib.request.urlopen(f"{url}/timing") as answer:  # noqa: S310 - our own site
        requested, first, last = json.loads(answer.read())
    if requested != pages:
        raise RuntimeError(f"{requested} pages were asked for instead of {pages}")
    rate = float((pages - 1) / max(last - first, 1e-9))
    cpu_ms = cpu_ms_of(samples, since=first, pages=pages)
    return Rate(name, pages, rate, rate / bare if bare else 0.0, megabytes_of(samples), cpu_ms)
