"""Cost of the daily work as the database grows: opening scans, ticks, batches, closing, reports and lists.

Two databases of different sizes, each with separate servers, are measured alternately in one process. All
timed operations are functions of the program, and a scan does the same work at both sizes. So if a cost grows
with the database, the ratio of both costs shows it. The processor time of this process and of the servers is
compared; the clock time is recorded as well.

The figures *before* come from the results of an earlier version of the code.
"""

import contextlib
import io
import json
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from statistics import median

from support.changed.corpora import ROOT
from support.scale.scale_fill import Address, Prose, moment_of, source_name
from support.scale.scale_ground import WORKS, Ground, Spent, add_works, open_ground

from analysis.reports.building import build_report
from analysis.reports.render_html import render_html
from deploy.cli.services.doctor import examine
from deploy.cli.source.source_list import list_sources
from storage.collections.leases import free_lease
from storage.collections.retention import prune_evidence
from storage.records import Scan, utc_now
from tracker import tasks
from tracker.scans.dispatch import dispatch_crawls
from tracker.scans.scanning import close_complete, start_scan, tick

BEFORE = ROOT / "docs" / "benchmarks" / "scale-before.json"
PAGES = 10_000  # addresses in the smaller database; the larger one has ten times as many
FLAT = 1.3  # maximum ratio of a cost that counts as constant
FEW, MANY = 30, 300  # numbers of pages that a scan changes
_SHARE = 10  # every tenth page waits in the running scan
_IN_ONE = 50  # pages that a crawl stores together
_LEASE_S = 86_400.0
_PRUNED_SCANS = 4
_MAX_TICKS = 100  # until a scan without waiting pages is closed


@dataclass(frozen=True, slots=True, kw_only=True)
class ScaleCost:
    """Cost of an operation at one size.

    Attributes:
        operation: name of the operation.
        pages: number of addresses in the database.
        cpu_ms, clock_ms: medians of the processor time and the clock time.
        peak_mb: maximum growth of this process's memory.
        rounds: number of measurements.
    """

    operation: str
    pages: int
    cpu_ms: float
    clock_ms: float
    peak_mb: float
    rounds: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ScaleSize:
    """Stored data at one size.

    Attributes:
        what: a collection, a server's memory (``memory: …``) or the data folder (``disk``).
        pages: number of addresses in the database.
        rows: number of documents of the collection.
        data_bytes, index_bytes: size of the documents, and of the indexes.
    """

    what: str
    pages: int
    rows: int
    data_bytes: int
    index_bytes: int


class _CostRecorder:
    def __init__(self) -> None:
        self._spent: dict[tuple[str, int], list[Spent]] = defaultdict(list)

    def record(self, ground: Ground, name: str, operation: Callable[[], object]) -> None:
        self._spent[name, ground.pages].append(ground.cost(operation))

    def medians(self) -> list[ScaleCost]:
        return [
            ScaleCost(
                operation=name,
                pages=pages,
                cpu_ms=median(cost.cpu_ms for cost in spent),
                clock_ms=median(cost.clock_ms for cost in spent),
                peak_mb=max(cost.peak_mb for cost in spent),
                rounds=len(spent),
            )
            for (name, pages), spent in self._spent.items()
        ]


def measure(
    pool: str, sizes: Sequence[int], *, rounds: int, report_progress: Callable[[str], None]
) -> tuple[list[ScaleCost], list[ScaleSize]]:
    """Return the costs of operations in databases of several sizes, and the sizes of the stored data.

    Args:
        pool: real prose from which page texts are mixed.
        sizes: number of addresses in each database, the smallest first.
        rounds: number of rounds of the operations that can be repeated.
        report_progress: called with progress messages.

    Raises:
        StackError: the servers cannot be started.
    """
    costs, stored = _CostRecorder(), list[ScaleSize]()
    with ExitStack() as opened:
        grounds = []
        for pages in sizes:
            grounds.append(opened.enter_context(open_ground(pages, Prose(pool))))
            stored += _collection_sizes(grounds[-1])
            report_progress(f"filled: {pages} pages")
        for number in range(rounds):
            for ground in grounds:
                for changed in (FEW, MANY):
                    _measure_small_scan(ground, costs, number=number, changed=changed)
            report_progress(f"small scans: {number + 1} of {rounds}")
        _measure_large_scan(grounds, costs, rounds=rounds)
        report_progress("a scan under way")
        _measure_lists(grounds, costs, rounds=rounds)
        report_progress("lists and reports")
        for ground in grounds:
            _measure_after_new_work(ground, costs, rounds=rounds)
            report_progress(f"a new version: {ground.pages} pages")
        for ground in grounds:
            stored += _memory_sizes(ground)
            _measure_pruning(ground, costs)
        stored += _prune_all(grounds[0])
    return costs.medians(), stored


