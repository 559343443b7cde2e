"""Finds pages with a search engine, by the most distinctive sentences of the works.

Each crawl continues with the next sentences. A file of results may replace the engine. SearXNG is our own
service: requests to it have no pace. No search obeys robots.txt or uses a proxy. If the engine has a private
address, ``crawler.allow_inner`` must contain its host and port, which allows searches only.

A search that the engine did not answer is counted as not searched (``left:searches-…``), never as one without
results. If no search of a crawl has a result, none counts as searched, because an engine that blocks programs
may answer with an empty list.
"""

import asyncio
from collections.abc import AsyncIterator, Iterable, Iterator
from itertools import chain
from pathlib import Path
from secrets import token_hex
from typing import Any

import scrapy
from scrapy.http import Response
from scrapy.spidermiddlewares.httperror import HttpError
from twisted.python.failure import Failure

from crawler.download.proxies import expand_variables
from crawler.failures import CrawlTimeOver
from crawler.lists.link_list import LinkList
from crawler.lists.search_answers import PARTIAL, EngineRefuses
from crawler.meta import ENTRY, SEARCH, SKIP_REASON, UNPACED
from crawler.pages.outcomes import EntryResult
from crawler.readers.pool import CannotRead
from crawler.readers.questions import ListKind, ListQuestion
from crawler.spiders.base import SourceSpider, reason_of
from crawler.spiders.entries import START, entry_of, text_entries
from crawler.spiders.searches import search_addresses
from crawler.spiders.sentences import distinctive_sentences
from storage.frontier.interface import Entry
from storage.records import Discovery, Work
from system.errors import PindnaError
from system.local_files import read_file

_MAX_PASSAGES = 40  # maximum number of passages of a work that provide sentences for one crawl
_MAX_FILE_BYTES = 15 * 1024 * 1024
_MAX_REFUSALS = 3  # after this many consecutive refusals, a process stops searching
_TRIAL_SEARCHES = 2  # a trial makes at most this many searches
_REFUSING = frozenset({401, 402, 403, 407, 422, 429})
_REFUSED, _FAILED = "searches-refused", "searches-failed"


class NoResultsFile(PindnaError):
    """A source of kind discovery has a file, and the crawler has no folder for such files.

    Attributes:
        source, file: the source and the name of its file.
    """

    template = (
        "Source {source} reads the results of a search from {file}, but the crawler has no folder for such "
        "files. Set crawler.results_dir and put the file there."
    )


