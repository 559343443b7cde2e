"""A pool of readers: child processes that parse pages, so that no page can stop or crash a crawl.

Guarantees: a page that crashes its reader, needs more than fifteen seconds of CPU, or too much memory, fails
alone; the next page gets a new process. The pages of a site share a budget of reading time; when it is spent,
no more of its pages are read. A reader ends with its parent process: a waiting reader ends when its pipe is
closed, and system timers end a working reader. Readers start on demand, so a crawl of unchanged pages has
none.
"""

import asyncio
import os
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from multiprocessing.connection import Connection
from typing import TypeVar

from crawler.readers.process import CLOSED_PIPE, TIMERS
from crawler.readers.questions import SLOW_EXPRESSION, Question, ReaderReply
from crawler.reasons import HOSTILE, TOO_MUCH_MEMORY, TOO_SLOW, UNREADABLE
from system.sites import host_of

A = TypeVar("A")

MAX_S = 15.0  # maximum CPU seconds for one question
MAX_MEGABYTES = 1536
MAX_SITE_S = 600.0
_FREE_S = 1.0  # CPU seconds of each answer that are not charged to the budget
_MAX_TRIES = 2  # a second try, because a reader may have been killed for another reason than its page
# maximum number of questions per process, because parsers do not free all of their memory
_MAX_QUESTIONS = 5_000
_MAX_END_S = 0.5
_TIMED_OUT = frozenset(-timer for timer in TIMERS)
# a single thread, because the stacks of threads count as memory
_SINGLE = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}


class CannotRead(Exception):
    """A page was not read.

    Attributes:
        reason: ``unreadable`` (it crashed its readers, or raised an error in them), ``too-slow``,
            ``too-much-memory``, ``hostile`` (its site's budget is spent), or why it is not a list.
        seconds: reading time.
    """

    def __init__(self, reason: str, *, seconds: float = 0.0) -> None:
        super().__init__(reason)
        self.reason = reason
        self.seconds = seconds


class Reader:
    """A reader with a replaceable process. For one thread at a time.

    Args:
        max_s: seconds of CPU for one question.
        max_megabytes: of memory, in addition to the initial size of its process.
    """

    def __init__(self, *, max_s: float = MAX_S, max_megabytes: int = MAX_MEGABYTES) -> None:
        self._max_s = max_s
        self._max_megabytes = max_megabytes
        self._process: _Process | None = None
        self._is_closed = False

    def prepare(self) -> None:
        """Start the process in advance of the first question."""
        self._running_process()

    def ask(self, question: Question[A]) -> tuple[A, float]:
        """Return the answer, and the seconds of CPU that it took.

        Raises:
            CannotRead: the page cannot be read.
            TimeoutError: a regular expression of the source takes too long on its links.
        """
        began = time.monotonic()
        for _ in range(_MAX_TRIES):
            process = self._running_process()
            with suppress(*CLOSED_PIPE):
                return self._answer_in(process.ask(question))
            seconds = time.monotonic() - began
            if process.end() in _TIMED_OUT or self._is_closed:
                raise CannotRead(TOO_SLOW, seconds=seconds)
        raise CannotRead(UNREADABLE, seconds=seconds)

    def close(self) -> None:
        """End the process, without waiting for an answer."""
        self._is_closed = True
        if self._process is not None:
            self._process.end()

    def _running_process(self) -> "_Process":
        if self._process is None or self._process.is_used_up:
            if self._process is not None:
                self._process.end()
            self._process = _Process(self._max_s, self._max_megabytes)
        return self._process

    def _answer_in(self, reply: ReaderReply) -> tuple[A, float]:
        """Return the answer and the time of a reply, or raise its reason."""
        if reply.reason == SLOW_EXPRESSION:
            raise TimeoutError("a regular expression of the source takes too long")
        if reply.reason:
            if reply.reason == TOO_MUCH_MEMORY and self._process is not None:
                self._process.end()  # the memory of the process may be fragmented
            raise CannotRead(reply.reason, seconds=reply.seconds)
        return reply.answer, reply.seconds


