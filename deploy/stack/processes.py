"""Identification of pindna's processes, and ending them.

A process number is no proof, because the system reuses numbers. A command line is no proof either, because
any user can choose it. A process is pindna's if it started at the recorded moment, runs as the same user,
executes the expected program, and its command line or folder refers to the data folder. The last three
conditions also find services that no file lists. A dead process that its parent has not collected counts as
gone.
"""

import os
import signal
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path

import psutil

from deploy.stack.state import ProcessMark

Matcher = Callable[[psutil.Process], bool]

# Tolerance for start times: psutil derives them from the boot time, which changes when the clock is set. The
# system does not reuse a process number so quickly.
_CLOCK_SLACK_S = 2.0
_POLL_S = 0.02


def mark_of(pid: int) -> ProcessMark | None:
    """Return the mark of a process; None if the process no longer exists."""
    try:
        return ProcessMark(pid=pid, started=psutil.Process(pid).create_time())
    except psutil.Error:
        return None


def is_gone(mark: ProcessMark) -> bool:
    """Return whether the process has ended; collects it if it was a child of this process."""
    with suppress(ChildProcessError):
        os.waitpid(mark.pid, os.WNOHANG)
    try:
        process = psutil.Process(mark.pid)
        same = abs(process.create_time() - mark.started) < _CLOCK_SLACK_S
        return not same or process.status() == psutil.STATUS_ZOMBIE
    except psutil.Error:
        return True


def own_program() -> Path:
    """Return the program of this process: the path of the Python interpreter, without links."""
    return Path(psutil.Process().exe())


def is_ours(mark: ProcessMark, program: Path, matches: Matcher) -> bool:
    """Return whether the marked process still runs, belongs to our user, and is the described service."""
    if is_gone(mark):
        return False
    try:
        return _runs(psutil.Process(mark.pid), program) and matches(psutil.Process(mark.pid))
    except psutil.Error:
        return False


def find(program: Path, matches: Matcher) -> list[ProcessMark]:
    """Return our user's processes of a service, started by any command; parents come before children."""
    running = []
    for process in _processes_of_ours(matches):
        with suppress(psutil.Error, ProcessLookupError):
            if _runs(process, program):
                running.append((not leads_session(process.pid), process.create_time(), process.pid))
    return [ProcessMark(pid=pid, started=started) for _, started, pid in sorted(running)]


def find_intruder(program: Path, intrudes: Matcher) -> ProcessMark | None:
    """Return a process of the same user that runs another program in a service's folder."""
    for process in _processes_of_ours(intrudes):
        with suppress(psutil.Error):
            if not _runs(process, program):
                return ProcessMark(pid=process.pid, started=process.create_time())
    return None


def _runs(process: psutil.Process, program: Path) -> bool:
    return _is_our_users(process) and process.exe() == os.fspath(program)


def _is_our_users(process: psutil.Process) -> bool:
    users = process.uids()
    return bool(users.real == users.effective == os.geteuid())


def _processes_of_ours(matches: Matcher) -> Iterator[psutil.Process]:
    for process in psutil.process_iter():
        with suppress(psutil.Error):
            if _is_our_users(process) and process.status() != psutil.STATUS_ZOMBIE and matches(process):
                yield process


def leads_session(pid: int) -> bool:
    """Return whether a process leads its own session, like every service and unlike forked children.

    Raises:
        ProcessLookupError: there is no such process.
    """
    return os.getsid(pid) == pid


def listening_ports(pid: int) -> set[int]:
    """Return the TCP ports on which a process listens; empty if they are unknown."""
    try:
        connections = psutil.Process(pid).net_connections(kind="tcp")
    except psutil.Error:
        return set()
    return {connection.laddr.port for connection in connections if connection.status == psutil.CONN_LISTEN}


def wait_listening(mark: ProcessMark, timeout_s: float) -> int | None:
    """Wait until a process listens on one port; returns the port.

    Returns None if the process ends, or does not listen within ``timeout_s`` seconds.
    """
    deadline = time.monotonic() + timeout_s
    while len(listening := listening_ports(mark.pid)) != 1:
        if is_gone(mark) or time.monotonic() >= deadline:
            return None
        time.sleep(_POLL_S)
    return listening.pop()


def port_holder(port: int) -> str:
    """Describe the process that listens on a port, as far as the system reveals it."""
    with suppress(psutil.Error):
        for connection in psutil.net_connections(kind="tcp"):
            if connection.status == psutil.CONN_LISTEN and connection.laddr.port == port and connection.pid:
                return f"process {connection.pid}"
    return "another program"


def wait_gone(mark: ProcessMark, timeout_s: float) -> bool:
    """Wait for a process to end; returns False if it still runs after ``timeout_s`` seconds."""
    deadline = time.monotonic() + timeout_s
    while not is_gone(mark):
        if time.monotonic() >= deadline:
            return False
        time.sleep(_POLL_S)
    return True


def end(
    mark: ProcessMark,
    signals: Iterable[tuple[signal.Signals, float]],
    *,
    hasten: Callable[[ProcessMark], None] | None = None,
) -> bool:
    """End a process that leads its own session, and all other processes of the session.

    Args:
        mark: the process.
        signals: what to send and how many seconds to wait after it; SIGKILL follows by itself.
        hasten: called after the first signal, for a server that may miss it.

    Returns:
        Whether it ended before it had to be killed.
    """
    if is_gone(mark):
        return True
    polite = False
    for number, wait_s in signals:
        with suppress(ProcessLookupError):
            os.kill(mark.pid, number)
        if hasten is not None:
            hasten(mark)
        if polite := wait_gone(mark, wait_s):
            break
    if not polite:
        with suppress(ProcessLookupError):
            os.kill(mark.pid, signal.SIGKILL)
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(mark.pid, signal.SIGKILL)
    return wait_gone(mark, 5.0) and polite
