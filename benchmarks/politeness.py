"""Politeness of a crawl with several processes, which behave as if each ran on a separate machine.

The figures come from the log of the crawled site: requests per chapter, the time since the previous request,
and the number of open requests. The log does not contain the pages of the catalogue.
"""

import json
import time
import urllib.request
import uuid
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from support.crawling.crawl_site import crawl_site
from support.crawling.crawls import Ground, open_ground

from benchmarks.report import Table
from storage.records import Source
from storage.settings import StorageSettings

_ANSWER_MS = 700
_MAX_CRAWL_S = 900.0
# (processes, the source's concurrency, its delay in seconds)
KINDS = ((1, 1, 0.25), (2, 1, 0.25), (4, 1, 0.25), (4, 2, 0.25), (4, 2, 0.0))


@dataclass(frozen=True, slots=True, kw_only=True)
class Politeness:
    """Figures of one crawl from the log of the site.

    Attributes:
        processes, concurrency, delay_s: configuration of the crawl.
        chapters: number of chapters of the site.
        requested: number of chapters that were requested.
        again: number of repeated requests for a chapter.
        gap_s, median_gap_s: shortest and median time between the starts of two requests.
        most: maximum number of open requests.
        requests_per_s: requests per second between the first and the last request.
    """

    processes: int
    concurrency: int
    delay_s: float
    chapters: int
    requested: int
    again: int
    gap_s: float
    median_gap_s: float
    most: int
    requests_per_s: float


def measure(storage: StorageSettings, *, chapters: int) -> Iterator[Politeness]:
    """Crawl a site with each configuration in ``KINDS``, and yield the figures of each crawl.

    Raises:
        TimeoutError: a crawl did not end in time.
    """
    for processes, concurrency, delay_s in KINDS:
        with crawl_site(chapters, delay_ms=_ANSWER_MS) as url, open_ground(storage) as ground:
            source = Source(
                name=f"manners-{uuid.uuid4().hex[:8]}",
                kind="novel",
                start_urls=(f"{url}/book/1/",),
                delay_s=delay_s,
                concurrency=concurrency,
            )
            _crawl(ground, source, processes)
            with urllib.request.urlopen(f"{url}/log") as answer:  # noqa: S310 - our own server
                log = sorted(json.load(answer), key=lambda row: row[1])
        yield _summarise_log(log, processes, concurrency, delay_s, chapters)


def _crawl(ground: Ground, source: Source, processes: int) -> None:
    ground.open_scan(source, "s", processes=processes)
    running = [ground.start(source, "s", number) for number in range(1, processes + 1)]
    until = time.monotonic() + _MAX_CRAWL_S
    try:
        while any(process.poll() is None for process in running):
            if time.monotonic() > until:
                raise TimeoutError("a crawl did not end in time")
            time.sleep(0.2)
    finally:
        for process in running:
            process.kill()
            process.communicate()


def _summarise_log(
    log: list[tuple[str, float, float]], processes: int, concurrency: int, delay_s: float, chapters: int
) -> Politeness:
    paths = Counter(path for path, _, _ in log)
    gaps = [later - earlier for (_, earlier, _), (_, later, _) in pairwise(log)]
    edges = sorted([(began, 1) for _, began, _ in log] + [(ended, -1) for _, _, ended in log])
    open_requests = max_open = 0
    for _, step in edges:
        open_requests += step
        max_open = max(max_open, open_requests)
    return Politeness(
        processes=processes,
        concurrency=concurrency,
        delay_s=delay_s,
        chapters=chapters,
        requested=len(paths),
        again=sum(paths.values()) - len(paths),
        gap_s=min(gaps),
        median_gap_s=median(gaps),
        most=max_open,
        requests_per_s=len(gaps) / (log[-1][1] - log[0][1]),
    )


def table(rows: list[Politeness]) -> Table:
    """Return a table with one row per crawl."""
    head = ("processes", "concurrency", "delay_s", "chapters", "asked for", "again", "shortest gap s")
    return Table(
        f"What a site sees that takes {_ANSWER_MS} ms to answer",
        (*head, "median gap s", "in hand at once", "requests a second"),
        tuple(
            (
                str(row.processes),
                str(row.concurrency),
                f"{row.delay_s:g}",
                str(row.chapters),
                str(row.requested),
                str(row.again),
                f"{row.gap_s:.3f}",
                f"{row.median_gap_s:.3f}",
                str(row.most),
                f"{row.requests_per_s:.2f}",
            )
            for row in rows
        ),
    )
