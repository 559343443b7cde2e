"""The rates of crawls and of a bare Scrapy spider that only downloads, on the same site in the same run.

Each crawl of ours is compared with a bare one of the same site under the same rules:

- *polite*: a pause between requests (a tenth of the default one, so that it ends today), a site that answers
  at once;
- *far*: no pause, but a site that takes 0.2 s to answer, as sites do, asked eight requests at once;
- no pause, and a site that answers at once from the same machine, which no site on the web does: what is
  measured there is what a page costs us.

A *first* crawl reads every page, the *next* one finds every page unchanged. Rates are pages a second from the
first to the last chapter that the site was asked for, so the start of a process does not count.
"""

import json
import subprocess
import sys
import time
import urllib.request
import uuid
from dataclasses import dataclass

import psutil

from benchmarks.crawl_site import crawl_site
from benchmarks.crawls import Ground, ground
from storage.records import Source
from storage.settings import StorageSettings

_SAMPLE_S = 2.0
_POLITE_S = 0.05
_FAR_MS = 200
_CONCURRENCY = 8

_BARE = """
import sys
import scrapy
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
        pass

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
        share: of the bare spider's rate under the same rules.
        megabytes: resident memory of the crawl and its readers after a quarter, half, three quarters, and
            all of the crawl.
    """

    name: str
    pages: int
    rate: float
    share: float
    megabytes: tuple[float, ...]


def measure(storage: StorageSettings, *, pages: int) -> list[Rate]:
    """Crawl a site of ``pages`` pages in every way, and return the rates."""
    rates: list[Rate] = []
    for regime in _REGIMES:
        bare = _bare(pages, regime)
        rates.append(_rate(f"bare spider{regime.name}", bare, 1.0))
        ours = _ours(storage, pages, regime)
        for name, figures in zip(("first crawl", "next crawl, unchanged"), ours, strict=False):
            rates.append(_rate(f"{name}{regime.name}", figures, figures[1] / bare[1]))
    return rates


def memory(storage: StorageSettings, *, pages: int) -> list[Rate]:
    """Crawl a site of ``pages`` pages twice, and return the memory."""
    crawls = _ours(storage, pages, _REGIMES[-1])
    return [
        _rate(f"{name} crawl of {pages} pages", figures, 0.0)
        for name, figures in zip(("first", "next"), crawls, strict=True)
    ]


def _rate(name: str, figures: tuple[int, float, tuple[float, ...]], share: float) -> Rate:
    pages, rate, megabytes = figures
    return Rate(name, pages, rate, share, megabytes)


def _bare(pages: int, regime: _Regime) -> tuple[int, float, tuple[float, ...]]:
    with crawl_site(pages, delay_ms=regime.delay_ms) as url:
        command = [sys.executable, "-c", _BARE, f"{url}/book/1/", str(regime.pause_s), str(_CONCURRENCY)]
        samples = _watch(subprocess.Popen(command))  # noqa: S603 - our own program
        return (pages, _rate_of(url, pages), samples)


def _ours(
    storage: StorageSettings, pages: int, regime: _Regime
) -> list[tuple[int, float, tuple[float, ...]]]:
    crawls = []
    with ground(storage) as here, crawl_site(pages, delay_ms=regime.delay_ms) as url:
        source = Source(
            name=f"rate-{uuid.uuid4().hex[:8]}",
            kind="novel",
            start_urls=(f"{url}/book/1/",),
            delay_s=regime.pause_s,
            concurrency=_CONCURRENCY,
            max_pages=pages,
        )
        for scan in range(regime.crawls):
            here.open_scan(source, f"s{scan}")
            crawls.append((pages, *_crawl(here, source, f"s{scan}", url, pages)))
    return crawls


def _crawl(here: Ground, source: Source, scan: str, url: str, pages: int) -> tuple[float, tuple[float, ...]]:
    process = here.start(source, scan)
    samples = _watch(process)
    if process.stderr:
        process.stderr.close()
    return _rate_of(url, pages), samples


def _rate_of(url: str, pages: int) -> float:
    with urllib.request.urlopen(f"{url}/timing") as answer:  # noqa: S310 - our own site
        asked, first, last = json.loads(answer.read())
    if asked != pages:
        raise RuntimeError(f"{asked} pages were asked for instead of {pages}")
    return float((pages - 1) / max(last - first, 1e-9))


def _watch(process: "subprocess.Popen[bytes]") -> tuple[float, ...]:
    """Wait for a process; returns its memory in megabytes at four moments."""
    samples: list[float] = []
    watched = psutil.Process(process.pid)
    while process.poll() is None:
        try:
            family = (watched, *watched.children(recursive=True))
            resident = [member.memory_info().rss for member in family]
            if resident[0]:  # a process that has just ended has none
                samples.append(sum(resident) / 2**20)
        except psutil.Error:
            break
        time.sleep(_SAMPLE_S / 8)
    process.wait()
    return (
        tuple(round(samples[max(0, len(samples) * part // 4 - 1)], 1) for part in (1, 2, 3, 4))
        if samples
        else ()
    )
