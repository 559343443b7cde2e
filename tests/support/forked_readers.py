"""Readers that need no start of Python: the process that forks crawls forks their readers too.

A crawl asks for one over a socket, with the reader's end of its pipe. It is as if the crawl had started
``python -m crawler.readers.process``: the same function runs with the same arguments, environment and
standard input. What a reader's own program does is tested by ``test_readers``, which starts it.
"""

import os
import pickle
import select
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from types import SimpleNamespace
from typing import Any

from crawler.readers import pool, process

_MAX_REQUEST = 1 << 20


class Forks:
    """Where readers are forked: serves one crawl until that has ended."""

    def __init__(self) -> None:
        self.ours, self.theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)

    def serve(self, crawl: int) -> int:
        """Fork a reader for each request of a crawl; return its exit status when it has ended."""
        self.theirs.close()
        crawl_end = os.pidfd_open(crawl)
        while self.ours in select.select([self.ours, crawl_end], [], [])[0]:
            request, files, _, _ = socket.recv_fds(self.ours, _MAX_REQUEST, 1)
            if not request:
                break
            self.ours.send(str(self._answer(request, files)).encode())
        os.close(crawl_end)
        self.ours.close()
        status = os.waitpid(crawl, 0)[1]
        with suppress(ChildProcessError):  # readers whose ends nobody asked for
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        return os.waitstatus_to_exitcode(status)

    def _answer(self, request: bytes, files: Sequence[int]) -> int:
        """Return the number of a new reader's process, or how one ended."""
        if not files:
            return os.waitstatus_to_exitcode(os.waitpid(int(request), 0)[1])
        (pipe,) = files
        reader = os.fork()
        if reader == 0:
            self.ours.close()
            _read(*pickle.loads(request), pipe)  # noqa: S301 - of our own crawl
        os.close(pipe)
        return reader


def _read(command: Sequence[str], environment: Mapping[str, str], pipe: int) -> None:
    """Become the reader that a command would have started."""
    os.environ.clear()
    os.environ.update(environment)
    null = os.open(os.devnull, os.O_RDWR)
    for number, file in ((0, pipe), (1, null), (2, null)):
        os.dup2(file, number)
    os.close(pipe)
    os.close(null)
    sys.argv = list(command[command.index(process.__name__) :])
    status = 1
    try:
        process.main()
        status = 0
    finally:
        os._exit(status)


def read_by_forks(forks: Forks) -> None:
    """Let the readers of this process, a crawl, be forked."""
    forks.ours.close()
    asking, lock = forks.theirs, threading.Lock()

    class ForkedReader:
        """A reader's process, as :class:`subprocess.Popen` shows it."""

        def __init__(self, command: Sequence[str], *, stdin: int, env: Mapping[str, str], **_: Any) -> None:
            with lock:
                socket.send_fds(asking, [pickle.dumps((command, env))], [stdin])
                self.pid = int(asking.recv(_MAX_REQUEST))
            self._end = os.pidfd_open(self.pid)
            self._status: int | None = None

        def wait(self, timeout: float | None = None) -> int:
            if self._status is None:
                if not select.select([self._end], [], [], timeout)[0]:
                    raise subprocess.TimeoutExpired("reader", timeout or 0)
                os.close(self._end)
                with lock:
                    asking.send(str(self.pid).encode())
                    self._status = int(asking.recv(_MAX_REQUEST))
            return self._status

        def kill(self) -> None:
            with suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGKILL)

    names = {"DEVNULL": subprocess.DEVNULL, "TimeoutExpired": subprocess.TimeoutExpired}
    pool.subprocess = SimpleNamespace(Popen=ForkedReader, **names)
