"""Running of crawls: each source in a separate Scrapy process, several at once.

Each crawl is reserved, submitted and released separately (:mod:`tracker.scans.crawl_inbox`).

A process isolates memory, signals and Twisted's reactor, which cannot start twice. The crawler is started
only by its command line; the two packages share nothing but storage.

If a crawl's process is killed or loses one of our services, any worker with room continues the crawl. This is
repeated without limit while the crawl makes progress, and a few times if it does not.
"""

import logging
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import IO

from storage.collections.leases import MAX_ATTEMPTS
from storage.collections.stores import Stores
from storage.records import NO_MESSAGE, Crawl, CrawlEnd, CrawlState, Fault, Message
from system.child_process import MAX_ERROR_BYTES, last_line, last_message
from system.errors import PindnaError, ServiceDown
from system.exit_status import ExitStatus
from system.log_lines import log_ids
from tracker.metrics import CrawlCounts, count_crawl, count_lost, note_crawls
from tracker.scans.crawl_inbox import Assignment
from tracker.scans.health import record_crawl

log = logging.getLogger(__name__)

PAUSE_S = 2.0  # wait before a crawl that found no free worker is sent again
_OUTAGE = timedelta(days=1)  # after this, the next daily scan visits the remaining addresses
_AGAIN_S = 5.0  # wait before an interrupted crawl is sent again, because the service has only just recovered
_BROKEN_OFF: tuple[CrawlEnd, ...] = ("", "stopped")
_GRACE_S = 5.0  # time for crawls to end by themselves; a worker of `pindna up` has eight seconds
_POLL_S = 0.5
_MEANWHILE_S = 2.0
_SHOWN_COUNTS = ("requests", "pages", "unchanged", "failed")
# a crawl reports every second; after this silence it counts as frozen, even on a busy machine
_SILENCE_S = 300.0


@dataclass(slots=True)
class _Running:
    """A crawl in progress. Its moments are those of a clock that cannot be set.

    ``heartbeat`` is its last sign of life, which was first read at ``heard_s``; ``problem`` is why it was
    killed, ``is_stopped`` that a user ended it.
    """

    crawl: Crawl
    token: str
    process: subprocess.Popen[bytes]
    errors: IO[bytes]
    started_s: float
    counted: CrawlCounts
    heard_s: float
    heartbeat: datetime | None = None
    problem: Message = NO_MESSAGE
    is_stopped: bool = False


def crawl_sources(
    take_all: Callable[[], Iterable[Assignment]],
    stores: Stores,
    *,
    lease_s: float,
    processes: int,
    while_running: Callable[[], object],
    is_stopping: Callable[[], bool] = lambda: False,
) -> int:
    """Run submitted crawls until none is left, and return how many finished.

    Args:
        take_all: yields the reserved crawls submitted since the last call. Crawls without room are released,
            because another machine may have room.
        stores: the database.
        lease_s: length of the lease of a running crawl, until it must be extended.
        processes: crawls at once.
        while_running: called every two seconds and at the end of a crawl, for instance to dispatch pages.
        is_stopping: whether all crawls are to be released, so another worker continues them.

    Raises:
        ServiceDown: MongoDB did not answer. The crawls are released if it answers within a lease, and
            otherwise
            sent again when their leases have ended.
    """
    running, finished = list[_Running](), 0
    extended = looked = time.monotonic()
    try:
        while True:
            room = 0 if is_stopping() else processes
            _begin_submitted(take_all(), running, stores, lease_s=lease_s, processes=room)
            if not running:
                return finished
            if is_stopping():
                return finished + _hand_back(running, stores)
            time.sleep(_POLL_S)
            if time.monotonic() - extended > lease_s / 4:
                extended = time.monotonic()
                _extend_leases(running, stores, lease_s=lease_s)
                _end_silent(running, stores)
            ended = [crawling for crawling in running if crawling.process.poll() is not None]
            for crawling in ended:
                finished += _record_end(crawling, stores)
                running.remove(crawling)
            if ended or time.monotonic() - looked > _MEANWHILE_S:
                looked = time.monotonic()
                _update_metrics(running, stores)
                while_running()
                _end_stopping(running, stores)
    except ServiceDown:
        _give_back_late(running, stores, within_s=lease_s, is_stopping=is_stopping)
        raise
    finally:
        note_crawls(0)
        for crawling in running:
            crawling.process.terminate()


