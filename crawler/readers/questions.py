"""The questions that readers answer: each is a record with a method ``answer``. Pure.

Questions and answers are sent between processes, so both are plain values. In a crawl, only these methods
parse untrusted content.
"""

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal, Protocol, TypeVar

from crawler.addresses import canonical, without_tracking
from crawler.extraction import NO_CONTEXT, ExtractedPage, PageContext, extract
from crawler.extraction.inert import inert_html
from crawler.extraction.parsing import Tree, decode_page, parse
from crawler.extraction.stylesheets import kept_rules, named_sheets
from crawler.extraction.tracing import TracedSpan, trace
from crawler.lists.catalogues import clues_of, further_lists, is_json, read_json
from crawler.lists.feeds import read_feed, read_sitemap
from crawler.lists.link_list import Link, LinkList, within_bounds
from crawler.lists.links import article_links, chapter_links, feed_links, matches, neighbour_links, site_links
from crawler.lists.pages import catalogue_pages, frame_addresses, next_page, no_pages
from crawler.lists.search_answers import read_search_answer
from storage.records import DEFAULT_ANSWER, SearchAnswer, SearchForm, zone_of

ListKind = Literal["section", "catalogue", "neighbours", "site", "sitemap", "feed", "search"]
A_co = TypeVar("A_co", covariant=True)

SLOW_EXPRESSION = "slow-expression"  # the reason of a TimeoutError
MAX_UNPACKED = 50 * 1024 * 1024  # maximum bytes of a sitemap, as in its protocol


class Question(Protocol[A_co]):
    """A question about untrusted content.

    Attributes:
        url: its address; the budget of its site is charged. Empty for a file.
    """

    @property
    def url(self) -> str:
        """Address of the content."""

    def answer(self) -> A_co:
        """Return the answer."""


@dataclass(frozen=True, slots=True)
class ReaderReply:
    """The reply of a reader's process.

    Attributes:
        answer: None if the question failed.
        reason: why it failed; else empty.
        seconds: used CPU time.
    """

    answer: Any
    reason: str
    seconds: float


@dataclass(frozen=True, slots=True)
class PageQuestion:
    """The text and fields of a page; arguments as :func:`crawler.extraction.extract` takes them."""

    data: bytes
    url: str
    declared: str | None = None
    context: PageContext = NO_CONTEXT

    def answer(self) -> ExtractedPage:
        """Return the text and fields."""
        return extract(self.data, url=self.url, declared=self.declared, context=self.context)


@dataclass(frozen=True, slots=True)
class TraceQuestion:
    """The position of each span of a text in its page."""

    text: str
    data: bytes
    url: str
    declared: str | None = None

    def answer(self) -> tuple[TracedSpan, ...]:
        """Return the spans."""
        return tuple(trace(self.text, [self.data], declared=self.declared))


@dataclass(frozen=True, slots=True)
class InertQuestion:
    """A page as it looked, without active content."""

    data: bytes
    url: str
    declared: str | None = None

    def answer(self) -> str:
        """Return the page as HTML without active content."""
        return inert_html(self.data, declared=self.declared)


@dataclass(frozen=True, slots=True)
class SheetsQuestion:
    """The style sheets that a page links to."""

    data: bytes
    url: str

    def answer(self) -> tuple[str, ...]:
        """Return their addresses."""
        return tuple(named_sheets(self.data, url=self.url))


@dataclass(frozen=True, slots=True)
class RulesQuestion:
    """The rules of a style sheet that affect visibility."""

    sheet: str
    url: str

    def answer(self) -> str:
        """Return the rules, as a sheet."""
        return kept_rules(self.sheet)


