"""How many chapters of a source's books exist, and were not seen. Pure.

A book is what chapters' addresses have in common: their folder. What exists follows from the numbers of the
chapters (第3章 and 第5章: there is a 第4章), by the number that a page of the catalogue names, and by buttons
that show more. A few missing numbers are mistakes of authors, so only three in a row, or more, are a gap.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from crawler.extraction.chapters import chapter_heading
from crawler.lists.link_list import LinkList

_MIN_GAP = 3  # numbers in a row
_MIN_NUMBERS = 5  # by which gaps are judged
_MAX_JUMP = 200  # times as many as there are numbers: a number beyond is a joke or a year
_TOLERANCE = 0.02  # of the number that a catalogue names


@dataclass(slots=True)
class _Catalogue:
    """What is known of a book.

    Attributes:
        numbers: of its chapters.
        addresses: of its chapters, of this crawl and of earlier ones.
        listed: those that a list of this crawl named, or that were read.
        total: of chapters, as its catalogue says.
        has_more: its catalogue has a button that shows more.
    """

    numbers: set[int] = field(default_factory=set)
    addresses: set[str] = field(default_factory=set)
    listed: set[str] = field(default_factory=set)
    total: int = 0
    has_more: bool = False

    def count_unseen(self) -> int:
        """Return how many chapters exist that nothing led to, at least."""
        gaps = max(0, self._count_gaps() - len(self.addresses - self.listed))
        unseen = max(gaps, self._count_short_of_total())
        return unseen or int(self.has_more and not self._is_whole())

    def _count_gaps(self) -> int:
        if len(self.numbers) < _MIN_NUMBERS:
            return 0
        numbers = [0, *(number for number in sorted(self.numbers) if number <= _MAX_JUMP * len(self.numbers))]
        gaps = (after - before - 1 for before, after in pairwise(numbers))
        return sum(gap for gap in gaps if gap >= _MIN_GAP)

    def _count_short_of_total(self) -> int:
        short = self.total - len(self.addresses)
        return short if short >= max(_MIN_GAP, _TOLERANCE * self.total) else 0

    def _is_whole(self) -> bool:
        """Return whether its catalogue shows that all chapters were seen and none is missing."""
        return self.total > 0 or len(self.numbers) >= _MIN_NUMBERS


class CatalogueGaps:
    """The books of one crawl."""

    def __init__(self) -> None:
        self._books: defaultdict[str, _Catalogue] = defaultdict(_Catalogue)

    def add_known(self, urls: Iterable[str]) -> None:
        """Note chapters that earlier crawls read."""
        for url in urls:
            self._books[folder_of(url)].addresses.add(url)

    def add_list(self, links: LinkList, texts: Sequence[str]) -> bool:
        """Note a page of a catalogue; returns whether it names a chapter that no page named before.

        Args:
            links: of the page.
            texts: the chapters that it names.
        """
        if not texts:
            return False
        folder = Counter(map(folder_of, texts)).most_common(1)[0][0]
        book = self._books[folder]
        new = set(texts) - book.listed
        book.listed.update(texts)
        book.addresses.update(texts)
        book.numbers.update(
            number for url, number in links.clues.numbers if not url or folder_of(url) == folder
        )
        book.total = max(book.total, links.clues.total)
        book.has_more = book.has_more or links.clues.has_more
        return bool(new)

    def add_text(self, url: str, title: str) -> None:
        """Note a chapter that was read."""
        book = self._books[folder_of(url)]
        book.addresses.add(url)
        book.listed.add(url)
        if number := chapter_heading(title).number:
            book.numbers.add(number)

    def end_list(self, texts: Sequence[str]) -> None:
        """Note that the list behind a button was read to its end."""
        for folder in set(map(folder_of, texts)):
            self._books[folder].has_more = False

    def addresses_of(self, url: str) -> set[str]:
        """Return the chapters that lists named of the book that a chapter is of."""
        return self._books[folder_of(url)].listed

    def listed_on(self, host: str) -> list[str]:
        """Return the chapters on a host that lists named."""
        return [url for book in self._books.values() for url in book.listed if f"//{host}/" in url]

    def count_unseen(self) -> int:
        """Return how many chapters of all books that a list named exist, and were not seen, at least."""
        return sum(book.count_unseen() for book in self._books.values() if book.listed)


def folder_of(url: str) -> str:
    """Return what the chapters of a book have in common.

    >>> folder_of("http://a.cn/b/12/345.html"), folder_of("http://a.cn/read?bid=12&cid=345")
    ('http://a.cn/b/12', 'http://a.cn/read')
    """
    return url.partition("?")[0].rpartition("/")[0] if "?" not in url else url.partition("?")[0]
