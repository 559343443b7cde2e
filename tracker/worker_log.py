"""Log of a worker or beat: one line a batch, and one line with a count for an outage.

Celery logs two lines for each message, and a traceback for each attempt at a server that is down. Its lines
on messages are dropped, because each task logs its result. All records about a server that is down are
reduced: one line when it goes down, one line now and then with duration and attempts, and one line when it is
back. The processes of a worker share the counts; they are forked from the one that imports this module.
"""

import logging
import multiprocessing
import os
import socket
import sys
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

from celery.signals import (
    after_setup_logger,
    after_setup_task_logger,
    after_task_publish,
    celeryd_init,
    task_postrun,
    task_prerun,
    task_success,
)

from storage.servers.connections import Server, causes
from storage.servers.redis_client import address_of, is_outage, outage_error, require_writes
from storage.settings import load_settings
from system.errors import PindnaError, ServiceDown
from system.log_lines import JsonLineFormatter, log_ids

log = logging.getLogger(__name__)

SERVICES = ("MongoDB", "Redis", "Redis Cluster")
_FIRST_S, _LONGEST_S = 60.0, 3600.0  # first and longest time between two lines on one outage, in seconds
_SINCE, _ATTEMPTS, _DUE, _PAUSE = range(4)
_FIELDS = 4
_MINUTES_S = 120.0
_PER_MESSAGE = ("celery.app.trace", "celery.worker.request", "celery.worker.strategy")
_RECONNECTED = "celery.worker.consumer.connection"
_ids_of_task: dict[str, AbstractContextManager[None]] = {}
_NOISE = ("Skipping prefetch count reduction", "Scheduler: Sending due task tick")


