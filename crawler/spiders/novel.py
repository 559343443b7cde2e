"""Novel sites: a catalogue, over as many pages as it has, then its chapters in reading order."""

from collections.abc import Iterator
from typing import ClassVar

from crawler.lists.link_list import LinkList
from crawler.readers.questions import ListKind
from crawler.spiders.base import SourceSpider
from crawler.spiders.entries import list_entries, text_entries
from storage.frontier.interface import Entry, EntryKind


class NovelSpider(SourceSpider):
    """Reads the chapters that the source's catalogues list; known ones only when they are due."""

    name = "novel"
    list_kinds: ClassVar[dict[EntryKind, ListKind]] = {**SourceSpider.list_kinds, "index": "catalogue"}

    def entries_from(self, entry: Entry, links: LinkList) -> Iterator[Entry]:
        """Yield a catalogue's chapters and its next page."""
        yield from text_entries(links.texts)
        if links.texts:
            yield from list_entries(entry, links.lists)
