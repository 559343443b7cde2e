"""Which selectors of style sheets match an element: all of them at once, each element asked once. Pure.

A selector is a row of compounds (``div p > .x`` has three) with a combinator before each. For an element the
beginnings of selectors that end in it are the bits of one integer; they follow by shifts from those of its
parent and of the sibling before it, so that hundreds of selectors cost a few operations for an element,
whatever their combinators are, and an element is never looked at twice. (Evaluated as XPath, ``p ~ p ~ p``
takes cubic time.) The time is elements × selectors / 64 at the most, and it is bounded.

What is not understood (``:has()``, ``:focus-within``, more than thirty compounds) does not match, unless the
selector is asked to be ``generous``: then it is taken as understood, for rules that show what others hide.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import accumulate
from typing import Any, TypeAlias

from cssselect import SelectorError
from cssselect import parse as parse_selectors
from cssselect import parser as css

from crawler.extraction.parsing import Element
from crawler.extraction.steps import OverBudget

Weight: TypeAlias = tuple[int, int, int]

MAX_SELECTOR_CHARS = 400
MAX_COMPOUNDS = 4_000  # of all selectors of a page together
_MAX_PARTS = 30  # of a selector
_MAX_WORDS = 8_000_000  # of 64 bits, for all elements: two seconds, and 64 MB
_MAX_TESTS = 1_000_000
_NEVER = frozenset(("hover", "active", "focus", "visited", "target", "focus-within", "focus-visible"))
_ARGUMENTS = re.compile(r":[\w-]+\([^()]*+\)|\[[^\[\]]*+\]")
_DESCENDANT, _CHILD, _NEXT, _LATER = " ", ">", "+", "~"

# Numbers an element among its siblings, from 1; from the last one when asked to.
Place: TypeAlias = Callable[[Element, bool], int]
Test: TypeAlias = Callable[[Element, Place], bool]


class _NotUnderstood(Exception):
    """A part of a selector has no test."""


@dataclass(frozen=True, slots=True)
class Compound:
    """What one element must be, and how it stands to the compound before.

    Attributes:
        combinator: before it; empty for the first.
        tag: lower-case name; empty for any.
    """

    combinator: str
    tag: str
    names: frozenset[str]
    tests: tuple[Test, ...]


@dataclass(frozen=True, slots=True)
class Selector:
    """A selector of a sheet: its weight in the cascade, and its compounds from left to right."""

    weight: Weight
    compounds: tuple[Compound, ...]


@lru_cache(maxsize=4096)
def compiled(text: str, *, generous: bool = False) -> tuple[Selector, ...]:
    """Return the selectors in a text; none for one that no browser reads or that depends on the reader.

    Args:
        text: as the sheet has it.
        generous: what is not understood is left out of the selector, and matches.
    """
    if len(text) > MAX_SELECTOR_CHARS:
        return ()
    try:
        parsed = [each for each in parse_selectors(text) if each.pseudo_element is None]
        selectors = (_selector(each, generous=generous) for each in parsed)
        return tuple(each for each in selectors if each is not None)
    except (SelectorError, RecursionError):
        plainer = _ARGUMENTS.sub("", text) if generous else text  # what browsers read and cssselect does not
        return () if plainer == text else compiled(plainer, generous=True)


def _selector(parsed: css.Selector, *, generous: bool) -> Selector | None:
    parts = _parts(parsed.parsed_tree)
    if len(parts) > _MAX_PARTS:
        if not generous:
            return None
        parts = [("", parts[-1][1])]
    try:
        compounds = tuple(_compound(combinator, tree, generous=generous) for combinator, tree in parts)
    except _NotUnderstood:
        return None
    return Selector(parsed.specificity(), compounds)


def _parts(tree: Any) -> list[tuple[str, Any]]:
    """Return (combinator before it, compound) from left to right."""
    parts: list[tuple[str, Any]] = []
    while isinstance(tree, css.CombinedSelector):
        parts.append((tree.combinator, tree.subselector))
        tree = tree.selector
    return [("", tree), *reversed(parts)]


def _compound(combinator: str, tree: Any, *, generous: bool) -> Compound:
    names: set[str] = set()
    tests: list[Test] = []
    while not isinstance(tree, css.Element):
        if isinstance(tree, css.Class):
            names.add(f".{tree.class_name}")
        elif isinstance(tree, css.Hash):
            names.add(f"#{tree.id}")
        else:
            try:
                tests.append(_test(tree))
            except _NotUnderstood:
                if not generous:
                    raise
        tree = tree.selector
    return Compound(combinator, (tree.element or "").lower(), frozenset(names), tuple(tests))


def _test(tree: Any) -> Test:
    """Return the test for what is neither tag nor class nor id.

    Raises:
        _NotUnderstood: there is none.
    """
    if isinstance(tree, css.Attrib):
        return _attribute_test(tree)
    if isinstance(tree, css.Pseudo) and (tree.ident in _PSEUDO or tree.ident in _NEVER):
        return _PSEUDO.get(tree.ident, lambda _element, _place: False)
    if isinstance(tree, css.Function) and tree.name in {"nth-child", "nth-last-child"}:
        return _place_test(tree)
    if isinstance(tree, css.Negation):
        inner = _alone(tree.subselector)
        return lambda element, place: not matches(element, inner, place)
    if isinstance(tree, css.Matching | css.SpecificityAdjustment):
        several = [_alone(each) for each in tree.selector_list]
        return lambda element, place: any(matches(element, each, place) for each in several)
    raise _NotUnderstood


def _alone(tree: Any) -> Compound:
    if isinstance(tree, css.CombinedSelector):
        raise _NotUnderstood
    return _compound("", tree, generous=False)


def _attribute_test(tree: css.Attrib) -> Test:
    name, wanted = tree.attrib.lower(), (tree.value.value or "") if tree.value is not None else ""
    compare = _OPERATORS.get(tree.operator)
    if compare is None:
        raise _NotUnderstood

    def test(element: Element, _place: Place) -> bool:
        value = element.get(name)
        return value is not None and compare(value, wanted)

    return test


def _place_test(tree: css.Function) -> Test:
    try:
        step, first = css.parse_series(tree.arguments)
    except ValueError as error:
        raise _NotUnderstood from error
    is_from_last = tree.name == "nth-last-child"

    def test(element: Element, place: Place) -> bool:
        rest = place(element, is_from_last) - first
        return rest == 0 if step == 0 else rest % step == 0 and rest // step >= 0

    return test


_OPERATORS: dict[str, Callable[[str, str], bool]] = {
    "exists": lambda _value, _wanted: True,
    "=": lambda value, wanted: value == wanted,
    "~=": lambda value, wanted: wanted in value.split(),
    "|=": lambda value, wanted: value == wanted or value.startswith(f"{wanted}-"),
    "^=": lambda value, wanted: bool(wanted) and value.startswith(wanted),
    "$=": lambda value, wanted: bool(wanted) and value.endswith(wanted),
    "*=": lambda value, wanted: bool(wanted) and wanted in value,
}
_PSEUDO: dict[str, Test] = {
    "first-child": lambda element, _place: element.getprevious() is None,
    "last-child": lambda element, _place: element.getnext() is None,
    "only-child": lambda element, _place: element.getparent() is not None and len(element.getparent()) == 1,
    "root": lambda element, _place: element.getparent() is None,
    "empty": lambda element, _place: len(element) == 0 and not element.text,
    "checked": lambda element, _place: element.get("checked") is not None,
    "disabled": lambda element, _place: element.get("disabled") is not None,
    "enabled": lambda element, _place: element.get("disabled") is None,
    "link": lambda element, _place: element.tag == "a" and element.get("href") is not None,
}


def names_of(element: Element) -> Iterator[str]:
    """Yield an element's classes and id as selectors write them; a class may come twice."""
    for name in (element.get("class") or "").split():
        yield f".{name}"
    if own := element.get("id"):
        yield f"#{own}"


