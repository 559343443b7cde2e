"""Metrics of a worker's processes, which Prometheus reads from the worker's port.

Theory of operation. The processes of a worker are forked from one that first creates a table in shared
memory: a row for each process of the pool, a column for each number. A process adds to its row only, so a
killed process cannot leave a lock behind. The process that replaces it continues its row, so no counter goes
back. The first process answers at ``/metrics`` with the sums of the columns and opens no database. The
console reports the metrics of the installation as a whole.

A crawl is a separate process; several run at once and end soon. Their counts reach the database every second,
and the process that started them adds the increase to its row.
"""

import logging
import multiprocessing
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from threading import Thread
from typing import Any, Literal, get_args

import billiard.process
from celery.signals import (
    task_failure,
    task_postrun,
    task_prerun,
    worker_init,
    worker_process_init,
    worker_ready,
    worker_shutting_down,
)
from prometheus_client import CollectorRegistry
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector

from storage.records import VERDICTS, Verdict
from storage.settings import TrackerSettings, load_settings
from system.version import VERSION
from tracker.metrics_server import serve
from tracker.queues import ROUTES

log = logging.getLogger(__name__)

Stage = Literal["crawled", "unchanged", "failed", "compared"]
Leased = Literal["crawl", "page", "work"]
Ending = Literal["done", "failed", "stopped"]

STAGES: tuple[Stage, ...] = get_args(Stage)
LEASED: tuple[Leased, ...] = get_args(Leased)
ENDINGS: tuple[Ending, ...] = get_args(Ending)
_TASKS = tuple(sorted(task.rpartition(".")[2] for task in ROUTES))
_ROWS = 256  # maximum number of processes of a worker (tracker.worker_processes)
_OF_A_CRAWL: Mapping[str, Stage] = {"pages": "crawled", "unchanged": "unchanged", "failed": "failed"}

# Counter → its description, and its label with the values; a counter without a label is a single number.
_COUNTERS: Mapping[str, tuple[str, str, tuple[str, ...]]] = {
    "pindna_pages": ("Pages that came through a stage of their way.", "stage", STAGES),
    "pindna_page_verdicts": ("Pages that were compared, by verdict.", "verdict", tuple(VERDICTS)),
    "pindna_leases_lost": ("Records whose lease ended while this worker had them.", "kind", LEASED),
    "pindna_crawl_requests": ("Requests that crawls sent.", "", ()),
    "pindna_crawl_bytes": ("Bytes that crawls received.", "", ()),
    "pindna_crawls": ("Crawls that came to an end.", "ending", ENDINGS),
    "pindna_works_indexed": ("Works that were indexed.", "", ()),
    "pindna_characters_indexed": ("Characters of works that were indexed.", "", ()),
    "pindna_compare_seconds": ("Seconds that batches of pages were compared for.", "", ()),
    "pindna_index_seconds": ("Seconds that works were indexed for.", "", ()),
    "pindna_tasks": ("Messages that were worked on to their end.", "task", _TASKS),
    "pindna_tasks_failed": ("Messages whose work broke off with an error.", "task", _TASKS),
}
# Gauges of one process: reset when it starts.
_GAUGES: Mapping[str, str] = {
    "pindna_worker_busy_processes": "Processes of this worker that work on a message.",
    "pindna_worker_crawls": "Crawls that this worker runs now.",
}
_COLUMNS = [(name, value) for name, (_, _, values) in _COUNTERS.items() for value in values or ("",)]
_COLUMNS += [(name, "") for name in _GAUGES]
_COLUMN_OF = {column: number for number, column in enumerate(_COLUMNS)}


@cache
def _shared_table() -> Any:
    return multiprocessing.RawArray("d", _ROWS * len(_COLUMNS))


def _table_row(name: str, value: str) -> int:
    """Return the position of a number of this process in the table; processes beyond its rows share one."""
    index = getattr(billiard.process.current_process(), "index", 0)
    return int(index) % _ROWS * len(_COLUMNS) + _COLUMN_OF[name, value]


def _add_to(name: str, amount: float = 1, value: str = "") -> None:
    _shared_table()[_table_row(name, value)] += amount


def _set_to(name: str, amount: float) -> None:
    _shared_table()[_table_row(name, "")] = amount


def count_pages(stage: Stage, number: int) -> None:
    """Count pages that passed a stage."""
    _add_to("pindna_pages", number, stage)


def count_comparisons(verdicts: Mapping[Verdict, int], *, seconds: float) -> None:
    """Count compared pages by verdict, and the time."""
    count_pages("compared", sum(verdicts.values()))
    for verdict, number in verdicts.items():
        _add_to("pindna_page_verdicts", number, verdict)
    _add_to("pindna_compare_seconds", seconds)


