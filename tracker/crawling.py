"""Running crawls: each source in a Scrapy process of its own, several at once.

A process isolates memory, signals and Twisted's reactor, which cannot start twice. The crawler is started
by its command line only; the two packages meet in storage.
"""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import IO

from storage.records import Crawl
from storage.stores import Stores
from tracker.health import note_crawl

_POLL_S = 0.5
_MEANWHILE_S = 2.0


@dataclass(frozen=True, slots=True)
class _Running:
    """A crawl in progress."""

    crawl: Crawl
    process: subprocess.Popen[bytes]
    errors: IO[bytes]


def crawl_sources(
    crawl_ids: Sequence[str],
    stores: Stores,
    *,
    token: str,
    lease_s: float,
    processes: int,
    meanwhile: Callable[[], object],
) -> int:
    """Crawl reserved sources, at most ``processes`` at once, and return how many were ours to crawl.

    Args:
        crawl_ids: reserved crawls.
        stores: the database.
        token: the reservation.
        lease_s: how long the lease of a running crawl lasts before it must be extended.
        processes: crawls at once.
        meanwhile: called every two seconds, for instance to send fetched pages on.

    Raises:
        ServiceDown: MongoDB does not answer; the leases expire and the crawls are sent again.
    """
    waiting, running, done = list(crawl_ids), list[_Running](), 0
    extended = looked = time.monotonic()
    try:
        while waiting or running:
            while waiting and len(running) < processes:
                crawl = stores.scans.take_crawl(waiting.pop(0), token=token, lease_s=lease_s)
                if crawl is not None:
                    running.append(_start(crawl))
            time.sleep(_POLL_S)
            if time.monotonic() - extended > lease_s / 4:
                extended = looked = time.monotonic()
                for crawl_id in [*waiting, *(each.crawl.id for each in running)]:
                    stores.scans.extend_crawl(crawl_id, token=token, lease_s=lease_s)
            for ended in [each for each in running if each.process.poll() is not None]:
                running.remove(ended)
                _close(ended, stores, token)
                done += 1
            if time.monotonic() - looked > _MEANWHILE_S:
                looked = time.monotonic()
                meanwhile()
    finally:
        for each in running:
            each.process.terminate()
    return done


def _start(crawl: Crawl) -> _Running:
    errors = tempfile.TemporaryFile()  # noqa: SIM115 - closed in _close
    command = [sys.executable, "-m", "crawler", "--source", crawl.source]
    process = subprocess.Popen(  # noqa: S603 - our own module, arguments are not interpreted by a shell
        [*command, "--scan", crawl.scan_id, "--crawl", crawl.id, "--parent", str(os.getpid())],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=errors,
    )
    return _Running(crawl, process, errors)


def _close(running: _Running, stores: Stores, token: str) -> None:
    """Store how a crawl ended and what that says of its source; its last line of errors is for the user."""
    running.errors.seek(0)
    lines = running.errors.read().decode("utf-8", "replace").strip().splitlines()
    running.errors.close()
    status = running.process.returncode
    error = (lines[-1] if lines else f"the crawler ended with status {status}") if status else ""
    crawl = running.crawl
    stores.scans.close_crawl(crawl.id, token=token, state="failed" if status else "done", error=error)
    note_crawl(stores, crawl.scan_id, crawl.source)
