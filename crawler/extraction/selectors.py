"""Matching of all CSS selectors of a page's style sheets together, visiting each element once. Pure.

A complex selector is a sequence of compound selectors joined by combinators (``div p > .x`` has three
compounds). The selector prefixes that an element completes are the bits of one integer. Shifts derive them
from those of its parent and its previous sibling, so hundreds of selectors cost a few operations for an
element, with any combinators. (As XPath, ``p ~ p ~ p`` takes cubic time.) The time is at most elements ×
selectors / 64, and it is bounded.

A selector that is not supported (``:has()``, ``:focus-within``, more than thirty compounds) does not match.
If it is compiled as ``forgiving``, it matches: for rules that show what other rules hide.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import accumulate
from typing import Any, NamedTuple, TypeAlias

from cssselect import SelectorError
from cssselect import parse as parse_selectors
from cssselect import parser as css

from crawler.extraction.optional_steps import OverBudget
from crawler.extraction.parsing import Element

Specificity: TypeAlias = tuple[int, int, int]

MAX_SELECTOR_CHARS = 400
MAX_COMPOUNDS = 4_000  # maximum number of compounds of all selectors of a page together
_MAX_SELECTOR_COMPOUNDS = 30
_MAX_WORDS = 8_000_000  # maximum number of 64-bit words for all elements: two seconds, and 64 MB
_MAX_TESTS = 1_000_000
_MAX_KNOWN_CHARS = 200  # maximum characters of a class attribute whose names are cached
_STATES = frozenset(("hover", "active", "focus", "visited", "target", "focus-within", "focus-visible"))
_ARGUMENTS = re.compile(r":[\w-]+\([^()]*+\)|\[[^\[\]]*+\]")
_DESCENDANT, _CHILD, _NEXT_SIBLING, _LATER_SIBLING = " ", ">", "+", "~"

# The index of an element among its siblings, from 1; counted from the last if the flag is set.
SiblingIndex: TypeAlias = Callable[[Element, bool], int]
Test: TypeAlias = Callable[[Element, SiblingIndex], bool]


class _NotUnderstood(Exception):
    """A simple selector is not supported."""


@dataclass(frozen=True, slots=True)
class Compound:
    """A compound selector and the combinator before it.

    Attributes:
        combinator: empty for the first compound.
        tag: lower-case name; empty for any.
        names: classes and ids, as :func:`names_of` writes them.
        tests: all other conditions.
    """

    combinator: str
    tag: str
    names: frozenset[str]
    tests: tuple[Test, ...]


@dataclass(frozen=True, slots=True)
class Selector:
    """A complex selector: its specificity, and its compounds from left to right."""

    specificity: Specificity
    compounds: tuple[Compound, ...]


def _spaced(text: str) -> str:
    """Return selectors with a space after each comma; without it, cssselect misreads ``:is(a,.b)``."""
    return text if '"' in text or "'" in text else text.replace(",", ", ")


@lru_cache(maxsize=4096)
def compile_selectors(text: str, *, forgiving: bool = False) -> tuple[Selector, ...]:
    """Return the selectors of a selector list; empty if it is invalid or for a pseudo-element.

    Args:
        text: the selector list.
        forgiving: leave out unsupported parts, so that the selector matches.
    """
    if len(text) > MAX_SELECTOR_CHARS:
        return ()
    try:
        parsed = [selector for selector in parse_selectors(_spaced(text)) if selector.pseudo_element is None]
        compiled = (_selector(selector, forgiving=forgiving) for selector in parsed)
        return tuple(selector for selector in compiled if selector is not None)
    except (SelectorError, RecursionError):
        # browsers accept such arguments, cssselect does not
        simpler = _ARGUMENTS.sub("", text) if forgiving else text
        return () if simpler == text else compile_selectors(simpler, forgiving=True)


def _selector(parsed: css.Selector, *, forgiving: bool) -> Selector | None:
    parts = _parts(parsed.parsed_tree)
    if len(parts) > _MAX_SELECTOR_COMPOUNDS:
        if not forgiving:
            return None
        parts = [("", parts[-1][1])]
    try:
        compounds = tuple(_compound(combinator, tree, forgiving=forgiving) for combinator, tree in parts)
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


def _compound(combinator: str, tree: Any, *, forgiving: bool) -> Compound:
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
                if not forgiving:
                    raise
        tree = tree.selector
    return Compound(combinator, (tree.element or "").lower(), frozenset(names), tuple(tests))


def _test(tree: Any) -> Test:
    """Return the test for a simple selector that is neither tag nor class nor id, if supported."""
    if isinstance(tree, css.Attrib):
        return _attribute_test(tree)
    if isinstance(tree, css.Pseudo) and (tree.ident in _PSEUDO or tree.ident in _STATES):
        return _PSEUDO.get(tree.ident, lambda _element, _index: False)
    if isinstance(tree, css.Function) and tree.name in {"nth-child", "nth-last-child"}:
        return _nth_child_test(tree)
    if isinstance(tree, css.Negation):
        inner = _lone_compound(tree.subselector)
        return lambda element, index: not matches(element, inner, index)
    if isinstance(tree, css.Matching | css.SpecificityAdjustment):
        several = [_lone_compound(selector) for selector in tree.selector_list]
        return lambda element, index: any(matches(element, compound, index) for compound in several)
    raise _NotUnderstood


def _lone_compound(tree: Any) -> Compound:
    if isinstance(tree, css.CombinedSelector):
        raise _NotUnderstood
    return _compound("", tree, forgiving=False)


def _attribute_test(tree: css.Attrib) -> Test:
    name, expected = tree.attrib.lower(), (tree.value.value or "") if tree.value is not None else ""
    compare = _OPERATORS.get(tree.operator)
    if compare is None:
        raise _NotUnderstood

    def test(element: Element, _index: SiblingIndex) -> bool:
        value = element.get(name)
        return value is not None and compare(value, expected)

    return test


def _nth_child_test(tree: css.Function) -> Test:
    try:
        step, first = css.parse_series(tree.arguments)
    except ValueError as error:
        raise _NotUnderstood from error
    is_from_last = tree.name == "nth-last-child"

    def test(element: Element, index: SiblingIndex) -> bool:
        rest = index(element, is_from_last) - first
        return rest == 0 if step == 0 else rest % step == 0 and rest // step >= 0

    return test


_OPERATORS: dict[str, Callable[[str, str], bool]] = {
    "exists": lambda _value, _expected: True,
    "=": lambda value, expected: value == expected,
    "~=": lambda value, expected: expected in value.split(),
    "|=": lambda value, expected: value == expected or value.startswith(f"{expected}-"),
    "^=": lambda value, expected: bool(expected) and value.startswith(expected),
    "$=": lambda value, expected: bool(expected) and value.endswith(expected),
    "*=": lambda value, expected: bool(expected) and expected in value,
}
_PSEUDO: dict[str, Test] = {
    "first-child": lambda element, _index: element.getprevious() is None,
    "last-child": lambda element, _index: element.getnext() is None,
    "only-child": lambda element, _index: element.getparent() is not None and len(element.getparent()) == 1,
    "root": lambda element, _index: element.getparent() is None,
    "empty": lambda element, _index: len(element) == 0 and not element.text,
    "checked": lambda element, _index: element.get("checked") is not None,
    "disabled": lambda element, _index: element.get("disabled") is not None,
    "enabled": lambda element, _index: element.get("disabled") is None,
    "link": lambda element, _index: element.tag == "a" and element.get("href") is not None,
}


def names_of(element: Element) -> tuple[str, ...]:
    """Return an element's classes and id as selectors write them."""
    classes, identifier = element.get("class"), element.get("id")
    names = class_names(classes) if classes else ()
    return (*names, f"#{identifier}") if identifier else names


