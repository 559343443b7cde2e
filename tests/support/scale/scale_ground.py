"""Servers and a filled database of one size, and what an operation costs on them.

Linux only: the processor time of a server is read from its clock, memory from ``/proc``.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import psutil
from support.faults.memory import own_memory
from support.scale.scale_fill import MATCHING, SITES, Filler, Prose, source_name

from deploy.cli.session import export
from deploy.stack import EmbeddedStack, embedded_stack
from storage.records import Passage, Source, Work
from storage.settings import Settings
from tracker import tasks
from tracker.corpus.chapters import ChapterSection
from tracker.corpus.loading import Terms, store_works
from tracker.corpus.reading import RawWork
from tracker.indexing.adding import index_works
from tracker.runtime import Runtime, open_runtime

WORKS = 200
_PASSAGE_CHARS = 2_000
_SCHEDULED = 2  # CPUCLOCK_SCHED of Linux


@dataclass(frozen=True, slots=True)
class Spent:
    """What an operation took.

    Attributes:
        cpu_ms: of this process and of the servers.
        clock_ms: of the clock on the wall, beside whatever else the machine does.
        peak_mb: by how much the memory of this process grew at most.
    """

    cpu_ms: float
    clock_ms: float
    peak_mb: float


@dataclass(frozen=True, slots=True)
class Ground:
    """A filled database with servers of its own.

    Attributes:
        pages: addresses that it was filled with.
        runtime: of this process.
        filler: knows what was written.
        stack: the servers.
    """

    pages: int
    runtime: Runtime
    filler: Filler
    stack: EmbeddedStack

    def cost(self, operation: Callable[[], object]) -> Spent:
        """Run an operation and return what it took."""
        Path("/proc/self/clear_refs").write_text("5")  # the peak begins anew
        before, cpu, clock = own_memory("VmRSS"), self._cpu_s(), time.perf_counter()
        operation()
        clock_s, cpu_s = time.perf_counter() - clock, self._cpu_s() - cpu
        return Spent(cpu_s * 1000, clock_s * 1000, max(0.0, own_memory("VmHWM") - before))

    def _cpu_s(self) -> float:
        clocks = ((~pid << 3) | _SCHEDULED for pid in self._pids())  # as clock_getcpuclockid makes them
        return time.process_time() + sum(time.clock_gettime(clock) for clock in clocks)

    def _pids(self) -> list[int]:
        return [status.pid for status in self.stack.status() if status.pid is not None]

    def memory_mb(self) -> dict[str, float]:
        """Return the memory of each server and of this process."""
        servers = {
            status.title: psutil.Process(status.pid).memory_info().rss / 2**20
            for status in self.stack.status()
            if status.pid is not None
        }
        return {**servers, "this process": own_memory("VmRSS")}

    def disk_mb(self) -> float:
        """Return what the data folder takes."""
        files = (path for path in Path(self.stack.folder.path).rglob("*") if path.is_file())
        return sum(path.stat().st_blocks * 512 for path in files) / 2**20

    def bytes_by_collection(self) -> dict[str, tuple[int, int, int]]:
        """Return rows, bytes of documents and bytes of indexes of each collection."""
        database = self.runtime.stores.database
        stats = {name: database.command("collStats", name) for name in database.list_collection_names()}
        return {name: (own["count"], own["size"], own["totalIndexSize"]) for name, own in stats.items()}

    def become_worker(self) -> None:
        """Let the tasks of this process work on these servers."""
        export(self.stack.settings)
        if tasks.worker_runtime.cache_info().currsize:
            tasks.worker_runtime().close()
        tasks.worker_runtime.cache_clear()
        tasks.screening.cache_clear()
        tasks.worker_runtime()


@contextmanager
def open_ground(pages: int, prose: Prose, *, matching: int = MATCHING) -> Iterator[Ground]:
    """Start servers and fill them for the duration of the block.

    Args:
        pages: addresses to fill in.
        prose: texts.
        matching: one address in so many has a match.

    Raises:
        StackError: the servers cannot be started.
    """
    with (
        TemporaryDirectory() as folder,
        embedded_stack(Path(folder) / "data", settings=Settings()) as stack,
    ):
        runtime = open_runtime(stack.settings)
        try:
            works = add_works(runtime, prose, range(WORKS))
            for number in range(SITES):
                name = source_name(number)
                runtime.stores.sources.save(
                    Source(name=name, kind="novel", start_urls=(f"http://www.{name}.example/",))
                )
            filler = Filler(runtime.stores, prose, works, runtime.stores.versions.current(), matching)
            filler.fill(pages)
            yield Ground(pages, runtime, filler, stack)
        finally:
            runtime.close()


def add_works(runtime: Runtime, prose: Prose, numbers: Sequence[int]) -> list[tuple[Work, Passage]]:
    """Load and index works of one passage; returns them with their passages."""
    stores = runtime.stores
    raws = [_raw(prose, number) for number in numbers]
    store_works(raws, stores, runtime.guard.live(), terms=Terms())
    token, ids = stores.works.reserve_stored(count=len(raws), lease_s=600)
    _, works = stores.works.claim_many(ids, token=token, lease_s=600)
    index_works(works, stores, runtime.guard.live(), runtime.params)
    passages = stores.passages.get_many(work.passage_ids[0] for work in works)
    return [(work, passages[work.passage_ids[0]]) for work in sorted(works, key=lambda work: work.key)]


def _raw(prose: Prose, number: int) -> RawWork:
    text = prose.text(_PASSAGE_CHARS, Random(f"work {number}").getrandbits(40))
    return RawWork(
        title=f"作品{number:06}", kind="novel", origin="benchmark", sections=(ChapterSection("第一章", text),)
    )