@dataclass(frozen=True, slots=True, kw_only=True)
class ListQuestion:
    """The addresses in a list.

    Attributes:
        kind: of the list.
        data: its body.
        url: its address.
        declared: charset of the Content-Type header.
        follow: regular expression that must match in addresses of texts; empty: see ``crawler.lists.links``.
        exclude: regular expression of addresses to skip.
        timezone: for dates without a zone.
        form: of a search engine.
        answered: positions in the answer of a search engine.
    """

    kind: ListKind
    data: bytes
    url: str
    declared: str | None = None
    follow: str = ""
    exclude: str = ""
    timezone: str = "+08:00"
    form: SearchForm = "searxng"
    answered: SearchAnswer = DEFAULT_ANSWER

    def answer(self) -> LinkList:
        """Return the addresses.

        Raises:
            NotAList: the body is not a list of that kind.
            TimeoutError: a regular expression of the source takes too long on an address.
        """
        links = _READERS[self.kind](self)
        texts = tuple(link for link in _without_tracking(links.texts) if self._is_wanted(link.url))
        # HTML links were filtered by ``follow`` before the limit was applied.
        if self.follow and self.kind not in HTML_LISTS:
            texts = tuple(link for link in texts if matches(self.follow, link.url))
        lists = tuple(link for link in links.lists if self._is_wanted(link.url))
        frames = () if texts else tuple(link for link in links.frames if self._is_wanted(link.url))
        feeds = tuple(link for link in links.feeds if self._is_wanted(link.url))
        return LinkList(texts, lists, dict(links.refused), links.clues, frames, feeds)

    def _is_wanted(self, url: str) -> bool:
        return not self.exclude or not matches(self.exclude, url)


def _without_tracking(links: Iterable[Link]) -> Iterable[Link]:
    """Return the distinct links without session and tracking parameters."""
    plain: dict[str, Link] = {}
    for link in links:
        url = without_tracking(link.url)
        plain.setdefault(url, Link(url, link.changed))
    return plain.values()


def _read_sitemap(question: ListQuestion) -> LinkList:
    zone = zone_of(question.timezone)
    return read_sitemap(question.data, url=question.url, max_bytes=MAX_UNPACKED, zone=zone)


def _read_feed(question: ListQuestion) -> LinkList:
    return read_feed(question.data, url=question.url)


def _read_search_answer(question: ListQuestion) -> LinkList:
    return read_search_answer(question.data, form=question.form, answer=question.answered)


def _read_catalogue(question: ListQuestion) -> LinkList:
    """Read a page of a catalogue: HTML or JSON."""
    if is_json(question.data):
        return read_json(question.data, url=question.url)
    tree = parse(decode_page(question.data, declared=question.declared).text)
    if tree is None:
        return LinkList()
    links = _links_in(tree, question, links_of=chapter_links, pages_of=catalogue_pages)
    texts = [link.url for link in links.texts]
    named = {*texts, *(link.url for link in links.lists), canonical(question.url)}
    further = [Link(url) for url in further_lists(tree, url=question.url) if url not in named]
    clues = clues_of(tree, url=question.url, texts=texts)
    if links.lists:  # addresses of its other pages
        clues = replace(clues, has_pager=False)
    return replace(links, lists=(*links.lists, *further), clues=clues)


def _read_link_page(
    question: ListQuestion, *, links_of: Callable[..., list[str]], pages_of: Callable[..., list[str]]
) -> LinkList:
    """Read a page of links, and the links to its further pages."""
    tree = parse(decode_page(question.data, declared=question.declared).text)
    return LinkList() if tree is None else _links_in(tree, question, links_of=links_of, pages_of=pages_of)


def _links_in(
    tree: Tree,
    question: ListQuestion,
    *,
    links_of: Callable[..., list[str]],
    pages_of: Callable[..., list[str]],
) -> LinkList:
    refused: Counter[str] = Counter()
    urls = links_of(tree, url=question.url, follow=question.follow, refused=refused)
    pages = pages_of(tree, url=question.url, texts=frozenset(urls))
    frames = [] if urls else frame_addresses(tree, url=question.url)
    feeds = feed_links(tree, url=question.url) if question.kind in _WITH_FEEDS else ()
    return LinkList(
        within_bounds(map(Link, urls), refused),
        within_bounds(map(Link, pages), refused),
        refused,
        frames=tuple(map(Link, frames)),
        feeds=tuple(map(Link, feeds)),
    )


def _site_links(tree: Tree, *, url: str, follow: str, refused: Counter[str]) -> list[str]:
    targets = site_links(tree, url=url, refused=refused)
    return [target for target in targets if not follow or matches(follow, target)]


HTML_LISTS = frozenset[ListKind]({"section", "catalogue", "neighbours", "site"})
_WITH_FEEDS = frozenset({"section", "site"})
_READERS: dict[ListKind, Callable[[ListQuestion], LinkList]] = {
    "section": partial(_read_link_page, links_of=article_links, pages_of=next_page),
    "catalogue": _read_catalogue,
    "neighbours": partial(_read_link_page, links_of=neighbour_links, pages_of=no_pages),
    "site": partial(_read_link_page, links_of=_site_links, pages_of=no_pages),
    "sitemap": _read_sitemap,
    "feed": _read_feed,
    "search": _read_search_answer,
}