def _update_metrics(running: Sequence[_Running], stores: Stores) -> None:
    """Add the progress of the crawls to the metrics."""
    note_crawls(len(running))
    counts = stores.scans.counts_of_many([crawling.crawl.id for crawling in running])
    for crawling in running:
        crawling.counted.note(counts.get(crawling.crawl.id, {}))


def _begin_submitted(
    handed_in: Iterable[Assignment],
    running: list[_Running],
    stores: Stores,
    *,
    lease_s: float,
    processes: int,
) -> None:
    """Start submitted crawls while there is room, and release the others."""
    for crawl_id, token in handed_in:
        if len(running) >= processes:
            stores.scans.release([crawl_id], token=token, pause_s=PAUSE_S)
            continue
        crawl = stores.scans.claim_crawl(crawl_id, token=token, lease_s=lease_s)
        if crawl is not None:
            running.append(_start_crawl(crawl, token))
            with _ids_of(crawl):
                log.info("crawl %s started", crawl.id)


def _give_back_late(
    running: list[_Running], stores: Stores, *, within_s: float, is_stopping: Callable[[], bool]
) -> None:
    """End all crawls because a service is down, and release them when it answers; this is not an attempt."""
    _end_processes(running)
    until = time.monotonic() + within_s
    while running and time.monotonic() < until and not is_stopping():
        try:
            stores.scans.release([running[-1].crawl.id], token=running[-1].token, pause_s=_AGAIN_S)
            running.pop().errors.close()
        except ServiceDown:
            time.sleep(_POLL_S)


def _end_processes(running: Sequence[_Running]) -> None:
    for crawling in running:
        crawling.process.terminate()
    ends = time.monotonic() + _GRACE_S
    for crawling in running:
        try:
            crawling.process.wait(max(0.0, ends - time.monotonic()))
        except subprocess.TimeoutExpired:
            crawling.process.kill()
            crawling.process.wait()


def _hand_back(running: list[_Running], stores: Stores) -> int:
    """End all crawls and release them; return how many had finished.

    Requests in progress are completed within a grace period; the frontier stays for the next worker.
    """
    _end_processes(running)
    count = 0
    while running:
        crawling = running.pop()
        if stores.scans.end_of(crawling.crawl.id) not in _BROKEN_OFF:
            with _ids_of(crawling.crawl):
                _close_crawl(crawling, stores)
            count += 1
            continue
        crawling.errors.close()
        stores.scans.release([crawling.crawl.id], token=crawling.token)
        with _ids_of(crawling.crawl):
            log.info("crawl %s released: this worker is shutting down", crawling.crawl.id)
    return count


def _ids_of(crawl: Crawl) -> AbstractContextManager[None]:
    return log_ids(scan=crawl.scan_id, source=crawl.source)


def _start_crawl(crawl: Crawl, token: str) -> _Running:
    errors = tempfile.TemporaryFile()  # noqa: SIM115 - closed in _close_crawl
    command = [sys.executable, "-P", "-m", "crawler", "--source", crawl.source]
    process = subprocess.Popen(  # noqa: S603 - our own module, arguments are not interpreted by a shell
        [*command, "--scan", crawl.scan_id, "--crawl", crawl.id, "--parent", str(os.getpid())],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=errors,
    )
    now_s = time.monotonic()
    return _Running(crawl, token, process, errors, now_s, CrawlCounts(crawl.counts), now_s)


def _extend_leases(running: list[_Running], stores: Stores, *, lease_s: float) -> None:
    """Extend the leases of the crawls; a crawl whose lease was lost is ended here without further records."""
    for crawling in list(running):
        if not stores.scans.extend_crawl(crawling.crawl.id, token=crawling.token, lease_s=lease_s):
            running.remove(crawling)
            crawling.process.kill()
            crawling.process.wait()
            crawling.errors.close()
            count_lost("crawl")
            with _ids_of(crawling.crawl):
                log.warning("crawl %s ended here: its lease has expired", crawling.crawl.id)


def _end_stopping(running: Sequence[_Running], stores: Stores) -> None:
    """End the processes of crawls that users asked to end."""
    stopping = stores.scans.stopping([crawling.crawl.id for crawling in running])
    for crawling in running:
        if crawling.crawl.id in stopping and not crawling.is_stopped:
            crawling.is_stopped = True
            crawling.process.terminate()


