"""The base of all spiders: converts frontier entries to requests, and answers to :class:`EntryResult`.

Spiders yield no requests: the pipeline pushes the addresses of a page to the frontier when it ends the page's
entry. So any process can continue a crawl that was killed. :mod:`crawler.spiders.selection` chooses the
addresses to request; skipped ones are counted.
"""

import asyncio
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import islice
from typing import Any, ClassVar
from urllib.parse import urlsplit

import scrapy
from scrapy.http import Response
from scrapy.spidermiddlewares.httperror import HttpError
from twisted.python.failure import Failure

from crawler.addresses import canonical, is_web
from crawler.download.private_allowlist import host_port_of, private_allowlist_of
from crawler.download.resolver import REFUSED_NAMES
from crawler.failures import CrawlTimeOver, failure_reason, failure_status
from crawler.job import Job
from crawler.lists.link_list import CUT_SHORT, LinkList, joined_readings
from crawler.meta import BROKEN_OFF, ENTRY
from crawler.pages.looks import SOFT_404
from crawler.pages.outcomes import EntryResult, Outcome, Text, UnchangedText
from crawler.pages.page_records import TEXTS, has_prose
from crawler.pages.reading import declared_charset, failed_outcome, was_rendered
from crawler.pages.refreshing import refresh_target
from crawler.readers.pool import CannotRead
from crawler.readers.questions import HTML_LISTS, ListKind, ListQuestion
from crawler.reasons import EXPRESSION, INTERNAL
from crawler.spiders.entries import LOOK, REVISIT, START, entry_id, entry_of, list_entries
from crawler.spiders.error_pages import ErrorPages
from crawler.spiders.login import LoginFailed, log_in
from crawler.spiders.page_aliases import PageAliases
from crawler.spiders.requests import RequestBuilder
from crawler.spiders.selection import ListBounds, VisitDates, put_lists_last, select_due
from crawler.spiders.texts import TextReader
from storage.collections.match_addresses import addresses_with_match
from storage.collections.visits import KnownAddress
from storage.frontier.interface import Entry, EntryKind
from system.bugs import record_bug, summary_of
from system.errors import PindnaError

_PUSH_BATCH = 500  # number of known texts that are pushed together
_LOOKS_AFTER_NEW = -50_000  # priority of addresses with a match: after new texts, before known texts
_REVISITS_LAST = -900_000  # priority of known pages that are in no list
_NO_TEXT = frozenset({"list", "empty"})


