"""Read contacts from a sample of a site's stored pages: pages about the site first, then any pages."""

import re
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from analysis.evidence.captures import charset_of, read_exchange
from analysis.reading.untrusted_pages import PageUnreadable, Readers
from analysis.sites.page_question import ContactsQuestion, PageFacts
from analysis.sites.printed import PrintedFact, distinct, facts_in
from analysis.sites.proposing import Fact, proposal_of
from crawler.pages.warc_reading import SnapshotDamaged
from storage.collections.stores import Stores
from storage.records import PROPOSAL_KINDS, Page, Proposal, ProposalKind
from system.errors import UnknownRecord

MAX_PAGES = 40
_MAX_ABOUT = 15  # of these, pages about the site
_MAX_LISTED = 5_000  # addresses of a host from which the sample is chosen
_MAX_OF_KIND = 8
_MAX_S = 60.0
_ABOUT_TITLE = re.compile(
    r"\s*(?:联系我们|联系方式|联系本站|关于我们|关于本站|版权声明|版权投诉|侵权投诉|侵权举报|投诉指引|免责声明|网站声明|隐私政策|用户协议"
    r"|contact(?: us)?|about(?: us)?|copyright|dmca)(?![\u4e00-\u9fffa-z])",
    re.IGNORECASE,
)
_ABOUT_PATH = re.compile(
    r"/(?:contact|about|copyright|dmca|lxwm|gywm|tousu|jubao|complaint|abuse|statement|shengming|mianze|report)"
    r"(?:us|_us|-us)?(?:[./?_-]|$)",
    re.IGNORECASE,
)
_TEXT_KINDS = frozenset({"article", "chapter", "thread"})


@dataclass(frozen=True, slots=True)
class PagesAnswer:
    """The proposals from stored pages.

    Attributes:
        pages: number of pages that were read.
        unread: number of pages that could not be read.
    """

    proposals: tuple[Proposal, ...]
    pages: int
    unread: int = 0


@dataclass(frozen=True, slots=True)
class _Occurrence:
    fact: PrintedFact
    url: str
    is_in_text: bool

    @property
    def rank(self) -> tuple[bool, int]:
        return not self.is_in_text, self.fact.weight


def read_stored_pages(hosts: Iterable[str], stores: Stores, readers: Readers, at: datetime) -> PagesAnswer:
    """Return the contacts that stored pages of some hosts print.

    Args:
        hosts: the hosts of a site.
        stores: the database.
        readers: processes for untrusted pages.
        at: the present time.

    Raises:
        Busy: no reader became free.
        ServiceDown, StorageFailed: the database refused.
    """
    rows = [row for host in hosts for row in stores.pages.current_addresses(host, limit=_MAX_LISTED)]
    occurrences: dict[tuple[ProposalKind, str], list[_Occurrence]] = {}
    end, pages, unread = time.monotonic() + _MAX_S, 0, 0
    for page_id in sample_pages(rows):
        page = stores.pages.get(page_id)
        if page is None or time.monotonic() > end:
            continue
        facts = _facts_of_page(page, stores, readers)
        pages, unread = pages + 1, unread + (facts is None)
        for occurrence in _occurrences(facts or _facts_of_rest(page), page.url):
            occurrences.setdefault((occurrence.fact.kind, occurrence.fact.value), []).append(occurrence)
    return PagesAnswer(_strongest(occurrences.values(), at), pages, unread)


def sample_pages(rows: Sequence[tuple[str, str, str]]) -> list[str]:
    """Return the ids of the pages to read: those about the site by address or title first.

    Args:
        rows: id, address and title of pages.
    """
    about = [page_id for page_id, url, title in rows if is_about_site(url, title)][:_MAX_ABOUT]
    return list(dict.fromkeys([*about, *(page_id for page_id, _, _ in rows)]))[:MAX_PAGES]


def is_about_site(url: str, title: str) -> bool:
    """Return whether a page is about its site, such as a contact page.

    >>> is_about_site("https://a.cn/contact.html", ""), is_about_site("https://a.cn/7", "联系我们的那个人")
    (True, False)
    """
    return bool(_ABOUT_PATH.search(url.partition("://")[2])) or bool(_ABOUT_TITLE.match(title))


def _facts_of_page(page: Page, stores: Stores, readers: Readers) -> PageFacts | None:
    """Return the facts in the stored response of a page; None if it cannot be read."""
    try:
        exchange = read_exchange(page.snapshots[0], stores)
        question = ContactsQuestion(exchange.body, page.url, charset_of(exchange), article=_article(page))
        return readers.ask(question, name=page.url)
    except (IndexError, UnknownRecord, SnapshotDamaged, PageUnreadable):
        return None


def _article(page: Page) -> str:
    """Return the text in which contacts may belong to others; empty for a page about the site."""
    is_text = page.kind in _TEXT_KINDS and not is_about_site(page.url, page.title)
    return page.text if is_text else ""


def _facts_of_rest(page: Page) -> PageFacts:
    """Return the facts in what is stored of a page without its response: its text outside the article."""
    return PageFacts(tuple(distinct(fact for line in page.rest.splitlines() for fact in facts_in(line))), ())


def _occurrences(facts: PageFacts, url: str) -> Iterator[_Occurrence]:
    for is_in_text, group in ((False, facts.around), (True, facts.in_text)):
        yield from (_Occurrence(fact, url, is_in_text) for fact in group)


def _strongest(groups: Iterable[Sequence[_Occurrence]], at: datetime) -> tuple[Proposal, ...]:
    """Return a proposal for each value: outside of texts first, then by words, then by number of pages."""
    ranked: dict[ProposalKind, list[tuple[tuple[bool, int, int], Proposal]]] = {}
    for group in groups:
        best = max(group, key=lambda occurrence: occurrence.rank)
        fact = best.fact
        sourced = Fact("site", fact.kind, fact.value, fact.words)
        proposal = proposal_of("pages", sourced, source=best.url, at=at)
        pages = sum(occurrence.is_in_text == best.is_in_text for occurrence in group)
        counted = replace(proposal, pages=pages, is_in_text=best.is_in_text)
        ranked.setdefault(fact.kind, []).append(((*best.rank, pages), counted))
    return tuple(
        proposal
        for kind in PROPOSAL_KINDS
        for _, proposal in sorted(ranked.get(kind, ()), key=lambda row: row[0], reverse=True)[:_MAX_OF_KIND]
    )
