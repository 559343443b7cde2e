"""Constant crawling: what one crawl process and both servers hold from minute to minute.

The site has more chapters than can be asked for in that time, and each is new. What a crawl keeps in memory
must not grow with what it has crawled but by the few bytes that a text's hash takes.
"""

import time
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from statistics import median

import psutil
from support.crawling.crawl_site import crawl_site
from support.crawling.crawls import Ground, open_ground
from support.faults.resources import Held, held_by

from benchmarks.report import Table
from storage.records import Source
from storage.servers.redis_client import Client, open_redis
from storage.settings import StorageSettings

_CHAPTERS = 1_000_000
_MINUTE_S = 60.0
_PART = 10  # minutes at either end that are compared
_ROWS = 13  # of the table, evenly spread
_CONCURRENCY = 4
_DELAY_S = 0.1  # some ten pages a second leave the machine to others, too


@dataclass(frozen=True, slots=True, kw_only=True)
class Minute:
    """How things stand after some minutes.

    Attributes:
        minutes: since the crawl began.
        pages: that were stored by then.
        crawl: the crawl and its readers.
        documents: the document server.
        redis_mb, keys: what Redis keeps.
    """

    minutes: float
    pages: int
    crawl: Held
    documents: Held
    redis_mb: float
    keys: int


def measure(storage: StorageSettings, *, minutes: float, tell: Callable[[str], None]) -> list[Minute]:
    """Crawl for some time, and note every minute what is held.

    Args:
        storage: where the services are, which are children of this process.
        minutes: how long.
        tell: is told how far it is.

    Raises:
        RuntimeError: the crawl ended before its time.
    """
    (documents,) = (own for own in psutil.Process().children(recursive=True) if "secantus" in own.cmdline())
    noted = list[Minute]()
    with open_ground(storage) as ground, crawl_site(_CHAPTERS) as url, closing(open_redis(storage)) as client:
        source = Source(
            name="soak",
            kind="novel",
            start_urls=(f"{url}/book/1/",),
            delay_s=_DELAY_S,
            concurrency=_CONCURRENCY,
            max_pages=_CHAPTERS,
        )
        ground.open_scan(source, "soak")
        process = ground.start(source, "soak")
        try:
            began = time.monotonic()
            while (passed := (time.monotonic() - began) / _MINUTE_S) < minutes:
                time.sleep(min(_MINUTE_S, (minutes - passed) * _MINUTE_S))
                if process.poll() is not None:
                    raise RuntimeError("the crawl ended before its time")
                noted.append(_minute(ground, psutil.Process(process.pid), documents, client, began))
                tell(_line(noted[-1]))
        finally:
            process.kill()
            process.communicate()
    return noted


def _minute(
    ground: Ground, crawl: psutil.Process, documents: psutil.Process, client: Client, began: float
) -> Minute:
    (row,) = ground.stores.scans.crawls("soak")
    return Minute(
        minutes=round((time.monotonic() - began) / _MINUTE_S, 1),
        pages=row.counts.get("pages", 0),
        crawl=held_by([crawl]),
        documents=held_by([documents]),
        redis_mb=round(int(client.info("memory")["used_memory"]) / 2**20, 2),
        keys=int(client.dbsize()),
    )


def _line(noted: Minute) -> str:
    return f"{noted.minutes:.0f} minutes, {noted.pages} pages, {noted.crawl.megabytes:.0f} MB"


def table(noted: Sequence[Minute]) -> Table:
    """Return some of the minutes, and the medians of the last ones as multiples of the first ones'."""
    step = max(1, len(noted) // _ROWS)
    rows = [tuple(f"{figure:g}" for figure in _figures(minute)) for minute in noted[::step]]
    part = max(1, min(_PART, len(noted) // 2))
    first, last = (
        [median(column) for column in zip(*map(_figures, own), strict=True)]
        for own in (noted[:part], noted[-part:])
    )
    ratios = [f"× {late / early:.2f}" for early, late in zip(first[1:], last[1:], strict=True)]
    head = (
        "minutes",
        "pages",
        "MB of the crawl",
        "files",
        "threads",
        "MB of documents",
        "files",
        "MB of Redis",
        "keys",
    )
    return Table("Constant crawling", head, (*rows, (f"last {part} / first {part}", *ratios)))


def _figures(noted: Minute) -> tuple[float, ...]:
    crawl, documents = noted.crawl, noted.documents
    own = (crawl.megabytes, crawl.files, crawl.threads)
    return (
        noted.minutes,
        noted.pages,
        *own,
        documents.megabytes,
        documents.files,
        noted.redis_mb,
        noted.keys,
    )
