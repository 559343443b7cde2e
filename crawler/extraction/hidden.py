"""Elements that a reader never sees: hidden by attribute, by style, by a rule of a sheet on the page. Pure.

Pirates hide junk from readers that a crawler would take as text: by ``display: none`` and its kin, in no size
or off the screen, without opacity, in the colour of the paper. Sheets on the page are read, rules under a
media query other than the screen's are not, and of several rules for an element the most specific one counts,
the later of two. Sheets in files of their own are given by whoever fetched them
(:mod:`crawler.extraction.sheets`).

Selectors are evaluated by cssselect; only those whose classes and ids all occur on the page, at most a few
hundred, so that a page costs milliseconds however large its sheets are. A sheet is cut into rules once for
all pages that share it.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from types import MappingProxyType
from typing import Final

from cssselect import HTMLTranslator, SelectorError
from cssselect import parse as parse_selectors

from crawler.extraction.sheets import Sheets, is_for_screens, linked_sheet
from crawler.extraction.styles import Style, colour_of, declarations, ground_of, hides, sheet_rules
from crawler.parsing import BLOCKS, Element, Tree, XPath, XPathError, is_element

_NAMES: Final = re.compile(r"[.#]([\w-]+)")
_PLAIN: Final = re.compile(r"([a-z][a-z0-9]*|)[.#]([\w-]+)")
_PARTS: Final = re.compile(r"[\s>+~]+")
_RELEVANT: Final = re.compile(
    r"display|visibility|opacity|font-size|text-indent|position|clip|color|overflow|transform|background",
    re.IGNORECASE,
)
_MOST_RULES: Final = 300
_MOST_PARTS: Final = 8  # of a selector: each may search the whole page again
_MOST_SHEET_CHARS: Final = 400_000
_KEPT_SHEETS: Final = 32  # in rules …
_MOST_KEPT_CHARS: Final = 100_000  # … of so many characters, which are 3 MB at most
_INLINE_SHARE: Final = 0.5  # of its paragraph that a passage in the paper's colour may be
_WHITE: Final = "#ffffff"
_SHOWN_BY_SCRIPT: Final = "js_content"  # WeChat hides the article until its script runs


@dataclass(frozen=True, slots=True)
class _Said:
    """One selector of a rule, as a sheet has it.

    Attributes:
        names: the classes and ids that it asks for.
        hides: it could hide something, whatever the colour of the page …
        colour: … and this is the colour of its type.
    """

    selector: str
    style: Mapping[str, str]
    names: frozenset[str]
    hides: bool
    colour: str | None

    def may_hide(self, paper: str) -> bool:
        """Return whether a rule alone could hide something; most sheets hold thousands that cannot."""
        return self.hides or self.colour == paper


@dataclass(frozen=True, slots=True)
class _Rule:
    """What a sheet says, on a page.

    Attributes:
        order: its place on the page; the later of two equals counts.
    """

    said: _Said
    order: int


@dataclass(frozen=True, slots=True)
class _Weighed:
    """A rule and the elements that it matches; the heavier of two counts."""

    weight: tuple[tuple[int, int, int], int]
    said: _Said
    elements: frozenset[Element]


def hidden_elements(tree: Tree, *, sheets: Sheets = MappingProxyType({}), url: str = "") -> set[Element]:
    """Return the topmost elements of a page that are not shown.

    Args:
        tree: the page.
        sheets: what is known of the sheets that it links to.
        url: its address.
    """
    said = list(_said(tree, sheets, url))
    paper = _paper(tree, said)
    styles = _styles(tree, said, paper)
    found = {element for element in tree.xpath("//*[@hidden]") if element.get("hidden") != "until-found"}
    for element, style in styles.items():
        if (
            element.get("id") != _SHOWN_BY_SCRIPT
            and element.tag not in {"html", "body"}
            and (hides(style, element) or _is_paper_coloured(element, style, styles, paper))
        ):
            found.add(element)
    return found


def _styles(tree: Tree, said: Sequence[_Said], paper: str) -> dict[Element, Style]:
    """Return the style of each element that may be hidden and of what it stands in, as far as it is known."""
    styles: dict[Element, Style] = {}
    for each in sorted(_matched(tree, said, paper), key=lambda each: each.weight):
        for element in each.elements:
            styles.setdefault(element, {}).update(each.said.style)
    for element in tree.xpath("//*[@style]"):
        text = element.get("style") or ""
        if _RELEVANT.search(text):
            styles.setdefault(element, {}).update(declarations(text))
    return styles


def _matched(tree: Tree, said: Sequence[_Said], paper: str) -> list[_Weighed]:
    """Return the rules that hide something, and those that speak of the same elements or of their ground."""
    if not any(each.may_hide(paper) for each in said):
        return []
    names = _index(tree)
    rules = [_Rule(each, order) for order, each in enumerate(said) if names.keys() >= each.names]
    found = (
        each
        for rule in rules
        if rule.said.may_hide(paper) and _concerns_text(rule.said.selector, names)
        for each in _weighed(rule, tree, names)
    )
    hiding = list(islice(found, _MOST_RULES))
    if not hiding:
        return []
    makes = {_keys(element) for element in _concerned(hiding)}
    known = {name for each in hiding for name in each.said.style if _RELEVANT.search(name)}
    others = [
        rule
        for rule in rules
        if not known.isdisjoint(rule.said.style)
        and not rule.said.may_hide(paper)
        and any(make.issuperset(_last_keys(rule.said.selector)) for make in makes)
    ]
    return [*hiding, *(each for rule in others[:_MOST_RULES] for each in _weighed(rule, tree, names))]


def _concerned(hiding: Sequence[_Weighed]) -> set[Element]:
    """Return the elements with text that other rules may show again, and what coloured ones stand on."""
    concerned: set[Element] = set()
    for each in hiding:
        for element in each.elements:
            if element not in concerned and _has_text(element):
                concerned.add(element)
                if "color" in each.said.style:
                    concerned.update(element.iterancestors())
    return concerned


def _concerns_text(selector: str, names: Mapping[str, list[Element]]) -> bool:
    """Return whether a selector can match an element with text; most that hide are for icons and boxes."""
    last = _NAMES.findall(_PARTS.split(selector)[-1])
    return not last or any(_has_text(element) for element in names[last[0]])


def _has_text(element: Element) -> bool:
    return any(text and not text.isspace() for text in element.itertext())


def _weighed(rule: _Rule, tree: Tree, names: Mapping[str, list[Element]]) -> Iterator[_Weighed]:
    """Yield the rule with what it matches; a plain class or id is looked up, not searched for."""
    selector = rule.said.selector
    plain = _PLAIN.fullmatch(selector)
    if plain:
        elements = frozenset(each for each in names[plain[2]] if plain[1] in {"", each.tag})
        weight = (int("#" in selector), int("." in selector), int(bool(plain[1])))
        yield _Weighed((weight, rule.order), rule.said, elements)
        return
    for weight, path in _compiled(selector) if len(_PARTS.findall(selector)) < _MOST_PARTS else ():
        try:
            found = frozenset(each for each in path(tree) if is_element(each))
        except XPathError:
            continue
        yield _Weighed((weight, rule.order), rule.said, found)


@lru_cache(maxsize=4096)
def _compiled(selector: str) -> tuple[tuple[tuple[int, int, int], XPath], ...]:
    """Return weight and path of a selector; none for one that cannot be read or depends on the reader."""
    try:
        return tuple(
            (
                each.specificity(),
                XPath(HTMLTranslator().selector_to_xpath(each, prefix="descendant-or-self::")),
            )
            for each in parse_selectors(selector)
            if each.pseudo_element is None
        )
    except (SelectorError, XPathError, RecursionError):
        return ()


def _index(tree: Tree) -> dict[str, list[Element]]:
    """Return the elements by class and by id."""
    names: dict[str, list[Element]] = {}
    for element in tree.xpath("//*[@class]"):
        for name in set((element.get("class") or "").split()):
            names.setdefault(name, []).append(element)
    for element in tree.xpath("//*[@id]"):
        names.setdefault(element.get("id") or "", []).append(element)
    return names


def _keys(element: Element) -> frozenset[str]:
    return frozenset({str(element.tag), element.get("id") or "", *(element.get("class") or "").split()})


def _last_keys(selector: str) -> list[str]:
    """Return what the element itself must have for a selector: tag, classes and ids of the last part."""
    last = _PARTS.split(selector)[-1]
    return [*_NAMES.findall(last), *re.findall(r"^[a-z][a-z0-9]*", last)]


def _said(tree: Tree, sheets: Sheets, url: str) -> Iterator[_Said]:
    """Yield what the page's sheets say, in the order in which they stand there."""
    for element in tree.iter("style", "link"):
        if not is_for_screens(element.get("media")):
            continue
        if element.tag == "style":
            text = element.text_content()
            yield from _rules_of(text) if len(text) <= _MOST_SHEET_CHARS else ()
        elif sheets and (address := linked_sheet(element, tree, url)) in sheets:
            yield from _rules_of(sheets[address])


