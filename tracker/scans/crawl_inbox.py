"""The inbox in which the processes of a worker submit crawls to the one that crawls.

Theory of operation. One process of a worker crawls several sources at once, so the others can compare and
index. Each crawl arrives in a message at any free process. That process puts the crawl into an inherited
socket and then tries to become the crawling process by locking an inherited file. The crawling process reads
the socket again after it released the lock, so no crawl stays there: either the lock was still held when the
crawl was submitted, and its holder reads afterwards, or the lock was free.

The kernel releases the lock of a killed process (POSIX ``lockf`` belongs to a process and not to a handle, so
a fork does not have it). The leases recover its crawls and those in the socket.
"""

import fcntl
import json
import socket
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

_MAX_BYTES = 65_536  # maximum size of a message, far more than the name of any source


class Assignment(NamedTuple):
    """A crawl that is reserved under a token."""

    crawl_id: str
    token: str


class CrawlInbox:
    """The socket and the lock; created before the processes are forked."""

    def __init__(self) -> None:
        self._entry, self._exit = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
        for end in (self._entry, self._exit):
            end.setblocking(False)
        self._lock = tempfile.TemporaryFile()  # noqa: SIM115 - as long as the worker lives

    def submit(self, assignment: Assignment) -> bool:
        """Submit a crawl to the crawling process; return False if there is no room."""
        try:
            self._entry.send(json.dumps(assignment).encode())
        except OSError:  # EAGAIN or ENOBUFS, as the system calls it
            return False
        return True

    def has_pending(self) -> bool:
        """Return whether submitted crawls are waiting."""
        return self._receive_message(socket.MSG_PEEK) is not None

    def take_all(self) -> Iterator[Assignment]:
        """Yield the submitted crawls; for the crawling process."""
        while (message := self._receive_message(0)) is not None:
            yield Assignment(*json.loads(message))

    def _receive_message(self, flags: int) -> bytes | None:
        try:
            return self._exit.recv(_MAX_BYTES, flags)
        except BlockingIOError:
            return None

    @contextmanager
    def turn(self) -> Iterator[bool]:
        """Be the crawling process during the block, unless there is one; yields whether it is."""
        try:
            fcntl.lockf(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except (BlockingIOError, PermissionError):
            yield False
            return
        try:
            yield True
        finally:
            fcntl.lockf(self._lock, fcntl.LOCK_UN)

    def close(self) -> None:
        """Close socket and file."""
        self._entry.close()
        self._exit.close()
        self._lock.close()
