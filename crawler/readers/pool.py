"""Readers: processes of their own for everything that strangers wrote, so that a crawl goes on and survives.

Guarantees. A page that kills its reader, takes longer than fifteen seconds of CPU, or more memory than
allowed, fails alone: the next one gets a fresh process. The pages of one site have a budget of readers' time;
when it is spent, they are read no more. A reader ends with the process that started it, however that ends:
its pipe closes while it waits, and timers that need no Python end it while it works. Readers start when they
are needed, so a crawl that finds every page unchanged has none.
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

from crawler.addresses import site_of
from crawler.failures import HOSTILE, TOO_MUCH_MEMORY, TOO_SLOW, UNREADABLE
from crawler.readers.process import GONE, TIMERS
from crawler.readers.questions import SLOW_EXPRESSION, Question, Reply

A = TypeVar("A")

MAX_S = 15.0  # of CPU, for one question
MEGABYTES = 1536
SITE_S = 600.0
_FAIR_S = 1.0  # that an answer may take; no budget pays for it
_TRIES = 2  # a reader may have been killed for another reason than its page
_QUESTIONS = 5_000  # then a reader is replaced: parsers do not give back all they take
_END_S = 0.5
_TIMED_OUT = frozenset(-each for each in TIMERS)
_SINGLE = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}  # their stacks count as memory


class CannotRead(Exception):
    """A page was not read.

    Attributes:
        reason: ``unreadable`` (it killed its readers, or they could make nothing of it), ``too-slow``,
            ``too-much-memory``, ``hostile`` (its site's budget is spent), or why it is no list of its kind.
        seconds: that it took.
    """

    def __init__(self, reason: str, *, seconds: float = 0.0) -> None:
        super().__init__(reason)
        self.reason = reason
        self.seconds = seconds


class Reader:
    """One reader, replaced when it dies. For one thread at a time.

    Args:
        longest_s: of CPU, for one question.
        megabytes: of memory that it may take beyond what it begins with.
    """

    def __init__(self, *, longest_s: float = MAX_S, megabytes: int = MEGABYTES) -> None:
        self._longest_s = longest_s
        self._megabytes = megabytes
        self._process: _Process | None = None
        self._is_closed = False

    def prepare(self) -> None:
        """Start its process, so that it is ready once it is asked."""
        self._fresh()

    def ask(self, question: Question[A]) -> tuple[A, float]:
        """Return the answer, and the seconds of CPU that it took.

        Raises:
            CannotRead: there is none.
            TimeoutError: an expression of the source takes for ever on its links.
        """
        began = time.monotonic()
        for _ in range(_TRIES):
            process = self._fresh()
            with suppress(*GONE):
                return self._checked(process.ask(question))
            seconds = time.monotonic() - began
            if process.end() in _TIMED_OUT or self._is_closed:
                raise CannotRead(TOO_SLOW, seconds=seconds)
        raise CannotRead(UNREADABLE, seconds=seconds)

    def close(self) -> None:
        """End its process; an answer under way is not waited for."""
        self._is_closed = True
        if self._process is not None:
            self._process.end()

    def _fresh(self) -> "_Process":
        if self._process is None or self._process.is_worn:
            if self._process is not None:
                self._process.end()
            self._process = _Process(self._longest_s, self._megabytes)
        return self._process

    def _checked(self, reply: Reply) -> tuple[A, float]:
        if reply.reason == SLOW_EXPRESSION:
            raise TimeoutError("an expression of the source takes for ever")
        if reply.reason:
            if reply.reason == TOO_MUCH_MEMORY and self._process is not None:
                self._process.end()  # what is left of its memory may be in pieces
            raise CannotRead(reply.reason, seconds=reply.seconds)
        return reply.answer, reply.seconds


class Extractors:
    """The readers of one crawl.

    Args:
        processes: how many at most.
        longest_s: of CPU, for one question.
        megabytes: of memory that one may take beyond what it begins with.
        site_s: seconds that the pages of one site may take: those that fail altogether, others beyond one
            second each. So no number of ordinary pages wears it out.
    """

    def __init__(
        self,
        processes: int,
        *,
        longest_s: float = MAX_S,
        megabytes: int = MEGABYTES,
        site_s: float = SITE_S,
    ) -> None:
        self._longest_s = longest_s
        self._megabytes = megabytes
        self._site_s = site_s
        self._own = threading.local()  # each thread has a reader of its own
        self._threads = ThreadPoolExecutor(processes, "reader")
        self._readers: list[Reader] = []
        self._spent: Counter[str] = Counter()  # thousandths of a second
        self._lock = threading.Lock()  # for adding to them

    async def ask(self, question: Question[A]) -> A:
        """Return the answer to a question.

        Raises:
            CannotRead: there is none.
            TimeoutError: an expression of the source takes for ever on its links.
        """
        loop = asyncio.get_running_loop()
        answer, _ = await loop.run_in_executor(self._threads, self._ask, question)
        return answer

    def has_spent(self, url: str) -> bool:
        """Return whether an address's site has spent its budget, so that its pages are read no more."""
        return self._spent[site_of(url)] >= self._site_s * 1000

    @property
    def hostile_sites(self) -> int:
        """Return how many sites have spent their budgets."""
        return sum(spent >= self._site_s * 1000 for spent in self._spent.values())

    def close(self) -> None:
        """End the readers; a page under way is not waited for."""
        self._threads.shutdown(wait=False, cancel_futures=True)
        for reader in self._readers:
            reader.close()

    def _ask(self, question: Question[A]) -> tuple[A, float]:
        if self.has_spent(question.url):  # it may have been spent while the question waited
            raise CannotRead(HOSTILE)
        try:
            answer, seconds = self._reader().ask(question)
        except CannotRead as error:
            self._charge(question.url, error.seconds)
            raise
        self._charge(question.url, seconds - _FAIR_S)
        return answer, seconds

    def _reader(self) -> Reader:
        """Return this thread's reader."""
        reader: Reader | None = getattr(self._own, "reader", None)
        if reader is None:
            reader = self._own.reader = Reader(longest_s=self._longest_s, megabytes=self._megabytes)
            self._readers.append(reader)
        return reader

    def _charge(self, url: str, seconds: float) -> None:
        with self._lock:
            self._spent[site_of(url)] += max(0, int(seconds * 1000))


class _Process:
    """One process and the pipe to it."""

    def __init__(self, longest_s: float, megabytes: int) -> None:
        ours, theirs = socket.socketpair()
        command = [sys.executable, "-P", "-m", "crawler.readers.process", str(longest_s), str(megabytes)]
        with theirs:
            self._process = subprocess.Popen(  # noqa: S603 - our own module
                command,
                stdin=theirs.fileno(),
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env={**os.environ, **_SINGLE},
            )
        self._pipe = Connection(ours.detach())
        self._asked = 0
        self._has_ended = False

    @property
    def is_worn(self) -> bool:
        return self._has_ended or self._asked >= _QUESTIONS

    def ask(self, question: Question[object]) -> Reply:
        self._asked += 1
        self._pipe.send(question)
        reply: Reply = self._pipe.recv()
        return reply

    def end(self) -> int:
        """End the process, unless it has ended; returns its exit status, negative for a signal."""
        self._has_ended = True
        with suppress(OSError):
            self._pipe.close()
        try:
            return self._process.wait(_END_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            return self._process.wait()