class DiscoverySpider(SourceSpider):
    """Searches for sentences, and reads the results."""

    name = "discovery"

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._refusals = 0

    @property
    def _discovery(self) -> Discovery:
        discovery = self.job.source.discovery
        return discovery if discovery is not None else Discovery(engine="", form="file")

    async def start(self) -> AsyncIterator[Any]:
        """Push the results of a file, if the source has one; otherwise the searches."""
        if self._discovery.form == "file":
            try:
                await self._push_results()
            except PindnaError as error:
                self.job.fatal = self.job.fatal or error
            except CannotRead as error:
                self.job.counts[f"left:{_FAILED}"] += 1
                self.job.problems.append((self._discovery.file, error.reason))
        async for item in super().start():
            yield item

    async def _push_results(self) -> None:
        data = await asyncio.to_thread(self._results_of_file)
        links = await self._links_in(data, url="")
        entries = await self.keep_due(tuple(text_entries(links.texts)))
        await self.job.store(self.job.frontier.push, entries)

    def _results_of_file(self) -> bytes:
        folder, name = self.job.settings.results_dir, self._discovery.file
        if folder is None:
            raise NoResultsFile(source=self.job.source.name, file=name)
        return read_file(folder / Path(name).name, max_bytes=_MAX_FILE_BYTES)

    async def _links_in(self, data: bytes, *, url: str) -> LinkList:
        """Return the addresses in a file or an answer, and count refused ones.

        Raises:
            CannotRead: it is no search, or the engine did not search.
            TimeoutError: a regular expression of the source takes too long.
        """
        source, counts = self.job.source, self.job.counts
        links = await self.job.readers.ask(
            ListQuestion(
                kind="search",
                data=data,
                url=url,
                follow=source.follow,
                exclude=source.exclude,
                form=self._discovery.form,
                answered=self._discovery.answer,
            )
        )
        refused = dict(links.refused)
        if refused.pop(PARTIAL, 0):
            counts["left:searches-partial"] += 1
        counts.update({f"refused:{reason}": number for reason, number in refused.items()})
        counts["found"] += len(links.texts) + sum(refused.values())
        return links

    def start_entries(self) -> Iterator[Entry]:
        """Yield the searches within the budgets of the crawl and of the day; count the others."""
        if self._discovery.form == "file":
            return
        searches = list(self._searches())
        limit = self._discovery.queries if self.job.scan_id else _TRIAL_SEARCHES
        allowed = self._reserve(min(len(searches), limit))
        if self.job.scan_id:
            self.job.counts["left:searches-budget"] = len(searches) - allowed
        for address in searches[:allowed]:
            yield entry_of(address, "query", note=START)

    def _reserve(self, count: int) -> int:
        job, source = self.job, self.job.source
        return job.stores.health.reserve_searches(
            source.name,
            job.scan_id or f"trial-{token_hex(4)}",
            day=source.day_of(job.clock()),
            count=count,
            most=self._discovery.daily,
        )

    def _searches(self) -> Iterator[str]:
        """Yield the addresses of all searches: the best sentence of each work first.

        A crawl whose budget ends before the last work begins the next one with other works.
        """
        discovery, works = self._discovery, self._works_of(self._discovery.works)
        crawls = self.job.stores.health.get(self.job.source.name).crawls
        begin = crawls * discovery.queries % len(works) if works else 0
        skip = crawls * discovery.sentences
        rankings = [
            self._searched_sentences(work, count=discovery.sentences, skip=skip)
            for work in (*works[begin:], *works[:begin])
        ]
        rounds = (ranking[turn : turn + 1] for turn in range(discovery.sentences) for ranking in rankings)
        for sentence in dict.fromkeys(chain.from_iterable(rounds)):
            yield from search_addresses(sentence, discovery)

    def request_for(self, entry: Entry) -> scrapy.Request:
        """Return the request for an entry; a search needs no robots.txt, and no pace at our own service."""
        request = super().request_for(entry)
        if entry.kind != "query":
            return request
        discovery = self._discovery
        is_unpaced = discovery.form == "searxng"
        request.meta.update({"dont_obey_robotstxt": True, SEARCH: True, UNPACED: is_unpaced})
        if self._refusals >= _MAX_REFUSALS:
            request.meta[SKIP_REASON] = EngineRefuses.reason
        if discovery.headers:
            request.meta["dont_redirect"] = True  # the key is for the engine only
        for name, value in discovery.headers.items():
            request.headers[name] = expand_variables(value, source=self.job.source.name)
        return request

    async def read_links(self, response: Response, kind: ListKind) -> LinkList:  # noqa: ARG002 - one kind of list
        """Return the results of a search, and count refused ones.

        Raises:
            CannotRead, TimeoutError: as :meth:`_links_in` does.
        """
        return await self._links_in(response.body, url=response.url)

    async def read_list(self, entry: Entry, response: Response) -> EntryResult:
        """Read the results of a search; an answer that is none is not searched."""
        try:
            links = await self.read_links(response, "search")
        except CannotRead as error:
            self.job.reached -= entry.note == START
            return self._end_unanswered(entry, error.reason, refuses=error.reason == EngineRefuses.reason)
        self._refusals = 0
        self._count_results(links)
        entries = self.allowed_targets(response, tuple(self.entries_from(entry, links)))
        return EntryResult(entry, entries=await self.keep_due(entries))

    def _count_results(self, links: LinkList) -> None:
        """Count a search; as long as none has a result, none counts as searched."""
        counts = self.job.counts
        counts["searches"] += 1
        counts["searches-with-results"] += bool(links.texts or links.refused)
        counts["left:searches-empty"] = 0 if counts["searches-with-results"] else counts["searches"]

    async def end_failed(self, failure: Failure) -> AsyncIterator[EntryResult]:
        """End an entry that could not be fetched; a search counts as not searched."""
        scrapy_failure: Any = failure  # Any, because Scrapy adds the attribute ``request``
        entry: Entry = scrapy_failure.request.meta[ENTRY]
        error = failure.value if isinstance(failure.value, BaseException) else RuntimeError("unknown")
        if entry.kind != "query" or isinstance(error, (PindnaError, CrawlTimeOver)):
            async for result in super().end_failed(failure):
                yield result
            return
        reason = reason_of(error, scrapy_failure.request.url)
        status = error.response.status if isinstance(error, HttpError) else 0
        refuses = status in _REFUSING or reason == EngineRefuses.reason
        yield self._end_unanswered(entry, reason, refuses=refuses)

    def _end_unanswered(self, entry: Entry, reason: str, *, refuses: bool) -> EntryResult:
        """End a search that the engine did not answer."""
        self._refusals = self._refusals + 1 if refuses else 0
        self.job.counts[f"left:{_REFUSED if refuses else _FAILED}"] += 1
        self.job.problems.append((self._discovery.engine, reason))
        return EntryResult(entry, is_unanswered=True)

    def entries_from(self, entry: Entry, links: LinkList) -> Iterable[Entry]:  # noqa: ARG002 - one kind of list
        """Yield the pages of a search result."""
        yield from text_entries(links.texts[: self._discovery.results])

    def _works_of(self, titles: tuple[str, ...]) -> list[Work]:
        works = self.job.stores.works.all()
        chosen = [work for work in works if not titles or work.title in titles]
        return [work for work in chosen if work.status == "indexed" and work.is_owned]

    def _searched_sentences(self, work: Work, *, count: int, skip: int) -> list[str]:
        ids = work.passage_ids[:_MAX_PASSAGES]
        passages = self.job.stores.passages.get_many(ids)
        texts = [passages[passage_id].text for passage_id in ids if passage_id in passages]
        return distinctive_sentences(texts, count=count, skip=skip)