def matches(element: Element, compound: Compound, place: Place) -> bool:
    """Return whether an element is what a compound asks for, wherever it stands."""
    return (
        compound.tag in {"", element.tag}
        and compound.names.issubset(names_of(element) if compound.names else ())
        and all(test(element, place) for test in compound.tests)
    )


@dataclass(slots=True)
class _State:
    """What ends in an element: beginnings of selectors, here, above it, and before it among its siblings."""

    own: int
    above: int
    before: int


@dataclass(slots=True)
class _Bits:
    """The compounds of all selectors as bits: those that begin one, that end one, by combinator, by key."""

    first: int = 0
    after: dict[str, int] = field(default_factory=lambda: dict.fromkeys((" ", ">", "+", "~"), 0))
    keyed: dict[str, int] = field(default_factory=dict)  # by class, id or tag; empty for any
    strict: int = 0  # those that ask for more than their key


class Matcher:
    """Many selectors over the elements of one tree.

    Args:
        selectors: in the order of the cascade; their places are the numbers that :meth:`numbers` returns.

    Raises:
        OverBudget: there are too many.
    """

    def __init__(self, selectors: Sequence[Selector]) -> None:
        self._compounds = [each for selector in selectors for each in selector.compounds]
        if len(self._compounds) > MAX_COMPOUNDS:
            raise OverBudget
        self._bits = _bits(self._compounds)
        ends = list(accumulate(len(selector.compounds) for selector in selectors))
        self._last = {end - 1: number for number, end in enumerate(ends)}
        self._bit_of = [1 << (end - 1) for end in ends]
        self._ends = sum(self._bit_of)
        self._needs_siblings = bool(self._bits.after[_NEXT] | self._bits.after[_LATER])
        self._states: dict[Element, _State] = {}
        self._places: dict[Element, dict[Element, int]] = {}
        self._words = self._tests = 0

    def mask(self, element: Element) -> int:
        """Return the selectors that match an element, as bits that :meth:`numbers` tells; 0 for none.

        Raises:
            OverBudget: the page asks for too much.
        """
        return self._state(element).own & self._ends

    def bit(self, number: int) -> int:
        """Return the bit of the selector at a place."""
        return self._bit_of[number]

    def numbers(self, mask: int) -> list[int]:
        """Return the places of the selectors in a mask, in order."""
        return [self._last[bit] for bit in _set_bits(mask)]

    def _state(self, element: Element) -> _State:
        """Return an element's state, from those it depends on; without recursion, for trees are deep."""
        waiting = [element]
        while waiting:
            node = waiting[-1]
            needed = [each for each in self._needed(node) if each not in self._states]
            if needed:
                waiting += needed
            else:
                waiting.pop()
                if node not in self._states:
                    self._states[node] = self._computed(node)
        return self._states[element]

    def _needed(self, node: Element) -> list[Element]:
        needed = (node.getparent(), node.getprevious() if self._needs_siblings else None)
        return [each for each in needed if each is not None]

    def _computed(self, node: Element) -> _State:
        self._words += len(self._compounds) // 64 + 1
        if self._words > _MAX_WORDS:
            raise OverBudget
        parent, previous = node.getparent(), node.getprevious() if self._needs_siblings else None
        over = self._states[parent] if parent is not None else _State(0, 0, 0)
        beside = self._states[previous] if previous is not None else _State(0, 0, 0)
        above, before, after = over.above | over.own, beside.before | beside.own, self._bits.after
        allowed = (
            self._bits.first
            | ((above << 1) & after[_DESCENDANT])
            | ((over.own << 1) & after[_CHILD])
            | ((beside.own << 1) & after[_NEXT])
            | ((before << 1) & after[_LATER])
        )
        return _State(self._passed(node, allowed), above, before)

    def _passed(self, node: Element, allowed: int) -> int:
        """Return those of the allowed compounds that an element is."""
        keyed = self._bits.keyed
        own = keyed.get("", 0) | keyed.get(str(node.tag), 0)
        for name in names_of(node):
            own |= keyed.get(name, 0)
        own &= allowed
        for bit in _set_bits(own & self._bits.strict):
            self._tests += 1
            if self._tests > _MAX_TESTS:
                raise OverBudget
            if not matches(node, self._compounds[bit], self._place):
                own ^= 1 << bit
        return own

    def _place(self, element: Element, is_from_last: bool) -> int:  # noqa: FBT001 - a Place
        parent = element.getparent()
        if parent is None:
            return 1
        if parent not in self._places:
            self._places[parent] = {child: number for number, child in enumerate(parent, 1)}
        places = self._places[parent]
        return len(places) + 1 - places[element] if is_from_last else places[element]


def _bits(compounds: Iterable[Compound]) -> _Bits:
    bits = _Bits()
    for number, each in enumerate(compounds):
        bit = 1 << number
        if each.combinator:
            bits.after[each.combinator] |= bit
        else:
            bits.first |= bit
        key = min(each.names, default=each.tag)  # an id before a class
        bits.keyed[key] = bits.keyed.get(key, 0) | bit
        if len(each.names) > 1 or each.tests or (each.names and each.tag):
            bits.strict |= bit
    return bits


def _set_bits(mask: int) -> Iterator[int]:
    """Yield the numbers of the bits that are set."""
    while mask:
        lowest = mask & -mask
        yield lowest.bit_length() - 1
        mask ^= lowest
