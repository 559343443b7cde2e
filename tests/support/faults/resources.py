"""What processes and stores hold at a moment: memory, open files, threads, keys and rows.

Linux only: open files of processes are counted in ``/proc``.
"""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

import psutil

from storage.collections.checked import CheckedDatabase
from storage.collections.stores import Stores
from storage.servers.redis_client import Client

_MB = 2**20


@dataclass(frozen=True, slots=True)
class Held:
    """What some processes hold together.

    Attributes:
        megabytes: resident memory.
        files: open files and sockets.
    """

    megabytes: float
    files: int
    threads: int
    processes: int


@dataclass(frozen=True, slots=True)
class Kept:
    """What both servers keep; ``rows`` by collection, ``redis_mb`` as Redis counts its memory."""

    keys: int
    redis_mb: float
    rows: Mapping[str, int]


def held_by(roots: Iterable[psutil.Process]) -> Held:
    """Return what some processes, and those below them, hold; of those that end meanwhile nothing."""
    megabytes, files, threads, count = 0.0, 0, 0, 0
    for process in _family(roots):
        with suppress(psutil.NoSuchProcess):
            with process.oneshot():
                own = process.memory_info().rss / _MB, process.num_fds(), process.num_threads()
            megabytes, files, threads, count = megabytes + own[0], files + own[1], threads + own[2], count + 1
    return Held(round(megabytes, 1), files, threads, count)


def _family(roots: Iterable[psutil.Process]) -> Sequence[psutil.Process]:
    family = list[psutil.Process]()
    for root in roots:
        with suppress(psutil.NoSuchProcess):
            family += [root, *root.children(recursive=True)]
    return family


def kept_by(stores: Stores, client: Client) -> Kept:
    """Return what both servers keep."""
    names = sorted(stores.database.list_collection_names())
    checked = CheckedDatabase(stores.database)
    rows = {name: checked[name].count({}) for name in names}
    return Kept(int(client.dbsize()), round(int(client.info("memory")["used_memory"]) / _MB, 2), rows)
