"""Crawls news sites: section pages with one further page each, sitemaps, feeds, and their articles."""

from collections.abc import AsyncIterator, Iterable, Iterator
from dataclasses import replace
from typing import Any, ClassVar

from scrapy.exceptions import IgnoreRequest
from scrapy.http import Response
from scrapy.spidermiddlewares.httperror import HttpError
from twisted.python.failure import Failure

from crawler.failures import failure_reason
from crawler.lists.link_list import Link, LinkList
from crawler.meta import ENTRY
from crawler.pages.outcomes import EntryResult, FailedFetch
from crawler.readers.questions import ListKind
from crawler.spiders.base import SourceSpider
from crawler.spiders.entries import (
    GUESSED,
    LISTS_FIRST,
    NAMED,
    START,
    entry_of,
    list_entries,
    text_entries,
)
from crawler.spiders.moved_hosts import MovedHosts
from crawler.spiders.named_lists import NamedLists, on_sites
from storage.frontier.interface import Entry, EntryKind

_FORBIDDEN = "robots"
_OF_SITE = frozenset({NAMED, GUESSED})


class NewsSpider(SourceSpider):
    """Follows article links from the source's start pages, sitemaps and feeds."""

    name = "news"
    list_kinds: ClassVar[dict[EntryKind, ListKind]] = {**SourceSpider.list_kinds, "index": "section"}

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._named = NamedLists(self.job)
        self._moved = MovedHosts()

    def start_entries(self) -> Iterator[Entry]:
        """Yield section pages, sitemaps and feeds."""
        yield from super().start_entries()
        for url in self.job.source.sitemaps:
            yield entry_of(url, "sitemap", priority=LISTS_FIRST, note=START)
        for url in self.job.source.feeds:
            yield entry_of(url, "feed", priority=LISTS_FIRST, note=START)

    def entries_from(self, entry: Entry, links: LinkList) -> Iterable[Entry]:
        """Yield texts and further lists, the latest changes first; sections continue to page two only.

        A list that the site names leads to pages of the source's sites only.
        """
        entries = self._listed_entries(entry, links)
        yield from on_sites(entries, self.job.source.start_urls) if entry.note in _OF_SITE else entries
        if entry.note == START and entry.kind == "index":
            yield from self._named.feeds(entry.url, links.feeds)

    def _listed_entries(self, entry: Entry, links: LinkList) -> Iterator[Entry]:
        texts = (replace(link, url=self._moved.current(link.url)) for link in links.texts)
        yield from text_entries(sorted(texts, key=_age_key))
        if entry.kind == "sitemap" or entry.depth == 0:
            yield from list_entries(entry, sorted(links.lists, key=_age_key))

    async def read_list(self, entry: Entry, response: Response) -> EntryResult:
        """Read the links of a list, and find the sitemaps of its site."""
        self._moved.record(entry.url, response.url)
        result = await super().read_list(entry, response)
        return self._with_sitemaps(entry, response, result)

    def _with_sitemaps(self, entry: Entry, response: Response, result: EntryResult) -> EntryResult:
        """Return the result of a start page with the sitemaps of its site.

        A guessed address that is no sitemap has no result.
        """
        if entry.note == GUESSED and isinstance(result.outcome, FailedFetch):
            return EntryResult(entry)
        if entry.note != START or entry.kind not in {"index", "text"}:
            return result
        sitemaps = self._keep_within_bounds(self._named.sitemaps(response.url))
        return replace(result, entries=(*result.entries, *self.allowed_targets(response, sitemaps)))

    async def end_failed(self, failure: Failure) -> AsyncIterator[EntryResult]:
        """End an entry that could not be fetched; a sitemap at the usual address may not exist."""
        scrapy_failure: Any = failure  # Any, because Scrapy adds the attribute ``request``
        entry: Entry = scrapy_failure.request.meta[ENTRY]
        error = failure.value
        is_forbidden = isinstance(error, IgnoreRequest) and failure_reason(error) == _FORBIDDEN
        if entry.note == GUESSED and (is_forbidden or isinstance(error, HttpError)):
            yield EntryResult(entry)
            return
        async for result in super().end_failed(failure):
            yield result


def _age_key(listed: Link) -> float:
    """Return a sort key: later changes first; addresses without a date keep their order."""
    return 0.0 if listed.changed is None else -listed.changed.timestamp()
