"""The CSS cascade: what a page's style sheets declare for its elements, as far as that hides text. Pure.

Considered are the rules that could hide an element with text, and the rules that set the same properties of
these elements or of their ancestors. Their selectors are matched all at once
(:mod:`crawler.extraction.selectors`).

A part of a cascade is worse than none, for one rule may show what another hides. So a page whose sheets
exceed the bounds, of :mod:`crawler.extraction.style_rules` or below, gets no styles at all
(:class:`crawler.extraction.optional_steps.OverBudget`).
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TypeAlias

from crawler.extraction.marked import Marked
from crawler.extraction.optional_steps import OverBudget
from crawler.extraction.parsing import Element, Tree, topmost
from crawler.extraction.selectors import Matcher, Selector, compile_selectors, names_of
from crawler.extraction.style_rules import PageRules, Rule
from crawler.extraction.styles import Style, affects_visibility

Styles: TypeAlias = Mapping[Element, Style]

_MAX_STEPS = 1_000_000  # of loops that are not linear
_MAX_DESCENDANTS = 50  # that are searched for text


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


@dataclass(frozen=True, slots=True)
class _RankedSelector:
    """A compiled selector and its rule; the one of higher rank wins."""

    selector: Selector
    order: int
    rule: Rule

    @property
    def rank(self) -> tuple[tuple[int, int, int], int]:
        return self.selector.specificity, self.order


def sheet_styles(tree: Tree, marked: Marked, rules: PageRules) -> SheetStyles:
    """Return the styles that a page's sheets give to the elements that they could hide.

    Args:
        tree: the page.
        marked: its elements that the rules name.
        rules: of its sheets.

    Raises:
        OverBudget: the sheets exceed the bounds.
    """
    hiding = _ranked_selectors(_rules_for_text(rules.hiding, marked))
    affected = _affected_elements(hiding, tree, marked)
    if not affected:
        return SheetStyles({}, rules.page_background)
    overlapping = _overlapping(rules.others, hiding, affected, marked.names)
    showing = _ranked_selectors(overlapping, forgiving=True)
    cascade = sorted([*hiding, *showing], key=lambda ranked: ranked.rank)
    return SheetStyles(_cascaded_styles(cascade, affected), rules.page_background)


def _ranked_selectors(rules: Iterable[tuple[int, Rule]], *, forgiving: bool = False) -> list[_RankedSelector]:
    return [
        _RankedSelector(selector, order, rule)
        for order, rule in rules
        for selector in compile_selectors(rule.selector, forgiving=forgiving)
    ]


def _rules_for_text(rules: Iterable[tuple[int, Rule]], marked: Marked) -> Iterator[tuple[int, Rule]]:
    """Yield the rules that can match an element with text; most that hide are for icons and boxes."""
    has_text: dict[str, bool] = {}
    for order, rule in rules:
        if not rule.is_present(marked.names):
            continue
        name = rule.name
        if name and name not in has_text:
            has_text[name] = any(map(_has_text, marked.by_name[name]))
        if not name or has_text[name]:
            yield order, rule


def _affected_elements(hiding: Sequence[_RankedSelector], tree: Tree, marked: Marked) -> set[Element]:
    """Return the elements with text that rules hide, and the ancestors of coloured ones."""
    matcher = Matcher([ranked.selector for ranked in hiding])
    coloured = sum(
        matcher.bit(number) for number, ranked in enumerate(hiding) if "color" in ranked.rule.style
    )
    affected: set[Element] = set()
    ancestors: set[Element] = set()
    for element in _candidates(hiding, tree, marked):
        mask = matcher.mask(element)
        if mask and _has_text(element):
            affected.add(element)
            node = element.getparent() if mask & coloured else None
            while node is not None and node not in ancestors:
                ancestors.add(node)
                node = node.getparent()
    return affected | ancestors


def _candidates(hiding: Sequence[_RankedSelector], tree: Tree, marked: Marked) -> Iterator[Element]:
    """Yield the elements that could match: those of the class or id of a selector's subject.

    Without any, those of its tag, in the elements around it that the selector names, else on the whole page.
    """
    named, everywhere, inside = set[str](), set[str](), set[str]()
    areas: set[Element] = set()
    for rule in (ranked.rule for ranked in hiding):
        if rule.name:
            named.add(rule.name)
        elif rule.container:
            inside.add(rule.tag or "*")
            areas.update(marked.by_name[rule.container])
        else:
            everywhere.add(rule.tag or "*")
    yield from {element for name in named for element in marked.by_name[name]}
    if everywhere:
        yield from tree.iter(*everywhere)
    for area in topmost(areas):
        yield from area.iterdescendants(*inside)


def _overlapping(
    others: Iterable[tuple[int, Rule]],
    hiding: Sequence[_RankedSelector],
    affected: Iterable[Element],
    names: Collection[str],
) -> Iterator[tuple[int, Rule]]:
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
