"""The declarations of a page's sheets for the few elements that certain rules match. Pure.

Most pages have no element that such a rule matches. So these elements are searched first, and the cascade is
computed only for them and the elements around them.
"""

from collections.abc import Callable, Collection, Iterable

from crawler.extraction.cascade import (
    DeclaredStyle,
    RankedSelector,
    candidates,
    cascaded_styles,
    overlapping,
    ranked_selectors,
)
from crawler.extraction.marked import MarkedElements
from crawler.extraction.parsed_sheets import Rule
from crawler.extraction.parsing import Element, Tree
from crawler.extraction.selectors import Matcher
from crawler.extraction.style_rules import NumberedRule, PageRules


def generated_styles(
    tree: Tree, marked: MarkedElements, rules: PageRules, adds_text: Callable[[Rule], bool]
) -> dict[str, dict[Element, DeclaredStyle]]:
    """Return the declarations for ``before`` and ``after`` of elements that may have text there.

    Args:
        tree: the page.
        marked: its marked elements.
        rules: rules of its sheets.
        adds_text: returns whether a rule adds text.

    Raises:
        OverBudget: there are too many selectors.
    """
    by_pseudo: dict[str, dict[Element, DeclaredStyle]] = {}
    for pseudo in ("before", "after"):
        numbered = [(order, rule) for order, rule, rule_pseudo in rules.generated if rule_pseudo == pseudo]
        matched = matched_elements([pair for pair in numbered if adds_text(pair[1])], tree, marked, rules)
        by_pseudo[pseudo] = declared_styles(_in_order(tree, matched), numbered, rules, marked.names)
    return by_pseudo


def matched_elements(
    numbered: Iterable[NumberedRule], tree: Tree, marked: MarkedElements, rules: PageRules
) -> set[Element]:
    """Return the elements of a page that at least one of the rules matches.

    Args:
        numbered: the rules.
        tree: the page.
        marked: its marked elements.
        rules: all rules of its sheets.

    Raises:
        OverBudget: there are too many selectors.
    """
    present = (pair for pair in numbered if pair[1].is_odd or pair[1].is_present(marked.names))
    ranked = ranked_selectors(present, rules)
    if not ranked:
        return set()
    matcher = Matcher([item.selector for item in ranked])
    return {element for element in _candidates(ranked, tree, marked) if matcher.mask(element)}


def _candidates(ranked: list[RankedSelector], tree: Tree, marked: MarkedElements) -> Iterable[Element]:
    return tree.iter("*") if any(item.rule.is_odd for item in ranked) else candidates(ranked, tree, marked)


def declared_styles(
    elements: Collection[Element],
    numbered: Collection[NumberedRule],
    rules: PageRules,
    names: Collection[str],
) -> dict[Element, DeclaredStyle]:
    """Return the declarations that the rules make for elements.

    Args:
        elements: elements of the page, in document order.
        numbered: the rules.
        rules: all rules of its sheets.
        names: classes and ids on the page.

    Raises:
        OverBudget: there are too many selectors.
    """
    if not elements:
        return {}
    odd = [pair for pair in numbered if pair[1].is_odd]
    plain = [pair for pair in numbered if not pair[1].is_odd]
    ranked = ranked_selectors([*odd, *overlapping(plain, None, elements, names)], rules)
    ranked.sort(key=lambda item: item.rank)
    return cascaded_styles(ranked, elements) if ranked else {}


def with_ancestors(tree: Tree, elements: Collection[Element]) -> list[Element]:
    """Return the elements and all their ancestors, in document order."""
    collected = set(elements)
    for element in elements:
        node = element.getparent()
        while node is not None and node not in collected:
            collected.add(node)
            node = node.getparent()
    return _in_order(tree, collected)


def _in_order(tree: Tree, elements: Collection[Element]) -> list[Element]:
    return [element for element in tree.iter("*") if element in elements] if elements else []