class SourceSpider(scrapy.Spider):
    """Base of the spiders; subclasses choose which addresses of a list to request."""

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
        self._requests = RequestBuilder(job.source)
        self._texts = TextReader(job, self._requests, self._download)
        self._error_pages = ErrorPages(job, self._answer_of)
        self._aliases = PageAliases(job, self._answer_of)
        self._bounds = ListBounds(job.source.max_pages)
        self._private = private_allowlist_of(job.source, job.settings.allow_inner)

    async def start(self) -> AsyncIterator[Any]:
        """Log in if needed, and push the source's addresses to the frontier."""
        source = self.job.source
        try:
            if source.login is not None:
                await log_in(source.login, source=source, engine=self.crawler.engine)
            entries = [entry for entry in self.start_entries() if self._is_web(entry)]
            pushed = await self.job.store(self.job.frontier.push, entries)
            self.job.counts["listed"] += pushed if self.start_kind == "text" else 0
            await self.push_known()
        except LoginFailed as error:
            self.job.problems.append((source.login.url if source.login else "", error.reason))
        except PindnaError as error:
            self.job.fatal = self.job.fatal or error
        except Exception as error:  # noqa: BLE001 - Scrapy would only log it and end the crawl normally
            self.job.fatal = record_bug(error)
        return
        yield  # makes this an asynchronous generator without items: the scheduler uses the frontier

    def start_entries(self) -> Iterator[Entry]:
        """Yield the entries of the start addresses."""
        source = self.job.source
        for url in source.start_urls:
            yield entry_of(url, self.start_kind, note=START)

    def _is_web(self, entry: Entry) -> bool:
        if is_web(entry.url):
            return True
        self.job.problems.append((entry.url, "not an http(s) address"))
        return False

    async def push_known(self) -> None:
        """Push the addresses with a match and the known texts that are due, even if no list names them.

        A page without any link to it may still be online. The addresses with the oldest checks come first, so
        a source with more addresses than its limit skips different ones each time.
        """
        job = self.job
        if not job.database:  # a trial
            return
        watched = await job.store(lambda: list(addresses_with_match(job.stores, job.source.name)))
        watched.sort(key=lambda address: address.checked)
        looks = [entry_of(address.url, "text", priority=_LOOKS_AFTER_NEW, note=LOOK) for address in watched]
        job.counts["to_look_at"] = len(looks)
        await job.store(job.frontier.push, looks)
        due = _due_texts(job.stores.visits.addresses_of(job.source.name), now=job.clock())
        while revisits := await job.store(lambda: list(islice(due, _PUSH_BATCH))):
            await job.store(job.frontier.push, revisits)

    def request_for(self, entry: Entry) -> scrapy.Request:
        """Return the request for an entry."""
        return self._requests.for_entry(entry, callback=self.end_answered, errback=self.end_failed)

    async def _download(self, request: scrapy.Request) -> Response:
        """Download through the crawl's middlewares, for parts and style sheets."""
        engine: Any = self.crawler.engine
        response: Response = await engine.download_async(request)
        return response

    async def end_answered(self, response: Response) -> AsyncIterator[EntryResult]:
        """End the entry of a response."""
        entry: Entry = response.meta[ENTRY]
        if entry.note == START:
            self.job.reached += 1
        try:
            read = self.read_page if entry.kind == "text" else self.read_list
            result = await read(entry, response)
            refreshed = self.allowed_targets(response, _refresh_target(entry, response))
            targets = (*result.entries, *self._keep_within_bounds(refreshed))
            is_rendered = isinstance(result.outcome, Text) and result.outcome.is_rendered
            yield replace(result, entries=targets, rendered=is_rendered or was_rendered(response))
        except TimeoutError:  # a slow expression would delay this crawl and the scan
            self.job.reached -= entry.note == START
            self.job.problems.append(
                (response.url, "the source's regular expression takes too long on its links")
            )
            yield EntryResult(entry, self._texts.failure_of(entry, EXPRESSION, status=response.status))
        except CrawlTimeOver:  # the entry stays in the frontier
            return
        except PindnaError as error:  # the crawl ends; the entry stays in the frontier
            self.job.fatal = self.job.fatal or error
        except Exception as error:  # noqa: BLE001 - a bug fails only this page
            self.logger.error("a bug failed entry %s: %s", entry.id, summary_of(error))  # noqa: TRY400 - no page text in a log
            yield EntryResult(entry, self._texts.failure_of(entry, INTERNAL, status=response.status))

    async def end_failed(self, failure: Failure) -> AsyncIterator[EntryResult]:
        """End an entry that could not be fetched."""
        scrapy_failure: Any = failure  # Any, because Scrapy adds the attribute ``request``
        request: scrapy.Request = scrapy_failure.request
        error = failure.value if isinstance(failure.value, BaseException) else RuntimeError("unknown")
        if isinstance(
            error, PindnaError
        ):  # the job stores the error and the crawl ends; the next crawl repeats the entry
            self.job.fatal = self.job.fatal or error
            return
        if isinstance(error, CrawlTimeOver):  # the entry stays in the frontier
            return
        entry: Entry = request.meta[ENTRY]
        reason = reason_of(error, request.url)
        if entry.note == START:
            self.job.problems.append((entry.url, reason))
        answer = error.response if isinstance(error, HttpError) else None
        yield EntryResult(
            entry, self._texts.failure_of(entry, reason, status=failure_status(error), answer=answer)
        )

    async def read_page(self, entry: Entry, response: Response) -> EntryResult:
        """Read a text; the remainder of a very long text becomes another text."""
        outcome = await self.without_error_page(await self._texts.outcome_of(response), response)
        if isinstance(outcome, Text):
            outcome = await self._aliases.join(outcome, response.body)
        rest = outcome.rest if isinstance(outcome, Text) else ""
        return EntryResult(
            entry, outcome, entries=(entry_of(rest, "text", depth=entry.depth),) if rest else ()
        )

    async def without_error_page(self, outcome: Outcome, response: Response) -> Outcome:
        """Return the outcome, or a failure if the page is a soft 404."""
        if not isinstance(outcome, Text) or not await self._error_pages.is_error_page(outcome):
            return outcome
        return failed_outcome(
            outcome.requested_url,
            source=self.job.source.name,
            scan_id=self.job.scan_id,
            reason=SOFT_404,
            status=response.status,
            kept=response,
        )

    async def _answer_of(self, url: str) -> Text | None:
        """Return the page at an address that answers with status 200; None for any other answer."""
        request = self._requests.for_part(url, previous_url=url)
        try:
            response = await self._download(request)
            if response.status != 200:  # noqa: PLR2004 - HTTP's OK
                return None
            outcome = await self._texts.outcome_of(response, is_text=is_always_text)
        except (PindnaError, CrawlTimeOver):
            raise
        except Exception as error:  # noqa: BLE001 - a download may raise anything
            self.logger.info("the test request for a missing address failed: %s", failure_reason(error))
            return None
        return outcome if isinstance(outcome, Text) else None

    async def read_list(self, entry: Entry, response: Response) -> EntryResult:
        """Read the links of a list; a start page without links is read as a text."""
        try:
            links = await self.read_links(response, self.list_kinds[entry.kind])
        except CannotRead as error:
            return self._end_unread(entry, response, error.reason)
        entries = await asyncio.to_thread(lambda: tuple(self.entries_from(entry, links)))
        entries = (*entries, *list_entries(entry, links.frames))
        entries = self.allowed_targets(response, entries)
        if entry.note == START and entry.kind == "index" and not _has_texts(entries):
            return await self._read_without_texts(entry, response, entries)
        outcome = await self._own_text(entry, response)
        return EntryResult(entry, outcome, entries=await self.keep_due(self._keep_within_bounds(entries)))

    async def _read_without_texts(
        self, entry: Entry, response: Response, entries: tuple[Entry, ...]
    ) -> EntryResult:
        """Read a start page that names no text as a text; count it as left if it is none."""
        result = await self.read_page(entry, response)
        await self.count_fruitless(entry, response, result.outcome, entries)
        return replace(result, entries=(*result.entries, *self._keep_within_bounds(entries)))

    async def count_fruitless(
        self, entry: Entry, response: Response, outcome: Outcome | None, entries: Sequence[Entry]
    ) -> None:
        """Count a start page that is no text and leads to no entries as left."""
        if entry.note == START and not entries and not _refresh_target(entry, response):
            self.job.counts["left:no-texts"] += await self._is_no_text(outcome)

    async def _is_no_text(self, outcome: Outcome | None) -> bool:
        """Return whether a page was read and is neither an article nor a chapter nor a thread."""
        if isinstance(outcome, Text):
            return not outcome.is_article
        if not isinstance(outcome, UnchangedText):
            return False  # a failed page is counted as failed
        stored = await self.job.store(self.job.stores.pages.get, outcome.page_id)
        return stored is None or stored.kind not in TEXTS

    async def read_links(self, response: Response, kind: ListKind) -> LinkList:
        """Return the links of a list, in a browser too if that may find more; count refused ones.

        Raises:
            CannotRead: the body is not a list or exceeds the limits of the readers.
            TimeoutError: a regular expression of the source takes too long.
        """
        links = await self._links_of(response, kind)
        shown = await self._texts.browser.shown_list(response, links) if kind in HTML_LISTS else None
        if shown is not None:
            try:
                shown_links = await self._links_of(shown, kind)
            except CannotRead:
                shown_links = LinkList()
            self._texts.browser.compare_lists(response.url, plain=links, shown=shown_links)
            links = joined_readings(links, shown_links)
        self.job.counts.update({f"refused:{reason}": number for reason, number in links.refused.items()})
        self.job.counts[f"refused:{CUT_SHORT}"] += BROKEN_OFF in response.flags
        self.job.counts["found"] += len(links.texts) + sum(links.refused.values())
        return links

    async def _links_of(self, response: Response, kind: ListKind) -> LinkList:
        """Return the links of one response; raises as :meth:`read_links` does."""
        source = self.job.source
        question = ListQuestion(
            kind=kind,
            data=response.body,
            url=response.url,
            declared=declared_charset(response),
            follow=source.follow,
            exclude=source.exclude,
            timezone=source.timezone,
        )
        return await self.job.readers.ask(question)

    def entries_from(self, entry: Entry, links: LinkList) -> Iterable[Entry]:
        """Yield entries for the links of a list; runs in a thread.

        Args:
            entry: of the list.
            links: of the list.
        """
        raise NotImplementedError

    async def _own_text(self, entry: Entry, response: Response) -> Outcome | None:
        """Return the text of a page of links, or None.

        A list with few sentences is not a text. A list with many may have a text between its links.
        """
        if entry.kind != "index":
            return None
        outcome = await self._texts.outcome_of(response, is_text=is_always_text)
        if (
            isinstance(outcome, Text)
            and outcome.record.page.kind in _NO_TEXT
            and not has_prose(outcome.record.page)
        ):
            return outcome if await self._has_match(outcome.requested_url) else None
        return outcome

    async def _has_match(self, url: str) -> bool:
        """Return whether the last version at an address has a match."""
        if not self.job.database:  # a trial
            return False
        visit = await self.job.store(self.job.stores.visits.get, url)
        if visit is None or not visit.page_id:
            return False
        return bool(await self.job.store(self.job.stores.matches.pages_with_matches, [visit.page_id]))

    def _end_unread(self, entry: Entry, response: Response, reason: str) -> EntryResult:
        """End the entry of a list that could not be read."""
        self._texts.count_hostile()
        if entry.note == START:
            self.job.reached -= 1
            self.job.problems.append((entry.url, reason))
        return EntryResult(entry, self._texts.failure_of(entry, reason, status=response.status))

    def allowed_targets(self, response: Response, entries: Sequence[Entry]) -> tuple[Entry, ...]:
        """Return the allowed targets of a page, and count the others.

        Only pages on private hosts may lead to private hosts.
        """
        if host_port_of(response.url) in self._private.source_hosts:
            return tuple(entries)
        kept = tuple(entry for entry in entries if host_port_of(entry.url) not in self._private.source_hosts)
        self.job.counts["refused:inner-address"] += len(entries) - len(kept)
        return kept

    def _keep_within_bounds(self, entries: Sequence[Entry]) -> tuple[Entry, ...]:
        """Remove excess lists and lists that are too deep, and count them."""
        kept = self._bounds.keep_within(entries)
        self.job.counts["left:lists"] += len(entries) - len(kept)
        return put_lists_last(kept) if self.job.is_short_of_time else kept

    async def keep_due(self, entries: Sequence[Entry]) -> tuple[Entry, ...]:
        """Return the entries to request, the most promising first; count texts and skipped entries."""
        entries = [self._without_irrelevant_parameters(entry) for entry in entries]
        texts = [entry for entry in entries if entry.kind == "text"]
        visits: dict[str, VisitDates] = {}
        if texts and self.job.database:  # a trial has no stored visits
            visits = await self.job.store(self._visits_of, texts)
        job = self.job
        kept = select_due(entries, visits, now=job.clock(), ignores_due_dates=job.ignores_due_dates)
        self.job.counts["listed"] += sum(entry.kind == "text" for entry in kept)
        self.job.counts["not_due"] += len(entries) - len(kept)
        return kept

    def _without_irrelevant_parameters(self, entry: Entry) -> Entry:
        """Return an entry of a text with its address without irrelevant parameters."""
        url = self._aliases.shorten(entry.url) if entry.kind == "text" else entry.url
        return entry if url == entry.url else replace(entry, id=entry_id(url), url=url)

    def _visits_of(self, texts: Iterable[Entry]) -> dict[str, VisitDates]:
        """Return when known texts are due and were last checked, by entry id."""
        ids = {canonical(entry.url): entry.id for entry in texts}
        dates = self.job.stores.visits.dates_of([*ids])
        return {ids[url]: VisitDates(due, checked) for url, (due, checked) in dates.items()}


def _due_texts(addresses: Iterable[KnownAddress], *, now: datetime) -> Iterator[Entry]:
    """Yield entries for the known texts that are due."""
    for address in addresses:
        if address.is_text and address.due <= now:
            yield entry_of(address.url, "text", priority=_REVISITS_LAST, note=REVISIT)


async def is_always_text(_: str) -> bool:
    """Return True: the further pages of a list are lists, not parts of its text."""
    return True


def _has_texts(entries: Iterable[Entry]) -> bool:
    return any(entry.kind == "text" for entry in entries)


def _refresh_target(entry: Entry, response: Response) -> tuple[Entry, ...]:
    """Return an entry of the same kind for the refresh target of a page, in addition to the page."""
    target = refresh_target(response)
    if not target or not is_web(target) or entry_id(target) == entry.id:
        return ()
    note = entry.note if entry.note == START else ""
    return (entry_of(target, entry.kind, depth=entry.depth + 1, note=note),)


def reason_of(error: BaseException, url: str) -> str:
    """Return why a request failed."""
    reason = failure_reason(error)
    host = urlsplit(url).hostname
    return "inner-address" if reason == "dns" and host in REFUSED_NAMES else reason