def class_names(classes: str) -> tuple[str, ...]:
    """Return the distinct names in a ``class`` attribute as selectors write them."""
    split = _split_classes if len(classes) <= _MAX_KNOWN_CHARS else _split_classes.__wrapped__
    return split(classes)


@lru_cache(maxsize=4096)  # cached, because the pages of a site share their classes
def _split_classes(classes: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys([f".{name}" for name in classes.split()]))


def matches(element: Element, compound: Compound, index: SiblingIndex) -> bool:
    """Return whether an element matches a compound, ignoring the combinator."""
    return _matches(element, names_of(element) if compound.names else (), compound, index)


def _matches(element: Element, names: Iterable[str], compound: Compound, index: SiblingIndex) -> bool:
    if compound.tag not in {"", element.tag} or not compound.names.issubset(names):
        return False
    return not compound.tests or all(test(element, index) for test in compound.tests)


class _State(NamedTuple):
    """The prefixes of selectors that an element completes, its ancestors, and its earlier siblings."""

    completed: int
    ancestors: int
    earlier: int


_ROOT = _State(0, 0, 0)  # the state above the root and before the first sibling


@dataclass(slots=True)
class _Bits:
    """The compounds of all selectors as bits of integers.

    Attributes:
        first: compounds that begin a selector.
        after: compounds that follow a combinator.
        keyed: compounds by an id, class or tag that the element must have; empty for any.
        strict: compounds with more conditions than their key.
        tested: strict compounds with other conditions than a tag, classes and ids.
    """

    first: int = 0
    after: dict[str, int] = field(default_factory=lambda: dict.fromkeys((" ", ">", "+", "~"), 0))
    keyed: dict[str, int] = field(default_factory=dict)
    strict: int = 0
    tested: int = 0


