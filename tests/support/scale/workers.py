"""What a second worker brings: the same pages compared and the same works indexed by one process, and by two.

Each worker is started as on a machine of its own, with one process, and takes its share from the queues. The
servers run on the same machine, so their processor time is part of the answer: where they and the workers
together have more to do than there are cores, a second worker cannot double anything. The load of the machine
is kept beside, for other work on it takes cores from whoever is measured.

Linux only: the processor time of processes is read from ``/proc``.
"""

import os
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from random import Random
from statistics import median
from typing import NamedTuple

import psutil
from support.scale.scale_fill import Address, Prose
from support.scale.scale_ground import Ground, open_ground

from benchmarks.report import Table
from deploy.cli.session import export
from storage.collections.stores import Stores
from storage.records import utc_now
from storage.settings import TrackerSettings
from tracker.corpus.chapters import ChapterSection
from tracker.corpus.loading import Terms, store_works
from tracker.corpus.reading import RawWork
from tracker.scans.dispatch import Send, dispatch_pages, dispatch_works

PAGES = 1_600  # as many as are on their way at once, in 32 messages
WORKS = 600  # in ten messages, of …
_WORK_CHARS = 50_000  # … characters each
_FILLED = 200  # addresses that are there before
_POLL_S = 0.1
_RESTS = 15  # times as long as a look takes
_READY_S = 120.0
_SCAN = "benchmark"


class Work(NamedTuple):
    """Records that wait for workers.

    Attributes:
        send: sends all of them on.
        waiting: returns how many still wait.
    """

    send: Callable[[Stores, TrackerSettings, Send], int]
    waiting: Callable[[], int]


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerCost:
    """What some work took with some workers.

    Attributes:
        work: ``compare`` or ``index``.
        workers: of one process each.
        clock_s: from the first message until nothing waited.
        worker_cpu_s, documents_cpu_s, redis_cpu_s: processor time of all workers, and of each server.
        load: mean load of the machine's last minute when it was over.
    """

    work: str
    workers: int
    clock_s: float
    worker_cpu_s: float
    documents_cpu_s: float
    redis_cpu_s: float
    load: float


def measure(
    pool: str, *, workers: Sequence[int], rounds: int, tell: Callable[[str], None]
) -> list[WorkerCost]:
    """Return what comparing and indexing cost, each round with each number of workers in turn.

    Args:
        pool: real prose that texts are mixed from.
        workers: numbers of workers.
        rounds: of all of them.
        tell: is told what is done.

    Raises:
        StackError: the servers cannot be started.
        RuntimeError: a worker does not start.
    """
    costs = list[WorkerCost]()
    prose = Prose(pool)
    for number in range(rounds):
        for count in workers:
            costs += _costs(prose, count, seed=number)
            tell(f"round {number + 1} of {rounds}, workers: {count}")
    return costs


def _costs(prose: Prose, count: int, seed: int) -> list[WorkerCost]:
    """Return what some workers take on servers of their own, which hold the same whatever their number."""
    with open_ground(_FILLED, prose) as ground, ExitStack() as running:
        export(ground.stack.settings)
        processes = [running.enter_context(_worker()) for _ in range(count)]
        _await_workers(ground, count)
        compare = _cost(ground, "compare", processes, _pages(ground, seed))
        return [compare, _cost(ground, "index", processes, _works(ground, prose, seed))]


@contextmanager
def _worker() -> Iterator[psutil.Process]:
    """Run a worker of one process that compares and indexes."""
    options = ("--concurrency", "1", "-Q", "compare,index", "--loglevel", "ERROR")
    command = [sys.executable, "-P", "-m", "celery", "-A", "tracker", "worker", *options]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    try:
        yield psutil.Process(process.pid)
    finally:
        process.terminate()
        process.wait()


def _await_workers(ground: Ground, count: int) -> None:
    ends = time.monotonic() + _READY_S
    while len(ground.runtime.queue.workers(timeout_s=1.0)) < count:
        if time.monotonic() > ends:
            raise RuntimeError("a worker does not start")


