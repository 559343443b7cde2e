"""Speed of loading files until all of them are indexed, for a first load and for the same files again.

The benchmark works like ``pindna corpus add``, with separate embedded servers and a worker of two processes.
The times do not include starting and stopping them.
"""

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import psutil

from deploy.cli.corpus.corpus_files import add_works
from deploy.cli.identity import terminal_identity
from deploy.cli.outcomes import Tally
from deploy.cli.scan.waiting import wait_for_works
from deploy.cli.session import export
from deploy.stack import embedded_stack
from storage.settings import Settings
from tracker.corpus.loading import Terms
from tracker.runtime import Runtime, open_runtime

WORKERS = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadResult:
    """One load of the files.

    Attributes:
        what: whether it is the first or the repeated load.
        works, characters: numbers of stored works and characters after the load.
        stored_s: seconds until everything was read and stored.
        seconds: seconds until everything was indexed.
        cpu_s: processor time of the servers, the workers and this process.
        bytes_char: bytes of Redis's memory per character.
    """

    what: str
    works: int
    characters: int
    stored_s: float
    seconds: float
    cpu_s: float
    bytes_char: float

    @property
    def characters_per_second(self) -> float:
        """Characters per second."""
        return self.characters / self.seconds


def measure(paths: Sequence[Path]) -> list[LoadResult]:
    """Measure a first and a repeated load.

    Args:
        paths: files and folders with works.

    Raises:
        StackError: the servers or the worker cannot be started.
    """
    with _running_stack() as runtime:
        return [_measure_load(paths, runtime, what) for what in ("first", "the same again")]


def _measure_load(paths: Sequence[Path], runtime: Runtime, what: str) -> LoadResult:
    start, spent = time.perf_counter(), _cpu_seconds()
    add_works(terminal_identity(runtime.settings), list(paths), runtime, Terms(), Tally())
    stored_s = time.perf_counter() - start
    wait_for_works(runtime)
    seconds, cpu_s = time.perf_counter() - start, _cpu_seconds() - spent
    works = runtime.stores.works.all()
    characters = sum(work.characters for work in works)
    return LoadResult(
        what=what,
        works=len(works),
        characters=characters,
        stored_s=stored_s,
        seconds=seconds,
        cpu_s=cpu_s,
        bytes_char=runtime.guard.index().statistics().memory_bytes / characters,
    )


def _cpu_seconds() -> float:
    this_process = psutil.Process()
    times = [process.cpu_times() for process in (this_process, *this_process.children(recursive=True))]
    return float(sum(cpu.user + cpu.system for cpu in times))


@contextmanager
def _running_stack() -> Iterator[Runtime]:
    settings = Settings.model_validate({"tracker": {"worker_processes": WORKERS}})
    with (
        TemporaryDirectory() as folder,
        embedded_stack(Path(folder) / "data", worker=True, settings=settings) as stack,
    ):
        export(stack.settings)
        runtime = open_runtime(stack.settings)
        try:
            yield runtime
        finally:
            runtime.close()