def _measure_small_scan(ground: Ground, costs: _CostRecorder, *, number: int, changed: int) -> None:
    """Measure a scan of one source with some new texts: opening it, closing it, and its report."""
    scan = _open_scan(ground, costs, "opening", source_name(0))
    lease = _claim_crawls(ground, scan)
    first = FEW if changed == MANY else 0
    _store_new_texts(ground, scan, range(first, first + changed), version=2 + number)
    sender = _SentBatches()
    ground.become_worker()
    while sender.tick_and_collect(ground):
        for ids, token in sender.batches:
            tasks.compare_pages(ids, token)
    stores = ground.runtime.stores
    while stores.scans.get(scan.id).stale_parts:
        sender.tick_and_collect(ground)
    _end_crawls(ground, scan, lease)
    costs.record(ground, f"closing, {changed} pages changed", partial(close_complete, stores))
    if stores.scans.get(scan.id).status == "running":
        raise RuntimeError(f"scan {scan.id} is not closed")
    costs.record(ground, f"report of the scan, {changed} pages", partial(_render_report, ground, scan.id))


class _SentBatches:
    def __init__(self) -> None:
        self.batches: list[tuple[list[str], str]] = []

    def record_message(self, task: str, ids: Sequence[object], token: str) -> None:
        """Record a message instead of sending it to a queue."""
        if task == "compare_pages":
            self.batches.append(([str(page_id) for page_id in ids], token))

    def tick_and_collect(self, ground: Ground) -> bool:
        """Run one tick, and return whether it sent pages to compare."""
        self.batches = []
        tick(ground.runtime.stores, ground.runtime.settings, self.record_message)
        return bool(self.batches)


def _open_scan(ground: Ground, costs: _CostRecorder, name: str, *sources: str) -> Scan:
    stores, opened = ground.runtime.stores, list[Scan]()
    chosen = [stores.sources.get(source) for source in sources]
    rules = ground.runtime.settings.tracker
    costs.record(
        ground,
        name,
        lambda: opened.append(
            start_scan(stores, ground.runtime.guard, rules, sources=chosen, trigger="hand")
        ),
    )
    (scan,) = opened
    return scan


def _claim_crawls(ground: Ground, scan: Scan) -> str:
    """Claim the crawls of a scan, as workers do, and return the token of the leases."""
    stores, rules, tokens = ground.runtime.stores, ground.runtime.settings.tracker, list[str]()
    crawls = stores.scans.crawls(scan.id)
    dispatch_crawls(stores, rules, lambda _, __, token: tokens.append(token), count=len(crawls))
    for crawl in crawls:
        if stores.scans.claim_crawl(crawl.id, token=tokens[0], lease_s=_LEASE_S) is None:
            raise RuntimeError(f"crawl {crawl.id} cannot be claimed")
    return tokens[0]


def _store_new_texts(ground: Ground, scan: Scan, numbers: range, *, version: int) -> None:
    """Store new texts for existing addresses, as a crawl does."""
    stores, filler, now = ground.runtime.stores, ground.filler, utc_now()
    for start in range(numbers.start, numbers.stop, _IN_ONE):
        batch = [Address(number) for number in range(start, min(start + _IN_ONE, numbers.stop))]
        pages = [filler.page(address, version, seen=now, scan_id=scan.id) for address in batch]
        stores.pages.see_many(pages)
        stores.pages.settle(page.url for page in pages)


def _end_crawls(ground: Ground, scan: Scan, token: str) -> None:
    stores = ground.runtime.stores
    for crawl in stores.scans.crawls(scan.id):
        stores.scans.close_crawl(crawl.id, token=token, state="done")


