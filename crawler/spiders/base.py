"""What every spider does: make requests of frontier entries, and one :class:`Done` of each answer.

A spider yields no requests: what it finds on a page goes to the frontier together with the end of the page's
own entry, in the pipeline. So a crawl that is killed anywhere goes on where it was, in whatever process.
"""

import hashlib
from collections.abc import AsyncIterator, Iterable, Iterator
from dataclasses import replace
from datetime import datetime
from itertools import islice
from typing import Any, ClassVar, Final
from urllib.parse import urlsplit

import scrapy
from scrapy.http import Response
from twisted.python.failure import Failure

from crawler.addresses import canonical, is_web, site_of
from crawler.browser import RENDER, RENDERED
from crawler.extraction import Known
from crawler.failures import failure_reason, failure_status
from crawler.inner import inner_of, place_of
from crawler.job import Job
from crawler.links import matches
from crawler.login import LoginFailed, log_in
from crawler.middlewares.conditional import CONDITIONAL
from crawler.middlewares.guard import ASKED_BY
from crawler.middlewares.received import RECEIVED
from crawler.outcomes import Done, Received
from crawler.own_sites import own_sites_of
from crawler.parsing import Tree, decode_page, parse
from crawler.proxies import filled
from crawler.reading import declared_charset, failed, read_text
from crawler.resolver import REFUSED_NAMES
from crawler.scheduler import ENTRY
from crawler.sheets import SheetReader
from storage.errors import PindnaError
from storage.frontier import Entry, EntryKind
from storage.records import Source, utc_now

START: Final = "start"  # note of the entries that a source begins with
CHANGED: Final = "changed "  # begins the note of a text whose list says when it changed
_AT_ONCE: Final = 500  # known texts in one push
_REVISIT: Final = "revisit"
_NOT_MODIFIED: Final = 304
_LAST: Final = -900_000  # priority of known pages that nothing led to
_MOST_FOUND: Final = 20_000  # entries of one page
_OK: Final = 200


