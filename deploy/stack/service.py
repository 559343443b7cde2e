"""A service process: its description, start, readiness and stop.

A service runs in its own session, with its output in a log file. So neither Ctrl-C in the terminal nor the
end of the starting command stops it; it ends only on request. A service is ready when it answers in its own
protocol **and** is itself the process that listens, so another program on the same port is not mistaken for
it. Only its user can read the files that it writes.
"""

import logging
import os
import signal
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from math import inf
from pathlib import Path

from analysis.words.i18n import gettext as _
from deploy.stack import processes
from deploy.stack.errors import (
    DiskFull,
    FolderHeld,
    PortTaken,
    ServiceExited,
    ServiceForsaken,
    ServiceSilent,
    StackError,
)
from deploy.stack.folder import unusable
from deploy.stack.state import ProcessMark
from deploy.stack.trust import make_private, private_umask
from system.errors import LoginRefused, PindnaError
from system.messages import N_
from system.private_files import open_private, write_private

_POLL_S = 0.02
_FIRST_LINE_S = 10.0  # after this time a waiting command prints what it waits for
_LOG_LIMIT_BYTES = 8 * 1024 * 1024
_TAIL_BYTES = 8192
_QUOTE_CHARS = 200
_BEGIN = "=== started "


logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Service:
    """The description of a process that the stack runs.

    Args:
        name: its key in ``stack.json`` and the name of its log.
        title: its name in messages.
        command: program (absolute path) and arguments; every user of the machine can read them.
        program: what its process executes, with all links resolved.
        env: its whole environment.
        folder: where its data lie.
        log: where its output goes.
        address: where it is reached, for people.
        port: the TCP port it listens on; None when it listens on none.
        probe: returns when the service answers, raises a ``PindnaError`` when it does not.
        matches: whether a process of the same program is this service.
        intrudes: recognises a process of another program that would destroy the data if both ran; None when
            the service locks its folder itself.
        stop_signals: how to ask it to end, and how many seconds each request is given.
        files: what must lie on the disk (its text) or must not (None) before it starts.
        hasten: called after the first request, to see that it is noticed.
        panic: what its log says when it runs on and can do no more, as after a full disk; empty: it ends.
    """

    name: str
    title: str
    command: tuple[str, ...]
    program: Path
    env: Mapping[str, str]
    folder: Path
    log: Path
    address: str
    port: int | None
    probe: Callable[[ProcessMark], None]
    matches: processes.Matcher
    stop_signals: tuple[tuple[signal.Signals, float], ...]
    intrudes: processes.Matcher | None = None
    files: Mapping[Path, str | None] = field(default_factory=dict)
    hasten: Callable[[ProcessMark], None] | None = None
    panic: str = ""


def start(service: Service) -> ProcessMark:
    """Start the process. If it ends immediately, ``wait_ready`` reports that.

    Raises:
        DataFolderUnusable: its folder or log cannot be written.
        DiskFull: there is no room for them.
        ServiceExited: the program cannot be run.
    """
    try:
        make_private(service.folder)
        for path, text in service.files.items():
            path.unlink(missing_ok=True) if text is None else write_private(path, text.encode())
        _begin_log(service.log)
        with private_umask():
            pid = _spawn(service)
    except OSError as error:
        if error.filename == service.command[0]:
            raise _exit_error(service, str(error.strerror)) from error
        raise unusable(service.folder, error) from error
    mark = processes.mark_of(pid)
    if mark is None:
        raise why_ended(service)
    return mark