def _end_silent(running: Sequence[_Running], stores: Stores) -> None:
    """Kill crawls whose processes are frozen; they count as failed, and their addresses as unvisited."""
    heartbeats = stores.scans.heartbeats([crawling.crawl.id for crawling in running])
    for crawling in running:
        heartbeat, now_s = heartbeats.get(crawling.crawl.id), time.monotonic()
        if heartbeat != crawling.heartbeat:
            crawling.heartbeat, crawling.heard_s = heartbeat, now_s
        elif now_s - crawling.heard_s > _SILENCE_S:
            crawling.problem = Message(
                "The crawl reported nothing for {minutes} minutes and was ended.",
                {"minutes": round(_SILENCE_S / 60)},
            )
            crawling.process.kill()


def _record_end(crawling: _Running, stores: Stores) -> bool:
    """Record the end of a crawl's process; return whether the crawl ended too."""
    with _ids_of(crawling.crawl):
        if _begin_again(crawling, stores):
            return False
        _close_crawl(crawling, stores)
        return True


def _begin_again(running: _Running, stores: Stores) -> bool:
    """Let an interrupted crawl be started again; return whether it will be."""
    status, crawl = running.process.returncode, running.crawl
    is_broken_off = status < 0 or status == ExitStatus.DOWN
    if not is_broken_off or running.is_stopped or running.problem.template:
        return False
    got_further = stores.scans.counts_of(crawl.id).get("requests", 0) > crawl.counts.get("requests", 0)
    is_attempt = status < 0 and not got_further
    if _is_too_much(crawl, stores, got_further=got_further, is_attempt=is_attempt):
        return False
    message = last_message(_read_errors(running.errors))
    stores.scans.release([crawl.id], token=running.token, pause_s=_AGAIN_S, is_attempt=is_attempt)
    why = str(message) if message.template else f"its process ended with status {status}"
    log.warning("crawl %s will be started again in %.0f s: %s", crawl.id, _AGAIN_S, why)
    return True


def _is_too_much(crawl: Crawl, stores: Stores, *, got_further: bool, is_attempt: bool) -> bool:
    """Return whether a crawl was started too often without progress, or waited too long for a service."""
    if got_further or is_attempt:
        return is_attempt and crawl.attempts >= MAX_ATTEMPTS
    scan = stores.scans.find(crawl.scan_id)
    return scan is None or stores.clock.now() - scan.started > _OUTAGE


def _close_crawl(running: _Running, stores: Stores) -> None:
    """Store how a crawl ended, and the health of its source; an error does not stop other crawls."""
    status, errors, token = running.process.returncode, _read_errors(running.errors), running.token
    if running.is_stopped:  # a stopped crawl does not count for the health of its source
        stores.scans.close_stopped(running.crawl.id, token=token)
        count_crawl("stopped")
        log.info("crawl %s stopped by a user", running.crawl.id)
        return
    crawl, error, message = running.crawl, "", NO_MESSAGE
    fault: Fault = ""
    if status:
        message = running.problem if running.problem.template else last_message(errors)
        if not (message.template or last_line(errors)):
            message = Message("The crawler ended with status {status}.", {"status": status})
        error = str(message) or last_line(errors)
    try:
        if status:  # a process that reported no reason was killed, or found no database
            fault = stores.scans.fault_of(crawl.id) or "ours"
        state: CrawlState = "failed" if status else "done"
        stores.scans.close_crawl(
            crawl.id, token=token, state=state, error=error, message=message, fault=fault
        )
        record_crawl(stores, crawl.scan_id, crawl.source)
        count_crawl("failed" if status else "done")
        _log_end(running, state, error, stores)
    except ServiceDown:
        raise
    except PindnaError as refused:  # the lease of the crawl ends, and then a worker continues it
        log.error("the end of crawl %s could not be stored: %s", crawl.id, refused)  # noqa: TRY400 - the error says it


def _log_end(running: _Running, state: CrawlState, error: str, stores: Stores) -> None:
    counts = stores.scans.counts_of(running.crawl.id)
    running.counted.note(counts)
    shown = ", ".join(f"{counts.get(name, 0)} {name}" for name in _SHOWN_COUNTS)
    seconds = time.monotonic() - running.started_s
    reason = f" ({error})" if error else ""
    log.info("crawl %s %s%s: %s, %.0f s", running.crawl.id, state, reason, shown, seconds)


def _read_errors(errors: IO[bytes]) -> bytes:
    """Return the end of a crawl's standard error; closes the file."""
    with errors:
        errors.seek(max(0, errors.seek(0, os.SEEK_END) - MAX_ERROR_BYTES))
        return errors.read()