class SourceSpider(scrapy.Spider):
    """Base of the spiders; subclasses say what to find in a page of links."""

    name = "source"
    start_kind: ClassVar[EntryKind] = "index"

    def __init__(self, *, job: Job, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.job = job
        self._sheets: SheetReader | None = None
        self._inner = inner_of(job.source, job.settings.allow_inner)
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
        own: Any = self._cookies if self._own.has(entry.url) else None
        return scrapy.Request(
            entry.url,
            callback=self.answered,
            errback=self.failed,
            cookies=own,
            dont_filter=True,
            meta=meta,
        )

    async def answered(self, response: Response) -> AsyncIterator[Done]:
        """End an entry that answered."""
        entry: Entry = response.meta[ENTRY]
        if entry.note == START:
            self.job.reached += 1
        try:
            done = await (self.read(entry, response) if entry.kind == "text" else self.list(entry, response))
            yield replace(done, rendered=_was_rendered(response))
        except TimeoutError:  # it would hold up this crawl, and the scan with it
            told = "the source's expression takes for ever on its links"
            self.job.reached -= entry.note == START
            self.job.problems.append((response.url, told))
            yield Done(entry)

    async def read(self, entry: Entry, response: Response) -> Done:
        """Read a text."""
        outcome = await read_text(
            response,
            source=self.job.source.name,
            scan_id=self.job.scan_id,
            fetch=self._fetch,
            is_text=self._is_text,
            extractors=self.job.extractors,
            known_of=self._known_of,
            reader=await self.job.reader_of(site_of(response.url)),
        )
        return Done(entry, outcome)

    async def list(self, entry: Entry, response: Response) -> Done:
        """Find what a page of links leads to; a start page without any is itself a text, or says why not."""
        found = tuple(each for each in self.find(entry, response) if self._may_name(response.url, each))
        if entry.note == START and entry.kind == "index" and not any(each.kind == "text" for each in found):
            return await self.read(entry, response)
        return Done(entry, found=(await self.due_among(found))[:_MOST_FOUND])

    def find(self, entry: Entry, response: Response) -> Iterable[Entry]:
        """Yield what a page of links leads to."""
        raise NotImplementedError

    async def failed(self, failure: Failure) -> AsyncIterator[Done]:
        """End an entry that could not be fetched."""
        request: scrapy.Request = failure.request  # type: ignore[attr-defined]
        error = failure.value if isinstance(failure.value, BaseException) else RuntimeError("unknown")
        if isinstance(error, PindnaError):  # the job has it, and the crawl ends; the entry is done again
            self.job.fatal = self.job.fatal or error
            return
        entry: Entry = request.meta[ENTRY]
        reason = self._reason(error, request.url)
        if entry.note == START:
            self.job.problems.append((entry.url, reason))
        yield Done(
            entry,
            failed(
                entry.url,
                source=self.job.source.name,
                scan_id=self.job.scan_id,
                reason=reason,
                status=failure_status(error),
            ),
        )

    def texts(self, urls: Iterable[str], *, depth: int = 0) -> Iterator[Entry]:
        """Yield entries for texts in order, those left out that are not wanted."""
        for ordinal, url in enumerate(urls):
            if self.is_wanted(url):
                yield entry_of(url, "text", priority=-ordinal, depth=depth)

    def is_wanted(self, url: str) -> bool:
        """Tell whether the source does not exclude an address."""
        return not self.job.source.exclude or not matches(self.job.source.exclude, url)

    async def due_among(self, found: tuple[Entry, ...]) -> tuple[Entry, ...]:
        """Return the entries to ask for, and count the texts among them and those that are left out.

        Left out are texts that did not change since the last visit, as their list says, and, but in a crawl
        by hand, those that are not due.
        """
        judged = [each for each in found if each.kind == "text" and self._may_be_left_out(each)]
        left: set[str] = set()
        if judged and self.job.stores:  # a trial has no earlier visits
            addresses = {each.id: canonical(each.url) for each in judged}
            dates = await self.job.store(self.job.stores.visits.dates_of, list(addresses.values()))
            left = {
                each.id
                for each in judged
                if (known := dates.get(addresses[each.id])) is not None
                and self._is_left_out(each, due=known[0], checked=known[1])
            }
        kept = tuple(each for each in found if each.id not in left)
        self.job.counts["listed"] += sum(each.kind == "text" for each in kept)
        self.job.counts["not_due"] += len(found) - len(kept)
        return kept

    def _may_be_left_out(self, entry: Entry) -> bool:
        return not self.job.asks_all or entry.note.startswith(CHANGED)

    def _is_left_out(self, entry: Entry, *, due: datetime, checked: datetime) -> bool:
        if not self.job.asks_all and due > utc_now():
            return True
        if not entry.note.startswith(CHANGED):
            return False
        return datetime.fromisoformat(entry.note.removeprefix(CHANGED)) < checked

    async def _push_due(self) -> None:
        """Add the known texts that are due: a page that nothing leads to any more may be gone, or not."""
        job, now = self.job, utc_now()
        if not job.stores:  # a trial
            return
        urls = job.stores.visits.due_of(job.source.name, now=now)
        while some := await job.store(lambda: list(islice(urls, _AT_ONCE))):
            revisits = [entry_of(url, "text", priority=_LAST, note=_REVISIT) for url in some]
            await job.store(job.frontier.push, revisits)

    def _rendering(self, kind: EntryKind) -> EntryKind | None:
        return kind if self.job.source.render and kind in RENDERED else None

    def _may_name(self, url: str, found: Entry) -> bool:
        """Tell whether a page may lead to an address; the inner ones of the source only name each other."""
        return place_of(found.url) not in self._inner.own or place_of(url) in self._inner.own

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
        except PindnaError:
            raise
        except Exception as error:  # noqa: BLE001 - whatever a download may raise; the text is incomplete then
            self.logger.info("a further part could not be fetched: %s", failure_reason(error))
            return None
        return response if response.status == _OK else None

    async def _known_of(self, response: Response) -> Known:
        """Return what is known of a response's site, with the style sheets that it links to."""
        engine = self.crawler.engine
        if self._sheets is None and engine is not None:
            store = self.job.stores.sheets if self.job.stores else None  # a trial keeps nothing
            self._sheets = SheetReader(engine.download_async, store, call=self.job.store)
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


def entry_id(url: str) -> str:
    """Return the id of an address's entry: 16 hex digits of the canonical URL's SHA-256."""
    return hashlib.sha256(canonical(url).encode("utf-8", "replace")).hexdigest()[:16]


def entry_of(url: str, kind: EntryKind, *, priority: int = 0, depth: int = 0, note: str = "") -> Entry:
    """Return an entry for an address."""
    return Entry(id=entry_id(url), url=url, kind=kind, priority=priority, depth=depth, note=note)


def _cookies_of(source: Source) -> dict[str, str] | None:
    if source.cookies is None:
        return None
    return {name: filled(value, source=source.name) for name, value in source.cookies.items()}


def _was_rendered(response: Response) -> bool:
    received: Received | None = response.meta.get(RECEIVED)
    return received is not None and received.rendered is not None


def tree_of(response: Response) -> Tree | None:
    """Return the tree of a page of links."""
    return parse(decode_page(response.body, declared=declared_charset(response)).text)
