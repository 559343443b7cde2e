"""What every spider does: make requests of frontier entries, and one :class:`Done` of each answer.

A spider yields no requests: what it finds on a page goes to the frontier together with the end of the page's
own entry, in the pipeline. So a crawl that is killed anywhere goes on where it was, in whatever process.

What comes first is what promises most: of the texts that a list names, new ones and those that it says have
changed, then known ones. The number of further lists is bounded, and what is left of them is counted.
"""

import asyncio
import hashlib
from collections.abc import AsyncIterator, Iterable, Iterator
from dataclasses import replace
from datetime import datetime
from itertools import count, islice
from typing import Any, ClassVar
from urllib.parse import urlsplit

import scrapy
from scrapy.http import Response, TextResponse
from scrapy.utils.response import get_meta_refresh
from twisted.python.failure import Failure

from crawler.addresses import canonical, is_web, site_of
from crawler.download.browser import RENDERED
from crawler.download.own_sites import own_sites_of
from crawler.download.private_allowlist import host_port_of, private_allowlist_of
from crawler.download.proxies import expand_variables
from crawler.download.resolver import REFUSED_NAMES
from crawler.exchange import Received
from crawler.extraction import Known
from crawler.failures import BAD_ADDRESS, EXPRESSION, INTERNAL, TimeIsUp, failure_reason, failure_status
from crawler.job import Job
from crawler.lists.link_list import Link, LinkList
from crawler.meta import ASKED_BY, CONDITIONAL, ENTRY, NOT_ASKED, RECEIVED, RENDER
from crawler.pages.outcomes import Done, Failed, Outcome, Text
from crawler.pages.reading import IsText, declared_charset, failed_outcome, read_text
from crawler.pages.stylesheets import SheetReader
from crawler.readers.pool import CannotRead
from crawler.readers.questions import ListKind, ListQuestion
from crawler.spiders.login import LoginFailed, log_in
from storage.bugs import record_bug, summary_of
from storage.errors import PindnaError
from storage.frontier.interface import Entry, EntryKind
from storage.records import Source, utc_now

START = "start"  # note of the entries that a source begins with
CHANGED = "changed "  # begins the note of a text whose list says when it changed
_AT_ONCE = 500  # known texts in one push
_REVISIT = "revisit"
_NOT_MODIFIED = 304
_LAST = -900_000  # priority of known pages that nothing led to
_KNOWN = 100_000  # that known texts come later than new ones
_SOON = 100  # priority of lists, which come before texts
_TURN = 50  # texts between two lists, where time is short
_MAX_NESTED = {"sitemap": 3, "index": 200}  # lists that lead from a start address to one
_MIN_LISTS = 20  # that are found and asked for in a crawl, however few texts are wanted
_TEXTS_A_LIST = 10  # so many texts that are wanted allow one list more
_OK = 200
_NO_TEXT = frozenset({"list", "empty"})
_NOWHERE = "http://address.invalid/"  # RFC 6761: no host has this name