def _measure_large_scan(grounds: Sequence[Ground], costs: _CostRecorder, *, rounds: int) -> None:
    """Measure a running scan with a finished crawl, in which a tenth of all pages wait for comparison."""
    sender, waiting = {}, {}
    for ground in grounds:
        scan = _open_scan(ground, costs, "opening", source_name(1))
        lease = _claim_crawls(ground, scan)
        _store_new_texts(
            ground, scan, range(ground.pages // 2, ground.pages // 2 + ground.pages // _SHARE), version=1
        )
        _end_crawls(ground, scan, lease)
        sender[ground.pages] = _SentBatches()
        sender[ground.pages].tick_and_collect(ground)
        waiting[ground.pages] = iter(sender[ground.pages].batches)
    for _ in range(2 * rounds):
        for ground in grounds:
            ground.become_worker()
            costs.record(
                ground, "batch of twenty", partial(tasks.compare_pages, *next(waiting[ground.pages]))
            )
            costs.record(ground, "tick", partial(sender[ground.pages].tick_and_collect, ground))


def _measure_lists(grounds: Sequence[Ground], costs: _CostRecorder, *, rounds: int) -> None:
    """Measure the list of sources, `pindna doctor`, and a report without filters."""
    for _ in range(rounds):
        for ground in grounds:
            ground.become_worker()  # the commands read the settings that this call sets
            with contextlib.redirect_stdout(io.StringIO()):
                costs.record(ground, "source list", partial(list_sources, as_json=True))
                costs.record(ground, "doctor", partial(examine, ground.stack.settings))
    for ground in grounds:
        costs.record(ground, "report of everything", partial(_render_report, ground))


def _render_report(ground: Ground, scan_id: str | None = None) -> str:
    return render_html(build_report(ground.runtime.stores, scan_id=scan_id), language="en")


def _measure_after_new_work(ground: Ground, costs: _CostRecorder, *, rounds: int) -> None:
    """Measure ticks and batches after a new work was added, when every stored page is screened for it."""
    _empty_queue(ground)
    add_works(ground.runtime, ground.filler.prose, [WORKS])
    _open_scan(ground, costs, "opening, after a new work", source_name(2))
    ground.become_worker()
    sender = _SentBatches()
    for _ in range(rounds):
        costs.record(ground, "tick, after a new work", partial(sender.tick_and_collect, ground))
        costs.record(ground, "batch, after a new work", partial(tasks.compare_pages, *sender.batches[0]))


def _empty_queue(ground: Ground) -> None:
    """Finish all waiting pages and the running scan, so that later operations start in the same state."""
    stores = ground.runtime.stores
    compared = {
        "state": "compared",
        "verdict": "clear",
        "corpus_version": stores.versions.current(),
        "lease": free_lease(),
    }
    stores.database["pages"].update_many({"state": "fetched"}, {"$set": compared})
    for _ in range(_MAX_TICKS):
        if not stores.scans.running():
            return
        tick(stores, ground.runtime.settings, lambda *_: None)
    raise RuntimeError("a scan is still open although none of its pages is waiting")


def _measure_pruning(ground: Ground, costs: _CostRecorder) -> None:
    """Measure pruning about nine hundred fetches, which is the same number in every database."""
    before = moment_of(_PRUNED_SCANS)
    costs.record(
        ground, "prune of 900 fetches", partial(prune_evidence, ground.runtime.stores, before=before)
    )


def _prune_all(ground: Ground) -> Iterator[ScaleSize]:
    """Prune all evidence that may be pruned, and yield the sizes of the remaining data."""
    prune_evidence(ground.runtime.stores, before=utc_now())
    for size in _collection_sizes(ground):
        yield replace(size, what=f"pruned: {size.what}")


def _collection_sizes(ground: Ground) -> Iterator[ScaleSize]:
    for name, (rows, data, index) in sorted(ground.bytes_by_collection().items()):
        yield ScaleSize(what=name, pages=ground.pages, rows=rows, data_bytes=data, index_bytes=index)
    disk = int(ground.disk_mb() * 2**20)
    yield ScaleSize(what="disk", pages=ground.pages, rows=ground.pages, data_bytes=disk, index_bytes=0)


def _memory_sizes(ground: Ground) -> Iterator[ScaleSize]:
    """Yield the memory of each server, and of this process, which has used all databases."""
    for name, megabytes in ground.memory_mb().items():
        size = int(megabytes * 2**20)
        yield ScaleSize(what=f"memory: {name}", pages=ground.pages, rows=0, data_bytes=size, index_bytes=0)


def read_earlier_costs(path: Path) -> list[ScaleCost]:
    """Return the costs of an earlier run, from its ``results.json``; empty if the file does not exist.

    Raises:
        OSError: the file cannot be read.
        KeyError, TypeError, ValueError: the file has no figures of this section.
    """
    if not path.is_file():
        return []
    return [ScaleCost(**row) for row in json.loads(path.read_text(encoding="utf-8"))["scale"]["rows"]]
