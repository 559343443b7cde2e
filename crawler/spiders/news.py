"""News sites: section pages, one further page of each, and the articles they link to."""

import scrapy
from scrapy.http import Response

from crawler.links import article_links
from crawler.nextpage import next_list_page
from crawler.spiders.base import Output, SourceSpider, tree_of


class NewsSpider(SourceSpider):
    """Follows article links from the source's start pages."""

    name = "news"

    def parse_index(self, response: Response, *, is_first: bool = True) -> Output:
        """Follow a section page's articles and, from a start page, the section's second page."""
        tree = tree_of(response)
        urls = [] if tree is None else article_links(tree, url=response.url, follow=self.job.source.follow)
        if tree is not None and is_first:
            further = next_list_page(tree, url=response.url)
            if further is not None:
                yield scrapy.Request(
                    further,
                    callback=self.parse_index,
                    errback=self.text_failed,
                    cb_kwargs={"is_first": False},
                )
        if urls:
            yield from self.text_requests(urls)
        elif is_first and self.job.promise_page():
            yield from self.parse_text(response)  # the start address is itself an article, or says why not