class SourceSpider(scrapy.Spider):
    """Base of the spiders; subclasses say what to find in a page of links."""

    name = "source"
    start_kind: ClassVar[EntryKind] = "index"
    list_kinds: ClassVar[dict[EntryKind, ListKind]] = {
        "sitemap": "sitemap",
        "feed": "feed",
        "query": "search",
    }

    def __init__(self, *, job: Job, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.job = job
        self._sheets: SheetReader | None = None
        self._lists: set[str] = set()  # ids of those that were found
        self._most_lists = _MIN_LISTS + job.source.max_pages // _TEXTS_A_LIST
        self._inner = private_allowlist_of(job.source, job.settings.allow_inner)
        self._sites = {site_of(url) for url in job.source.start_urls if is_web(url)}
        self._own = own_sites_of(job.source)
        self._cookies = _cookies_of(job.source)

    async def start(self) -> AsyncIterator[Any]:
        """Log in where that is needed, and put the source's addresses into the frontier."""
        source = self.job.source
        try:
            if source.login is not None:
                await log_in(source.login, source=source, engine=self.crawler.engine)
            begin = [each for each in self.start_entries() if self._is_web(each)]
            pushed = await self.job.store(self.job.frontier.push, begin)
            self.job.counts["listed"] += pushed if self.start_kind == "text" else 0
            await self._push_due()
        except LoginFailed as error:
            self.job.problems.append((source.login.url if source.login else "", error.reason))
        except PindnaError as error:
            self.job.fatal = self.job.fatal or error
        except Exception as error:  # noqa: BLE001 - Scrapy would log it, and the crawl end as if all were well
            self.job.fatal = record_bug(error)
        return
        yield  # an asynchronous generator that yields nothing: the scheduler asks the frontier

    def start_entries(self) -> Iterator[Entry]:
        """Yield what the source begins with."""
        source = self.job.source
        for url in source.start_urls:
            yield entry_of(url, self.start_kind, note=START)

    def request_for(self, entry: Entry) -> scrapy.Request:
        """Return the request for an entry."""
        meta: dict[str, Any] = {ENTRY: entry, RENDER: self._rendering(entry.kind)}
        if entry.kind == "text":
            meta |= {CONDITIONAL: True, "handle_httpstatus_list": [_NOT_MODIFIED]}
        try:
            own: Any = self._cookies if self._own.has(entry.url) else None
            return self._request(entry.url, meta, cookies=own)
        except ValueError:  # the entry must end all the same, and only a request can end one
            return self._request(_NOWHERE, {**meta, NOT_ASKED: BAD_ADDRESS})

    def _request(self, url: str, meta: dict[str, Any], *, cookies: Any = None) -> scrapy.Request:
        return scrapy.Request(
            url,
            callback=self.answered,
            errback=self.failed,
            cookies=cookies,
            dont_filter=True,
            meta=meta,
        )

    async def answered(self, response: Response) -> AsyncIterator[Done]:
        """End an entry that answered, whatever is in the answer."""
        entry: Entry = response.meta[ENTRY]
        if entry.note == START:
            self.job.reached += 1
        try:
            done = await (self.read(entry, response) if entry.kind == "text" else self.list(entry, response))
            found = (*done.found, *self.nameable(response, self._refreshed(entry, response)))
            yield replace(done, found=found, rendered=_was_rendered(response))
        except TimeoutError:  # it would hold up this crawl, and the scan with it
            self.job.reached -= entry.note == START
            self.job.problems.append((response.url, "the source's expression takes for ever on its links"))
            yield Done(entry, self._failure(entry, EXPRESSION, status=response.status))
        except TimeIsUp:  # the entry is left
            return
        except PindnaError as error:  # the crawl ends; the entry is left
            self.job.fatal = self.job.fatal or error
        except Exception as error:  # noqa: BLE001 - a bug met on this page: it is told as the page's reason
            self.logger.error("entry %s met a bug: %s", entry.id, summary_of(error))  # noqa: TRY400 - no page text in a log
            yield Done(entry, self._failure(entry, INTERNAL, status=response.status))

    async def read(self, entry: Entry, response: Response) -> Done:
        """Read a text."""
        return Done(entry, await self._outcome(response, is_text=self._is_text))

    async def _outcome(self, response: Response, *, is_text: IsText) -> Outcome:
        outcome = await read_text(
            response,
            source=self.job.source.name,
            scan_id=self.job.scan_id,
            fetch=self._fetch,
            is_text=is_text,
            readers=self.job.readers,
            known_of=self._known_of,
            extraction_version=await self.job.extraction_version_of(site_of(response.url)),
        )
        if isinstance(outcome, Failed):
            self._count_hostile()
        return outcome

    async def _own_text(self, entry: Entry, response: Response) -> Outcome | None:
        """Return what a page of links says itself, None when that is nothing; a chapter may be both."""
        if entry.kind != "index":
            return None
        outcome = await self._outcome(response, is_text=_goes_on_nowhere)
        has_none = isinstance(outcome, Text) and outcome.seen.page.kind in _NO_TEXT
        return None if has_none else outcome

    @staticmethod
    def _refreshed(entry: Entry, response: Response) -> tuple[Entry, ...]:
        """Return where a page leads by itself; it is asked for as the page was, beside it."""
        target = get_meta_refresh(response)[1] if isinstance(response, TextResponse) else None
        if not target or not is_web(target) or entry_id(target) == entry.id:
            return ()
        note = entry.note if entry.note == START else ""
        return (entry_of(target, entry.kind, depth=entry.depth + 1, note=note),)

    async def list(self, entry: Entry, response: Response) -> Done:
        """Find what a page of links leads to; a start page without any is itself a text, or says why not."""
        try:
            found = await self.found_in(response, self.list_kinds[entry.kind])
        except CannotRead as error:
            return self._unread(entry, response, error.reason)
        entries = self.nameable(response, await asyncio.to_thread(lambda: tuple(self.find(entry, found))))
        if entry.note == START and entry.kind == "index" and not any(each.kind == "text" for each in entries):
            return await self.read(entry, response)
        outcome = await self._own_text(entry, response)
        return Done(entry, outcome, found=await self.due_among(self._bounded(entries)))

    async def found_in(self, response: Response, kind: ListKind) -> LinkList:
        """Return what a list leads to, and count what is refused of it.

        Raises:
            CannotRead: it was too much for its readers, or is none.
            TimeoutError: an expression of the source takes for ever.
        """
        source = self.job.source
        question = ListQuestion(
            kind=kind,
            data=response.body,
            url=response.url,
            declared=declared_charset(response),
            follow=source.follow,
            exclude=source.exclude,
        )
        found = await self.job.readers.ask(question)
        self.job.counts.update({f"refused:{reason}": number for reason, number in found.refused.items()})
        self.job.counts["found"] += len(found.texts) + sum(found.refused.values())
        return found

    def find(self, entry: Entry, found: LinkList) -> Iterable[Entry]:
        """Yield entries for what a list leads to; runs in a thread.

        Args:
            entry: of the list.
            found: what it leads to.
        """
        raise NotImplementedError

    async def failed(self, failure: Failure) -> AsyncIterator[Done]:
        """End an entry that could not be fetched."""
        scrapy_failure: Any = failure  # Scrapy adds the request
        request: scrapy.Request = scrapy_failure.request
        error = failure.value if isinstance(failure.value, BaseException) else RuntimeError("unknown")
        if isinstance(error, PindnaError):  # the job has it, and the crawl ends; the entry is done again
            self.job.fatal = self.job.fatal or error
            return
        if isinstance(error, TimeIsUp):  # the entry is left
            return
        entry: Entry = request.meta[ENTRY]
        reason = self._reason(error, request.url)
        if entry.note == START:
            self.job.problems.append((entry.url, reason))
        yield Done(entry, self._failure(entry, reason, status=failure_status(error)))

    def _failure(self, entry: Entry, reason: str, *, status: int) -> Failed:
        source = self.job.source.name
        return failed_outcome(
            entry.url, source=source, scan_id=self.job.scan_id, reason=reason, status=status
        )

    def _count_hostile(self) -> None:
        if sites := self.job.readers.hostile_sites:
            self.job.counts["hostile_sites"] = sites

    def texts(self, found: Iterable[Link]) -> Iterator[Entry]:
        """Yield entries for texts in order."""
        for ordinal, each in enumerate(found):
            note = "" if each.changed is None else f"{CHANGED}{each.changed.isoformat()}"
            yield entry_of(each.url, "text", priority=-ordinal, note=note)

    def lists(self, entry: Entry, found: LinkList) -> Iterator[Entry]:
        """Yield entries for the further lists that a list leads to."""
        for each in found.lists:
            yield entry_of(each.url, entry.kind, priority=_SOON, depth=entry.depth + 1)

    async def due_among(self, found: tuple[Entry, ...]) -> tuple[Entry, ...]:
        """Return the entries to ask for, the most promising first, and count texts and those left out.

        Left out are texts that did not change since the last visit, as their list says, and, but in a crawl
        by hand, those that are not due.
        """
        texts = [each for each in found if each.kind == "text"]
        dates: dict[str, tuple[datetime, datetime]] = {}
        if texts and self.job.database:  # a trial has no earlier visits
            dates = await self.job.store(self._dates, texts)
        judged = (self._judged(each, dates.get(each.id)) for each in found)
        kept = sorted((each for each in judged if each is not None), key=lambda each: -each.priority)
        self.job.counts["listed"] += sum(each.kind == "text" for each in kept)
        self.job.counts["not_due"] += len(found) - len(kept)
        return tuple(kept)

    def _dates(self, texts: Iterable[Entry]) -> dict[str, tuple[datetime, datetime]]:
        """Return when known texts are due and were checked last, by the entry's id."""
        addresses = {canonical(each.url): each.id for each in texts}
        found = self.job.stores.visits.dates_of([*addresses])
        return {addresses[url]: dates for url, dates in found.items()}

    def _judged(self, entry: Entry, dates: tuple[datetime, datetime] | None) -> Entry | None:
        """Return an entry with its place in the order, None when it is left out."""
        if dates is None:
            return entry
        due, checked = dates
        if not self.job.asks_all and due > utc_now():
            return None
        if entry.note.startswith(CHANGED):
            changed = datetime.fromisoformat(entry.note.removeprefix(CHANGED))
            return None if changed < checked else entry
        return replace(entry, priority=entry.priority - _KNOWN)

    def _bounded(self, entries: tuple[Entry, ...]) -> tuple[Entry, ...]:
        """Leave out the lists that are too many, or too deep, and count them."""
        kept = tuple(each for each in entries if each.kind == "text" or self._takes(each))
        self.job.counts["left:lists"] += len(entries) - len(kept)
        return self._in_turn(kept) if self.job.is_short_of_time else kept

    def _takes(self, entry: Entry) -> bool:
        if entry.depth > _MAX_NESTED.get(entry.kind, 0):
            return False
        if entry.id not in self._lists and len(self._lists) >= self._most_lists:
            return False
        self._lists.add(entry.id)
        return True

    @staticmethod
    def _in_turn(entries: tuple[Entry, ...]) -> tuple[Entry, ...]:
        """Put lists behind the texts that were found with them: otherwise they might take all the time."""
        places = count(-sum(each.kind == "text" for each in entries), -_TURN)
        return tuple(
            each if each.kind == "text" else replace(each, priority=next(places)) for each in entries
        )

    def _unread(self, entry: Entry, response: Response, reason: str) -> Done:
        """End the entry of a list that could not be read."""
        self._count_hostile()
        if entry.note == START:
            self.job.reached -= 1
            self.job.problems.append((entry.url, reason))
        return Done(entry, self._failure(entry, reason, status=response.status))

    async def _push_due(self) -> None:
        """Add the known texts that are due: a page that nothing leads to any more may be gone, or not."""
        job, now = self.job, utc_now()
        if not job.database:  # a trial
            return
        urls = job.stores.visits.due_of(job.source.name, now=now)
        while some := await job.store(lambda: list(islice(urls, _AT_ONCE))):
            revisits = [entry_of(url, "text", priority=_LAST, note=_REVISIT) for url in some]
            await job.store(job.frontier.push, revisits)

    def _rendering(self, kind: EntryKind) -> EntryKind | None:
        return kind if self.job.source.render and kind in RENDERED else None

    def nameable(self, response: Response, entries: tuple[Entry, ...]) -> tuple[Entry, ...]:
        """Return what a page may lead to, and count the rest: inner addresses only name each other."""
        if host_port_of(response.url) in self._inner.own:
            return entries
        kept = tuple(entry for entry in entries if host_port_of(entry.url) not in self._inner.own)
        self.job.counts["refused:inner-address"] += len(entries) - len(kept)
        return kept

    def _is_web(self, entry: Entry) -> bool:
        if is_web(entry.url):
            return True
        self.job.problems.append((entry.url, "not an http(s) address"))
        return False

    async def _fetch(self, url: str, before: Response) -> Response | None:
        """Fetch a further part of a text; None when it cannot be had."""
        request = scrapy.Request(
            url,
            headers={"Referer": before.url},
            dont_filter=True,
            callback=scrapy.http.request.NO_CALLBACK,
            meta={RENDER: self._rendering("text"), ASKED_BY: before.url},
        )
        engine = self.crawler.engine
        if engine is None:
            return None
        try:
            response = await engine.download_async(request)
        except (PindnaError, TimeIsUp):
            raise
        except Exception as error:  # noqa: BLE001 - whatever a download may raise; the text is incomplete then
            self.logger.info("a further part could not be fetched: %s", failure_reason(error))
            return None
        return response if response.status == _OK else None

    async def _known_of(self, response: Response) -> Known:
        """Return what is known of a response's site, with the style sheets that it links to."""
        engine = self.crawler.engine
        if self._sheets is None and engine is not None:
            store = self.job.database.sheets if self.job.database else None  # a trial keeps nothing
            self._sheets = SheetReader(engine.download_async, self.job.readers, store, call=self.job.store)
        known = await self.job.known_of(site_of(response.url))
        if self._sheets is None:
            return known
        return replace(known, sheets=await self._sheets.of_page(response.body, url=response.url))

    async def _is_text(self, url: str) -> bool:
        return await self.job.store(self.job.frontier.knows, entry_id(url))

    @staticmethod
    def _reason(error: BaseException, url: str) -> str:
        reason = failure_reason(error)
        host = urlsplit(url).hostname
        return "inner-address" if reason == "dns" and host in REFUSED_NAMES else reason


async def _goes_on_nowhere(_: str) -> bool:
    """Say of every address that it is a text of its own: the further pages of a list are lists."""
    return True


def entry_id(url: str) -> str:
    """Return the id of an address's entry: 16 hex digits of the canonical URL's SHA-256."""
    return hashlib.sha256(canonical(url).encode("utf-8", "replace")).hexdigest()[:16]


def entry_of(url: str, kind: EntryKind, *, priority: int = 0, depth: int = 0, note: str = "") -> Entry:
    """Return an entry for an address."""
    return Entry(id=entry_id(url), url=url, kind=kind, priority=priority, depth=depth, note=note)


def _cookies_of(source: Source) -> dict[str, str] | None:
    if source.cookies is None:
        return None
    return {name: expand_variables(value, source=source.name) for name, value in source.cookies.items()}


def _was_rendered(response: Response) -> bool:
    received: Received | None = response.meta.get(RECEIVED)
    return received is not None and received.rendered is not None
