"""CPU time and memory of a crawl, its readers and the servers, sampled during the crawl.

CPU time is more meaningful than pages per second on a busy machine: other programs delay a crawl, but hardly
change its CPU time.
"""

import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import psutil

_SAMPLE_S = 0.25
_PARTS = (1, 2, 3, 4)  # quarters of the samples


@dataclass(frozen=True, slots=True)
class Sample:
    """Resource use of the processes at one time.

    Attributes:
        at: time on the monotonic clock, which all processes of a machine share.
        megabytes: resident memory of the crawl and its readers.
        cpu_s: seconds of CPU by group: ``crawl``, ``readers``, and the name of each server.
    """

    at: float
    megabytes: float
    cpu_s: Mapping[str, float]


def sample_until_exit(
    process: "subprocess.Popen[bytes]", servers: Sequence[psutil.Process] = ()
) -> list[Sample]:
    """Sample the resource use until a process ends, and return the samples.

    Args:
        process: a crawl. Its child processes are its readers.
        servers: server processes. Their CPU time is counted from now on.
    """
    crawl, readers = psutil.Process(process.pid), dict[int, float]()
    before = {server.pid: _cpu_s(server) for server in servers}
    samples: list[Sample] = []
    while process.poll() is None:
        try:
            children = crawl.children(recursive=True)
            sizes = [member.memory_info().rss for member in (crawl, *children)]
            readers |= {child.pid: _cpu_s(child) for child in children}
            cpu_s = {"crawl": _cpu_s(crawl), "readers": sum(readers.values())}
        except psutil.NoSuchProcess:  # a reader or the crawl has just ended
            continue
        except psutil.Error:
            break
        for server in servers:
            cpu_s[_name_of(server)] = _cpu_s(server) - before[server.pid]
        if sizes[0]:  # a process that has just ended has no memory
            samples.append(Sample(time.monotonic(), sum(sizes) / 2**20, cpu_s))
        time.sleep(_SAMPLE_S)
    process.wait()
    return samples


def megabytes_of(samples: Sequence[Sample]) -> tuple[float, ...]:
    """Return the memory after a quarter, a half, three quarters, and at the end of the crawl."""
    if not samples:
        return ()
    return tuple(round(samples[max(0, len(samples) * quarter // 4 - 1)].megabytes, 1) for quarter in _PARTS)


def cpu_ms_of(samples: Sequence[Sample], *, since: float, pages: int) -> dict[str, float]:
    """Return the milliseconds of CPU per page, by group.

    Args:
        samples: samples of a crawl.
        since: time on the monotonic clock from which CPU time is counted.
        pages: number of pages requested since then.
    """
    if not samples:
        return {}
    first, last = min(samples, key=lambda sample: abs(sample.at - since)), samples[-1]
    return {
        group: round((seconds - first.cpu_s.get(group, 0.0)) * 1000 / pages, 2)
        for group, seconds in last.cpu_s.items()
    }


def _cpu_s(process: psutil.Process) -> float:
    times = process.cpu_times()
    return float(times.user + times.system)


def _name_of(server: psutil.Process) -> str:
    return "Redis" if "valkey" in server.name() or "redis" in server.name() else "database"
