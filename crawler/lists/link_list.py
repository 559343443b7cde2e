"""The links of section pages, sitemaps, feeds and searches, within limits. Pure.

Guarantees: any list yields at most :data:`MAX_LINKS` addresses with at most :data:`MAX_LINK_CHARS` characters
in total, and no address is too long. Refused and excess addresses are counted by reason, so reports show that
a list is incomplete.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from itertools import accumulate, islice

from crawler.addresses import LongAddress, absolute_url

MAX_LINKS = 50_000  # maximum number of addresses per list, as in the sitemap protocol
MAX_LINK_CHARS = 8 * 1024 * 1024

LONG_ADDRESS = "long-address"
LONG_ELSEWHERE = "long-address-elsewhere"  # a long address on another site, such as that of a share button
CUT_SHORT = "cut-short"  # a list is truncated, and its length is unknown
NOT_AN_ADDRESS = "not-an-address"
TOO_MANY = "too-many"


class NotAList(ValueError):
    """A body is not a list of the expected kind.

    Attributes:
        reason: the key under which reports count it.
    """

    reason = "not-a-list"


@dataclass(frozen=True, slots=True)
class Link:
    """An address in a list, and the time of its last change if the list has one."""

    url: str
    changed: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogueClues:
    """Hints of a catalogue page about the existing chapters.

    Attributes:
        numbers: (address, number) of the listed chapters, from their labels; the address is empty in a list
            without addresses.
        total: number of chapters according to the page; 0 if unknown.
        has_more: whether it has a button for more chapters without an address.
        has_pager: whether only a script or a form leads to its next page.
        ids: of chapters in a list without addresses.
        is_data: whether the list is JSON.
    """

    numbers: tuple[tuple[str, int], ...] = ()
    total: int = 0
    has_more: bool = False
    has_pager: bool = False
    ids: tuple[str, ...] = ()
    is_data: bool = False


NO_CLUES = CatalogueClues()


@dataclass(frozen=True, slots=True)
class LinkList:
    """The links of a list.

    Attributes:
        texts: distinct addresses of texts, in order.
        lists: addresses of further lists.
        refused: reason → number of skipped addresses.
        clues: hints of a catalogue.
        frames: addresses of the same site that a page without texts shows in frames.
        feeds: addresses of the feeds that a page names.
    """

    texts: tuple[Link, ...] = ()
    lists: tuple[Link, ...] = ()
    refused: Mapping[str, int] = field(default_factory=dict)
    clues: CatalogueClues = NO_CLUES
    frames: tuple[Link, ...] = ()
    feeds: tuple[Link, ...] = ()


def joined_readings(plain: LinkList, shown: LinkList) -> LinkList:
    """Return the links of a list that was read without a browser and in one; the browser's order first."""
    return LinkList(
        _distinct(shown.texts, plain.texts),
        _distinct(shown.lists, plain.lists),
        {
            reason: max(plain.refused.get(reason, 0), shown.refused.get(reason, 0))
            for reason in {**plain.refused, **shown.refused}
        },
        CatalogueClues(
            numbers=tuple(sorted({*plain.clues.numbers, *shown.clues.numbers})),
            total=max(plain.clues.total, shown.clues.total),
            has_more=shown.clues.has_more if shown.texts else plain.clues.has_more,
            has_pager=shown.clues.has_pager if shown.texts else plain.clues.has_pager,
            ids=plain.clues.ids,
            is_data=plain.clues.is_data,
        ),
        frames=() if shown.texts or plain.texts else _distinct(shown.frames, plain.frames),
        feeds=_distinct(shown.feeds, plain.feeds),
    )


def _distinct(*parts: Iterable[Link]) -> tuple[Link, ...]:
    by_url: dict[str, Link] = {}
    for links in parts:
        for link in links:
            by_url.setdefault(link.url, link)
    return tuple(by_url.values())


def absolute_links(base: str, links: Iterable[Link], refused: Counter[str]) -> Iterator[Link]:
    """Yield the links with absolute addresses; count refused ones.

    Args:
        base: address of the list.
        links: as in the list.
        refused: reason → number; updated.
    """
    for link in links:
        try:
            yield Link(absolute_url(base, link.url), link.changed)
        except LongAddress:
            refused[LONG_ADDRESS] += 1
        except ValueError:
            refused[NOT_AN_ADDRESS] += 1


def within_bounds(links: Iterable[Link], refused: Counter[str]) -> tuple[Link, ...]:
    """Return the distinct links within the limits; count the rest."""
    by_url: dict[str, Link] = {}
    for link in links:
        by_url.setdefault(link.url, link)
    sizes = accumulate(map(len, islice(by_url, MAX_LINKS)))
    count = sum(chars <= MAX_LINK_CHARS for chars in sizes)
    if len(by_url) > count:
        refused[TOO_MANY] += len(by_url) - count
    return tuple(islice(by_url.values(), count))
