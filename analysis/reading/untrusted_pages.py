"""Read untrusted pages for users, in a limited number of reader processes.

Readers have the limits of a crawl for memory and time (:mod:`crawler.readers.pool`), so a malicious page
fails alone. A caller that would wait too long for a reader receives an error and may try again.
"""

import atexit
import threading
from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import TypeVar

from crawler.extraction import ExtractedPage
from crawler.pages.page_records import MIN_COMPARED, is_compared, unread_of
from crawler.readers.pool import MAX_S, CannotRead, Reader
from crawler.readers.questions import Question
from storage.records import PageKind, UnreadReason
from system.errors import PindnaError
from system.sites import host_of, site_of
from tracker.comparison import ComparedText, Facts, RestText
from tracker.corpus.texts import clean_text

A = TypeVar("A")
_COMPARED: tuple[PageKind, ...] = ("article", "chapter", "thread")
_PROCESSES = 2
_TURN_S = 30.0


class PageUnreadable(PindnaError):
    """A page exceeded the limits of its reader process.

    Attributes:
        path: name of the page.
        reason: the limit.
    """

    template = "Cannot read {path}: {reason}. The page may be malicious."


class NotComparable(PindnaError):
    """A page contains no text that can be compared.

    Attributes:
        path: name of the page.
        page_kind: kind of the page.
    """

    template = "{path} was not compared: its kind is “{page_kind}”, not article, chapter or thread."


class NoTextToCompare(PindnaError):
    """A page has too little Chinese text to compare.

    Attributes:
        path: name of the page.
        page_kind: kind of the page.
        chars: required number of Chinese characters.
    """

    template = "{path} was not compared: the page has fewer than {chars} Chinese characters ({page_kind})."


class Busy(PindnaError):
    """Other requests use all readers.

    Attributes:
        seconds: when to try again.
    """

    template = "The server is busy with other requests. Try again in {seconds} seconds."


@contextmanager
def reading_slot(places: threading.BoundedSemaphore, *, wait_s: float = _TURN_S) -> Iterator[None]:
    """Reserve one of a limited number of places during a block.

    Args:
        places: all places.
        wait_s: maximum waiting time.

    Raises:
        Busy: no place became free.
    """
    if not places.acquire(timeout=wait_s):
        raise Busy(seconds=int(wait_s))
    try:
        yield
    finally:
        places.release()


class Readers:
    """Readers that any thread may use.

    Args:
        max_megabytes: memory limit of each.
        processes: maximum number.
        turn_s: maximum waiting time for a reader.
        max_s: limit of CPU seconds for one question.
    """

    def __init__(
        self,
        max_megabytes: int,
        *,
        processes: int = _PROCESSES,
        turn_s: float = _TURN_S,
        max_s: float = MAX_S,
    ) -> None:
        self._max_megabytes = max_megabytes
        self._max_s = max_s
        self._turn_s = turn_s
        self._turns = threading.BoundedSemaphore(processes)
        self._idle: deque[Reader] = deque()

    def ask(self, question: Question[A], *, name: str) -> A:
        """Return the answer to a question.

        Args:
            question: a question about untrusted content.
            name: name of the content in messages.

        Raises:
            PageUnreadable: it exceeded the limits of its reader.
            Busy: no reader became free.
        """
        with reading_slot(self._turns, wait_s=self._turn_s):
            reader = self._take_reader()
            try:
                return reader.ask(question)[0]
            except CannotRead as error:
                raise PageUnreadable(path=name, reason=error.reason) from error
            finally:
                self._idle.append(reader)

    def _take_reader(self) -> Reader:
        try:
            return self._idle.pop()
        except IndexError:
            return Reader(max_megabytes=self._max_megabytes, max_s=self._max_s)

    def close(self) -> None:
        """Stop the idle reader processes."""
        while self._idle:
            self._idle.pop().close()


def article_of(page: ExtractedPage, name: str, *, needs_han: bool = False) -> str:
    """Return the text of a page that is an article or a chapter.

    Args:
        page: the extracted page.
        name: its name in messages.
        needs_han: refuse a text without Han characters.

    Raises:
        NotComparable: it is neither.
        EmptyFile, BinaryFile, NoHanText: it has no text.
    """
    if page.kind not in _COMPARED:
        raise NotComparable(path=name, page_kind=page.kind)
    return clean_text(page.text.encode("utf-8", "replace"), name, needs_han=needs_han)


@dataclass(frozen=True, slots=True, kw_only=True)
class PageTexts:
    """The two texts of a page, as they are compared.

    Attributes:
        article: the text that the page is about; may be empty.
        rest: all other Chinese text of the page; may be empty.
        unread: the content that cannot be compared.
    """

    article: ComparedText
    rest: RestText | None
    unread: Mapping[UnreadReason, int]


def texts_of(page: ExtractedPage, name: str) -> PageTexts:
    """Return the texts of a page of any kind, if a crawl would compare it too.

    Args:
        page: the extracted page.
        name: its name in messages.

    Raises:
        NoTextToCompare: it has too little Chinese text.
    """
    article, rest = _replace_same_length(page.text), _replace_same_length(page.rest)
    if not is_compared(page.kind, article, rest):
        raise NoTextToCompare(path=name, page_kind=page.kind, chars=MIN_COMPARED)
    return PageTexts(
        article=ComparedText(article),
        rest=RestText(text=ComparedText(rest), pieces=page.rest_pieces) if rest else None,
        unread=unread_of([page], page.kind),
    )


def _replace_same_length(text: str) -> str:
    """Replace NULs and lone surrogates without changing the length, because offsets refer to the text."""
    return text.encode("utf-8", "replace").decode().replace("\0", " ")


def facts_of(page: ExtractedPage, url: str) -> Facts:
    """Return the site, bylines and date of a page.

    Args:
        page: the extracted page.
        url: its address; empty for a file.
    """
    bylines = tuple(byline for byline in (page.title, page.author, page.site_name) if byline)
    host, site = (host_of(url), site_of(url)) if url else ("", "")
    return Facts(host=host, site=site, bylines=bylines, published=page.published)


@cache
def readers_with(max_megabytes: int, *, processes: int = _PROCESSES, max_s: float = MAX_S) -> Readers:
    """Return this process's shared readers with these limits; they end with the process.

    Args:
        max_megabytes: memory limit of each: ``crawler.reader_megabytes``.
        processes: maximum number.
        max_s: limit of CPU seconds for one question.
    """
    readers = Readers(max_megabytes, processes=processes, max_s=max_s)
    atexit.register(readers.close)
    return readers
