"""Running crawls: each source in a Scrapy process of its own, several at once.

A process isolates memory, signals and Twisted's reactor, which cannot start twice. The crawler is started
by its command line only; the two packages meet in storage.
"""

import logging
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import IO

from storage.child_process import MAX_ERROR_BYTES, last_line, last_message
from storage.collections.stores import Stores
from storage.errors import PindnaError, ServiceDown
from storage.records import NO_MESSAGE, Crawl, CrawlState, Fault, Message, utc_now
from tracker.scans.health import note_crawl

log = logging.getLogger(__name__)

_POLL_S = 0.5
_MEANWHILE_S = 2.0
_SHOWN_COUNTS = ("requests", "pages", "unchanged", "failed")
_SILENCE_S = 300.0  # a crawl reports every second; one that does not is frozen, on a machine however busy


@dataclass(slots=True)
class _Running:
    """A crawl in progress; ``problem`` says why it was killed, ``is_stopped`` that somebody ended it."""

    crawl: Crawl
    process: subprocess.Popen[bytes]
    errors: IO[bytes]
    started: datetime
    problem: Message = NO_MESSAGE
    is_stopped: bool = False


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
    running: list[_Running]
    waiting, running, done = list(crawl_ids), [], 0
    extended = looked = time.monotonic()
    try:
        while waiting or running:
            while waiting and len(running) < processes:
                crawl = stores.scans.take_crawl(waiting.pop(0), token=token, lease_s=lease_s)
                if crawl is not None:
                    running.append(_start(crawl))
                    log.info("crawl %s begun", crawl.id)
            time.sleep(_POLL_S)
            if time.monotonic() - extended > lease_s / 4:
                extended = time.monotonic()
                for crawl_id in [*waiting, *(crawling.crawl.id for crawling in running)]:
                    stores.scans.extend_crawl(crawl_id, token=token, lease_s=lease_s)
                _end_silent(running, stores)
            if time.monotonic() - looked > _MEANWHILE_S:
                looked = time.monotonic()
                meanwhile()
                _end_stopping(running, stores)
            for ended in [crawling for crawling in running if crawling.process.poll() is not None]:
                running.remove(ended)
                _close(ended, stores, token)
                done += 1
    finally:
        for crawling in running:
            crawling.process.terminate()
    return done


def _start(crawl: Crawl) -> _Running:
    errors = tempfile.TemporaryFile()  # noqa: SIM115 - closed in _close
    command = [sys.executable, "-P", "-m", "crawler", "--source", crawl.source]
    process = subprocess.Popen(  # noqa: S603 - our own module, arguments are not interpreted by a shell
        [*command, "--scan", crawl.scan_id, "--crawl", crawl.id, "--parent", str(os.getpid())],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=errors,
    )
    return _Running(crawl, process, errors, utc_now())


def _end_stopping(running: Sequence[_Running], stores: Stores) -> None:
    """End the processes of the crawls that somebody asked to end."""
    stopping = stores.scans.stopping([crawling.crawl.id for crawling in running])
    for crawling in running:
        if crawling.crawl.id in stopping and not crawling.is_stopped:
            crawling.is_stopped = True
            crawling.process.terminate()


def _end_silent(running: Sequence[_Running], stores: Stores) -> None:
    """Kill the crawls whose processes are frozen; they count as failed, and their addresses as left."""
    heartbeats = stores.scans.heartbeats([crawling.crawl.id for crawling in running])
    for crawling in running:
        last = max(crawling.started, heartbeats.get(crawling.crawl.id, crawling.started))
        if utc_now() - last > timedelta(seconds=_SILENCE_S):
            crawling.problem = Message(
                "The crawl reported nothing for {minutes} minutes and was ended.",
                {"minutes": round(_SILENCE_S / 60)},
            )
            crawling.process.kill()


def _close(running: _Running, stores: Stores, token: str) -> None:
    """Store how a crawl ended, and what that says of its source; a failure stops no other crawl.

    Raises:
        ServiceDown: MongoDB does not answer.
    """
    status, told = running.process.returncode, _read_errors(running.errors)
    if running.is_stopped:  # which says nothing of its source
        stores.scans.close_stopped(running.crawl.id, token=token)
        log.info("crawl %s stopped by hand", running.crawl.id)
        return
    crawl, error, message = running.crawl, "", NO_MESSAGE
    fault: Fault = ""
    if status:
        message = running.problem if running.problem.template else last_message(told)
        if not (message.template or last_line(told)):
            message = Message("The crawler ended with status {status}.", {"status": status})
        error = str(message) or last_line(told)
    try:
        if status:  # a process that could not tell why it ended was killed, or found no database
            fault = stores.scans.fault_of(crawl.id) or "ours"
        state: CrawlState = "failed" if status else "done"
        stores.scans.close_crawl(
            crawl.id, token=token, state=state, error=error, message=message, fault=fault
        )
        note_crawl(stores, crawl.scan_id, crawl.source)
        _log_end(running, state, error, stores)
    except ServiceDown:
        raise
    except PindnaError as refused:  # its lease ends, and it is taken up again
        log.error("the end of crawl %s could not be stored: %s", crawl.id, refused)  # noqa: TRY400 - the error says it


def _log_end(running: _Running, state: CrawlState, error: str, stores: Stores) -> None:
    counts = stores.scans.counts_of(running.crawl.id)
    shown = ", ".join(f"{counts.get(name, 0)} {name}" for name in _SHOWN_COUNTS)
    seconds = (utc_now() - running.started).total_seconds()
    reason = f" ({error})" if error else ""
    log.info("crawl %s %s%s: %s, %.0f s", running.crawl.id, state, reason, shown, seconds)


def _read_errors(errors: IO[bytes]) -> bytes:
    """Return the end of what a crawl wrote on standard error; closes the file."""
    with errors:
        errors.seek(max(0, errors.seek(0, os.SEEK_END) - MAX_ERROR_BYTES))
        return errors.read()
