"""News sites: section pages, one further page of each, sitemaps and feeds, and the articles they name."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Final

from scrapy.http import Response

from crawler.feeds import Listed, NotAFeed, read_feed, read_sitemap
from crawler.links import article_links, matches
from crawler.nextpage import next_list_page
from crawler.spiders.base import CHANGED, START, SourceSpider, entry_of, tree_of
from storage.frontier import Entry

_MOST_NESTED: Final = 3  # sitemaps within sitemaps
_SOON: Final = 100  # lists come before texts


class NewsSpider(SourceSpider):
    """Follows article links from the source's start pages, sitemaps and feeds."""

    name = "news"

    def start_entries(self) -> Iterator[Entry]:
        """Yield section pages, sitemaps and feeds."""
        yield from super().start_entries()
        for url in self.job.source.sitemaps:
            yield entry_of(url, "sitemap", priority=_SOON, note=START)
        for url in self.job.source.feeds:
            yield entry_of(url, "feed", priority=_SOON, note=START)

    def find(self, entry: Entry, response: Response) -> Iterable[Entry]:
        """Return what a list of any kind names."""
        try:
            if entry.kind == "sitemap":
                return list(self._sitemap(entry, response))
            if entry.kind == "feed":
                return list(self._listed(read_feed(response.body, url=response.url)))
        except NotAFeed as error:
            self.job.counts["failed:not-a-feed"] += 1
            self.logger.info("%s is no %s: %s", entry.id, entry.kind, error)
            return []
        return list(self._section(entry, response))

    def _section(self, entry: Entry, response: Response) -> Iterator[Entry]:
        """Yield a section page's articles and, of a start page, the section's second page."""
        tree = tree_of(response)
        if tree is None:
            return
        yield from self.texts(article_links(tree, url=response.url, follow=self.job.source.follow))
        further = next_list_page(tree, url=response.url) if entry.depth == 0 else None
        if further is not None and self.is_wanted(further):
            yield entry_of(further, "index", priority=_SOON, depth=1)

    def _sitemap(self, entry: Entry, response: Response) -> Iterator[Entry]:
        read = read_sitemap(response.body, url=response.url, max_bytes=self.job.settings.max_response_bytes)
        if entry.depth < _MOST_NESTED:
            for each in read.sitemaps:
                yield entry_of(each.url, "sitemap", priority=_SOON, depth=entry.depth + 1)
        yield from self._listed(read.pages)

    def _listed(self, found: Iterable[Listed]) -> Iterator[Entry]:
        """Yield the texts among listed addresses, each with when it changed, where the list says so."""
        follow = self.job.source.follow
        wanted = [each for each in found if not follow or matches(follow, each.url)]
        changed = {each.url: each.changed for each in wanted if each.changed is not None}
        for entry in self.texts(each.url for each in wanted):
            at = changed.get(entry.url)
            yield entry if at is None else replace(entry, note=f"{CHANGED}{at.isoformat()}")
