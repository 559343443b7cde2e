"""Finds pages with a search engine, by the most distinctive sentences of the works.

The engine is our own service with SearXNG's JSON answers (``results``, each with a ``url``). Requests to it
ignore pace and robots.txt. If it has a private address, ``crawler.allow_inner`` must contain its host and
port, which allows searches only. Each crawl continues with the next sentences.
"""

from collections.abc import Iterable, Iterator
from urllib.parse import urlencode

import scrapy

from crawler.lists.link_list import LinkList
from crawler.meta import UNPACED
from crawler.spiders.base import SourceSpider
from crawler.spiders.entries import START, entry_of, text_entries
from crawler.spiders.sentences import distinctive_sentences
from storage.frontier.interface import Entry
from storage.records import Work
from system.segmentation import segmenter
from system.word_frequencies import jieba_idf

_MAX_PASSAGES = 40  # maximum number of passages of a work that provide sentences for one crawl


class DiscoverySpider(SourceSpider):
    """Searches for sentences, and reads the results."""

    name = "discovery"

    def start_entries(self) -> Iterator[Entry]:
        """Yield one search for each sentence, within the budget."""
        discovery = self.job.source.discovery
        if discovery is None:
            return
        earlier_crawls = self.job.stores.health.get(self.job.source.name).crawls
        queries = [
            sentence
            for work in self._works_of(discovery.works)
            for sentence in self._searched_sentences(
                work, count=discovery.sentences, skip=earlier_crawls * discovery.sentences
            )
        ]
        for sentence in queries[: discovery.queries]:
            separator = "&" if "?" in discovery.engine else "?"
            query = urlencode({"q": f'"{sentence}"', "format": "json"})
            yield entry_of(f"{discovery.engine}{separator}{query}", "query", note=START)

    def request_for(self, entry: Entry) -> scrapy.Request:
        """Return the request for an entry; a search needs no pace and no robots.txt."""
        request = super().request_for(entry)
        if entry.kind == "query":
            request.meta.update({"dont_obey_robotstxt": True, UNPACED: True})
        return request

    def entries_from(self, entry: Entry, links: LinkList) -> Iterable[Entry]:  # noqa: ARG002 - one kind of list
        """Yield the pages of a search result."""
        discovery = self.job.source.discovery
        yield from text_entries(links.texts[: discovery.results if discovery else 0])

    def _works_of(self, titles: tuple[str, ...]) -> list[Work]:
        works = self.job.stores.works.all()
        chosen = [work for work in works if not titles or work.title in titles]
        return [work for work in chosen if work.status == "indexed" and work.is_owned]

    def _searched_sentences(self, work: Work, *, count: int, skip: int) -> list[str]:
        ids = work.passage_ids[:_MAX_PASSAGES]
        passages = self.job.stores.passages.get_many(ids)
        texts = [passages[passage_id].text for passage_id in ids if passage_id in passages]
        return distinctive_sentences(texts, count=count, cut=segmenter().cut, idf=jieba_idf(), skip=skip)
