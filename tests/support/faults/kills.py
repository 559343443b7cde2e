"""Kill rounds: crawl processes that share a frontier are killed; nothing may be lost or doubled.

Each round crawls a site of its own from the beginning. Processes are killed with SIGKILL at random moments,
most of them while they work, and started anew, as the tracker would. In the end every chapter must be stored,
once, and its appearance told once.

A round that does not come to its end, and a process that ends with an error of its own, prove nothing about
killed ones: they are counted for themselves, lest they look like a loss, or hide one.
"""

import random
import subprocess
import time
import uuid
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from support.crawling.crawl_site import crawl_site
from support.crawling.crawls import Ground, open_ground

from storage.records import Source
from storage.settings import StorageSettings

_PROCESSES = 3
_PATIENCE_S = 900.0  # on a machine that has much else to do


@dataclass(frozen=True, slots=True)
class Round:
    """What a round came to.

    Attributes:
        lost: chapters that are not stored.
        doubled: chapters that are stored, or told as new, more than once.
        unaccounted: addresses that entered the frontier and were not counted out of it once.
        errors: processes that ended with an error instead of being killed.
        is_complete: the crawl came to its end.
    """

    chapters: int
    kills: int
    lost: int
    doubled: int
    unaccounted: int
    seconds: float
    errors: int
    is_complete: bool


def rounds(storage: StorageSettings, *, count: int, chapters: int, seed: int) -> Iterator[Round]:
    """Play rounds and yield what each came to."""
    chance = random.Random(seed)
    for _ in range(count):
        with crawl_site(chapters) as url, open_ground(storage, frontier_lease_s="2", retries="3") as ground:
            yield _round(ground, url, chapters=chapters, chance=chance)


def _round(ground: Ground, url: str, *, chapters: int, chance: random.Random) -> Round:
    source = Source(name=f"kills-{uuid.uuid4().hex[:8]}", kind="novel", start_urls=(f"{url}/book/1/",))
    ground.open_scan(source, "s", processes=_PROCESSES)
    began = time.monotonic()
    kills, errors, is_complete = _crawl(ground, source, chance=chance, max_kills=2 * _PROCESSES)
    pages = Counter(page.url for page in ground.stores.pages.all() if page.state == "fetched")
    events = Counter(event.url for event in ground.stores.page_events.of_scan("s") if event.kind == "new")
    expected = {f"{url}/book/1/{number}.html" for number in range(1, chapters + 1)}
    return Round(
        chapters=chapters,
        kills=kills,
        lost=len(expected - set(pages)) + len(expected - set(events)),
        doubled=sum(number > 1 for counts in (pages, events) for number in counts.values()),
        unaccounted=_count_unaccounted(ground),
        seconds=time.monotonic() - began,
        errors=errors,
        is_complete=is_complete,
    )


def _crawl(ground: Ground, source: Source, *, chance: random.Random, max_kills: int) -> tuple[int, int, bool]:
    """Run the crawl to its end, killing up to ``max_kills`` processes on the way.

    Returns how many were killed, how many ended with an error, and whether all came to their end.
    """
    running = {number: ground.start(source, "s", number) for number in range(1, _PROCESSES + 1)}
    kills, errors, deadline = 0, 0, time.monotonic() + _PATIENCE_S
    try:
        while running and time.monotonic() < deadline:
            time.sleep(chance.uniform(0.2, 1.2))
            for number, process in list(running.items()):
                if process.poll() is not None:
                    errors += process.returncode != 0
                    _close(running.pop(number))
            if running and kills < max_kills and _is_under_way(ground):
                number = chance.choice(list(running))
                running[number].kill()
                _close(running[number])
                running[number] = ground.start(source, "s", number)
                kills += 1
        return kills, errors, not running
    finally:
        for process in running.values():
            process.kill()
            _close(process)


def _count_unaccounted(ground: Ground) -> int:
    """Return how many addresses are missing from the sum of endings, or are in it twice."""
    rows = [
        (row.heartbeat, row.addresses) for row in ground.stores.scans.crawls("s") if row.heartbeat is not None
    ]
    if not rows:
        return 0
    _, addresses = max(rows, key=lambda row: row[0])
    endings = ("list", "new", "unchanged", "failed", "left")
    return abs(addresses["entries"] - sum(addresses.get(name, 0) for name in endings))


def _is_under_way(ground: Ground) -> bool:
    """Return whether anything is stored: a process that is killed while it starts shows nothing."""
    return any(True for _ in ground.stores.pages.all())


def _close(process: subprocess.Popen[bytes]) -> None:
    process.wait()
    if process.stderr:
        process.stderr.close()
