"""The rules of a page's style sheets, as far as they can hide or show something. Pure.

A sheet is parsed once for all pages that share it, as long as it stays in the cache of recent sheets.
External sheets are passed in (:mod:`crawler.extraction.stylesheets`).
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import TypeAlias

from crawler.extraction.css_values import UNKNOWN
from crawler.extraction.css_variables import substitute_variables, variables_of
from crawler.extraction.nextpage import base_url
from crawler.extraction.optional_steps import OverBudget
from crawler.extraction.parsed_sheets import MAX_SELECTORS, ParsedSheet, Rule, parse_sheet
from crawler.extraction.parsing import Tree
from crawler.extraction.styles import Style, background_of, is_for_screens, parse_declarations
from crawler.extraction.stylesheets import Sheets, linked_sheet

MAX_SHEET_CHARS = 2_000_000  # maximum characters of all sheets of a page
_WHITE = "#ffffff"
_ROOTS = frozenset({"html", "body", ":root"})
_UNLAYERED = 1_000_000  # rank of rules outside layers

NumberedRule: TypeAlias = tuple[int, Rule]  # a rule with its position among the rules of the page


@dataclass(frozen=True, slots=True)
class PageRules:
    """The rules of a page's sheets, each with its position.

    Attributes:
        hiding: rules that could hide something.
        non_hiding: all other rules.
        generated: rules of pseudo-elements, with the selector of their element, and ``before`` or ``after``.
        page_background: the page's background colour; empty if unknown.
        frames: name of an animation → the declarations of its frames.
        layers: name of a cascade layer → its rank.
        variables: the page's custom properties, as far as they are certain.
        all_known: no sheet of the page is missing.
    """

    hiding: Sequence[tuple[int, Rule]]
    non_hiding: Sequence[tuple[int, Rule]]
    page_background: str
    generated: Sequence[tuple[int, Rule, str]] = ()
    frames: Mapping[str, Sequence[Style]] = field(default_factory=dict)
    layers: Mapping[str, int] = field(default_factory=dict)
    variables: Mapping[str, str] = field(default_factory=dict)
    all_known: bool = True

    def rank(self, rule: Rule) -> int:
        """Return the rank of a rule's layer; for important declarations the lowest wins."""
        return self.layers.get(rule.layer, _UNLAYERED)


NO_RULES = PageRules((), (), "")


def page_rules(tree: Tree, sheets: Sheets, url: str, names: AbstractSet[str]) -> PageRules:
    """Return the rules of a page's sheets that may match its elements.

    Args:
        tree: the page.
        sheets: the known external sheets.
        url: the page's address.
        names: classes and ids of its elements.

    Raises:
        OverBudget: the sheets exceed the bounds.
    """
    texts, all_known = _sheet_texts(tree, sheets, url)
    variables = variables_of(texts)
    if variables or any("var(" in text for text in texts):
        variables = variables_of([*texts, *_styles_with_variables(tree)])
    rules: list[NumberedRule] = []
    generated: list[tuple[int, Rule, str]] = []
    frames: dict[str, list[Style]] = {}
    layers: dict[str, int] = {}
    first = 1
    for sheet in _parsed_sheets([substitute_variables(text, variables) for text in texts]):
        for layer in sheet.layers:
            layers.setdefault(layer, len(layers))
        for number in sheet.numbers_for(names):
            stored, order = sheet.rules[number], first + number
            if (rule := stored.rule()) is None:
                continue
            if stored.keyframes:
                frames.setdefault(stored.keyframes, []).append({**rule.style, **rule.important})
            elif rule.pseudo:
                generated.append((order, rule, rule.pseudo))
            else:
                rules.append((order, rule))
        first += len(sheet.rules)
    background = _page_background(tree, (rule for _, rule in rules))
    hiding: list[tuple[int, Rule]] = []
    other_rules: list[tuple[int, Rule]] = []
    for pair in rules:
        (hiding if pair[1].may_hide(background) else other_rules).append(pair)
    return PageRules(hiding, other_rules, background, generated, frames, layers, variables, all_known)


def _styles_with_variables(tree: Tree) -> Iterator[str]:
    for element in tree.iter("*"):
        style = element.get("style")
        if style and "--" in style:
            yield style


def _parsed_sheets(texts: Iterable[str]) -> Iterator[ParsedSheet]:
    chars = selectors = 0
    for text in texts:
        chars += len(text)
        if chars > MAX_SHEET_CHARS:
            raise OverBudget
        sheet = parse_sheet(text)
        selectors += len(sheet.rules)
        if selectors > MAX_SELECTORS:
            raise OverBudget
        yield sheet


def _sheet_texts(tree: Tree, sheets: Sheets, url: str) -> tuple[list[str], bool]:
    """Return the sheets of a page in document order, and whether none is missing."""
    base: str | None = None
    texts: list[str] = []
    all_known = True
    for element in tree.iter("style", "link"):
        if element.tag == "style":
            if is_for_screens(element.get("media")):
                texts.append(element.text or "")
        elif sheets or all_known:
            base = base_url(tree, url) if base is None else base
            address = linked_sheet(element, base)
            if address in sheets:
                texts.append(sheets[address])
            else:
                all_known = all_known and not address
    return texts, all_known


def _page_background(tree: Tree, rules: Iterable[Rule]) -> str:
    """Return the page's background colour: white by default, empty if it is a picture."""
    root_rules = [rule for rule in rules if rule.selector in _ROOTS]
    styles = [rule.style for rule in root_rules]
    for element in (tree, tree.find("body")):
        if element is not None:
            styles += [
                parse_declarations(element.get("style") or ""),
                {"background-color": (element.get("bgcolor") or "").lower()},
            ]
            if element.get("background"):
                return ""
    styles += [rule.important for rule in root_rules]
    colours = [colour for style in styles if (colour := background_of(style))]
    colour = colours[-1] if colours else _WHITE
    return "" if colour == UNKNOWN or UNKNOWN in colours else colour