class ReaderPool:
    """The readers of one crawl, one for each thread.

    Args:
        processes: maximum number of processes.
        max_s: seconds of CPU for one question.
        max_megabytes: of memory, in addition to the initial size of a process.
        max_site_s: seconds for the pages of one site. A failed page is charged in full, any other page after
            its first second, so ordinary pages never use up the budget.
    """

    def __init__(
        self,
        processes: int,
        *,
        max_s: float = MAX_S,
        max_megabytes: int = MAX_MEGABYTES,
        max_site_s: float = MAX_SITE_S,
    ) -> None:
        self._max_s = max_s
        self._max_megabytes = max_megabytes
        self._max_site_s = max_site_s
        self._local = threading.local()  # the reader of each thread
        self._threads = ThreadPoolExecutor(processes, "reader")
        self._readers: list[Reader] = []
        self._spent: Counter[str] = Counter()  # site → used milliseconds
        self._lock = threading.Lock()  # protects additions to _spent

    async def ask(self, question: Question[A]) -> A:
        """Return the answer to a question.

        Raises:
            CannotRead: the page cannot be read.
            TimeoutError: a regular expression of the source takes too long on its links.
        """
        loop = asyncio.get_running_loop()
        answer, _ = await loop.run_in_executor(self._threads, self._ask_reader, question)
        return answer

    def is_over_budget(self, url: str) -> bool:
        """Return whether the site of an address has spent its budget."""
        return self._spent[host_of(url)] >= self._max_site_s * 1000

    @property
    def hostile_hosts(self) -> int:
        """Return the number of sites that have spent their budgets."""
        return sum(spent >= self._max_site_s * 1000 for spent in self._spent.values())

    def close(self) -> None:
        """End the readers, without waiting for their answers."""
        self._threads.shutdown(wait=False, cancel_futures=True)
        for reader in self._readers:
            reader.close()

    def _ask_reader(self, question: Question[A]) -> tuple[A, float]:
        if self.is_over_budget(question.url):  # the budget may have been spent while the question waited
            raise CannotRead(HOSTILE)
        try:
            answer, seconds = self._reader_of_thread().ask(question)
        except CannotRead as error:
            self._charge_seconds(question.url, error.seconds)
            raise
        self._charge_seconds(question.url, seconds - _FREE_S)
        return answer, seconds

    def _reader_of_thread(self) -> Reader:
        """Return this thread's reader."""
        reader: Reader | None = getattr(self._local, "reader", None)
        if reader is None:
            reader = self._local.reader = Reader(max_s=self._max_s, max_megabytes=self._max_megabytes)
            self._readers.append(reader)
        return reader

    def _charge_seconds(self, url: str, seconds: float) -> None:
        with self._lock:
            self._spent[host_of(url)] += max(0, int(seconds * 1000))


class _Process:
    """A reader's process and the pipe to it."""

    def __init__(self, max_s: float, max_megabytes: int) -> None:
        ours, theirs = socket.socketpair()
        command = [sys.executable, "-P", "-m", "crawler.readers.process", str(max_s), str(max_megabytes)]
        with theirs:
            self._process = subprocess.Popen(  # noqa: S603 - our own module
                command,
                stdin=theirs.fileno(),
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env={**os.environ, **_SINGLE},
            )
        self._pipe = Connection(ours.detach())
        self._questions = 0
        self._has_ended = False

    @property
    def is_used_up(self) -> bool:
        return self._has_ended or self._questions >= _MAX_QUESTIONS

    def ask(self, question: Question[object]) -> ReaderReply:
        self._questions += 1
        self._pipe.send(question)
        reply: ReaderReply = self._pipe.recv()
        return reply

    def end(self) -> int:
        """End the process if it runs; return its exit status, negative for a signal."""
        self._has_ended = True
        with suppress(OSError):
            self._pipe.close()
        try:
            return self._process.wait(_MAX_END_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            return self._process.wait()
