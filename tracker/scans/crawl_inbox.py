"""Where the processes of a worker hand in crawls, for the one of them that crawls.

Theory of operation. A worker has one process that crawls, several sources at once, so that the others compare
and index. Each crawl comes in a message of its own, to whichever process is free: it puts the crawl into a
socket that all of them inherited, and then tries to become the one that crawls. That one is whoever holds a
lock on an inherited file. It looks into the socket again after it gave up the lock, so no crawl stays there:
either the lock was still held when its crawl was put in, and the holder looks afterwards, or it was free.

The kernel gives up the lock of a process that is killed (POSIX ``lockf``, of a process and not of a handle,
so a fork has none of it). What that one had in hand, and what stays in the socket then, returns by its lease.
"""

import fcntl
import json
import socket
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

_MAX_BYTES = 65_536  # of one message, far more than any source's name


class Assignment(NamedTuple):
    """A crawl that is reserved for whoever brings the token."""

    crawl_id: str
    token: str


class CrawlInbox:
    """The socket and the lock; made before the processes are forked."""

    def __init__(self) -> None:
        self._entry, self._exit = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
        for end in (self._entry, self._exit):
            end.setblocking(False)
        self._lock = tempfile.TemporaryFile()  # noqa: SIM115 - as long as the worker lives

    def submit(self, assignment: Assignment) -> bool:
        """Leave a crawl for the process that crawls; False when there is no room."""
        try:
            self._entry.send(json.dumps(assignment).encode())
        except OSError:  # EAGAIN or ENOBUFS, as the system calls it
            return False
        return True

    def has_pending(self) -> bool:
        """Return whether a crawl was handed in and not taken out yet."""
        return self._receive(socket.MSG_PEEK) is not None

    def take_all(self) -> Iterator[Assignment]:
        """Yield the crawls that were handed in; for the process that crawls."""
        while (message := self._receive(0)) is not None:
            yield Assignment(*json.loads(message))

    def _receive(self, flags: int) -> bytes | None:
        try:
            return self._exit.recv(_MAX_BYTES, flags)
        except BlockingIOError:
            return None

    @contextmanager
    def turn(self) -> Iterator[bool]:
        """Be the process that crawls while the block runs, if no other one is; tells whether."""
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
