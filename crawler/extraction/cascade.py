"""The CSS cascade: what a page's style sheets declare for its elements, as far as that hides text. Pure.

Considered are the rules that could hide an element with text, and the rules that set the same properties of
these elements or of their ancestors. Their selectors are matched all at once
(:mod:`crawler.extraction.selectors`). External sheets are handed in (:mod:`crawler.extraction.stylesheets`).
A sheet is parsed once for all pages that share it, as long as it is among those that were asked for last.

A part of a cascade is worse than none, for one rule may show what another hides. So a page whose sheets
exceed the bounds below gets no styles at all (:class:`crawler.extraction.optional_steps.OverBudget`).
"""

import re
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from operator import attrgetter
from typing import NamedTuple, TypeAlias

from cachetools import LRUCache, cached

from crawler.extraction.nextpage import base_url
from crawler.extraction.optional_steps import OverBudget
from crawler.extraction.parsing import Element, Tree
from crawler.extraction.selectors import Matcher, Selector, compile_selectors, names_of
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

Styles: TypeAlias = Mapping[Element, Style]
Names: TypeAlias = Mapping[str, Sequence[Element]]  # of elements, as selectors write them

MAX_SHEET_CHARS = 2_000_000  # of all sheets of a page
MAX_SELECTORS = 50_000  # of all sheets of a page
_MAX_STEPS = 1_000_000  # of loops that are not linear
_MAX_KEPT_BYTES = 16_000_000  # of parsed sheets that are kept for other pages, in a process
_RULE_BYTES = 600  # of one rule with a style of its own
_MAX_DESCENDANTS = 50  # that are searched for text
_NAMES = re.compile(r"[.#][\w-]+")
# Arguments and attributes: they may hold commas, white space and names that an element need not have.
_ARGUMENTS = re.compile(r"\([^()]*+\)|\[[^\[\]]*+\]")
_SELECTOR = re.compile(r"(?:[^,(\[]++|\([^()]*+\)|\[[^\[\]]*+\]|[(\[])++")
_COMBINATORS = re.compile(r"[\s>+~]+")
_TAG = re.compile(r"[a-z][a-z0-9]*")
_WHITE = "#ffffff"


@dataclass(frozen=True, slots=True)
class SheetStyles:
    """The result of a page's sheets.

    Attributes:
        styles: of the elements that they could hide, and of the ancestors of coloured ones.
        page_background: the page's background colour; empty when it is not known.
    """

    styles: Styles
    page_background: str


NO_SHEETS = SheetStyles({}, "")


class _Rule(NamedTuple):
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
    def keys(self) -> list[str]:
        """Return what the element itself must have: classes and ids, then the tag."""
        subject = self.subject
        tag = _TAG.match(subject)
        return [*_NAMES.findall(subject), *([tag[0]] if tag else [])]


def _without_arguments(selector: str) -> str:
    return _ARGUMENTS.sub("", selector) if "(" in selector or "[" in selector else selector


@dataclass(frozen=True, slots=True)
class _RankedSelector:
    """A compiled selector and its rule; the one of higher rank wins."""

    selector: Selector
    order: int
    rule: _Rule

    @property
    def rank(self) -> tuple[tuple[int, int, int], int]:
        return self.selector.specificity, self.order


@dataclass(frozen=True, slots=True)
class PageRules:
    """The rules of a page's sheets, each with its place.

    Attributes:
        hiding: those that could hide something.
        others: the rest.
        page_background: the page's background colour; empty when it is not known.
    """

    hiding: Sequence[tuple[int, _Rule]]
    others: Sequence[tuple[int, _Rule]]
    page_background: str

    @property
    def subjects(self) -> set[str]:
        """Return the names by which elements are looked up that they could hide."""
        return {rule.name for _, rule in self.hiding}


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
    hiding: list[tuple[int, _Rule]] = []
    others: list[tuple[int, _Rule]] = []
    for order, rule in rules:
        (hiding if rule.may_hide(background) else others).append((order, rule))
    return PageRules(hiding, others, background)


def sheet_styles(tree: Tree, names: Names, rules: PageRules) -> SheetStyles:
    """Return the styles that a page's sheets give to the elements that they could hide.

    Args:
        tree: the page.
        names: classes and ids of its elements; the elements of the rules' subjects.
        rules: of its sheets.

    Raises:
        OverBudget: the sheets exceed the bounds.
    """
    hiding = _ranked_selectors(_rules_for_text(rules.hiding, names))
    affected = _affected_elements(hiding, tree, names)
    if not affected:
        return SheetStyles({}, rules.page_background)
    overlapping = _overlapping(rules.others, hiding, affected, names)
    showing = _ranked_selectors(overlapping, forgiving=True)
    cascade = sorted([*hiding, *showing], key=lambda ranked: ranked.rank)
    return SheetStyles(_cascaded_styles(cascade, affected), rules.page_background)


def _ranked_selectors(
    rules: Iterable[tuple[int, _Rule]], *, forgiving: bool = False
) -> list[_RankedSelector]:
    return [
        _RankedSelector(selector, order, rule)
        for order, rule in rules
        for selector in compile_selectors(rule.selector, forgiving=forgiving)
    ]


def _rules_for_text(rules: Iterable[tuple[int, _Rule]], names: Names) -> Iterator[tuple[int, _Rule]]:
    """Yield the rules that can match an element with text; most that hide are for icons and boxes."""
    has_text: dict[str, bool] = {}
    for order, rule in rules:
        if not rule.is_present(names):
            continue
        name = rule.name
        if name and name not in has_text:
            has_text[name] = any(map(_has_text, names[name]))
        if not name or has_text[name]:
            yield order, rule


