"""Estimates how many chapters of a source's books exist but were not found. Pure.

A book is a folder of chapter addresses. Missing chapters follow from three hints: gaps in the chapter numbers
(第3章 and 第5章 imply a 第4章), the total in the catalogue, and buttons for more chapters. Authors skip
single numbers by mistake, so a gap has at least three numbers in a row.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from crawler.extraction.chapters import chapter_heading
from crawler.lists.link_list import LinkList

_MIN_GAP = 3  # minimum number of missing numbers in a row
_MIN_NUMBERS = 5  # minimum number of known numbers to detect gaps
_MAX_JUMP = 200  # larger numbers than this many times the number of chapters are jokes or years
_TOLERANCE = 0.02  # tolerated difference, as a share of the total in a catalogue


@dataclass(slots=True)
class _Catalogue:
    """The known chapters of a book.

    Attributes:
        numbers: of its chapters.
        addresses: of its chapters, from this crawl and earlier ones.
        listed: chapters that a list of this crawl named or that were read.
        total: number of chapters according to its catalogue.
        has_more: whether its catalogue has a button for more chapters.
        has_pager: whether only a script leads to its next page.
        is_chained: whether links of its chapters lead to chapters that no list names.
    """

    numbers: set[int] = field(default_factory=set)
    addresses: set[str] = field(default_factory=set)
    listed: set[str] = field(default_factory=set)
    total: int = 0
    has_more: bool = False
    has_pager: bool = False
    is_chained: bool = False

    def count_unseen(self) -> int:
        """Return the least number of existing chapters that were not found."""
        gaps = max(0, self._count_gaps() - len(self.addresses - self.listed))
        unseen = max(gaps, self._count_short_of_total())
        has_hint = self.has_more and len(self.numbers) < _MIN_NUMBERS  # else a gap would show them
        return unseen or int((has_hint or (self.has_pager and not self.is_chained)) and not self.total)

    def _count_gaps(self) -> int:
        if len(self.numbers) < _MIN_NUMBERS:
            return 0
        numbers = [0, *(number for number in sorted(self.numbers) if number <= _MAX_JUMP * len(self.numbers))]
        gaps = (after - before - 1 for before, after in pairwise(numbers))
        return sum(gap for gap in gaps if gap >= _MIN_GAP)

    def _count_short_of_total(self) -> int:
        short = self.total - len(self.addresses)
        return short if short >= max(_MIN_GAP, _TOLERANCE * self.total) else 0


class CatalogueGaps:
    """The books of one crawl."""

    def __init__(self) -> None:
        self._books: defaultdict[str, _Catalogue] = defaultdict(_Catalogue)

    def add_known(self, urls: Iterable[str]) -> None:
        """Add chapters that earlier crawls read."""
        for url in urls:
            self._books[folder_of(url)].addresses.add(url)

    def add_list(self, links: LinkList, texts: Sequence[str]) -> bool:
        """Add a page of a catalogue; return whether it lists a new chapter.

        Args:
            links: of the page.
            texts: addresses of the listed chapters.
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
        book.has_pager = book.has_pager or links.clues.has_pager
        return bool(new)

    def add_text(self, url: str, title: str) -> None:
        """Add a chapter that was read."""
        book = self._books[folder_of(url)]
        book.is_chained = book.is_chained or url not in book.listed
        book.addresses.add(url)
        book.listed.add(url)
        if number := chapter_heading(title).number:
            book.numbers.add(number)

    def end_list(self, texts: Sequence[str]) -> None:
        """Record that the list behind a button was read completely."""
        for folder in set(map(folder_of, texts)):
            self._books[folder].has_more = False

    def addresses_of(self, url: str) -> set[str]:
        """Return the listed chapters of a chapter's book."""
        return self._books[folder_of(url)].listed

    def listed_on(self, host: str) -> list[str]:
        """Return the listed chapters on a host."""
        return [url for book in self._books.values() for url in book.listed if f"//{host}/" in url]

    def count_unseen(self) -> int:
        """Return the least number of existing chapters that were not found, over all listed books."""
        return sum(book.count_unseen() for book in self._books.values() if book.listed)


def folder_of(url: str) -> str:
    """Return the common folder of a book's chapters.

    >>> folder_of("http://a.cn/b/12/345.html"), folder_of("http://a.cn/read?bid=12&cid=345")
    ('http://a.cn/b/12', 'http://a.cn/read')
    """
    return url.partition("?")[0].rpartition("/")[0] if "?" not in url else url.partition("?")[0]
