"""Crawls novel sites: all pages of a catalogue, then its chapters in reading order.

Unlisted chapters are found by the links of other chapters (上一章, 下一章), and by JSON lists that a button
of the catalogue would load. Existing chapters that were not found are counted.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, ClassVar
from urllib.parse import urlsplit

from scrapy.http import Response

from crawler.addresses import canonical, without_tracking
from crawler.lists.catalogues import is_json, page_number, without_page
from crawler.lists.link_list import Link, LinkList
from crawler.lists.links import matches
from crawler.pages.outcomes import EntryResult, FailedFetch, Outcome, Text, UnchangedText
from crawler.pages.reading import declared_charset
from crawler.readers.pool import CannotRead
from crawler.readers.questions import ListKind, ListQuestion
from crawler.spiders.base import SourceSpider
from crawler.spiders.catalogue_gaps import CatalogueGaps, folder_of
from crawler.spiders.entries import entry_of, list_entries, text_entries
from storage.frontier.interface import Entry, EntryKind

_CHAINED = -1_000  # priority of chapters found through other chapters
_MIN_DERIVED = 3  # minimum number of the catalogue's addresses that contain ids of a JSON list
_MAX_IDS = 50  # maximum number of ids of a JSON list that are compared
_MAX_COMPARED = 2_000  # maximum number of addresses with which ids are compared
_MAX_KNOWN = 50_000  # maximum number of chapters from earlier crawls


class NovelSpider(SourceSpider):
    """Reads the chapters of the source's catalogues; known chapters only when they are due."""

    name = "novel"
    list_kinds: ClassVar[dict[EntryKind, ListKind]] = {**SourceSpider.list_kinds, "index": "catalogue"}

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._gaps = CatalogueGaps()
        self._data_texts: dict[str, list[str]] = {}  # address of a JSON list → its chapters
        # With several processes, or after a killed process, this process only reads a part of the catalogue.
        self._sees_all = not self.job.earlier_counts

    async def push_known(self) -> None:
        """Push known texts, and count them as found chapters."""
        await super().push_known()
        job = self.job
        if job.database:
            crawls = await job.store(job.stores.scans.crawls, job.scan_id)
            self._sees_all = self._sees_all and sum(crawl.source == job.source.name for crawl in crawls) <= 1
            self._gaps.add_known(await job.store(self._known_texts))

    def _known_texts(self) -> list[str]:
        addresses = self.job.stores.visits.addresses_of(self.job.source.name)
        texts = (address.url for address in addresses if address.is_text)
        return [url for url, _ in zip(texts, range(_MAX_KNOWN), strict=False)]

    def entries_from(self, entry: Entry, links: LinkList) -> Iterator[Entry]:
        """Yield a catalogue's chapters and its further pages."""
        texts = [*links.texts, *map(Link, self._derived_addresses(entry.url, links))]
        urls = [canonical(text.url) for text in texts]
        is_new = self._gaps.add_list(links, urls)
        yield from text_entries(texts)
        if links.clues.is_data:
            yield from self._data_entries(entry, links, urls, is_new=is_new)
        elif texts:
            yield from list_entries(entry, links.lists)
        self._count_unseen()

    def _data_entries(
        self, entry: Entry, links: LinkList, urls: list[str], *, is_new: bool
    ) -> Iterator[Entry]:
        """Yield the next page of a list in JSON, until a page has no new chapter."""
        address = without_page(entry.url)
        listed = self._data_texts.setdefault(address, [])
        listed += urls
        # The first page of a JSON list may repeat the chapters of the catalogue.
        if links.lists and (is_new or (urls and page_number(entry.url) <= 1)):
            yield from list_entries(entry, links.lists)
        else:
            self._gaps.end_list(listed)

    def _derived_addresses(self, url: str, links: LinkList) -> list[str]:
        """Derive the addresses of a list of ids from the addresses of some of them in the catalogue."""
        ids = [number for number in links.clues.ids if number.isalnum()]
        if not ids:
            return []
        listed = self._gaps.listed_on(urlsplit(url).netloc)[:_MAX_COMPARED]
        forms: dict[str, int] = {}
        for number in ids[:_MAX_IDS]:
            for address in listed:
                stem, separator, ending = address.rpartition(number)
                if separator and not (stem[-1:].isalnum() or ending[:1].isalnum()):
                    form = f"{stem}\0{ending}"
                    forms[form] = forms.get(form, 0) + 1
        best = max(forms, key=lambda form: forms[form], default="")
        before = self._data_texts.get(f"{without_page(url)}#form", [])
        if best and forms[best] >= _MIN_DERIVED:
            before = self._data_texts[f"{without_page(url)}#form"] = [best]
        return [before[0].replace("\0", number) for number in ids] if before else []

    async def _own_text(self, entry: Entry, response: Response) -> Outcome | None:
        """Return the text of a catalogue page; None for a list in JSON."""
        return None if is_json(response.body) else await super()._own_text(entry, response)

    async def read_page(self, entry: Entry, response: Response) -> EntryResult:
        """Read a chapter, and find the unlisted chapters before and after it."""
        result = await super().read_page(entry, response)
        outcome = result.outcome
        if outcome is None or isinstance(outcome, FailedFetch):
            return result
        title = outcome.record.page.title if isinstance(outcome, Text) else ""
        self._gaps.add_text(outcome.response_url, title)
        chained = (
            () if isinstance(outcome, UnchangedText) else await self._unlisted_chapters(outcome, response)
        )
        self._count_unseen()
        return replace(result, entries=(*result.entries, *chained))

    async def _unlisted_chapters(self, outcome: Text, response: Response) -> tuple[Entry, ...]:
        """Return entries for the unlisted chapters that a chapter leads to."""
        source = self.job.source
        question = ListQuestion(
            kind="neighbours",
            data=response.body,
            url=response.url,
            declared=declared_charset(response),
            follow=source.follow,
            exclude=source.exclude,
        )
        try:
            links = await self.job.readers.ask(question)
            targets = [link.url for link in links.texts]
            following = canonical(without_tracking(outcome.record.next_chapter))
            if following and self._is_wanted(following):
                targets.append(following)
        except (CannotRead, TimeoutError):  # the chapter was read, but its links are unknown
            return ()
        folder, listed = folder_of(response.url), self._gaps.addresses_of(response.url)
        new = [url for url in dict.fromkeys(targets) if folder_of(url) == folder and url not in listed]
        entries = [entry_of(url, "text", priority=_CHAINED) for url in new]
        knows = self.job.frontier.contains
        unknown = [entry for entry in entries if not await self.job.store(knows, entry.id)]
        self.job.counts["chained"] += len(unknown)
        return await self.keep_due(self.allowed_targets(response, unknown)) if unknown else ()

    def _is_wanted(self, url: str) -> bool:
        source = self.job.source
        is_followed = not source.follow or matches(source.follow, url)
        return is_followed and not (source.exclude and matches(source.exclude, url))

    def _count_unseen(self) -> None:
        if self._sees_all:
            self.job.counts["left:catalogue"] = self._gaps.count_unseen()
