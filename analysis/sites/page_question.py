"""The question for the contacts that a stored page prints; a reader process answers it."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import islice

from analysis.sites.printed import PageLink, PrintedFact, distinct, facts_in, facts_of_link, hidden_address
from crawler.addresses import join_url
from crawler.extraction.nextpage import base_url
from crawler.extraction.parsing import Element, Tree, content_lines, decode_page, label_of, parse

_MAX_LINES = 20_000
_MAX_LINKS = 5_000
_MAX_FACTS = 300
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
        facts = [*_facts_of_lines(lines), *_facts_of_links(tree, self.url)]
        return _separate(facts, "".join(lines), self.article)


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
    return PageFacts(tuple(around[:_MAX_FACTS]), tuple(weak[:_MAX_FACTS]))


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
