"""Crawls whole sites within limits: reads every page and follows its links, except likely traps."""

import asyncio
from collections.abc import Set as AbstractSet
from dataclasses import replace
from typing import Any

from scrapy.http import Response

from crawler.addresses import canonical, is_web
from crawler.lists.link_list import LinkList
from crawler.lists.traps import Traps
from crawler.pages.outcomes import EntryResult, FailedFetch, Text, UnchangedText
from crawler.readers.pool import CannotRead
from crawler.spiders.entries import START, entry_id, entry_of
from crawler.spiders.news import NewsSpider
from storage.frontier.interface import MAX_BEYOND, Entry
from system.sites import host_of


class SiteSpider(NewsSpider):
    """Follows every link of the start addresses' sites."""

    name = "site"
    start_kind = "text"

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._sites = {host_of(url) for url in self.job.source.start_urls if is_web(url)}
        self._traps = Traps()
        self._digests: set[int] = set()  # 64 bits of the hash of each text: 4 MB for 50,000 texts
        self._traps_met: set[str] = set()  # ids of skipped entries, up to MAX_BEYOND

    async def read_page(self, entry: Entry, response: Response) -> EntryResult:
        """Read a page, and find its links."""
        self._moved.record(entry.url, response.url)
        result = self._with_sitemaps(entry, response, await super().read_page(entry, response))
        self._traps.record_page(entry.url, fruitful=self._is_fruitful(result))
        is_same = isinstance(result.outcome, UnchangedText) and result.outcome.not_modified
        if is_same or isinstance(result.outcome, FailedFetch):
            return result
        if entry.depth >= self.job.source.max_depth:
            self.job.counts["left:depth"] += 1
            return result
        try:
            links = await self.read_links(response, "site")
        except (CannotRead, TimeoutError):  # the page was read, but its links are unknown
            self.job.counts["left:lists"] += 1
            return result
        fetched = () if result.outcome is None else result.outcome.fetched
        parts = {canonical(response_part.text_part.url) for response_part in fetched}
        followed, trapped = await asyncio.to_thread(self._entries_to_follow, entry, links, parts)
        self.job.counts.update(f"trap:{reason}" for _, reason in trapped)
        self.job.counts["left:traps"] += await self._count_left({trap for trap, _ in trapped})
        feeds = self._named.feeds(entry.url, links.feeds) if entry.note == START else ()
        await self.count_fruitless(entry, response, result.outcome, (*followed, *feeds))
        due = await self.keep_due(self.allowed_targets(response, (*followed, *feeds)))
        return replace(result, entries=(*result.entries, *self._keep_within_bounds(due)))

    def _entries_to_follow(
        self, entry: Entry, links: LinkList, parts: AbstractSet[str]
    ) -> tuple[tuple[Entry, ...], list[tuple[str, str]]]:
        """Return entries for the links to follow, and (id, reason) of likely traps.

        Args:
            entry: of the page.
            links: of the page.
            parts: addresses of the text's parts, which are not separate texts.
        """
        followed, trapped = [], []
        for link in links.texts:
            url = self._moved.current(link.url)
            if host_of(url) not in self._sites or not parts.isdisjoint({canonical(url), canonical(link.url)}):
                continue
            reason = self._traps.reason(url)
            if reason is not None:
                trapped.append((entry_id(url), reason))
            else:
                depth = entry.depth + 1
                followed.append(entry_of(url, "text", priority=-depth, depth=depth))
        return tuple(followed), trapped

    async def _count_left(self, traps: set[str]) -> int:
        """Return the number of new likely traps that no other page leads to.

        Args:
            traps: ids of their entries.
        """
        if len(self._traps_met) >= MAX_BEYOND:
            return 0
        new = traps - self._traps_met
        self._traps_met |= new
        knows = self.job.frontier.contains
        return await self.job.store(lambda: sum(not knows(trap) for trap in new))

    def _is_fruitful(self, result: EntryResult) -> bool:
        """Return whether a page has a text that is new in this crawl."""
        if isinstance(result.outcome, UnchangedText):
            return True
        if not isinstance(result.outcome, Text) or not result.outcome.is_text:
            return result.entry.note == START
        digest = int(result.outcome.record.page.content_hash[:16], 16)
        is_new = digest not in self._digests
        self._digests.add(digest)
        return is_new
