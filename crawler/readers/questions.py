"""What a reader can be asked: each question is a record that answers itself. Pure.

A question travels to a reader's process and its answer back, so both are plain values. What strangers wrote
is looked into here and nowhere else in a crawl.
"""

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, Protocol, TypeVar

from crawler.addresses import absolute_url, canonical
from crawler.extraction import NOTHING, Extracted, Known, extract
from crawler.extraction.nextpage import next_list_page
from crawler.extraction.parsing import Tree, decode_page, parse
from crawler.extraction.stylesheets import kept_rules, named_sheets
from crawler.extraction.tracing import Traced, trace
from crawler.lists.feeds import read_feed, read_sitemap
from crawler.lists.links import article_links, chapter_links, matches, site_links
from crawler.lists.listed import Found, Listed, NotAList, addresses, within_bounds
from crawler.lists.traps import plain

ListKind = Literal["section", "catalogue", "site", "sitemap", "feed", "search"]
A_co = TypeVar("A_co", covariant=True)

SLOW_EXPRESSION = "slow-expression"  # the reason of a TimeoutError
MAX_UNPACKED = 50 * 1024 * 1024  # bytes of a sitemap, as the protocol says


class Question(Protocol[A_co]):
    """Something to find out.

    Attributes:
        url: address of what is read; its site's budget pays. Empty for a file.
    """

    @property
    def url(self) -> str:
        """The address of what is read."""

    def answer(self) -> A_co:
        """Find it out."""


@dataclass(frozen=True, slots=True)
class Reply:
    """What came of a question.

    Attributes:
        answer: None where there is none.
        reason: why there is none.
        seconds: of CPU that it took.
    """

    answer: Any
    reason: str
    seconds: float


class NotASearch(NotAList):
    """A body is not what a search engine answers."""

    reason = "not-a-search"


@dataclass(frozen=True, slots=True)
class PageQuestion:
    """What is in a page; arguments as :func:`crawler.extraction.extract` takes them."""

    data: bytes
    url: str
    declared: str | None = None
    known: Known = NOTHING

    def answer(self) -> Extracted:
        """Return its text and fields."""
        return extract(self.data, url=self.url, declared=self.declared, known=self.known)


@dataclass(frozen=True, slots=True)
class TraceQuestion:
    """Where in a page each stretch of its text stands."""

    text: str
    data: bytes
    url: str
    declared: str | None = None

    def answer(self) -> tuple[Traced, ...]:
        """Return the stretches."""
        return tuple(trace(self.text, [self.data], declared=self.declared))


@dataclass(frozen=True, slots=True)
class SheetsQuestion:
    """Which style sheets a page links to."""

    data: bytes
    url: str

    def answer(self) -> tuple[str, ...]:
        """Return their addresses."""
        return tuple(named_sheets(self.data, url=self.url))


@dataclass(frozen=True, slots=True)
class RulesQuestion:
    """Which rules of a style sheet could hide or show something."""

    sheet: str
    url: str

    def answer(self) -> str:
        """Return the rules, as a sheet."""
        return kept_rules(self.sheet)


@dataclass(frozen=True, slots=True, kw_only=True)
class ListQuestion:
    """What a list leads to.

    Attributes:
        kind: of list.
        data: its body.
        url: its address.
        declared: charset of the Content-Type header.
        follow: regular expression that addresses of texts must contain; empty: see ``crawler.lists.links``.
        exclude: regular expression of addresses never to ask for.
    """

    kind: ListKind
    data: bytes
    url: str
    declared: str | None = None
    follow: str = ""
    exclude: str = ""

    def answer(self) -> Found:
        """Return what it leads to.

        Raises:
            NotAList: it is none of that kind.
            TimeoutError: one of the source's expressions takes for ever on an address.
        """
        found = _READ[self.kind](self)
        texts = tuple(each for each in found.texts if self._wants(each.url))
        # A pattern chooses among links before they are bounded, among other addresses after that.
        if self.follow and self.kind not in _LINKS:
            texts = tuple(each for each in texts if matches(self.follow, each.url))
        lists = tuple(each for each in found.lists if self._wants(each.url))
        return Found(texts, lists, dict(found.refused))

    def _wants(self, url: str) -> bool:
        return not self.exclude or not matches(self.exclude, url)


def _sitemap(question: ListQuestion) -> Found:
    return read_sitemap(question.data, url=question.url, max_bytes=MAX_UNPACKED)


def _feed(question: ListQuestion) -> Found:
    return read_feed(question.data, url=question.url)


def _search(question: ListQuestion) -> Found:
    """Read what a search engine answers: ``results``, each with a ``url``."""
    try:
        results: list[Any] = json.loads(question.data)["results"]
        named = [Listed(str(each["url"])) for each in results if isinstance(each, dict) and "url" in each]
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise NotASearch("not what a search engine answers") from error
    refused: Counter[str] = Counter()
    urls = [Listed(canonical(plain(each.url))) for each in addresses("", named, refused)]
    return Found(within_bounds(urls, refused), refused=refused)


def _links(question: ListQuestion, *, of: Callable[..., list[str]], turns: bool) -> Found:
    """Read a page of links; ``turns`` it over, where it goes on."""
    tree = parse(decode_page(question.data, declared=question.declared).text)
    if tree is None:
        return Found()
    refused: Counter[str] = Counter()
    urls = of(tree, url=question.url, follow=question.follow, refused=refused)
    further = _next(tree, question.url) if turns else ()
    return Found(within_bounds(map(Listed, urls), refused), further, refused)


def _next(tree: Tree, url: str) -> tuple[Listed, ...]:
    target = next_list_page(tree, url=url)
    try:
        return (Listed(absolute_url(url, target)),) if target is not None else ()
    except ValueError:
        return ()


def _plain_links(tree: Tree, *, url: str, follow: str, refused: Counter[str]) -> list[str]:
    urls = [canonical(plain(each)) for each in site_links(tree, url=url, refused=refused)]
    return [each for each in dict.fromkeys(urls) if not follow or matches(follow, each)]


_LINKS = frozenset({"section", "catalogue", "site"})
_READ: dict[ListKind, Callable[[ListQuestion], Found]] = {
    "section": partial(_links, of=article_links, turns=True),
    "catalogue": partial(_links, of=chapter_links, turns=True),
    "site": partial(_links, of=_plain_links, turns=False),
    "sitemap": _sitemap,
    "feed": _feed,
    "search": _search,
}
