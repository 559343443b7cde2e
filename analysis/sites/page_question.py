"""The question for the contacts that a stored page prints; a reader process answers it."""

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import TypeVar

from analysis.sites.printed import PageLink, PrintedFact, distinct, facts_in, facts_of_link, hidden_address
from crawler.addresses import join_url
from crawler.extraction.nextpage import base_url
from crawler.extraction.parsing import Element, Tree, content_lines, decode_page, label_of, parse

_T = TypeVar("_T")
_MAX_LINES = 200_000
_MAX_LINKS = 5_000
_MAX_READ = 1_500  # facts of lines, and of links
_MAX_OF_KIND = 40
_ONLY_AROUND = frozenset({"name", "address", "form"})  # in an article they belong to others
_HIDDEN_MAIL = "data-cfemail"


@dataclass(frozen=True, slots=True)
class PageFacts:
    """The facts that a page prints.

    Attributes:
        around: outside the article, such as in the footer.
        in_text: only inside the article.
    """

    around: tuple[PrintedFact, ...]
    in_text: tuple[PrintedFact, ...]


@dataclass(frozen=True, slots=True)
class ContactsQuestion:
    """The facts about contacts in a page.

    Attributes:
        article: text of the page's article; empty if the whole page is about the site, as contact pages are.
    """

    data: bytes
    url: str
    declared: str | None = None
    article: str = ""

    def answer(self) -> PageFacts:
        """Return the facts."""
        tree = parse(decode_page(self.data, declared=self.declared).text)
        if tree is None:
            return PageFacts((), ())
        lines = content_lines(tree)[:_MAX_LINES]
        facts = [*_last(_facts_of_lines(lines)), *_last(_facts_of_links(tree, self.url))]
        return _separate(facts, "".join(lines), self.article)


def _last(facts: Iterable[_T]) -> deque[_T]:
    """Return the last facts of a page that has too many, because the footer is at its end."""
    return deque(facts, _MAX_READ)


def _separate(facts: list[tuple[str, PrintedFact]], page: str, article: str) -> PageFacts:
    """Return facts by whether their page repeats them outside its article.

    Args:
        facts: each with its line.
        page: text of the whole page.
        article: text of the article.
    """
    whole, text = _squeezed(page), _squeezed(article)

    def is_inside(line: str) -> bool:
        key = _squeezed(line)
        return key in text and whole.count(key) <= text.count(key)

    around = distinct(fact for line, fact in facts if not text or not is_inside(line))
    names = {(fact.kind, fact.value) for fact in around}
    inside = [fact for _, fact in facts if (fact.kind, fact.value) not in names]
    weak = distinct(replace(fact, weight=0) for fact in inside if fact.kind not in _ONLY_AROUND)
    return PageFacts(_strongest(around), _strongest(weak))


def _strongest(facts: Sequence[PrintedFact]) -> tuple[PrintedFact, ...]:
    """Return the facts of each kind whose words fit a complaint best, up to a limit, in page order."""
    kinds = dict.fromkeys(fact.kind for fact in facts)
    chosen: set[PrintedFact] = set()
    for kind in kinds:
        of_kind = [fact for fact in facts if fact.kind == kind]
        chosen.update(sorted(of_kind, key=lambda fact: -fact.weight)[:_MAX_OF_KIND])
    return tuple(fact for fact in facts if fact in chosen)


def _facts_of_lines(lines: Iterable[str]) -> Iterator[tuple[str, PrintedFact]]:
    for line in lines:
        for fact in facts_in(line):
            yield line, fact


def _facts_of_links(tree: Tree, url: str) -> Iterator[tuple[str, PrintedFact]]:
    base = base_url(tree, url)
    for element in islice(tree.iter("a", "span"), _MAX_LINKS):
        if address := _encoded_address(element):
            yield address, PrintedFact("email", address, f"{label_of(element)} {address}".strip())
        if element.get("href"):
            label = " ".join(label_of(element).split())
            link = PageLink(_absolute(base, element.get("href") or ""), label)
            is_here = link.url.partition("#")[0] == url.partition("#")[0]  # a script opens something
            for fact in () if is_here else facts_of_link(link):
                yield label or link.url, fact


def _encoded_address(element: Element) -> str:
    """Return the mail address that Cloudflare hides from programs in this element; empty: none."""
    code = element.get(_HIDDEN_MAIL) or (element.get("href") or "").partition("email-protection#")[2]
    return hidden_address(code) if code else ""


def _absolute(base: str, target: str) -> str:
    target = target.strip()
    is_other = target[:10].lower().startswith(("mailto:", "tel:", "tencent:"))
    return target if is_other else join_url(base, target)


def _squeezed(text: str) -> str:
    return "".join(text.split())
