"""What pages of links, sitemaps, feeds and searches name, within bounds. Pure.

Guarantees. However a list is built, it yields at most :data:`MAX_LISTED` addresses, of at most
:data:`MAX_LISTED_CHARS` characters together, none of them too long. What is refused or cut off is counted by
its reason, so that nobody takes the rest for everything.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from itertools import accumulate, islice

from crawler.addresses import LongAddress, absolute_url

MAX_LISTED = 50_000  # addresses of one list, as the sitemap protocol says
MAX_LISTED_CHARS = 8 * 1024 * 1024

LONG_ADDRESS = "long-address"
LONG_ELSEWHERE = "long-address-elsewhere"  # of another site: a button that shares the page, say
CUT_SHORT = "cut-short"  # a list that breaks off: nobody knows what it would have named
NOT_AN_ADDRESS = "not-an-address"
TOO_MANY = "too-many"


class NotAList(ValueError):
    """A body is no list of the kind that was expected.

    Attributes:
        reason: in one word, as the report counts it.
    """

    reason = "not-a-list"


@dataclass(frozen=True, slots=True)
class Listed:
    """An address that a list names, and when it was last changed, if that is said."""

    url: str
    changed: datetime | None = None


@dataclass(frozen=True, slots=True)
class Found:
    """What a list leads to.

    Attributes:
        texts: addresses of texts, in order, each once.
        lists: addresses of further lists.
        refused: reason → number of addresses that are left out.
    """

    texts: tuple[Listed, ...] = ()
    lists: tuple[Listed, ...] = ()
    refused: Mapping[str, int] = field(default_factory=dict)


def addresses(base: str, named: Iterable[Listed], refused: Counter[str]) -> Iterator[Listed]:
    """Yield what is named as absolute addresses; counts those that are refused.

    Args:
        base: what they are relative to.
        named: as the list has them.
        refused: reason → number; added to.
    """
    for each in named:
        try:
            yield Listed(absolute_url(base, each.url), each.changed)
        except LongAddress:
            refused[LONG_ADDRESS] += 1
        except ValueError:
            refused[NOT_AN_ADDRESS] += 1


def within_bounds(listed: Iterable[Listed], refused: Counter[str]) -> tuple[Listed, ...]:
    """Return the first ones, each address once; counts those that are too many."""
    once: dict[str, Listed] = {}
    for each in listed:
        once.setdefault(each.url, each)
    sizes = accumulate(map(len, islice(once, MAX_LISTED)))
    kept = sum(chars <= MAX_LISTED_CHARS for chars in sizes)
    if len(once) > kept:
        refused[TOO_MANY] += len(once) - kept
    return tuple(islice(once.values(), kept))