def _spawn(service: Service) -> int:
    """Start the program in a new session, without input, with default signals; output goes to the log."""
    log_flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW
    return os.posix_spawn(
        service.command[0],
        service.command,
        service.env,
        file_actions=[
            (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
            (os.POSIX_SPAWN_OPEN, 1, os.fspath(service.log), log_flags, 0o600),
            (os.POSIX_SPAWN_DUP2, 1, 2),
        ],
        setsid=True,
        setsigmask=(),
        setsigdef=(signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGPIPE),
    )


def wait_ready(
    service: Service,
    mark: ProcessMark,
    *,
    timeout_s: float,
    forsaken: Callable[[], str | None] = lambda: None,
) -> None:
    """Wait until the process answers.

    Args:
        service: what it is.
        mark: the process.
        timeout_s: how long it may take, in seconds.
        forsaken: returns the title of a service that it needs in order to answer and that has ended.

    Raises:
        PortTaken, DiskFull, FolderHeld, ServiceExited: it ended, and why.
        ServiceForsaken: it cannot answer, however long one waits.
        LoginRefused: it answers, but does not know our password.
        ServiceSilent: it still runs after ``timeout_s`` seconds and does not answer.
    """
    begun = time.monotonic()
    deadline, line_due = begun + timeout_s, begun + _FIRST_LINE_S
    while not answers(service, mark):
        if time.monotonic() >= line_due:
            line_due = inf
            logger.warning(
                _("%s has been starting for %.0f s; its log: %s"), service.title, _FIRST_LINE_S, service.log
            )
        if processes.is_gone(mark):
            raise why_ended(service)
        if needed := forsaken():
            raise ServiceForsaken(service=service.title, needed=needed)
        if time.monotonic() >= deadline:
            raise ServiceSilent(service=service.title, pid=mark.pid, timeout_s=timeout_s, log=service.log)
        time.sleep(_POLL_S)


def answers(service: Service, mark: ProcessMark) -> bool:
    """Return whether this process answers on the service's port now.

    Raises:
        LoginRefused: it does not know our password.
    """
    if service.port is not None and service.port not in processes.listening_ports(mark.pid):
        return False
    try:
        service.probe(mark)
    except LoginRefused:
        raise
    except PindnaError:
        return False
    return True


def stop(service: Service, mark: ProcessMark) -> bool:
    """Stop the process gently; returns False if it had to be killed."""
    return processes.end(mark, service.stop_signals, hasten=service.hasten)


def has_panicked(service: Service) -> bool:
    """Return whether a running process has failed permanently, according to its log."""
    if not service.panic:
        return False
    try:
        latest = _tail(service.log).rpartition(_BEGIN)[2]
    except OSError:
        return False
    return service.panic in latest


def _tail(log: Path) -> str:
    with log.open("rb") as stream:
        stream.seek(max(0, log.stat().st_size - _TAIL_BYTES))
        return stream.read().decode("utf-8", "replace")


def last_line(log: Path) -> str:
    """Return the last informative line of the latest run in the log."""
    try:
        lines = _tail(log).splitlines()
    except OSError:
        return "no log"
    words = next((line.strip() for line in reversed(lines) if line.strip()), _BEGIN)
    if words.startswith(_BEGIN):
        return "nothing was logged"
    return "".join(filter(str.isprintable, words))[:_QUOTE_CHARS]


def why_ended(service: Service) -> StackError:
    """Return the error that corresponds to the last line in the service's log."""
    words = last_line(service.log)
    lowered = words.lower()
    if "no space left" in lowered:
        return DiskFull(path=service.folder, problem="no space left")
    if "resource busy" in lowered:  # WiredTiger reports this if another process has the folder open
        return FolderHeld(service=service.title, path=service.folder, holder=N_("another process"))
    in_use = "address already in use" in lowered or "failed listening on port" in lowered
    if service.port is not None and in_use:  # a service with a fixed port reports itself what to change
        return PortTaken(service=service.title, port=service.port, holder=processes.port_holder(service.port))
    return _exit_error(service, words)


def _exit_error(service: Service, words: str) -> ServiceExited:
    return ServiceExited(service=service.title, last_line=words, log=service.log)


def _begin_log(log: Path) -> None:
    """Mark the beginning of a new run in the log; keep at most two logs of limited size."""
    with suppress(FileNotFoundError):
        if log.stat().st_size > _LOG_LIMIT_BYTES:
            log.replace(log.with_suffix(".log.1"))
    with os.fdopen(open_private(log, os.O_WRONLY | os.O_APPEND), "w", encoding="utf-8") as stream:
        stream.write(f"{_BEGIN}{datetime.now(UTC):%Y-%m-%d %H:%M:%S} UTC\n")
