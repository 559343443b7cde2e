"""Elements that a reader never sees: hidden by attribute, by style, or by a rule of a style sheet on the page.

Pirates hide junk from readers that a crawler would take as text: by ``display: none`` and its kin, in no size
or off the screen, without opacity, in the colour of the paper. Sheets on the page are read, rules under a
media query other than the screen's are not, and of several rules for an element the most specific one counts,
the later of two. Style sheets in files of their own are not fetched, so nothing is known of them. Pure.

Selectors are evaluated by cssselect; only those whose classes and ids all occur on the page, at most a few
hundred, so that a page costs milliseconds however large its sheets are.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from cssselect import HTMLTranslator, SelectorError
from cssselect import parse as parse_selectors
from lxml.etree import XPath, XPathError  # type: ignore[import-untyped]

from crawler.parsing import BLOCKS, Element, Tree, is_element

_COMMENT: Final = re.compile(r"/\*.*?\*/", re.DOTALL)
_SCREEN: Final = re.compile(r"@media\s+(?:only\s+)?(?:screen|all)\s*", re.IGNORECASE)
_NAMES: Final = re.compile(r"[.#]([\w-]+)")
_PLAIN: Final = re.compile(r"([a-z][a-z0-9]*|)[.#]([\w-]+)")
_PARTS: Final = re.compile(r"[\s>+~]+")
_RELEVANT: Final = re.compile(
    r"display|visibility|opacity|font-size|text-indent|position|clip|color|overflow|transform|background",
    re.IGNORECASE,
)
_MOST_RULES: Final = 300
_MOST_SHEET_CHARS: Final = 400_000
_FAR: Final = 500.0  # pixels off the screen
_EM_PIXELS: Final = 16.0
_FAINT: Final = 0.05
_TINY: Final = 2.0  # pixels of type
_INLINE_SHARE: Final = 0.5  # of its paragraph that a passage in the paper's colour may be
_WHITE: Final = "#ffffff"
_SHOWN_BY_SCRIPT: Final = "js_content"  # WeChat hides the article until its script runs
_LENGTH: Final = re.compile(r"(-?\d*\.?\d+)\s*(px|em|rem|pt|%|vw|vh)?")
_COLOUR: Final = re.compile(r"#[0-9a-f]{3,8}\b|rgba?\([^)]*\)|\b(?:white|black|transparent|red|gray|grey)\b")
_COLOURS: Final = {
    "white": _WHITE,
    "black": "#000000",
    "red": "#ff0000",
    "gray": "#808080",
    "grey": "#808080",
}

Style = dict[str, str]


@dataclass(frozen=True, slots=True)
class _Rule:
    """One selector of a rule.

    Attributes:
        order: its place on the page; the later of two equals counts.
    """

    selector: str
    style: Mapping[str, str]
    order: int


@dataclass(frozen=True, slots=True)
class _Weighed:
    """A rule and the elements that it matches; the heavier of two counts."""

    weight: tuple[tuple[int, int, int], int]
    rule: _Rule
    elements: frozenset[Element]


def hidden_elements(tree: Tree) -> set[Element]:
    """Return the topmost elements of a page that are not shown."""
    rules = list(_rules(tree))
    paper = _paper(tree, rules)
    styles = _styles(tree, rules, paper)
    found = {element for element in tree.xpath("//*[@hidden]") if element.get("hidden") != "until-found"}
    for element, style in styles.items():
        if (
            element.get("id") != _SHOWN_BY_SCRIPT
            and element.tag not in {"html", "body"}
            and (_is_hidden(style, element) or _is_paper_coloured(element, style, styles, paper))
        ):
            found.add(element)
    return found


def _styles(tree: Tree, rules: Sequence[_Rule], paper: str) -> dict[Element, Style]:
    """Return the style of each element that may be hidden and of what it stands in, as far as it is known."""
    styles: dict[Element, Style] = {}
    for each in sorted(_matched(tree, rules, paper), key=lambda each: each.weight):
        for element in each.elements:
            styles.setdefault(element, {}).update(each.rule.style)
    for element in tree.xpath("//*[@style]"):
        text = element.get("style") or ""
        if _RELEVANT.search(text):
            styles.setdefault(element, {}).update(declarations(text))
    return styles


def _matched(tree: Tree, rules: Sequence[_Rule], paper: str) -> list[_Weighed]:
    """Return the rules that hide something, and those that speak of the same elements or of their ground."""
    if not any(_may_hide(rule.style, paper) for rule in rules):
        return []
    names = _index(tree)
    rules = [rule for rule in rules if names.keys() >= set(_NAMES.findall(rule.selector))]
    hiding = [each for rule in rules if _may_hide(rule.style, paper) for each in _weighed(rule, tree, names)]
    hiding = hiding[:_MOST_RULES]
    if not hiding:
        return []
    keys = {key for element in _concerned(hiding) for key in _keys(element)}
    others = [
        rule for rule in rules if not _may_hide(rule.style, paper) and keys.issuperset(_last_keys(rule.selector))
    ]
    return [*hiding, *(each for rule in others[:_MOST_RULES] for each in _weighed(rule, tree, names))]


def _concerned(hiding: Sequence[_Weighed]) -> set[Element]:
    """Return the elements with text that other rules may show again, and what coloured ones stand on."""
    concerned: set[Element] = set()
    for each in hiding:
        for element in each.elements:
            if element not in concerned and any(text.strip() for text in element.itertext()):
                concerned.add(element)
                if "color" in each.rule.style:
                    concerned.update(element.iterancestors())
    return concerned


def _weighed(rule: _Rule, tree: Tree, names: Mapping[str, list[Element]]) -> Iterator[_Weighed]:
    """Yield the rule with the elements that it matches; a plain class or id is looked up, not searched for."""
    plain = _PLAIN.fullmatch(rule.selector)
    if plain:
        found = names[plain[2]]
        elements = frozenset(each for each in found if plain[1] in {"", each.tag})
        weight = (int("#" in rule.selector), int("." in rule.selector), int(bool(plain[1])))
        yield _Weighed((weight, rule.order), rule, elements)
        return
    for weight, path in _compiled(rule.selector):
        try:
            found = frozenset(each for each in path(tree) if is_element(each))
        except XPathError:
            continue
        yield _Weighed((weight, rule.order), rule, found)


@lru_cache(maxsize=4096)
def _compiled(selector: str) -> tuple[tuple[tuple[int, int, int], XPath], ...]:
    """Return weight and path of a selector; none for one that cannot be read or that depends on the reader."""
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


def _keys(element: Element) -> set[str]:
    return {str(element.tag), element.get("id") or "", *(element.get("class") or "").split()}


def _last_keys(selector: str) -> list[str]:
    """Return what the element itself must have for a selector: tag, classes and ids of the last part."""
    last = _PARTS.split(selector)[-1]
    return [*_NAMES.findall(last), *re.findall(r"^[a-z][a-z0-9]*", last)]


def _rules(tree: Tree) -> Iterator[_Rule]:
    order = 0
    for sheet in tree.iterfind(".//style"):
        text = sheet.text_content()
        if len(text) > _MOST_SHEET_CHARS or not _RELEVANT.search(text):
            continue
        for selectors, body in sheet_rules(text):
            if not _RELEVANT.search(body):
                continue
            style = declarations(body)
            for selector in selectors.split(","):
                order += 1
                yield _Rule(selector.strip(), style, order)


def sheet_rules(text: str) -> Iterator[tuple[str, str]]:
    """Yield (selectors, declarations) of the rules that hold on a screen; a broken sheet ends where it breaks."""
    plain = _COMMENT.sub(" ", text)
    start, groups = 0, list[bool]()  # of each open group: whether its rules hold
    prelude = ""
    for brace in re.finditer(r"[{};]", plain):
        piece, start_was = plain[start : brace.start()].strip(), start
        if brace[0] == "{":
            prelude, start = piece, brace.end()
            if piece.startswith("@"):
                groups.append(_SCREEN.fullmatch(piece) is not None)
                prelude = ""
        elif brace[0] == "}":
            start = brace.end()
            if prelude:
                if all(groups):
                    yield prelude, piece
                prelude = ""
            elif groups:
                groups.pop()
        elif not prelude:  # @import …; between rules
            start = brace.end()
        else:
            start = start_was
    return


def declarations(text: str) -> Style:
    """Return the declarations of a style by lower-case name; the last of a name counts."""
    found: Style = {}
    for each in text.split(";"):
        name, colon, value = each.partition(":")
        if colon:
            found[name.strip().lower()] = value.replace("!important", "").strip().lower()
    return found


def _may_hide(style: Mapping[str, str], paper: str) -> bool:
    """Return whether a rule alone could hide something; most sheets hold thousands that cannot."""
    colour = _colour(style.get("color"))
    return (
        _is_hidden(style, None)
        or colour in {"transparent", paper}
        or (colour is not None and colour == _ground(style))
    )


def _is_hidden(style: Mapping[str, str], element: Element | None) -> bool:
    return (
        style.get("display") == "none"
        or style.get("visibility") in {"hidden", "collapse"}
        or _number(style.get("opacity"), 1.0) <= _FAINT
        or "alpha(opacity=0)" in style.get("filter", "").replace(" ", "")
        or "scale(0)" in style.get("transform", "")
        or (
            _number(style.get("font-size"), _EM_PIXELS) < _TINY
            and not (element is not None and _holds_blocks(element))
        )
        or _is_off_screen(style)
        or _is_clipped(style)
    )


def _is_off_screen(style: Mapping[str, str]) -> bool:
    if style.get("position") in {"absolute", "fixed"}:
        return any(_number(style.get(side), 0.0) <= -_FAR for side in ("left", "top", "right", "margin-left"))
    return _number(style.get("text-indent"), 0.0) <= -_FAR


def _is_clipped(style: Mapping[str, str]) -> bool:
    if style.get("overflow") == "hidden":
        sizes = (style.get("height"), style.get("max-height"), style.get("width"))
        if any(size is not None and _number(size, 1.0) <= 0 for size in sizes):
            return True
    clip = "".join(style.get("clip", "").split())
    return (
        clip.startswith(("rect(0,0,0,0", "rect(0000", "rect(1px,1px,1px,1px"))
        and style.get("position") == "absolute"
    )


def _number(text: str | None, default: float) -> float:
    """Return a length in pixels, or a bare number."""
    found = _LENGTH.match(text or "")
    if found is None:
        return default
    scale = _EM_PIXELS if found[2] in {"em", "rem"} else 1.0
    return float(found[1]) * scale


def _holds_blocks(element: Element) -> bool:
    """Return whether it is a container whose children set a size of their own (an old way to close gaps)."""
    return any(
        is_element(each) and (each.tag in BLOCKS or each.get("style") or each.get("class"))
        for each in element
    )


def _is_paper_coloured(
    element: Element, style: Mapping[str, str], styles: Mapping[Element, Style], paper: str
) -> bool:
    colour = _colour(style.get("color"))
    if colour is None:
        return False
    if colour == "transparent":
        return True
    ground = _ground(style)
    if ground is not None:
        return ground == colour
    if element.tag in BLOCKS or colour != paper:
        return False
    block = element
    for ancestor in element.iterancestors():
        if ancestor.tag in {"body", "html"}:
            break
        if _ground(styles.get(ancestor, {})) is not None or ancestor.get("bgcolor"):
            return False
        if block is element and ancestor.tag in BLOCKS:
            block = ancestor
    return len(element.text_content()) <= _INLINE_SHARE * len(block.text_content())


def _paper(tree: Tree, rules: Sequence[_Rule]) -> str:
    """Return the colour of the page behind the text: white unless it says otherwise."""
    said = [rule.style for rule in rules if rule.selector in {"html", "body"}]
    for element in (tree, tree.find("body")):
        if element is not None:
            said += [declarations(element.get("style") or ""), {"background": element.get("bgcolor") or ""}]
    grounds = [ground for style in said if (ground := _ground(style)) and ground.startswith("#")]
    return grounds[-1] if grounds else _WHITE


def _ground(style: Mapping[str, str]) -> str | None:
    """Return the background of a style; an image counts as a colour of its own."""
    value = style.get("background-color") or style.get("background")
    if value is None or value in {"none", "transparent", "inherit", "initial"}:
        return None
    return _colour(value) or value


def _colour(value: str | None) -> str | None:
    """Return a colour as ``#rrggbb`` or ``transparent``, None when there is none in the value."""
    found = _COLOUR.search((value or "").strip().lower())
    if found is None:
        return None
    text = found[0]
    if text.startswith("rgb"):
        parts = re.findall(r"[\d.]+", text)
        if len(parts) > 3 and float(parts[3]) <= _FAINT:  # noqa: PLR2004 - red, green, blue, alpha
            return "transparent"
        return "#" + "".join(f"{min(255, int(float(each))):02x}" for each in parts[:3])
    if text.startswith("#"):
        digits = text[1:]
        return "#" + ("".join(each * 2 for each in digits[:3]) if len(digits) < 6 else digits[:6])  # noqa: PLR2004
    return _COLOURS.get(text, text)