def count_works(works: int, characters: int, *, seconds: float) -> None:
    """Count indexed works, and the time."""
    _add_to("pindna_works_indexed", works)
    _add_to("pindna_characters_indexed", characters)
    _add_to("pindna_index_seconds", seconds)


def count_lost(kind: Leased, number: int = 1) -> None:
    """Count leases that ended while this process worked on their records."""
    _add_to("pindna_leases_lost", number, kind)


def count_crawl(ending: Ending) -> None:
    """Count a finished crawl."""
    _add_to("pindna_crawls", 1, ending)


def note_crawls(running: int) -> None:
    """Record how many crawls this process runs."""
    _set_to("pindna_worker_crawls", running)


class CrawlCounts:
    """The counts of a crawl that are already in the table.

    Args:
        counts: of an earlier process of the same crawl.
    """

    def __init__(self, counts: Mapping[str, int]) -> None:
        self._counts = dict(counts)

    def note(self, counts: Mapping[str, int]) -> None:
        """Add the increase of a crawl's counts."""
        new = {name: max(0, number - self._counts.get(name, 0)) for name, number in counts.items()}
        self._counts = dict(counts)
        for name, stage in _OF_A_CRAWL.items():
            count_pages(stage, new.get(name, 0))
        _add_to("pindna_crawl_requests", new.get("requests", 0))
        _add_to("pindna_crawl_bytes", new.get("bytes", 0))


class WorkerCollector(Collector):
    """The sums of the table, and the free space on this machine's disk.

    Args:
        folder: a folder on the disk.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def collect(self) -> Iterator[Metric]:
        """Yield the metrics of this worker."""
        table, width = _shared_table(), len(_COLUMNS)
        sums = {column: sum(table[number::width]) for column, number in _COLUMN_OF.items()}
        for name, (meaning, label, values) in _COUNTERS.items():
            counter = CounterMetricFamily(name, meaning, labels=[label] if label else [])
            for value in values or ("",):
                counter.add_metric([value] if label else [], sums[name, value])
            yield counter
        for name, meaning in _GAUGES.items():
            yield GaugeMetricFamily(name, meaning, value=sums[name, ""])
        yield from machine_metrics(self._folder)


def machine_metrics(folder: Path) -> Iterable[Metric]:
    """Yield pindna's version, and size and free space of the disk with a folder."""
    there = next(parent for parent in (folder, *folder.parents) if parent.exists())
    usage = shutil.disk_usage(there)
    version = GaugeMetricFamily("pindna_build_info", "The version of pindna; always 1.", labels=["version"])
    version.add_metric([VERSION], 1)
    yield version
    meaning = "Bytes that the disk of the data folder has {}."
    yield GaugeMetricFamily("pindna_disk_free_bytes", meaning.format("left"), value=usage.free)
    yield GaugeMetricFamily("pindna_disk_size_bytes", meaning.format("in all"), value=usage.total)


def serve_metrics(settings: TrackerSettings, folder: Path) -> Callable[[], None] | None:
    """Answer at ``/metrics`` in a thread; return a function that ends it, or None if no port is set.

    If another program has the port, this is logged, and work continues without metrics.
    """
    if settings.metrics_port is None:
        return None
    registry = CollectorRegistry()
    registry.register(WorkerCollector(folder))
    address = f"{settings.metrics_host}:{settings.metrics_port}"
    try:
        _, end = serve(registry, settings.metrics_host, settings.metrics_port)
    except OSError as error:
        log.warning("no metrics at %s: %s", address, error.strerror or error)
        return None
    log.info("metrics at http://%s/metrics", address)
    return end


@worker_init.connect
def _create_table(**_: object) -> None:
    """Create the table before any process is forked."""
    _shared_table()


@worker_process_init.connect
def _reset_gauges(**_: object) -> None:
    """Reset the gauges that a killed process left."""
    for name in _GAUGES:
        _set_to(name, 0)


@worker_ready.connect
def _serve_metrics(**_: object) -> None:
    """Start to answer when there are metrics, until the worker ends."""
    settings = load_settings()
    end = serve_metrics(settings.tracker, settings.storage.data_dir)
    if end is not None:
        worker_shutting_down.connect(lambda **_: Thread(target=end).start(), weak=False)


@task_prerun.connect
def _note_begin(**_: object) -> None:
    _set_to("pindna_worker_busy_processes", 1)


@task_postrun.connect
def _note_end(task: Any, **_: object) -> None:
    _set_to("pindna_worker_busy_processes", 0)
    if (name := task.name.rpartition(".")[2]) in _TASKS:
        _add_to("pindna_tasks", 1, name)


@task_failure.connect
def _note_failure(sender: Any, **_: object) -> None:
    if (name := sender.name.rpartition(".")[2]) in _TASKS:
        _add_to("pindna_tasks_failed", 1, name)
