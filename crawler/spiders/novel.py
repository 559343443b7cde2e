"""Novel sites: a catalogue, over as many pages as it has, then its chapters in reading order."""

from typing import Final

import scrapy
from scrapy.http import Response

from crawler.links import chapter_links
from crawler.nextpage import next_list_page
from crawler.spiders.base import Output, SourceSpider, tree_of

_MOST_CATALOGUE_PAGES: Final = 200


class NovelSpider(SourceSpider):
    """Reads the chapters that the source's catalogues list."""

    name = "novel"

    def parse_index(self, response: Response, *, depth: int = 0) -> Output:
        """Follow a catalogue's chapters and its next page."""
        tree = tree_of(response)
        urls = [] if tree is None else chapter_links(tree, url=response.url, follow=self.job.source.follow)
        if urls:
            yield from self.text_requests(urls)
        elif depth == 0 and self.job.promise_page():
            yield from self.parse_text(response)  # the start address is itself a chapter, or says why not
        further = None if tree is None or not urls else next_list_page(tree, url=response.url)
        if further is not None and depth < _MOST_CATALOGUE_PAGES:
            yield scrapy.Request(
                further,
                callback=self.parse_index,
                errback=self.text_failed,
                cb_kwargs={"depth": depth + 1},
            )
