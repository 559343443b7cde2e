"""Where a source's own settings say that text and fields stand on its pages; they overrule every guess. Pure.

A rule is a CSS selector (``#content``, ``h1::text``, ``meta[name=author]::attr(content)``) or, when it begins
with ``/``, ``./`` or ``(``, an XPath expression.
"""

from collections.abc import Mapping
from dataclasses import fields
from functools import lru_cache
from typing import Any

from cssselect import SelectorError
from parsel.csstranslator import HTMLTranslator

from crawler.extraction.parsing import Element, Tree, XPath, XPathError, is_node, lines_of, take_out, text_of
from storage.errors import PindnaError
from storage.records import SiteRules

_MANY = frozenset({"text", "remove"})
_XPATH_STARTS = ("/", "./", "(")


class BadRules(PindnaError):
    """The rules of a site are wrong. Data: ``name``, ``problem``."""

    template = "Rule {name}: {problem}. Write a CSS selector, or an XPath expression that begins with / or (."


def rules_from(table: Mapping[str, Any]) -> SiteRules:
    """Return the rules of a table of a TOML file.

    Args:
        table: name of a rule → selector; ``text`` and ``remove`` may have several in a list.

    Raises:
        BadRules: there is no such rule, or it is no selector.
    """
    names = {each.name for each in fields(SiteRules)}
    values: dict[str, Any] = {}
    for name, value in table.items():
        if name not in names:
            raise BadRules(name=name, problem=f"there are only {', '.join(sorted(names))}")
        many = value if isinstance(value, list | tuple) else [value]
        if not all(isinstance(each, str) for each in many) or (name not in _MANY and len(many) != 1):
            raise BadRules(name=name, problem="its value is no selector")
        values[name] = tuple(many) if name in _MANY else many[0]
    rules = SiteRules(**values)
    check_rules(rules)
    return rules


def check_rules(rules: SiteRules) -> None:
    """Make sure that every rule can be read.

    Raises:
        BadRules: one cannot.
    """
    for each in fields(SiteRules):
        value = getattr(rules, each.name)
        for selector in value if each.name in _MANY else [value]:
            if selector or each.name in _MANY:
                try:
                    _path(selector)
                except (SelectorError, XPathError) as error:
                    problem = str(error).partition("\n")[0] or "it cannot be read"
                    raise BadRules(name=each.name, problem=problem) from error


def remove(tree: Tree, rules: SiteRules) -> None:
    """Take out of the tree what the rules say is not the article's."""
    for selector in rules.remove:
        for element in _elements(tree, selector):
            if element.getparent() is not None:
                take_out(element)


def text_lines(tree: Tree, rules: SiteRules) -> list[str]:
    """Return the lines of the article as the rules have it; none when they match nothing."""
    lines: list[str] = []
    for selector in rules.text:
        for found in _path(selector)(tree):
            lines += (
                lines_of(found)
                if is_node(found)
                else [line for line in str(found).split("\n") if line.strip()]
            )
    return [" ".join(line.split()) for line in lines]


def field_of(tree: Tree, selector: str) -> str:
    """Return the text of a field, in one line; empty without a rule or a match."""
    if not selector:
        return ""
    first = _first(tree, selector)
    return " ".join((text_of(first) if is_node(first) else str(first)).split())


def target_of(tree: Tree, selector: str) -> str:
    """Return the address that a rule names: a link's target, or the text itself."""
    if not selector:
        return ""
    first = _first(tree, selector)
    return str(first.get("href") or "") if is_node(first) else str(first).strip()


def _first(tree: Tree, selector: str) -> Any:
    """Return what a rule matches first: an element, text or a number; empty text when it matches nothing."""
    found = _path(selector)(tree)
    return next(iter(found), "") if isinstance(found, list) else found


def _elements(tree: Tree, selector: str) -> list[Element]:
    found = _path(selector)(tree)
    return [each for each in found if is_node(each)] if isinstance(found, list) else []


@lru_cache(maxsize=1024)
def _path(selector: str) -> XPath:
    """Return a compiled selector.

    Raises:
        SelectorError, XPathError: it cannot be read.
    """
    text = selector.strip()
    return XPath(text if text.startswith(_XPATH_STARTS) else HTMLTranslator().css_to_xpath(text))
