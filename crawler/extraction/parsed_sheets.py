"""Style sheets, parsed once for all pages that share them. Pure.

A page uses few of the rules of its sheets, and reading declarations takes most of the time. So the
declarations of a rule are read for the first page that has the names in its selector.
"""

import re
import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import lru_cache
from operator import attrgetter
from typing import NamedTuple

from cachetools import LRUCache, cached

from crawler.extraction.css_syntax import SheetRule, sheet_rules, split_selectors
from crawler.extraction.css_values import TRANSPARENT
from crawler.extraction.hiding import Way, text_colour, triggers
from crawler.extraction.optional_steps import OverBudget
from crawler.extraction.selectors import MAX_SELECTOR_CHARS
from crawler.extraction.styles import Style, affects_visibility, background_of, parse_style

MAX_SELECTORS = 50_000  # maximum number of selectors in all sheets of a page
_MAX_KEPT_BYTES = 16_000_000  # maximum bytes of parsed sheets that are cached for other pages
_MAX_KEPT_CHARS = 300  # maximum characters of declarations that are cached for other sheets
_RULE_BYTES = 600  # approximate bytes of one rule with its style
_NAMES = re.compile(r"[.#][\w-]+")
# Arguments and attributes. They may contain commas, white space, and names that an element need not
# have.
_ARGUMENTS = re.compile(r"\([^()]*+\)|\[[^\[\]]*+\]")
_COMBINATORS = re.compile(r"[\s>+~]+")
# a compound and the combinator after it (empty for a descendant)
_COMPOUND = re.compile(r"([^\s>+~]+)\s*([>+~]?)")
_BESIDE = frozenset("+~")  # combinators between siblings, which have the same ancestors
_TAG = re.compile(r"[a-z][\w-]*")
_PSEUDO_ELEMENT = re.compile(r"::?(before|after)$", re.IGNORECASE)
_PSEUDO_CHARS = len("::before")