class Matcher:
    """Many selectors, matched against the elements of one tree.

    Args:
        selectors: in the order of the cascade; :meth:`numbers` returns their positions.

    Raises:
        OverBudget: there are too many selectors.
    """

    def __init__(self, selectors: Sequence[Selector]) -> None:
        self._compounds = [compound for selector in selectors for compound in selector.compounds]
        if len(self._compounds) > MAX_COMPOUNDS:
            raise OverBudget
        self._bits = _bits(self._compounds)
        ends = list(accumulate(len(selector.compounds) for selector in selectors))
        self._last = {end - 1: number for number, end in enumerate(ends)}
        self._bit_of = [1 << (end - 1) for end in ends]
        self._ends = sum(self._bit_of)
        self._needs_siblings = bool(self._bits.after[_NEXT_SIBLING] | self._bits.after[_LATER_SIBLING])
        self._states: dict[Element, _State] = {}
        self._by_names: dict[tuple[str, tuple[str, ...], int], int] = {}
        self._indices: dict[Element, dict[Element, int]] = {}
        self._words = self._tests = 0

    def mask(self, element: Element) -> int:
        """Return the selectors that match an element, as a mask for :meth:`numbers`; 0 for none.

        Raises:
            OverBudget: matching takes too long.
        """
        return self._state(element).completed & self._ends

    def bit(self, number: int) -> int:
        """Return the bit of a selector by its position."""
        return self._bit_of[number]

    def numbers(self, mask: int) -> list[int]:
        """Return the positions of the selectors in a mask, in order."""
        return [self._last[bit] for bit in _set_bits(mask)]

    def _state(self, element: Element) -> _State:
        """Return an element's state without recursion, because trees are deep."""
        states = self._states
        stack = [] if element in states else [element]
        while stack:
            node = stack[-1]
            parent, previous = node.getparent(), node.getprevious() if self._needs_siblings else None
            if parent is not None and parent not in states:
                stack.append(parent)
            elif previous is not None and previous not in states:
                stack.append(previous)
            else:
                above = _ROOT if parent is None else states[parent]
                before = _ROOT if previous is None else states[previous]
                states[stack.pop()] = self._compute_state(node, above, before)
        return states[element]

    def _compute_state(self, node: Element, above: _State, before: _State) -> _State:
        self._words += len(self._compounds) // 64 + 1
        if self._words > _MAX_WORDS:
            raise OverBudget
        ancestors, earlier = above.ancestors | above.completed, before.earlier | before.completed
        after = self._bits.after
        allowed = self._bits.first
        allowed |= ((ancestors << 1) & after[_DESCENDANT]) | ((above.completed << 1) & after[_CHILD])
        if self._needs_siblings:
            allowed |= ((before.completed << 1) & after[_NEXT_SIBLING]) | (
                (earlier << 1) & after[_LATER_SIBLING]
            )
        return _State(self._matching_compounds(node, allowed), ancestors, earlier)

    def _matching_compounds(self, node: Element, allowed: int) -> int:
        """Return the allowed compounds that match an element; many elements share their names."""
        names, bits = names_of(node), self._bits
        key = (str(node.tag), names, allowed)
        compounds = self._by_names.get(key)
        if compounds is None:
            compounds = bits.keyed.get("", 0) | bits.keyed.get(key[0], 0)
            for name in names:
                compounds |= bits.keyed.get(name, 0)
            compounds &= allowed
            compounds = self._without_failed(node, names, compounds, bits.strict & ~bits.tested)
            self._by_names[key] = compounds
        return self._without_failed(node, names, compounds, bits.tested) if bits.tested else compounds

    def _without_failed(self, node: Element, names: tuple[str, ...], compounds: int, checked: int) -> int:
        """Return the compounds without those of the ``checked`` ones that an element does not match."""
        for bit in _set_bits(compounds & checked):
            self._tests += 1
            if self._tests > _MAX_TESTS:
                raise OverBudget
            if not _matches(node, names, self._compounds[bit], self._sibling_index):
                compounds ^= 1 << bit
        return compounds

    def _sibling_index(self, element: Element, is_from_last: bool) -> int:  # noqa: FBT001 - a SiblingIndex
        parent = element.getparent()
        if parent is None:
            return 1
        if parent not in self._indices:
            self._indices[parent] = {child: number for number, child in enumerate(parent, 1)}
        indices = self._indices[parent]
        return len(indices) + 1 - indices[element] if is_from_last else indices[element]


def _bits(compounds: Iterable[Compound]) -> _Bits:
    bits = _Bits()
    for number, compound in enumerate(compounds):
        bit = 1 << number
        if compound.combinator:
            bits.after[compound.combinator] |= bit
        else:
            bits.first |= bit
        key = min(compound.names, default=compound.tag)  # an id has precedence over a class
        bits.keyed[key] = bits.keyed.get(key, 0) | bit
        if len(compound.names) > 1 or compound.tests or (compound.names and compound.tag):
            bits.strict |= bit
        if compound.tests:
            bits.tested |= bit
    return bits


def _set_bits(mask: int) -> Iterator[int]:
    while mask:
        lowest = mask & -mask
        yield lowest.bit_length() - 1
        mask ^= lowest
