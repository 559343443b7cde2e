"""A source's rules for the text and fields of its pages; they precede extraction. Pure.

A rule is a CSS selector (``#content``, ``h1::text``, ``meta[name=author]::attr(content)``) or, if it begins
with ``/``, ``./`` or ``(``, an XPath expression.
"""

from collections.abc import Mapping
from dataclasses import fields
from functools import lru_cache
from typing import Any

from cssselect import SelectorError
from parsel.csstranslator import HTMLTranslator

from crawler.extraction.parsing import (
    Element,
    Tree,
    XPath,
    XPathError,
    is_node,
    lines_of,
    remove_element,
    text_of,
)
from storage.records import SiteRules
from system.errors import PindnaError
from system.messages import N_, Message

_MANY = frozenset({"text", "remove"})
_XPATH_STARTS = ("/", "./", "(")


class BadRules(PindnaError):
    """The rules of a site are wrong.

    Attributes:
        name: name of the rule.
        problem: what is wrong with it.
    """

    template = (
        "Rule {name} is wrong: {problem}. "
        "Write a CSS selector, or an XPath expression that begins with / or (."
    )


def rules_from(table: Mapping[str, Any]) -> SiteRules:
    """Return the rules in a table of a TOML file.

    Args:
        table: name of a rule → selector; ``text`` and ``remove`` accept a list of selectors.

    Raises:
        BadRules: a rule does not exist or is not a selector.
    """
    names = {field.name for field in fields(SiteRules)}
    values: dict[str, Any] = {}
    for name, value in table.items():
        if name not in names:
            rule_names = ", ".join(sorted(names))
            raise BadRules(
                name=name,
                problem=Message(N_("there is no such rule; the rules are {names}"), {"names": rule_names}),
            )
        many = value if isinstance(value, list | tuple) else [value]
        if not all(isinstance(selector, str) for selector in many) or (name not in _MANY and len(many) != 1):
            raise BadRules(name=name, problem=Message(N_("its value is not a selector")))
        values[name] = tuple(many) if name in _MANY else many[0]
    rules = SiteRules(**values)
    check_rules(rules)
    return rules


def check_rules(rules: SiteRules) -> None:
    """Check that every rule is a selector.

    Raises:
        BadRules: a rule is not a selector.
    """
    for field in fields(SiteRules):
        value = getattr(rules, field.name)
        for selector in value if field.name in _MANY else [value]:
            if selector or field.name in _MANY:
                try:
                    _path(selector)
                except (SelectorError, XPathError) as error:
                    detail = str(error).partition("\n")[0] or type(error).__name__
                    problem = Message(N_("the selector cannot be read ({detail})"), {"detail": detail})
                    raise BadRules(name=field.name, problem=problem) from error


def remove(tree: Tree, rules: SiteRules) -> None:
    """Remove the elements that the rules exclude from the tree."""
    for selector in rules.remove:
        for element in _elements(tree, selector):
            if element.getparent() is not None:
                remove_element(element)


def text_lines(tree: Tree, rules: SiteRules) -> list[str]:
    """Return the lines of the article by the rules; empty if they match nothing."""
    lines: list[str] = []
    for selector in rules.text:
        for match in _path(selector)(tree):
            lines += (
                lines_of(match)
                if is_node(match)
                else [line for line in str(match).split("\n") if line.strip()]
            )
    return [" ".join(line.split()) for line in lines]


def field_of(tree: Tree, selector: str) -> str:
    """Return the text of a field in one line; empty without a rule or a match."""
    if not selector:
        return ""
    first = _first(tree, selector)
    return " ".join((text_of(first) if is_node(first) else str(first)).split())


def target_of(tree: Tree, selector: str) -> str:
    """Return the address that a rule selects: a link's target, or the text itself."""
    if not selector:
        return ""
    first = _first(tree, selector)
    return str(first.get("href") or "") if is_node(first) else str(first).strip()


def _first(tree: Tree, selector: str) -> Any:
    """Return a rule's first match: an element, text or a number; empty text without a match."""
    matches = _path(selector)(tree)
    return next(iter(matches), "") if isinstance(matches, list) else matches


def _elements(tree: Tree, selector: str) -> list[Element]:
    matches = _path(selector)(tree)
    return [match for match in matches if is_node(match)] if isinstance(matches, list) else []


@lru_cache(maxsize=1024)
def _path(selector: str) -> XPath:
    text = selector.strip()
    return XPath(text if text.startswith(_XPATH_STARTS) else HTMLTranslator().css_to_xpath(text))
