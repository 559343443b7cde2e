"""Pages that nobody listed: found by searching for the most distinctive sentences of the works.

The search is any service that answers like SearXNG's JSON (``results``, each with a ``url``). It is a
service of our own: it is asked without pace and robots.txt, and when it runs on an inner address,
``crawler.allow_inner`` must name its host and port, which opens them for searches only. Each crawl takes
the sentences after those of the one before.
"""

from collections.abc import Iterable, Iterator
from urllib.parse import urlencode

import scrapy

from crawler.lists.link_list import LinkList
from crawler.meta import UNPACED
from crawler.spiders.base import START, SourceSpider, entry_of
from crawler.spiders.sentences import distinctive
from storage.frontier.interface import Entry
from storage.records import Work

_PASSAGES = 40  # of a work that sentences are taken from in one crawl


class DiscoverySpider(SourceSpider):
    """Searches for sentences, and reads the pages that are found."""

    name = "discovery"

    def start_entries(self) -> Iterator[Entry]:
        """Yield one search for each sentence, within the budget."""
        wanted = self.job.source.discovery
        if wanted is None:
            return
        asked = self.job.stores.health.get(self.job.source.name).crawls
        queries = [
            sentence
            for work in self._works(wanted.works)
            for sentence in self._sentences(work, count=wanted.sentences, skip=asked * wanted.sentences)
        ]
        for sentence in queries[: wanted.queries]:
            joint = "&" if "?" in wanted.engine else "?"
            asked_for = urlencode({"q": f'"{sentence}"', "format": "json"})
            yield entry_of(f"{wanted.engine}{joint}{asked_for}", "query", note=START)

    def request_for(self, entry: Entry) -> scrapy.Request:
        """Return the request for an entry; a search is no visit to a site."""
        request = super().request_for(entry)
        if entry.kind == "query":
            request.meta.update({"dont_obey_robotstxt": True, UNPACED: True})
        return request

    def find(self, entry: Entry, found: LinkList) -> Iterable[Entry]:  # noqa: ARG002 - one kind of list
        """Yield the pages that a search found, each once however often it is found."""
        wanted = self.job.source.discovery
        yield from self.texts(found.texts[: wanted.results if wanted else 0])

    def _works(self, titles: tuple[str, ...]) -> list[Work]:
        works = self.job.stores.works.all()
        return [each for each in works if each.status == "indexed" and (not titles or each.title in titles)]

    def _sentences(self, work: Work, *, count: int, skip: int) -> list[str]:
        passages = self.job.stores.passages.get_many(work.passage_ids[:_PASSAGES])
        texts = [passages[each].text for each in work.passage_ids[:_PASSAGES] if each in passages]
        return distinctive(texts, count=count, skip=skip)