class Outages:
    """Servers that are down, since when, and the number of attempts; one table for all processes."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = multiprocessing.Lock()
        self._table = multiprocessing.RawArray("d", _FIELDS * len(SERVICES))

    def note_down(self, error: ServiceDown) -> str | None:
        """Count an attempt; return the line to log, or None if one was logged recently."""
        service, now = str(error.data.get("service")), self._clock()
        if service not in SERVICES:
            return str(error)
        with self._lock:
            since, attempts, due, pause = self._outage_row(service)
            if not since:
                self._set_outage(service, now, 1, now + _FIRST_S, _FIRST_S)
                return f"{service} is away; work goes on when it is back. {error}"
            if now < due:
                self._set_outage(service, since, attempts + 1, due, pause)
                return None
            pause = min(2 * pause, _LONGEST_S)
            self._set_outage(service, since, attempts + 1, now + pause, pause)
            return f"{service} has been away for {_show_seconds(now - since)}, {attempts + 1:.0f} attempts"

    def is_away(self, service: str) -> bool:
        """Return whether a server is recorded as down."""
        with self._lock:
            return bool(self._outage_row(service)[_SINCE])

    def note_up(self, service: str) -> str | None:
        """Return the line to log when a server answers; None unless it was down."""
        with self._lock:
            since, attempts, *_ = self._outage_row(service)
            if not since:
                return None
            self._set_outage(service, 0, 0, 0, 0)
        return f"{service} is back after {_show_seconds(self._clock() - since)}, {attempts:.0f} attempts"

    def _outage_row(self, service: str) -> tuple[float, ...]:
        start = SERVICES.index(service) * _FIELDS
        return tuple(self._table[start : start + _FIELDS])

    def _set_outage(self, service: str, *values: float) -> None:
        start = SERVICES.index(service) * _FIELDS
        self._table[start : start + _FIELDS] = list(values)


def _show_seconds(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < _MINUTES_S else f"{seconds / 60:.0f} min"


class LogFilter(logging.Filter):
    """A filter that reduces outages to few lines, and our errors to one line each."""

    def __init__(self, outages: Outages, redis: Server) -> None:
        super().__init__()
        self._outages = outages
        self._redis = redis

    def filter(self, record: logging.LogRecord) -> bool:
        """Return whether to write a record; the record may be replaced."""
        if record.name == _RECONNECTED and str(record.msg).startswith("Connected to"):
            return _replace_record(record, self._outages.note_up("Redis") or record.getMessage())
        if str(record.msg).startswith(_NOISE) or record.getMessage().startswith(_NOISE):
            return False
        error = _error_in(record)
        if error is None:
            return True
        outage = self._outage_of(error)
        if outage is not None:
            return _replace_record(record, self._outages.note_down(outage), level=logging.WARNING)
        if isinstance(error, PindnaError):  # pindna's own error: its message is complete
            return _replace_record(record, str(error))
        return True

    def _outage_of(self, error: BaseException) -> ServiceDown | None:
        for cause in causes(error):
            if isinstance(cause, ServiceDown):
                return cause
        return outage_error(self._redis, error) if is_outage(error) else None


def _error_in(record: logging.LogRecord) -> BaseException | None:
    """Return the exception of a record, from its traceback or its arguments."""
    if record.exc_info and record.exc_info[1] is not None:
        return record.exc_info[1]
    values = record.args if isinstance(record.args, tuple) else ()
    return next((value for value in values if isinstance(value, BaseException)), None)


def _replace_record(record: logging.LogRecord, text: str | None, *, level: int | None = None) -> bool:
    """Replace a record by a line of text; return False, so that nothing is written, if there is none."""
    if text is None:
        return False
    record.msg, record.args = text, ()
    record.exc_info = record.exc_text = record.stack_info = None
    if level is not None:
        record.levelno, record.levelname = level, logging.getLevelName(level)
    return True


def install() -> None:
    """Install this log in the worker or beat of this process, and name an unnamed worker."""
    outages = Outages()

    def quieten(logger: logging.Logger, **_: object) -> None:
        redis = Server("Redis", address_of(load_settings().storage), "storage.redis_url")
        for handler in logger.handlers:
            handler.addFilter(LogFilter(outages, redis))
        for name in _PER_MESSAGE:
            logging.getLogger(name).setLevel(logging.WARNING)

    def note_success(**_: object) -> None:
        note_task_success(outages)

    def note_sending(**_: object) -> None:
        _log_end(outages, "Redis")

    for signal in (after_setup_logger, after_setup_task_logger):
        signal.connect(quieten, weak=False)
        signal.connect(_set_form, weak=False)
    task_success.connect(note_success, weak=False)
    after_task_publish.connect(note_sending, weak=False)
    celeryd_init.connect(name_worker, weak=False)
    celeryd_init.connect(_write_nothing_else, weak=False)
    task_prerun.connect(_begin_ids, weak=False)
    task_postrun.connect(_end_ids, weak=False)


def note_task_success(outages: Outages) -> None:
    """Log the end of outages when a task has succeeded.

    Reading from Redis succeeds while its disk is full, so a small write is tried first.
    """
    for service in filter(outages.is_away, SERVICES):
        if service != "Redis" or _takes_writes():
            _log_end(outages, service)


def _log_end(outages: Outages, service: str) -> None:
    if line := outages.note_up(service):
        log.warning(line)


def _takes_writes() -> bool:
    """Return whether the server of the queue accepts writes."""
    try:
        require_writes(load_settings().storage)
    except PindnaError:
        return False
    return True


def _set_form(logger: logging.Logger, **_: object) -> None:
    """Set the log format of the settings for a logger, and for the one that reports killed processes."""
    if load_settings().tracker.log_format != "json":
        return
    for handler in (*logger.handlers, *logging.getLogger("multiprocessing").handlers):
        handler.setFormatter(JsonLineFormatter("beat" if "beat" in sys.argv else "worker"))


def _write_nothing_else(instance: Any, **_: object) -> None:
    """Print no banner if the log is JSON, and log warnings as JSON from the start."""
    if load_settings().tracker.log_format != "json":
        return
    instance.quiet = True
    handler, warnings = logging.StreamHandler(), logging.getLogger("py.warnings")
    handler.setFormatter(JsonLineFormatter("worker"))
    warnings.addHandler(handler)
    warnings.propagate = False
    logging.captureWarnings(capture=True)


def _begin_ids(task_id: str, task: Any, **_: object) -> None:
    """Add the names of a task to every line logged for its message."""
    ids = _ids_of_task[task_id] = log_ids(task=task.name.rpartition(".")[2], task_id=task_id)
    ids.__enter__()


def _end_ids(task_id: str, **_: object) -> None:
    if ids := _ids_of_task.pop(task_id, None):
        ids.__exit__(None, None, None)


def name_worker(instance: Any, **_: object) -> None:
    """Give a worker that was started without ``-n`` a unique name on this machine.

    Celery's default is the machine's name, so two workers would answer as one.
    """
    host = socket.gethostname()
    if instance.hostname == f"celery@{host}":
        instance.hostname = f"pindna-{os.getpid()}@{host}"