class Rule(NamedTuple):
    """A rule with one selector. A named tuple, because a page has hundreds of rules.

    Attributes:
        style: its normal declarations.
        important: its important declarations.
        ways: the ways in which it could hide elements, alone or with others, on any background.
        colour: its text colour.
        layer: name of its cascade layer; empty outside layers.
        pseudo: ``before`` or ``after`` of the selected element; empty for the element itself.
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
        """Return its normal and its important declarations."""
        return self.style, self.important

    @property
    def properties(self) -> set[str]:
        """Return the properties that it sets."""
        return {*self.style, *self.important}

    def is_present(self, names: Collection[str]) -> bool:
        """Return whether a page has all classes and ids of the selector."""
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
        """Return the classes and ids, then the tag, that the element itself must have."""
        return _read_selector(self.selector).keys

    @property
    def is_odd(self) -> bool:
        """Return whether the selector has more than is parsed here: escapes, nested brackets."""
        return _read_selector(self.selector).is_odd

    @property
    def container(self) -> str:
        """Return the last class or id that an ancestor of the element must have; empty without any."""
        return _read_selector(self.selector).container


class _ReadSelector(NamedTuple):
    """The parts of a selector that :class:`Rule` exposes."""

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
    subject_names = _NAMES.findall(subject)
    tag = _TAG.match(subject)
    tag_name = "" if tag is None else tag[0]
    is_odd = _is_odd(selector, plain)
    return _ReadSelector(
        names=frozenset(_NAMES.findall(plain)),
        keys=(*subject_names, *filter(None, (tag_name,))),
        name=subject_names[0] if subject_names else "",
        tag=tag_name,
        container="" if is_odd else _container(plain),
        is_odd=is_odd,
    )


def _is_odd(selector: str, plain: str) -> bool:
    return "\\" in selector or "(" in plain


def _container(plain: str) -> str:
    for compound, combinator in reversed(_COMPOUND.findall(plain)[:-1]):
        if combinator not in _BESIDE and (name := _NAMES.search(compound)):
            return name[0]
    return ""


def _without_arguments(selector: str) -> str:
    return _ARGUMENTS.sub("", selector) if "(" in selector or "[" in selector else selector


@dataclass(slots=True)
class StoredRule:
    """A rule of a sheet with one selector; its declarations are read for the first page that needs them.

    Attributes:
        selector: without its pseudo-element; for a frame of an animation, ``@keyframes`` and its name.
        pseudo: ``before`` or ``after``; empty for the element itself.
        names: classes and ids that a page must have.
        is_odd: the selector may also match on pages that do not seem to have these names.
    """

    selector: str
    pseudo: str
    names: frozenset[str]
    is_odd: bool
    _sheet_rule: SheetRule
    _rule: Rule | None = None
    _is_read: bool = False

    @property
    def layer(self) -> str:
        """Return the name of its cascade layer; empty outside layers."""
        return self._sheet_rule.layer

    @property
    def keyframes(self) -> str:
        """Return the name of its animation; empty for a rule."""
        return self._sheet_rule.keyframes

    def rule(self) -> Rule | None:
        """Return the rule; None if it does not affect visibility, or hides something in doubt."""
        if not self._is_read:
            self._rule, self._is_read = self._read(), True
        return self._rule

    def _read(self) -> Rule | None:
        body, layer, is_certain = self._sheet_rule.body, self._sheet_rule.layer, self._sheet_rule.is_certain
        read = _read_body if len(body) <= _MAX_KEPT_CHARS else _read_body.__wrapped__
        style, important, ways, colour = read(body)
        if not (style or important) or (not is_certain and (ways or colour is not None)):
            return None
        return Rule(self.selector, style, important, ways, colour, layer, self.pseudo)


class ParsedSheet(NamedTuple):
    """A sheet's rules, and the memory that they need.

    Attributes:
        rules: in order, one selector each.
        layers: names of its cascade layers, in order.
        size: in bytes.
        anywhere: numbers of the rules that need no class or id on the page, as far as known.
        by_name: a class or id → numbers of the rules that need it.
    """

    rules: Sequence[StoredRule]
    layers: Sequence[str]
    size: int
    anywhere: Sequence[int]
    by_name: Mapping[str, Sequence[int]]

    def numbers_for(self, names: AbstractSet[str]) -> list[int]:
        """Return the numbers of the rules for a page with some classes and ids, in order."""
        numbers = list(self.anywhere)
        for name in self.by_name.keys() & names:
            numbers += (number for number in self.by_name[name] if self.rules[number].names <= names)
        return sorted(numbers)


@cached(LRUCache(_MAX_KEPT_BYTES, getsizeof=attrgetter("size")))
def parse_sheet(sheet: str) -> ParsedSheet:
    """Return the rules of a sheet that may affect visibility.

    Raises:
        OverBudget: there are too many rules.
    """
    rules: list[StoredRule] = []
    layers: dict[str, None] = {}
    for sheet_rule in sheet_rules(sheet) if affects_visibility(sheet) else ():
        if sheet_rule.layer:
            layers[sheet_rule.layer] = None
        if sheet_rule.keyframes:
            rules.append(
                StoredRule(sheet_rule.selectors, "", frozenset(), is_odd=False, _sheet_rule=sheet_rule)
            )
        elif sheet_rule.body:
            rules += _stored_rules(sheet_rule)
        if len(rules) > MAX_SELECTORS:
            raise OverBudget
    size = 2 * sys.getsizeof(sheet) + _RULE_BYTES * len(rules)
    anywhere: list[int] = []
    by_name: dict[str, list[int]] = {}
    for number, rule in enumerate(rules):
        if rule.is_odd or not rule.names:
            anywhere.append(number)
        else:
            by_name.setdefault(max(rule.names, key=len), []).append(number)
    return ParsedSheet(tuple(rules), tuple(layers), size, anywhere, by_name)


def _stored_rules(sheet_rule: SheetRule) -> Iterator[StoredRule]:
    for selector in _list_selectors(sheet_rule.selectors):
        bare, pseudo = _split_pseudo(selector)
        plain = _without_arguments(bare)
        yield StoredRule(bare, pseudo, frozenset(_NAMES.findall(plain)), _is_odd(bare, plain), sheet_rule)


@lru_cache(maxsize=8192)  # cached, because sheets share many declarations
def _read_body(body: str) -> tuple[Style, Style, frozenset[Way], str | None]:
    """Return the normal and important declarations, the ways in which they may hide, and the text colour."""
    style, important = parse_style(body) if affects_visibility(body) else ({}, {})
    declared = {**style, **important}
    ways, colour = triggers(declared) if declared else frozenset[Way](), text_colour(declared)
    if colour is not None and colour == background_of(declared):
        ways |= {"colour"}
    return style, important, ways, colour


def _split_pseudo(selector: str) -> tuple[str, str]:
    """Return a selector without its pseudo-element, and the name of that one, empty without any."""
    if ":" not in selector:
        return selector, ""
    pseudo = _PSEUDO_ELEMENT.search(selector, max(0, len(selector) - _PSEUDO_CHARS))
    return (selector, "") if pseudo is None else (selector[: pseudo.start()] or "*", pseudo[1].lower())


def _list_selectors(selectors: str) -> Iterator[str]:
    """Yield the distinct selectors of a list, except those that are too long to compile."""
    plain = " ".join(selectors.split())
    parts = [plain] if "," not in plain else dict.fromkeys(map(str.strip, split_selectors(plain)))
    yield from (selector for selector in parts if selector and len(selector) <= MAX_SELECTOR_CHARS)
