"""Extraction in processes of its own, so that a crawl goes on asking while pages are read, and survives them.

Guarantees. A page that kills its reader, or takes longer than a minute, fails alone: the next page gets a
fresh process. A reader ends with the crawl that started it, however that ends: its pipe closes while it
waits, and a watchdog that needs no Python ends it while it works. Readers start when they are needed, so a
crawl that finds every page unchanged has none.
"""

import asyncio
import faulthandler
import multiprocessing
import os
import signal
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any, Final

from crawler.extraction import NOTHING, Extracted, Known, extract

_LONGEST_S: Final = 60.0
_TRIES: Final = 2  # a reader may have been killed for another reason than its page
_PAGES: Final = 5_000  # then a reader is replaced: parsers do not give back all they take
_END_S: Final = 0.5
_WATCHDOG: Final = 1  # exit status
_GONE: Final = (EOFError, BrokenPipeError, ConnectionResetError)


class CannotExtract(Exception):
    """A page killed its readers, or took too long."""


@dataclass(frozen=True, slots=True)
class Question:
    """A page to read, as :func:`crawler.extraction.extract` takes it."""

    data: bytes
    url: str
    declared: str | None
    known: Known = NOTHING


class Extractors:
    """The readers of one crawl.

    Args:
        processes: how many at most; with 0 the crawl's own process reads.
        longest_s: for one page.
    """

    def __init__(self, processes: int, *, longest_s: float = _LONGEST_S) -> None:
        self._longest_s = longest_s
        self._own = threading.local()  # each thread has a reader of its own
        self._threads = ThreadPoolExecutor(processes, "reader") if processes else None
        self._readers: list[_Reader] = []
        self._is_closed = False

    async def extract(self, question: Question) -> Extracted:
        """Return what is in a page.

        Raises:
            CannotExtract: it killed its readers, or took too long.
        """
        if self._threads is None:
            return _answer(question)
        return await asyncio.get_running_loop().run_in_executor(self._threads, self._ask, question)

    def close(self) -> None:
        """End the readers; a page under way is not waited for."""
        self._is_closed = True
        if self._threads is not None:
            self._threads.shutdown(wait=False, cancel_futures=True)
        for reader in self._readers:
            reader.end()

    def _ask(self, question: Question) -> Extracted:
        for _ in range(_TRIES):
            reader: _Reader | None = getattr(self._own, "reader", None)
            if reader is None or reader.is_worn:
                self._replace(reader)
            with suppress(*_GONE):
                found: Extracted = self._own.reader.ask(question)
                return found
            if self._own.reader.end() == _WATCHDOG or self._is_closed:
                raise CannotExtract("it took too long")
        raise CannotExtract("the page's reader died")

    def _replace(self, reader: "_Reader | None") -> None:
        if reader is not None:
            reader.end()
            self._readers.remove(reader)
        self._own.reader = _Reader(self._longest_s)
        self._readers.append(self._own.reader)


class _Reader:
    """One process and the pipe to it."""

    def __init__(self, longest_s: float) -> None:
        context = multiprocessing.get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(target=_read_forever, args=(theirs, longest_s), daemon=True)
        self._process.start()
        theirs.close()
        self._asked = 0
        self._has_ended = False

    @property
    def is_worn(self) -> bool:
        return self._has_ended or self._asked >= _PAGES

    def ask(self, question: Question) -> Extracted:
        self._asked += 1
        self._pipe.send(question)
        answer: Any = self._pipe.recv()
        if isinstance(answer, Extracted):
            return answer
        raise CannotExtract(str(answer))

    def end(self) -> int | None:
        """End the process, unless it has ended; returns its exit status, negative for a signal."""
        self._has_ended = True
        with suppress(OSError):
            self._pipe.close()
        self._process.join(_END_S)
        if self._process.is_alive():
            self._process.kill()
            self._process.join()
        return self._process.exitcode


def _read_forever(pipe: Connection, longest_s: float) -> None:
    """Answer questions until the other end is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the crawl ends in its own time, and this with it
    with open(os.devnull, "w") as nowhere, suppress(*_GONE):  # noqa: PTH123 - a device
        while True:
            question: Question = pipe.recv()
            faulthandler.dump_traceback_later(longest_s, exit=True, file=nowhere)
            try:
                answer: Extracted | str = _answer(question)
            except Exception as error:  # noqa: BLE001 - whatever a library does to a page, the page fails alone
                answer = type(error).__name__
            faulthandler.cancel_dump_traceback_later()
            pipe.send(answer)


def _answer(question: Question) -> Extracted:
    return extract(question.data, url=question.url, declared=question.declared, known=question.known)