def _affected_elements(hiding: Sequence[_RankedSelector], tree: Tree, names: Names) -> set[Element]:
    """Return the elements with text that rules hide, and the ancestors of coloured ones."""
    matcher = Matcher([ranked.selector for ranked in hiding])
    coloured = sum(
        matcher.bit(number) for number, ranked in enumerate(hiding) if "color" in ranked.rule.style
    )
    affected: set[Element] = set()
    ancestors: set[Element] = set()
    for element in _candidates(hiding, tree, names):
        mask = matcher.mask(element)
        if mask and _has_text(element):
            affected.add(element)
            node = element.getparent() if mask & coloured else None
            while node is not None and node not in ancestors:
                ancestors.add(node)
                node = node.getparent()
    return affected | ancestors


def _candidates(hiding: Sequence[_RankedSelector], tree: Tree, names: Names) -> Iterator[Element]:
    """Yield the elements that could match, by class, id or tag of the selectors' subjects."""
    wanted = {next(iter(ranked.rule.keys), "") for ranked in hiding}
    if "" in wanted:
        yield from tree.iter()
        return
    yield from {element for key in wanted for element in names.get(key) or ()}
    tags = [key for key in wanted if key[0] not in ".#"]
    if tags:
        yield from tree.iter(*tags)


def _overlapping(
    others: Iterable[tuple[int, _Rule]],
    hiding: Sequence[_RankedSelector],
    affected: Iterable[Element],
    names: Collection[str],
) -> Iterator[tuple[int, _Rule]]:
    """Yield the rules that set a property of the hiding ones and can match an affected element."""
    element_keys: dict[str, set[frozenset[str]]] = {"": set()}  # key → tag, classes and id of each kind
    for element in affected:
        own = frozenset((str(element.tag), *names_of(element)))
        element_keys[""].add(own)
        for key in own:
            element_keys.setdefault(key, set()).add(own)
    properties = {name for ranked in hiding for name in ranked.rule.style if affects_visibility(name)}
    steps = 0
    for order, rule in others:
        if properties.isdisjoint(rule.style) or not rule.is_present(names):
            continue
        keys = rule.keys
        alike = element_keys.get(keys[0] if keys else "", ())
        steps += len(alike) + 1
        if steps > _MAX_STEPS:
            raise OverBudget
        if any(own.issuperset(keys) for own in alike):
            yield order, rule


def _cascaded_styles(cascade: Sequence[_RankedSelector], elements: Iterable[Element]) -> dict[Element, Style]:
    """Return the style that a cascade gives each element; equal masks share one."""
    matcher = Matcher([ranked.selector for ranked in cascade])
    known: dict[int, Style] = {0: {}}
    styles: dict[Element, Style] = {}
    steps = 0
    for element in elements:
        mask = matcher.mask(element)
        if mask not in known:
            numbers = matcher.numbers(mask)
            steps += len(numbers)
            if steps > _MAX_STEPS:
                raise OverBudget
            known[mask] = {name: value for n in numbers for name, value in cascade[n].rule.style.items()}
        if mask:
            styles[element] = known[mask]
    return styles


def _has_text(element: Element) -> bool:
    """Return whether an element has text; one with many descendants is taken to have some."""
    nodes = list(islice(element.iter(), _MAX_DESCENDANTS))
    texts = (text for node in nodes for text in (node.text, node.tail if node is not element else None))
    return len(nodes) == _MAX_DESCENDANTS or any(text and not text.isspace() for text in texts)


def _sheet_rules(tree: Tree, sheets: Sheets, url: str) -> Iterator[_Rule]:
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
    base = base_url(tree, url)
    for element in tree.iter("style", "link"):
        if not is_for_screens(element.get("media")):
            continue
        if element.tag == "style":
            yield element.text or ""
        elif sheets and (address := linked_sheet(element, base)) in sheets:
            yield sheets[address]


class _ParsedSheet(NamedTuple):
    """A sheet's rules that affect visibility, and what it takes to keep them with its text."""

    rules: tuple[_Rule, ...]
    size: int  # bytes


@cached(LRUCache(_MAX_KEPT_BYTES, getsizeof=attrgetter("size")))
def _parse_sheet(sheet: str) -> _ParsedSheet:
    """Return the rules of a sheet that affect visibility.

    Raises:
        OverBudget: there are too many.
    """
    rules: list[_Rule] = []
    for selectors, body in sheet_rules(sheet) if affects_visibility(sheet) else ():
        style = parse_declarations(body)
        if DECISIVE.isdisjoint(style):
            continue
        if len(rules) + selectors.count(",") > MAX_SELECTORS:
            raise OverBudget
        colour = colour_of(style.get("color"))
        can_hide = hides(style) or colour == "transparent"
        can_hide = can_hide or (colour is not None and colour == background_of(style))
        rules += [_Rule(selector, style, can_hide, colour) for selector in _list_selectors(selectors)]
    return _ParsedSheet(tuple(rules), sys.getsizeof(sheet) + _RULE_BYTES * len(rules))


def _list_selectors(selectors: str) -> Iterable[str]:
    """Return the selectors of a list, each once."""
    return dict.fromkeys(map(str.strip, _SELECTOR.findall(selectors))) if "," in selectors else (selectors,)


def _page_background(tree: Tree, rules: Iterable[_Rule]) -> str:
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