def _rules_of(sheet: str) -> tuple[_Said, ...]:
    return (_read if len(sheet) <= _MOST_KEPT_CHARS else _read.__wrapped__)(sheet)


@lru_cache(maxsize=_KEPT_SHEETS)
def _read(sheet: str) -> tuple[_Said, ...]:
    """Return the rules of a sheet that have to do with what is seen."""
    found: list[_Said] = []
    for selectors, body in sheet_rules(sheet) if _RELEVANT.search(sheet) else ():
        if not _RELEVANT.search(body):
            continue
        style = declarations(body)
        colour = colour_of(style.get("color"))
        can_hide = hides(style) or colour == "transparent"
        can_hide = can_hide or (colour is not None and colour == ground_of(style))
        found += [
            _Said(selector, style, frozenset(_NAMES.findall(selector)), can_hide, colour)
            for selector in map(str.strip, selectors.split(","))
        ]
    return tuple(found)


def _is_paper_coloured(
    element: Element, style: Mapping[str, str], styles: Mapping[Element, Style], paper: str
) -> bool:
    colour = colour_of(style.get("color"))
    if colour is None:
        return False
    if colour == "transparent":
        return True
    ground = ground_of(style)
    if ground is not None:
        return ground == colour
    if element.tag in BLOCKS or colour != paper:
        return False
    block = element
    for ancestor in element.iterancestors():
        if ancestor.tag in {"body", "html"}:
            break
        if ground_of(styles.get(ancestor, {})) is not None or ancestor.get("bgcolor"):
            return False
        if block is element and ancestor.tag in BLOCKS:
            block = ancestor
    return len(element.text_content()) <= _INLINE_SHARE * len(block.text_content())


def _paper(tree: Tree, rules: Iterable[_Said]) -> str:
    """Return the colour of the page behind the text: white unless it says otherwise."""
    said = [rule.style for rule in rules if rule.selector in {"html", "body"}]
    for element in (tree, tree.find("body")):
        if element is not None:
            said += [declarations(element.get("style") or ""), {"background": element.get("bgcolor") or ""}]
    grounds = [ground for style in said if (ground := ground_of(style)) and ground.startswith("#")]
    return grounds[-1] if grounds else _WHITE
