"""The rules of a page's style sheets, as far as they can hide or show something. Pure.

A sheet is parsed once for all pages that share it, as long as it is among those that were asked for last.
External sheets are handed in (:mod:`crawler.extraction.stylesheets`).
"""

import re
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from operator import attrgetter
from typing import NamedTuple, TypeAlias

from cachetools import LRUCache, cached

from crawler.extraction.css_syntax import sheet_rules, split_selectors
from crawler.extraction.css_values import TRANSPARENT, UNKNOWN
from crawler.extraction.css_variables import variables_of, with_values
from crawler.extraction.hiding import Way, text_colour, triggers
from crawler.extraction.nextpage import base_url
from crawler.extraction.optional_steps import OverBudget
from crawler.extraction.parsing import Tree
from crawler.extraction.selectors import MAX_SELECTOR_CHARS
from crawler.extraction.styles import (
    Style,
    affects_visibility,
    background_of,
    is_for_screens,
    parse_declarations,
    parse_style,
)
from crawler.extraction.stylesheets import Sheets, linked_sheet

MAX_SHEET_CHARS = 2_000_000  # of all sheets of a page
MAX_SELECTORS = 50_000  # of all sheets of a page
_MAX_KEPT_BYTES = 16_000_000  # of parsed sheets that are kept for other pages, in a process
_MAX_KEPT_CHARS = 300  # of declarations that are kept for other sheets
_RULE_BYTES = 600  # of one rule with a style of its own
_NAMES = re.compile(r"[.#][\w-]+")
# Arguments and attributes: they may hold commas, white space and names that an element need not have.
_ARGUMENTS = re.compile(r"\([^()]*+\)|\[[^\[\]]*+\]")
_COMBINATORS = re.compile(r"[\s>+~]+")
_COMPOUND = re.compile(r"([^\s>+~]+)\s*([>+~]?)")  # with the combinator behind it; none for a descendant
_BESIDE = frozenset("+~")  # what stands beside an element has the same ancestors
_TAG = re.compile(r"[a-z][a-z0-9]*")
_WHITE = "#ffffff"
_ROOTS = frozenset({"html", "body", ":root"})
_PSEUDO_ELEMENT = re.compile(r"::?(before|after)\s*$", re.IGNORECASE)
_UNLAYERED = 1_000_000  # rank of rules outside of all layers


class Rule(NamedTuple):
    """A rule with one selector; a page has hundreds, so they are tuples.

    Attributes:
        style: its declarations.
        important: those of them that are important; they are not in ``style``.
        ways: in which it could hide elements, alone or with others, whatever the page's background.
        colour: of its text.
        layer: name of its cascade layer; empty outside of any.
        pseudo: ``before`` or ``after`` of the element that the selector names; empty for the element itself.
    """

    selector: str
    style: Style
    important: Style
    ways: frozenset[Way]
    colour: str | None
    layer: str = ""
    pseudo: str = ""

    def may_hide(self, page_background: str) -> bool:
        """Return whether the rule could hide something; most sheets have thousands that cannot."""
        return bool(self.ways) or (self.colour is not None and self.colour in {page_background, TRANSPARENT})

    @property
    def styles(self) -> tuple[Style, Style]:
        """Return its declarations, the important ones apart."""
        return self.style, self.important

    @property
    def properties(self) -> set[str]:
        """Return the properties that it sets."""
        return {*self.style, *self.important}

    def is_present(self, names: Collection[str]) -> bool:
        """Return whether a page has all classes and ids that are in the selector."""
        return _read_selector(self.selector).names.issubset(names)

    @property
    def name(self) -> str:
        """Return the first class or id that the element itself must have; empty without any."""
        return _read_selector(self.selector).name

    @property
    def tag(self) -> str:
        """Return the tag that the element itself must have; empty for any."""
        return _read_selector(self.selector).tag

    @property
    def keys(self) -> tuple[str, ...]:
        """Return what the element itself must have: classes and ids, then the tag."""
        return _read_selector(self.selector).keys

    @property
    def is_odd(self) -> bool:
        """Return whether the selector holds more than what is read here: escapes, brackets in brackets."""
        return _read_selector(self.selector).is_odd

    @property
    def container(self) -> str:
        """Return the last class or id that an ancestor of the element must have; empty without any."""
        return _read_selector(self.selector).container


