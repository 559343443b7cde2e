"""The rules of a page's style sheets, as far as they can hide or show something. Pure.

A sheet is parsed once for all pages that share it, as long as it is among those that were asked for last.
External sheets are handed in (:mod:`crawler.extraction.stylesheets`).
"""

import re
import sys
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import NamedTuple

from cachetools import LRUCache, cached

from crawler.extraction.nextpage import base_url
from crawler.extraction.optional_steps import OverBudget
from crawler.extraction.parsing import Tree
from crawler.extraction.selectors import MAX_SELECTOR_CHARS
from crawler.extraction.styles import (
    DECISIVE,
    Style,
    affects_visibility,
    background_of,
    colour_of,
    hides,
    is_for_screens,
    parse_declarations,
    sheet_rules,
)
from crawler.extraction.stylesheets import Sheets, linked_sheet

MAX_SHEET_CHARS = 2_000_000  # of all sheets of a page
MAX_SELECTORS = 50_000  # of all sheets of a page
_MAX_KEPT_BYTES = 16_000_000  # of parsed sheets that are kept for other pages, in a process
_RULE_BYTES = 600  # of one rule with a style of its own
_NAMES = re.compile(r"[.#][\w-]+")
# Arguments and attributes: they may hold commas, white space and names that an element need not have.
_ARGUMENTS = re.compile(r"\([^()]*+\)|\[[^\[\]]*+\]")
_SELECTOR = re.compile(r"(?:[^,(\[]++|\([^()]*+\)|\[[^\[\]]*+\]|[(\[])++")
_COMBINATORS = re.compile(r"[\s>+~]+")
_COMPOUND = re.compile(r"([^\s>+~]+)\s*([>+~]?)")  # with the combinator behind it; none for a descendant
_BESIDE = frozenset("+~")  # what stands beside an element has the same ancestors
_TAG = re.compile(r"[a-z][a-z0-9]*")
_WHITE = "#ffffff"


class Rule(NamedTuple):
    """A rule with one selector; a page has hundreds, so they are tuples.

    Attributes:
        hides: whether it hides elements, whatever the page's background.
        colour: of its text.
    """

    selector: str
    style: Style
    hides: bool
    colour: str | None

    def may_hide(self, page_background: str) -> bool:
        """Return whether the rule alone could hide something; most sheets have thousands that cannot."""
        return self.hides or self.colour == page_background

    def is_present(self, names: Collection[str]) -> bool:
        """Return whether a page has all classes and ids that are in the selector."""
        return all(name in names for name in _NAMES.findall(_without_arguments(self.selector)))

    @property
    def subject(self) -> str:
        """Return the last compound of the selector, which the element itself must match."""
        return _COMBINATORS.split(_without_arguments(self.selector))[-1]

    @property
    def name(self) -> str:
        """Return the first class or id that the element itself must have; empty without any."""
        name = _NAMES.search(self.subject)
        return "" if name is None else name[0]

    @property
    def tag(self) -> str:
        """Return the tag that the element itself must have; empty for any."""
        tag = _TAG.match(self.subject)
        return "" if tag is None else tag[0]

    @property
    def keys(self) -> list[str]:
        """Return what the element itself must have: classes and ids, then the tag."""
        return [*_NAMES.findall(self.subject), *filter(None, (self.tag,))]

    @property
    def container(self) -> str:
        """Return the last class or id that an ancestor of the element must have; empty without any."""
        plain = _without_arguments(self.selector)
        if "(" in plain or "\\" in plain:  # more than what is read here
            return ""
        for compound, combinator in reversed(_COMPOUND.findall(plain)[:-1]):
            if combinator not in _BESIDE and (name := _NAMES.search(compound)):
                return name[0]
        return ""


def _without_arguments(selector: str) -> str:
    return _ARGUMENTS.sub("", selector) if "(" in selector or "[" in selector else selector


