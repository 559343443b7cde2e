"""The links of section pages, sitemaps, feeds and searches, within bounds. Pure.

Guarantees. However a list is built, it yields at most :data:`MAX_LINKS` addresses, of at most
:data:`MAX_LINK_CHARS` characters together, none of them too long. What is refused or cut off is counted by
reason, so that a report shows that the list is incomplete.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from itertools import accumulate, islice

from crawler.addresses import LongAddress, absolute_url

MAX_LINKS = 50_000  # addresses of one list, as the sitemap protocol says
MAX_LINK_CHARS = 8 * 1024 * 1024

LONG_ADDRESS = "long-address"
LONG_ELSEWHERE = "long-address-elsewhere"  # of another site, such as a button that shares the page
CUT_SHORT = "cut-short"  # a list that breaks off, so that its length is unknown
NOT_AN_ADDRESS = "not-an-address"
TOO_MANY = "too-many"


class NotAList(ValueError):
    """A body is no list of the expected kind.

    Attributes:
        reason: the word under which the report counts it.
    """

    reason = "not-a-list"


@dataclass(frozen=True, slots=True)
class Link:
    """An address in a list, and the moment until which it last changed, if the list has that."""

    url: str
    changed: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogueClues:
    """What a page of a catalogue says of the chapters that there are.

    Attributes:
        numbers: (address, number) of the chapters that it lists, as their labels have them; the address is
            empty in a list that has none.
        total: of chapters, as the page says; 0 where it does not.
        has_more: it has a button that shows more, and no address behind it.
        ids: of chapters in a list that has no addresses.
        is_data: the list is JSON, which a script would show.
    """

    numbers: tuple[tuple[str, int], ...] = ()
    total: int = 0
    has_more: bool = False
    ids: tuple[str, ...] = ()
    is_data: bool = False


NO_CLUES = CatalogueClues()


@dataclass(frozen=True, slots=True)
class LinkList:
    """The links of a list.

    Attributes:
        texts: addresses of texts, in order, each once.
        lists: addresses of further lists.
        refused: reason → number of addresses that were left out.
        clues: of a catalogue.
    """

    texts: tuple[Link, ...] = ()
    lists: tuple[Link, ...] = ()
    refused: Mapping[str, int] = field(default_factory=dict)
    clues: CatalogueClues = NO_CLUES


def absolute_links(base: str, links: Iterable[Link], refused: Counter[str]) -> Iterator[Link]:
    """Yield the links with absolute addresses; count those that are refused.

    Args:
        base: what the addresses are relative to.
        links: as the list has them.
        refused: reason → number; added to.
    """
    for link in links:
        try:
            yield Link(absolute_url(base, link.url), link.changed)
        except LongAddress:
            refused[LONG_ADDRESS] += 1
        except ValueError:
            refused[NOT_AN_ADDRESS] += 1


def within_bounds(links: Iterable[Link], refused: Counter[str]) -> tuple[Link, ...]:
    """Return the first links, each address once; count those beyond the bounds."""
    by_url: dict[str, Link] = {}
    for link in links:
        by_url.setdefault(link.url, link)
    sizes = accumulate(map(len, islice(by_url, MAX_LINKS)))
    count = sum(chars <= MAX_LINK_CHARS for chars in sizes)
    if len(by_url) > count:
        refused[TOO_MANY] += len(by_url) - count
    return tuple(islice(by_url.values(), count))
