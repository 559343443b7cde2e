"""Elements that a reader never sees: hidden by attribute, by style, by a rule of a sheet on the page. Pure.

Pirates hide junk from readers that a crawler would take as text: by ``display: none`` and its kin, in no size
or off the screen, without opacity, in the colour of the paper. Sheets on the page are read, rules under a
media query other than the screen's are not, and of several rules for an element the most specific one counts,
the later of two (:mod:`crawler.extraction.cascade`).

What is hidden is no text, so this errs on the side of showing: where sheets cannot be read, or would take
more than they are worth, nothing is known of them and what they hide is kept. Linear in the page.
"""

from collections.abc import Collection, Mapping
from types import MappingProxyType

from crawler.extraction.cascade import NO_SHEETS, Styles, sheet_styles
from crawler.extraction.parsing import BLOCKS, Element, Tree
from crawler.extraction.steps import Steps
from crawler.extraction.styles import Style, colour_of, declarations, ground_of, hides, says_what_is_seen
from crawler.extraction.stylesheets import Sheets

_INLINE_SHARE = 0.5  # of its paragraph that a passage in the paper's colour may be
_SHOWN_BY_SCRIPT = "js_content"  # WeChat hides the article until its script runs


def hidden_elements(
    tree: Tree, *, sheets: Sheets = MappingProxyType({}), url: str = "", steps: Steps | None = None
) -> set[Element]:
    """Return the topmost elements of a page that are not shown.

    Args:
        tree: the page.
        sheets: what is known of the sheets that it links to.
        url: its address.
        steps: takes note of sheets that could not be read.
    """
    steps = steps or Steps()
    ruled = steps.attempt("sheets", lambda: sheet_styles(tree, sheets, url), otherwise=NO_SHEETS)
    styles = _with_attributes(tree, ruled.styles)
    passages = _Passages(tree, styles)
    hidden = {element for element in tree.xpath("//*[@hidden]") if element.get("hidden") != "until-found"}
    for element, style in styles.items():
        if (
            element.get("id") != _SHOWN_BY_SCRIPT
            and element.tag not in {"html", "body"}
            and (hides(style, element) or _is_paper_coloured(element, style, passages, ruled.paper))
        ):
            hidden.add(element)
    return _topmost(hidden)


def _with_attributes(tree: Tree, styles: Styles) -> dict[Element, Style]:
    """Return the styles of elements with what their own attributes say, the stronger word."""
    known: dict[str, Style] = {}
    joined = dict(styles)
    for element in tree.xpath("//*[@style]"):
        text = element.get("style") or ""
        if says_what_is_seen(text):
            if text not in known:
                known[text] = declarations(text)
            before = joined.get(element)
            joined[element] = {**before, **known[text]} if before else known[text]
    return joined


def _topmost(elements: Collection[Element]) -> set[Element]:
    """Return the elements that stand in no other one of them; each ancestor is asked once."""
    inside: dict[Element, bool] = {}
    for element in elements:
        path, node = [], element.getparent()
        while node is not None and node not in inside:
            path.append(node)
            node = node.getparent()
        is_inside = node is not None and inside[node]
        for ancestor in reversed(path):
            is_inside = is_inside or ancestor in elements
            inside[ancestor] = is_inside
    return {each for each in elements if (over := each.getparent()) is None or not inside[over]}


def _is_paper_coloured(element: Element, style: Style, passages: "_Passages", paper: str) -> bool:
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
    block, is_grounded = passages.around(element)
    if is_grounded:
        return False
    return passages.chars(element) <= _INLINE_SHARE * passages.chars(element if block is None else block)


class _Passages:
    """What passages of a text stand in, and how long they are; whatever was asked once is kept.

    Args:
        tree: the page.
        styles: of its elements, as far as they are known.
    """

    def __init__(self, tree: Tree, styles: Mapping[Element, Style]) -> None:
        self._tree = tree
        self._styles = styles
        self._around: dict[Element, tuple[Element | None, bool]] = {}
        self._chars: dict[Element, int] = {}

    def around(self, element: Element) -> tuple[Element | None, bool]:
        """Return the nearest block around an element, and whether one has a background of its own."""
        path, node = [], element.getparent()
        while node is not None and node not in self._around and node.tag not in {"body", "html"}:
            path.append(node)
            node = node.getparent()
        block, is_grounded = self._around.get(node, (None, False)) if node is not None else (None, False)
        for ancestor in reversed(path):
            block = ancestor if ancestor.tag in BLOCKS else block
            is_grounded = is_grounded or self._has_ground(ancestor)
            self._around[ancestor] = block, is_grounded
        return block, is_grounded

    def _has_ground(self, element: Element) -> bool:
        return ground_of(self._styles.get(element, {})) is not None or bool(element.get("bgcolor"))

    def chars(self, element: Element) -> int:
        """Return the length of what an element holds; those of all elements are summed up in one walk."""
        if not self._chars:
            for each in reversed(list(self._tree.iter())):
                self._chars[each] = self._chars.get(each, 0) + len(each.text or "")
                over = each.getparent()
                if over is not None:
                    self._chars[over] = self._chars.get(over, 0) + self._chars[each] + len(each.tail or "")
        return self._chars[element]
