"""The CSS cascade: which declarations of a page's style sheets hide text. Pure.

It considers the rules that could hide an element with text, and the rules that set the same properties of
these elements or of their ancestors. All selectors are matched together
(:mod:`crawler.extraction.selectors`).

An incomplete cascade is worse than none, because one rule may show what another hides. So if a page's sheets
exceed the bounds (here or in :mod:`crawler.extraction.style_rules`), the page gets no styles at all
(:class:`crawler.extraction.optional_steps.OverBudget`).
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple, TypeAlias

from crawler.extraction.hiding import ESCAPED, INHERITED, PROPERTIES, Way
from crawler.extraction.marked import MarkedElements
from crawler.extraction.optional_steps import OverBudget
from crawler.extraction.parsed_sheets import Rule
from crawler.extraction.parsing import Element, Tree, topmost
from crawler.extraction.selectors import Matcher, Selector, compile_selectors, names_of
from crawler.extraction.style_rules import PageRules
from crawler.extraction.styles import ANIMATION, Style

_MAX_STEPS = 1_000_000  # maximum number of steps in loops that are not linear
_MAX_DESCENDANTS = 50  # maximum number of descendants that are searched for text
_MAX_INSIDE = 20_000  # maximum number of checked elements inside hidden elements
_AROUND: frozenset[Way] = frozenset({"colour", "offset"})  # ways that depend on the surrounding elements


class DeclaredStyle(NamedTuple):
    """The declarations of sheets for an element."""

    style: Style
    important: Style


Styles: TypeAlias = Mapping[Element, DeclaredStyle]
NOTHING_DECLARED = DeclaredStyle({}, {})


@dataclass(frozen=True, slots=True)
class SheetStyles:
    """The styles that result from a page's sheets.

    Attributes:
        styles: of the elements that sheets could hide, and of relevant elements in and around them.
        page_background: the page's background colour; empty if unknown.
    """

    styles: Styles
    page_background: str


NO_SHEETS = SheetStyles({}, "")


class RankedSelector(NamedTuple):
    """A compiled selector and its rule; the higher rank wins."""

    selector: Selector
    order: int
    rule: Rule
    layer: int

    @property
    def rank(self) -> tuple[int, tuple[int, int, int], int]:
        """Return the sort key that decides which of two rules wins."""
        return self.layer, self.selector.specificity, self.order


def sheet_styles(
    tree: Tree,
    marked: MarkedElements,
    rules: PageRules,
    suspects: Mapping[Element, Collection[Way]] | None = None,
) -> SheetStyles:
    """Return the styles of the elements that a page's sheets could hide.

    Args:
        tree: the page.
        marked: its marked elements.
        rules: rules of its sheets.
        suspects: elements that may be hidden otherwise, and in which ways.

    Raises:
        OverBudget: the sheets exceed the bounds.
    """
    suspects = suspects or {}
    for_text = list(_rules_for_text(rules.hiding, marked))
    hiding = ranked_selectors(for_text, rules)
    affected = {**_affected_elements(hiding, tree, marked), **suspects}
    if not affected or not (rules.hiding or rules.non_hiding):
        return SheetStyles({}, rules.page_background)
    ways = {way for several in affected.values() for way in several}
    elements = _with_surroundings(affected)
    properties = {ANIMATION}.union(*(PROPERTIES[way] for way in ways))
    is_for_text = {order for order, _ in for_text}
    other_rules = [*rules.non_hiding, *(pair for pair in rules.hiding if pair[0] not in is_for_text)]
    also = overlapping(other_rules, properties, elements, marked.names)
    showing = ranked_selectors(also, rules, forgiving=True)
    cascade = sorted([*hiding, *showing], key=lambda ranked: ranked.rank)
    return SheetStyles(cascaded_styles(cascade, elements), rules.page_background)


def _with_surroundings(affected: Mapping[Element, Collection[Way]]) -> set[Element]:
    """Return the elements with those around and inside them that may decide whether they are visible."""
    elements = set(affected)
    inside = [
        element for element, ways in affected.items() if not (INHERITED.keys() | ESCAPED).isdisjoint(ways)
    ]
    remaining = _MAX_INSIDE
    for element in topmost(set(inside)):
        descendants = list(islice(element.iterdescendants("*"), remaining))
        remaining -= len(descendants)
        elements.update(descendants)
    around: set[Element] = set()
    for element in [element for element, ways in affected.items() if not _AROUND.isdisjoint(ways)]:
        node = element.getparent()
        while node is not None and node not in around:
            around.add(node)
            node = node.getparent()
    return elements | around


def ranked_selectors(
    numbered: Iterable[tuple[int, Rule]], rules: PageRules, *, forgiving: bool = False
) -> list[RankedSelector]:
    """Return the selectors of rules that can be compiled."""
    return [
        RankedSelector(selector, order, rule, rules.rank(rule))
        for order, rule in numbered
        for selector in compile_selectors(rule.selector, forgiving=forgiving)
    ]


def _rules_for_text(rules: Iterable[tuple[int, Rule]], marked: MarkedElements) -> Iterator[tuple[int, Rule]]:
    """Yield the rules that can match an element with text; most hiding rules are for icons and boxes."""
    has_text: dict[str, bool] = {}
    for order, rule in rules:
        if not rule.is_present(marked.names):
            continue
        name = rule.name
        if name and name not in has_text:
            has_text[name] = any(map(_has_text, marked.named(name)))
        if not name or has_text[name]:
            yield order, rule


def _affected_elements(
    hiding: Sequence[RankedSelector], tree: Tree, marked: MarkedElements
) -> dict[Element, frozenset[Way]]:
    matcher = Matcher([ranked.selector for ranked in hiding])
    coloured = frozenset[Way]({"colour"})
    ways = [ranked.rule.ways | (coloured if ranked.rule.colour else frozenset()) for ranked in hiding]
    by_mask: dict[int, frozenset[Way]] = {}
    affected: dict[Element, frozenset[Way]] = {}
    for element in candidates(hiding, tree, marked):
        mask = matcher.mask(element)
        if mask and _has_text(element):
            if mask not in by_mask:
                by_mask[mask] = frozenset[Way]().union(*(ways[number] for number in matcher.numbers(mask)))
            affected[element] = by_mask[mask]
    return affected


def candidates(hiding: Sequence[RankedSelector], tree: Tree, marked: MarkedElements) -> Iterator[Element]:
    """Yield the elements that could match: those with the class or id of a selector's subject.

    If the subject has neither, elements of its tag are yielded: inside the ancestor that the selector names,
    or on the whole page.
    """
    named, everywhere, inside = set[str](), set[str](), set[str]()
    areas: set[Element] = set()
    for rule in (ranked.rule for ranked in hiding):
        if rule.name:
            named.add(rule.name)
        elif rule.container:
            inside.add(rule.tag or "*")
            areas.update(marked.named(rule.container))
        else:
            everywhere.add(rule.tag or "*")
    yield from {element for name in named for element in marked.named(name)}
    if everywhere:
        yield from tree.iter(*everywhere)
    for area in topmost(areas):
        yield from area.iterdescendants(*inside)


def overlapping(
    rules: Iterable[tuple[int, Rule]],
    properties: Collection[str] | None,
    elements: Iterable[Element],
    names: Collection[str],
) -> Iterator[tuple[int, Rule]]:
    """Yield the rules that set one of the properties (None for any) and can match one of the elements."""
    # key → distinct combinations of tag, classes and id
    element_keys: dict[str, set[frozenset[str]]] = {"": set()}
    for element in elements:
        element_key = frozenset((str(element.tag), *names_of(element)))
        element_keys[""].add(element_key)
        for key in element_key:
            element_keys.setdefault(key, set()).add(element_key)
    required = None if properties is None else set(properties)
    steps = 0
    for order, rule in rules:
        if required is not None and required.isdisjoint(rule.style) and required.isdisjoint(rule.important):
            continue
        if not rule.is_present(names):
            continue
        keys = rule.keys
        alike = element_keys.get(keys[0] if keys else "", ())
        steps += len(alike) + 1
        if steps > _MAX_STEPS:
            raise OverBudget
        if any(element_key.issuperset(keys) for element_key in alike):
            yield order, rule


def cascaded_styles(
    cascade: Sequence[RankedSelector], elements: Iterable[Element]
) -> dict[Element, DeclaredStyle]:
    """Return the declarations of a cascade for each element; equal masks share one result."""
    matcher = Matcher([ranked.selector for ranked in cascade])
    declared_by_mask: dict[int, DeclaredStyle] = {0: NOTHING_DECLARED}
    styles: dict[Element, DeclaredStyle] = {}
    steps = 0
    for element in elements:
        mask = matcher.mask(element)
        if mask not in declared_by_mask:
            numbers = matcher.numbers(mask)
            steps += len(numbers)
            if steps > _MAX_STEPS:
                raise OverBudget
            declared_by_mask[mask] = _declared([cascade[number] for number in numbers])
        if mask:
            styles[element] = declared_by_mask[mask]
    return styles


def _declared(ranked: Sequence[RankedSelector]) -> DeclaredStyle:
    """Return the combined declarations of rules; important declarations of an earlier layer win."""
    style: Style = {}
    important: Style = {}
    for ranked_selector in ranked:
        style.update(ranked_selector.rule.style)
    for ranked_selector in sorted(ranked, key=lambda item: -item.layer):
        important.update(ranked_selector.rule.important)
    return DeclaredStyle(style, important)


def _has_text(element: Element) -> bool:
    """Return whether an element has text; elements with many descendants are assumed to have some."""
    nodes = list(islice(element.iter(), _MAX_DESCENDANTS))
    texts = (text for node in nodes for text in (node.text, node.tail if node is not element else None))
    return len(nodes) == _MAX_DESCENDANTS or any(text and not text.isspace() for text in texts)
