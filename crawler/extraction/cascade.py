"""What the sheets of a page say about its elements, where that decides whether they are seen. Pure.

Of all rules only those count that could hide something, on elements with text, and those that speak of the
same elements or of what these stand on. Their selectors are matched all at once
(:mod:`crawler.extraction.selectors`). Sheets in files of their own are given by whoever fetched them
(:mod:`crawler.extraction.stylesheets`); a sheet is cut into rules once for all pages that share it.

Half a cascade is worse than none, for what one rule hides the next may show. So where there is more than the
bounds below allow, nothing is known at all (:class:`crawler.extraction.steps.OverBudget`).
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import TypeAlias

from crawler.extraction.nextpage import base_url
from crawler.extraction.parsing import Element, Tree
from crawler.extraction.selectors import Matcher, Selector, compiled, names_of
from crawler.extraction.steps import OverBudget
from crawler.extraction.styles import (
    Style,
    colour_of,
    declarations,
    ground_of,
    hides,
    says_what_is_seen,
    sheet_rules,
)
from crawler.extraction.stylesheets import Sheets, is_for_screens, linked_sheet

Styles: TypeAlias = Mapping[Element, Style]

MAX_SHEET_CHARS = 2_000_000  # of all sheets of a page
MAX_SELECTORS = 50_000  # the same
_MAX_STEPS = 1_000_000  # of what is not linear by itself
_KEPT_SHEETS = 16  # in rules …
_MAX_KEPT_CHARS = 100_000  # … of so many characters, which are 10 MB at most
_MAX_LOOKED_AT = 50  # elements in one that may be empty
_NAMES = re.compile(r"[.#][\w-]+")
# What may hold commas, white space and names that an element need not have.
_INNER = re.compile(r"\([^()]*+\)|\[[^\[\]]*+\]")
_LISTED = re.compile(r"(?:[^,(\[]++|\([^()]*+\)|\[[^\[\]]*+\]|[(\[])++")
_PARTS = re.compile(r"[\s>+~]+")
_TAG = re.compile(r"[a-z][a-z0-9]*")
_WHITE = "#ffffff"


@dataclass(frozen=True, slots=True)
class Ruled:
    """What sheets say.

    Attributes:
        styles: of elements that they could hide, and of what these stand on.
        paper: colour of the page behind the text; empty when it is not known.
    """

    styles: Styles
    paper: str


NO_SHEETS = Ruled({}, "")


@dataclass(frozen=True, slots=True)
class _Said:
    """One selector of a rule, as a sheet has it.

    Attributes:
        names: the classes and ids that it asks for.
        hides: it could hide something, whatever the colour of the page …
        colour: … and this is the colour of its type.
    """

    selector: str
    style: Style
    names: frozenset[str]
    hides: bool
    colour: str | None

    def may_hide(self, paper: str) -> bool:
        """Return whether a rule alone could hide something; most sheets hold thousands that cannot."""
        return self.hides or self.colour == paper

    @property
    def last(self) -> str:
        """Return the part of the selector that the element itself must match."""
        return _PARTS.split(_INNER.sub("", self.selector))[-1]

    @property
    def keys(self) -> list[str]:
        """Return what the element itself must have: classes and ids, and the tag behind them."""
        tag = _TAG.match(self.last)
        return [*_NAMES.findall(self.last), *([tag[0]] if tag else [])]


@dataclass(frozen=True, slots=True)
class _Placed:
    """A selector and its rule, in the order of the cascade: the heavier counts, the later of two equals."""

    selector: Selector
    order: int
    said: _Said

    @property
    def rank(self) -> tuple[tuple[int, int, int], int]:
        return self.selector.weight, self.order


def sheet_styles(tree: Tree, sheets: Sheets, url: str) -> Ruled:
    """Return what the sheets of a page say about elements that they could hide.

    Args:
        tree: the page.
        sheets: what is known of the sheets that it links to.
        url: its address.

    Raises:
        OverBudget: there is more in them than a page is worth.
    """
    said = list(_said(tree, sheets, url))
    paper = _paper(tree, said)
    if not any(each.may_hide(paper) for each in said):
        return Ruled({}, paper)
    names = _index(tree)
    present = [(order, each) for order, each in enumerate(said) if names.keys() >= each.names]
    hiding = _placed(_concerning(((n, each) for n, each in present if each.may_hide(paper)), names))
    concerned = _concerned(hiding, tree, names)
    if not concerned:
        return Ruled({}, paper)
    others = [(order, each) for order, each in present if not each.may_hide(paper)]
    showing = _placed(_overlapping(others, hiding, concerned), generous=True)
    return Ruled(_merged(sorted([*hiding, *showing], key=lambda each: each.rank), concerned), paper)


def _placed(said: Iterable[tuple[int, _Said]], *, generous: bool = False) -> list[_Placed]:
    return [
        _Placed(selector, order, each)
        for order, each in said
        for selector in compiled(each.selector, generous=generous)
    ]


def _concerning(
    said: Iterable[tuple[int, _Said]], names: Mapping[str, list[Element]]
) -> Iterator[tuple[int, _Said]]:
    """Yield the rules that can match an element with text; most that hide are for icons and boxes."""
    known: dict[str, bool] = {}
    for order, each in said:
        last = _NAMES.findall(each.last)
        if last and last[0] not in known:
            known[last[0]] = any(map(_has_text, names[last[0]]))
        if not last or known[last[0]]:
            yield order, each


def _concerned(hiding: Sequence[_Placed], tree: Tree, names: Mapping[str, list[Element]]) -> set[Element]:
    """Return the elements with text that rules hide, and what coloured ones stand on."""
    matcher = Matcher([each.selector for each in hiding])
    coloured = sum(matcher.bit(number) for number, each in enumerate(hiding) if "color" in each.said.style)
    concerned: set[Element] = set()
    grounds: set[Element] = set()
    for element in _candidates(hiding, tree, names):
        mask = matcher.mask(element)
        if mask and _has_text(element):
            concerned.add(element)
            node = element.getparent() if mask & coloured else None
            while node is not None and node not in grounds:
                grounds.add(node)
                node = node.getparent()
    return concerned | grounds


def _candidates(
    hiding: Sequence[_Placed], tree: Tree, names: Mapping[str, list[Element]]
) -> Iterator[Element]:
    """Yield the elements that could match, by the class, id or tag that the selectors end in."""
    wanted = {next(iter(each.said.keys), "") for each in hiding}
    if "" in wanted:
        yield from tree.iter()
        return
    yield from {element for key in wanted for element in names.get(key) or ()}
    tags = [key for key in wanted if key[0] not in ".#"]
    if tags:
        yield from tree.iter(*tags)


def _overlapping(
    others: Iterable[tuple[int, _Said]], hiding: Sequence[_Placed], concerned: Iterable[Element]
) -> Iterator[tuple[int, _Said]]:
    """Yield the rules that say something else of what hiding ones speak of, about the same elements."""
    makes: dict[str, set[frozenset[str]]] = {"": set()}
    for element in concerned:
        make = frozenset((str(element.tag), *names_of(element)))
        makes[""].add(make)
        for key in make:
            makes.setdefault(key, set()).add(make)
    known = {name for each in hiding for name in each.said.style if says_what_is_seen(name)}
    steps = 0
    for order, each in others:
        if known.isdisjoint(each.style):
            continue
        keys = each.keys
        alike = makes.get(keys[0] if keys else "", ())
        steps += len(alike) + 1
        if steps > _MAX_STEPS:
            raise OverBudget
        if any(make.issuperset(keys) for make in alike):
            yield order, each


def _merged(cascade: Sequence[_Placed], elements: Iterable[Element]) -> dict[Element, Style]:
    """Return the style that a cascade gives each element; those that it treats alike share one."""
    matcher = Matcher([each.selector for each in cascade])
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
            known[mask] = {name: value for n in numbers for name, value in cascade[n].said.style.items()}
        if mask:
            styles[element] = known[mask]
    return styles


def _has_text(element: Element) -> bool:
    """Return whether an element holds text; of one that holds much else it is taken for granted."""
    seen = list(islice(element.iter(), _MAX_LOOKED_AT))
    texts = (text for each in seen for text in (each.text, each.tail if each is not element else None))
    return len(seen) == _MAX_LOOKED_AT or any(text and not text.isspace() for text in texts)


def _index(tree: Tree) -> dict[str, list[Element]]:
    """Return the elements by class and by id, as selectors write them."""
    names: dict[str, list[Element]] = {}
    for element in tree.xpath("//*[@class or @id]"):
        for name in set(names_of(element)):
            names.setdefault(name, []).append(element)
    return names


def _said(tree: Tree, sheets: Sheets, url: str) -> Iterator[_Said]:
    """Yield what the page's sheets say, in the order in which they stand there.

    Raises:
        OverBudget: they say too much.
    """
    chars = selectors = 0
    for text in _texts(tree, sheets, url):
        chars += len(text)
        rules = _rules_of(text) if chars <= MAX_SHEET_CHARS else ()
        selectors += len(rules)
        if chars > MAX_SHEET_CHARS or selectors > MAX_SELECTORS:
            raise OverBudget
        yield from rules


def _texts(tree: Tree, sheets: Sheets, url: str) -> Iterator[str]:
    base = base_url(tree, url)
    for element in tree.iter("style", "link"):
        if not is_for_screens(element.get("media")):
            continue
        if element.tag == "style":
            yield element.text_content()
        elif sheets and (address := linked_sheet(element, base)) in sheets:
            yield sheets[address]


def _rules_of(sheet: str) -> tuple[_Said, ...]:
    return (_read if len(sheet) <= _MAX_KEPT_CHARS else _read.__wrapped__)(sheet)


@lru_cache(maxsize=_KEPT_SHEETS)
def _read(sheet: str) -> tuple[_Said, ...]:
    """Return the rules of a sheet that have to do with what is seen.

    Raises:
        OverBudget: there are too many.
    """
    said: list[_Said] = []
    for selectors, body in sheet_rules(sheet) if says_what_is_seen(sheet) else ():
        if not says_what_is_seen(body):
            continue
        if len(said) + selectors.count(",") > MAX_SELECTORS:
            raise OverBudget
        style = declarations(body)
        colour = colour_of(style.get("color"))
        can_hide = hides(style) or colour == "transparent"
        can_hide = can_hide or (colour is not None and colour == ground_of(style))
        said += [
            _Said(each, style, frozenset(_NAMES.findall(_INNER.sub("", each))), can_hide, colour)
            for each in dict.fromkeys(map(str.strip, _LISTED.findall(selectors)))
        ]
    return tuple(said)


def _paper(tree: Tree, said: Iterable[_Said]) -> str:
    """Return the colour of the page behind the text: white unless it says otherwise."""
    styles = [each.style for each in said if each.selector in {"html", "body"}]
    for element in (tree, tree.find("body")):
        if element is not None:
            styles += [declarations(element.get("style") or ""), {"background": element.get("bgcolor") or ""}]
    grounds = [ground for style in styles if (ground := ground_of(style)) and ground.startswith("#")]
    return grounds[-1] if grounds else _WHITE
