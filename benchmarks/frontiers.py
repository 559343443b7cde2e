"""Memory that the addresses of a very large source take in Redis and in the process that crawls it.

The frontier of a crawl is only in Redis. The benchmark adds addresses in batches of a hundred, like the links
of a page, claims sixteen at a time, and ends them. Linux only: the memory comes from ``/proc``.
"""

import time
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass

from support.faults.memory import own_memory

from benchmarks.report import Table
from storage.frontier.interface import End, Entry
from storage.frontier.redis import RedisFrontier
from storage.servers.redis_client import open_redis
from storage.settings import StorageSettings
from system.batches import batched

_LINKS = 100  # number of links per page
_AT_ONCE = 16  # number of addresses that are claimed at a time
_ENDED = 20_000


@dataclass(frozen=True, slots=True, kw_only=True)
class FrontierCost:
    """Cost of a frontier of one size.

    Attributes:
        addresses: number of waiting addresses.
        redis_bytes: bytes in Redis per address.
        process_mb: growth of this process's memory.
        push_us: processor time of this process to add an address.
        end_us: processor time of this process to claim and end an address.
    """

    addresses: int
    redis_bytes: float
    process_mb: float
    push_us: float
    end_us: float


def measure(
    settings: StorageSettings, sizes: Sequence[int], *, report_progress: Callable[[str], None]
) -> list[FrontierCost]:
    """Measure frontiers of several sizes.

    Args:
        settings: storage settings with the address of an empty Redis.
        sizes: numbers of addresses.
        report_progress: called with progress messages.

    Raises:
        ServiceDown: Redis does not answer.
    """
    costs = []
    with closing(open_redis(settings)) as client:
        for size in sizes:
            client.flushdb()
            frontier = RedisFrontier(client, f"benchmark:{size}", lease_s=60, max_texts=size)
            frontier.open()
            empty, before, began = _used_bytes(settings), own_memory("VmRSS"), time.process_time()
            for numbers in batched(range(size), _LINKS):
                frontier.push(_make_entry(number) for number in numbers)
            pushed = time.process_time()
            used, grown = _used_bytes(settings) - empty, own_memory("VmRSS") - before
            ended = _end_entries(frontier, min(_ENDED, size))
            cost = FrontierCost(
                addresses=size,
                redis_bytes=used / size,
                process_mb=grown,
                push_us=(pushed - began) / size * 1e6,
                end_us=(time.process_time() - pushed) / ended * 1e6,
            )
            report_progress(f"{size} addresses")
            costs.append(cost)
        client.flushdb()
    return costs


def _make_entry(number: int) -> Entry:
    url = f"https://www.novel-site.example/book/{number // 1000}/chapter-{number}.html"
    return Entry(id=f"{number:016x}", url=url, kind="text", priority=number % 7, depth=2)


def _end_entries(frontier: RedisFrontier, count: int) -> int:
    ended = 0
    while ended < count:
        taken = frontier.lease(_AT_ONCE).entries
        frontier.end_many([End(entry_id=entry.id, ending="new") for entry in taken])
        ended += len(taken)
    return ended


def _used_bytes(settings: StorageSettings) -> int:
    with closing(open_redis(settings)) as client:
        return int(client.info("memory")["used_memory"])


def table(costs: Sequence[FrontierCost]) -> Table:
    """Return a table of the cost of each size."""
    rows = [
        (
            f"{cost.addresses:,}",
            f"{cost.redis_bytes:.0f}",
            f"{cost.redis_bytes * cost.addresses / 2**20:.0f}",
            f"{cost.process_mb:.1f}",
            f"{cost.push_us:.0f}",
            f"{cost.end_us:.0f}",
        )
        for cost in costs
    ]
    head = ("addresses", "bytes in Redis each", "MB in Redis", "MB of the process", "µs to add", "µs to end")
    return Table("Frontiers of large sources", head, tuple(rows))