@dataclass(frozen=True, slots=True)
class PageRules:
    """The rules of a page's sheets, each with its place.

    Attributes:
        hiding: those that could hide something.
        others: the rest.
        page_background: the page's background colour; empty when it is not known.
    """

    hiding: Sequence[tuple[int, Rule]]
    others: Sequence[tuple[int, Rule]]
    page_background: str

    @property
    def subjects(self) -> set[str]:
        """Return the names of the elements that they could hide, else of what is around these."""
        return {rule.name or rule.container for _, rule in self.hiding}


NO_RULES = PageRules((), (), "")


def page_rules(tree: Tree, sheets: Sheets, url: str) -> PageRules:
    """Return the rules of a page's sheets.

    Args:
        tree: the page.
        sheets: the external sheets that are known.
        url: the page's address.

    Raises:
        OverBudget: the sheets exceed the bounds.
    """
    rules = list(enumerate(_sheet_rules(tree, sheets, url)))
    background = _page_background(tree, (rule for _, rule in rules))
    hiding: list[tuple[int, Rule]] = []
    others: list[tuple[int, Rule]] = []
    for order, rule in rules:
        (hiding if rule.may_hide(background) else others).append((order, rule))
    return PageRules(hiding, others, background)


def _sheet_rules(tree: Tree, sheets: Sheets, url: str) -> Iterator[Rule]:
    """Yield the rules of the page's sheets, in document order.

    Raises:
        OverBudget: there are too many.
    """
    chars = selectors = 0
    for text in _sheet_texts(tree, sheets, url):
        chars += len(text)
        rules = _parse_sheet(text).rules if chars <= MAX_SHEET_CHARS else ()
        selectors += len(rules)
        if chars > MAX_SHEET_CHARS or selectors > MAX_SELECTORS:
            raise OverBudget
        yield from rules


def _sheet_texts(tree: Tree, sheets: Sheets, url: str) -> Iterator[str]:
    base = base_url(tree, url) if sheets else ""
    for element in tree.iter("style", "link"):
        if not is_for_screens(element.get("media")):
            continue
        if element.tag == "style":
            yield element.text or ""
        elif sheets and (address := linked_sheet(element, base)) in sheets:
            yield sheets[address]


class _ParsedSheet(NamedTuple):
    """A sheet's rules that affect visibility, and what it takes to keep them with its text."""

    rules: tuple[Rule, ...]
    size: int  # bytes


@cached(LRUCache(_MAX_KEPT_BYTES, getsizeof=attrgetter("size")))
def _parse_sheet(sheet: str) -> _ParsedSheet:
    """Return the rules of a sheet that affect visibility.

    Raises:
        OverBudget: there are too many.
    """
    rules: list[Rule] = []
    for selectors, body in sheet_rules(sheet) if affects_visibility(sheet) else ():
        style = parse_declarations(body)
        if DECISIVE.isdisjoint(style):
            continue
        if len(rules) + selectors.count(",") > MAX_SELECTORS:
            raise OverBudget
        colour = colour_of(style.get("color"))
        can_hide = hides(style) or colour == "transparent"
        can_hide = can_hide or (colour is not None and colour == background_of(style))
        rules += [Rule(selector, style, can_hide, colour) for selector in _list_selectors(selectors)]
    return _ParsedSheet(tuple(rules), sys.getsizeof(sheet) + _RULE_BYTES * len(rules))


def _list_selectors(selectors: str) -> Iterator[str]:
    """Yield the selectors of a list, each once, without those that are too long to be compiled."""
    parts = dict.fromkeys(map(str.strip, _SELECTOR.findall(selectors))) if "," in selectors else (selectors,)
    yield from (selector for selector in parts if len(selector) <= MAX_SELECTOR_CHARS)


def _page_background(tree: Tree, rules: Iterable[Rule]) -> str:
    """Return the page's background colour: white unless it is set."""
    styles = [rule.style for rule in rules if rule.selector in {"html", "body"}]
    for element in (tree, tree.find("body")):
        if element is not None:
            styles += [
                parse_declarations(element.get("style") or ""),
                {"background": element.get("bgcolor") or ""},
            ]
    colours = [colour for style in styles if (colour := background_of(style)) and colour.startswith("#")]
    return colours[-1] if colours else _WHITE
