"""What style sheets add to a page's text or change in it: generated content, direction and order. Pure.

Sites that hide their text from crawlers put some of its characters into style sheets (``::before``), write it
backwards (``bidi-override``), or mix its characters and have them put in order (``order``, absolute
positions). The tree is changed to what a reader sees.
"""

import re

from crawler.extraction.cascade import declared_styles, generated_styles
from crawler.extraction.content import add_content
from crawler.extraction.css_variables import with_values
from crawler.extraction.directions import turn_around
from crawler.extraction.parsing import Element, Tree
from crawler.extraction.reading_order import put_in_order
from crawler.extraction.style_rules import PageRules, page_rules
from crawler.extraction.styles import Style, parse_style
from crawler.extraction.stylesheets import Sheets

_CHANGING = re.compile(r"content\s*:|bidi|(?<![\w-])order\s*:|position|-reverse|\\", re.IGNORECASE)
_PLACED = frozenset(
    {"display", "order", "flex-direction", "position", "left", "top", "direction", "unicode-bidi"}
)
_MARKS = re.compile("[\u202d\u202e]")
_STYLED = re.compile(r"bidi|(?<![\w-])order\s*:|position\s*:\s*absolute|-reverse|\\", re.IGNORECASE)


def show_as_styled(tree: Tree, sheets: Sheets, url: str) -> None:
    """Change a page's tree to what a browser shows of it.

    Raises:
        OverBudget: its sheets exceed the bounds.
    """
    texts = [*(style.text or "" for style in tree.iter("style")), *sheets.values()]
    is_styled = any(map(_CHANGING.search, texts))
    inline = any(_STYLED.search(element.get("style") or "") for element in tree.iter("*"))
    is_turned = (
        next(tree.iter("bdo"), None) is not None or _MARKS.search("".join(tree.itertext())) is not None
    )
    if not (is_styled or inline or is_turned):
        return
    rules = page_rules(tree, sheets, url)
    if rules.generated:
        add_content(generated_styles(list(tree.iter("*")), rules))
    styles = _styles(tree, rules)
    turn_around(tree, styles)
    put_in_order(styles)


def _styles(tree: Tree, rules: PageRules) -> dict[Element, Style]:
    """Return the styles that place and turn elements."""
    by_sheets = declared_styles(tree.iter("*"), rules, _PLACED)
    styles = {element: {**style, **important} for element, (style, important) in by_sheets.items()}
    known: dict[str, tuple[Style, Style]] = {}
    for element in tree.iter("*"):
        text = element.get("style")
        if not text:
            continue
        if text not in known:
            known[text] = parse_style(with_values(text, rules.variables))
        style, important = known[text]
        base = by_sheets.get(element)
        if base is None:
            styles[element] = {**style, **important}
        else:
            styles[element] = {**base.style, **style, **base.important, **important}
    return styles