def _pages(ground: Ground, seed: int) -> Work:
    """Store pages that wait."""
    stores, now = ground.runtime.stores, utc_now()
    addresses = [Address(number) for number in range(PAGES)]
    pages = [ground.filler.page(address, seed + 1, seen=now, scan_id=_SCAN) for address in addresses]
    stores.pages.see_many(pages)
    return Work(dispatch_pages, lambda: stores.pages.waiting(_SCAN))


def _works(ground: Ground, prose: Prose, seed: int) -> Work:
    """Store works that wait."""
    stores = ground.runtime.stores
    texts = (prose.text(_WORK_CHARS, Random(f"{seed} {number}").getrandbits(40)) for number in range(WORKS))
    raws = [
        RawWork(
            title=f"新作{number}",
            kind="novel",
            origin="benchmark",
            sections=(ChapterSection("第一章", text),),
        )
        for number, text in enumerate(texts)
    ]
    store_works(raws, stores, ground.runtime.guard.live(), terms=Terms())
    return Work(dispatch_works, lambda: stores.works.count("stored"))


def _cost(ground: Ground, name: str, workers: Sequence[psutil.Process], work: Work) -> WorkerCost:
    pids = {status.title: status.pid for status in ground.stack.status() if status.pid is not None}
    redis = [psutil.Process(pids.pop("Redis"))]
    documents = [psutil.Process(pid) for pid in pids.values()]
    groups, runtime = (workers, documents, redis), ground.runtime
    began, before = time.monotonic(), [_cpu_s(group) for group in groups]
    work.send(runtime.stores, runtime.settings.tracker, runtime.queue.send)
    _await_end(work.waiting)
    clock_s = time.monotonic() - began
    cpu = [_cpu_s(group) - earlier for group, earlier in zip(groups, before, strict=True)]
    return WorkerCost(
        work=name,
        workers=len(workers),
        clock_s=clock_s,
        worker_cpu_s=cpu[0],
        documents_cpu_s=cpu[1],
        redis_cpu_s=cpu[2],
        load=os.getloadavg()[0],
    )


def _await_end(waiting: Callable[[], int]) -> None:
    """Wait until nothing waits; looking costs the servers something, and has a small part of the time."""
    while True:
        began = time.monotonic()
        if not waiting():
            return
        time.sleep(max(_POLL_S, _RESTS * (time.monotonic() - began)))


def _cpu_s(processes: Sequence[psutil.Process]) -> float:
    """Return the processor time of some processes and those below them."""
    family = [own for process in processes for own in (process, *process.children(recursive=True))]
    return sum(sum(own.cpu_times()[:2]) for own in family)


def table(costs: Sequence[WorkerCost]) -> Table:
    """Return the medians of all rounds, and how much sooner several are done than the first number."""
    groups = defaultdict[tuple[str, int], list[WorkerCost]](list)
    for cost in costs:
        groups[cost.work, cost.workers].append(cost)
    first = {cost.work: cost.workers for cost in reversed(costs)}
    rows = []
    for (work, workers), own in sorted(groups.items()):
        clock = median(cost.clock_s for cost in own)
        alone = median(cost.clock_s for cost in groups[work, first[work]])
        cpu, documents, redis = (
            median(cost.worker_cpu_s for cost in own),
            median(cost.documents_cpu_s for cost in own),
            median(cost.redis_cpu_s for cost in own),
        )
        load, servers = median(cost.load for cost in own), documents + redis
        figures = (clock, alone / clock, cpu, documents, redis, servers / (cpu + servers), load)
        rows.append((work, str(workers), *(f"{figure:.2f}" for figure in figures)))
    head = (
        "work",
        "workers",
        "seconds",
        "times as fast",
        "CPU s of workers",
        "of the document server",
        "of Redis",
        "the servers' share",
        "load",
    )
    return Table(f"{PAGES} pages compared, {WORKS} works indexed by several workers", head, tuple(rows))
