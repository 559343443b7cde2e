"""Crawls a list of addresses, each a separate text."""

from collections.abc import Iterable

from crawler.lists.link_list import LinkList
from crawler.spiders.base import SourceSpider
from storage.frontier.interface import Entry


class UrlsSpider(SourceSpider):
    """Reads only the source's addresses."""

    name = "urls"
    start_kind = "text"

    def entries_from(self, entry: Entry, links: LinkList) -> Iterable[Entry]:  # noqa: ARG002 - there are no lists
        """Return nothing: every address is a text."""
        return ()
