"""Novel sites: a catalogue, over as many pages as it has, then its chapters in reading order."""

from collections.abc import Iterator
from typing import Final

from scrapy.http import Response

from crawler.links import chapter_links
from crawler.nextpage import next_list_page
from crawler.spiders.base import SourceSpider, entry_of, tree_of
from storage.frontier import Entry

_MOST_CATALOGUE_PAGES: Final = 200
_SOON: Final = 100


class NovelSpider(SourceSpider):
    """Reads the chapters that the source's catalogues list; known ones only when they are due."""

    name = "novel"

    def find(self, entry: Entry, response: Response) -> Iterator[Entry]:
        """Yield a catalogue's chapters and its next page."""
        tree = tree_of(response)
        urls = [] if tree is None else chapter_links(tree, url=response.url, follow=self.job.source.follow)
        self.job.counts["chapters"] += len(urls)
        yield from self.texts(urls)
        further = next_list_page(tree, url=response.url) if tree is not None and urls else None
        if further is not None and entry.depth < _MOST_CATALOGUE_PAGES and self.is_wanted(further):
            yield entry_of(further, "index", priority=_SOON, depth=entry.depth + 1)