class _ReadSelector(NamedTuple):
    """What :class:`Rule` says of its selector."""

    names: frozenset[str]
    keys: tuple[str, ...]
    name: str
    tag: str
    container: str
    is_odd: bool


@lru_cache(maxsize=20_000)
def _read_selector(selector: str) -> _ReadSelector:
    plain = _without_arguments(selector)
    subject = _COMBINATORS.split(plain)[-1]
    own = _NAMES.findall(subject)
    tag = _TAG.match(subject)
    tag_name = "" if tag is None else tag[0]
    is_odd = "\\" in selector or "(" in plain
    return _ReadSelector(
        names=frozenset(_NAMES.findall(plain)),
        keys=(*own, *filter(None, (tag_name,))),
        name=own[0] if own else "",
        tag=tag_name,
        container="" if is_odd else _container(plain),
        is_odd=is_odd,
    )


def _container(plain: str) -> str:
    for compound, combinator in reversed(_COMPOUND.findall(plain)[:-1]):
        if combinator not in _BESIDE and (name := _NAMES.search(compound)):
            return name[0]
    return ""


def _without_arguments(selector: str) -> str:
    return _ARGUMENTS.sub("", selector) if "(" in selector or "[" in selector else selector


NumberedRule: TypeAlias = tuple[int, Rule]  # with its place among the rules of the page


@dataclass(frozen=True, slots=True)
class PageRules:
    """The rules of a page's sheets, each with its place.

    Attributes:
        hiding: those that could hide something.
        others: the rest.
        generated: those of pseudo-elements, with the selector of their element, and ``before`` or ``after``.
        page_background: the page's background colour; empty when it is not known.
        frames: name of an animation → the declarations of its frames.
        layers: name of a cascade layer → its rank.
        variables: the page's custom properties, as far as they are certain.
        all_known: no sheet of the page is missing.
    """

    hiding: Sequence[tuple[int, Rule]]
    others: Sequence[tuple[int, Rule]]
    page_background: str
    generated: Sequence[tuple[int, Rule, str]] = ()
    frames: Mapping[str, Sequence[Style]] = field(default_factory=dict)
    layers: Mapping[str, int] = field(default_factory=dict)
    variables: Mapping[str, str] = field(default_factory=dict)
    all_known: bool = True

    @property
    def subjects(self) -> set[str]:
        """Return the names of the elements that they could hide, else of what is around these."""
        return {rule.name or rule.container for _, rule in self.hiding}

    def rank(self, rule: Rule) -> int:
        """Return the rank of a rule's layer; of important declarations the lowest counts."""
        return self.layers.get(rule.layer, _UNLAYERED)


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
    texts, all_known = _sheet_texts(tree, sheets, url)
    variables = variables_of(texts)
    if variables or any("var(" in text for text in texts):
        variables = variables_of([*texts, *_styles_with_variables(tree)])
    rules: list[tuple[int, Rule]] = []
    generated: list[tuple[int, Rule, str]] = []
    frames: dict[str, list[Style]] = {}
    layers: dict[str, int] = {}
    for order, rule in enumerate(_sheet_rules([with_values(text, variables) for text in texts])):
        if rule.layer:
            layers.setdefault(rule.layer, len(layers))
        if rule.selector.startswith("@"):
            frames.setdefault(rule.selector.partition(" ")[2], []).append({**rule.style, **rule.important})
        elif rule.pseudo:
            generated.append((order, rule, rule.pseudo))
        else:
            rules.append((order, rule))
    background = _page_background(tree, (rule for _, rule in rules))
    hiding: list[tuple[int, Rule]] = []
    others: list[tuple[int, Rule]] = []
    for pair in rules:
        (hiding if pair[1].may_hide(background) else others).append(pair)
    return PageRules(hiding, others, background, generated, frames, layers, variables, all_known)


