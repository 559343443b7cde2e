"""Crawls news sites: section pages with one further page each, sitemaps, feeds, and their articles."""

from collections.abc import Iterable, Iterator
from typing import ClassVar

from crawler.lists.link_list import Link, LinkList
from crawler.readers.questions import ListKind
from crawler.spiders.base import SourceSpider
from crawler.spiders.entries import LISTS_FIRST, START, entry_of, list_entries, text_entries
from storage.frontier.interface import Entry, EntryKind


class NewsSpider(SourceSpider):
    """Follows article links from the source's start pages, sitemaps and feeds."""

    name = "news"
    list_kinds: ClassVar[dict[EntryKind, ListKind]] = {**SourceSpider.list_kinds, "index": "section"}

    def start_entries(self) -> Iterator[Entry]:
        """Yield section pages, sitemaps and feeds."""
        yield from super().start_entries()
        for url in self.job.source.sitemaps:
            yield entry_of(url, "sitemap", priority=LISTS_FIRST, note=START)
        for url in self.job.source.feeds:
            yield entry_of(url, "feed", priority=LISTS_FIRST, note=START)

    def entries_from(self, entry: Entry, links: LinkList) -> Iterable[Entry]:
        """Yield texts and further lists, the latest changes first; sections continue to page two only."""
        yield from text_entries(sorted(links.texts, key=_age_key))
        if entry.kind == "sitemap" or entry.depth == 0:
            yield from list_entries(entry, sorted(links.lists, key=_age_key))


def _age_key(listed: Link) -> float:
    """Return a sort key: later changes first; addresses without a date keep their order."""
    return 0.0 if listed.changed is None else -listed.changed.timestamp()