def _styles_with_variables(tree: Tree) -> Iterator[str]:
    for element in tree.iter("*"):
        style = element.get("style")
        if style and "--" in style:
            yield style


def _sheet_rules(texts: Iterable[str]) -> Iterator[Rule]:
    """Yield the rules of the page's sheets, in document order.

    Raises:
        OverBudget: there are too many.
    """
    chars = selectors = 0
    for text in texts:
        chars += len(text)
        rules = _parse_sheet(text).rules if chars <= MAX_SHEET_CHARS else ()
        selectors += len(rules)
        if chars > MAX_SHEET_CHARS or selectors > MAX_SELECTORS:
            raise OverBudget
        yield from rules


def _sheet_texts(tree: Tree, sheets: Sheets, url: str) -> tuple[list[str], bool]:
    """Return the sheets of a page in document order, and whether none is missing."""
    base = base_url(tree, url)
    texts: list[str] = []
    all_known = True
    for element in tree.iter("style", "link"):
        if not is_for_screens(element.get("media")):
            continue
        if element.tag == "style":
            texts.append(element.text or "")
        elif address := linked_sheet(element, base):
            if address in sheets:
                texts.append(sheets[address])
            else:
                all_known = False
    return texts, all_known


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
    for found in sheet_rules(sheet) if affects_visibility(sheet) else ():
        if found.selectors == "@layer":
            rules.append(Rule("@layer", {}, {}, frozenset(), None, found.layer))
            continue
        read = _read_body if len(found.body) <= _MAX_KEPT_CHARS else _read_body.__wrapped__
        style, important, ways, colour = read(found.body)
        if not style and not important:
            continue
        if len(rules) + found.selectors.count(",") > MAX_SELECTORS:
            raise OverBudget
        if not found.is_certain and (ways or colour is not None):
            continue  # in doubt it hides nothing
        selectors = [found.selectors] if found.keyframes else _list_selectors(found.selectors)
        for selector in selectors:
            bare, pseudo = (selector, "") if found.keyframes else _split_pseudo(selector)
            rules.append(Rule(bare, style, important, ways, colour, found.layer, pseudo))
    return _ParsedSheet(tuple(rules), sys.getsizeof(sheet) + _RULE_BYTES * len(rules))


@lru_cache(maxsize=8192)  # sheets share many of them
def _read_body(body: str) -> tuple[Style, Style, frozenset[Way], str | None]:
    """Return declarations, the important ones apart, in which ways they may hide, and the text's colour."""
    style, important = parse_style(body) if affects_visibility(body) else ({}, {})
    declared = {**style, **important}
    ways, colour = triggers(declared) if declared else frozenset[Way](), text_colour(declared)
    if colour is not None and colour == background_of(declared):
        ways |= {"colour"}
    return style, important, ways, colour


def _split_pseudo(selector: str) -> tuple[str, str]:
    """Return a selector without its pseudo-element, and which one that is; empty without any."""
    pseudo = _PSEUDO_ELEMENT.search(selector) if ":" in selector else None
    return (selector, "") if pseudo is None else (selector[: pseudo.start()] or "*", pseudo[1].lower())


def _list_selectors(selectors: str) -> Iterator[str]:
    """Yield the selectors of a list, each once, without those that are too long to be compiled."""
    parts = dict.fromkeys(" ".join(part.split()) for part in split_selectors(selectors))
    yield from (selector for selector in parts if selector and len(selector) <= MAX_SELECTOR_CHARS)


def _page_background(tree: Tree, rules: Iterable[Rule]) -> str:
    """Return the page's background colour, white unless it is set; empty where it is a picture."""
    own = [rule for rule in rules if rule.selector in _ROOTS]
    styles = [rule.style for rule in own]
    for element in (tree, tree.find("body")):
        if element is not None:
            styles += [
                parse_declarations(element.get("style") or ""),
                {"background-color": (element.get("bgcolor") or "").lower()},
            ]
            if element.get("background"):
                return ""
    styles += [rule.important for rule in own]
    colours = [colour for style in styles if (colour := background_of(style))]
    colour = colours[-1] if colours else _WHITE
    return "" if colour == UNKNOWN or UNKNOWN in colours else colour
