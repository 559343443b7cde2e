"""Text that style sheets add before and after elements: ``::before { content: "的" }``. Pure, linear.

Only Chinese is added. Icons, marks and counters are not part of a text.
"""

from collections.abc import Iterator, Mapping
from itertools import chain, islice

from crawler.extraction.cascade import DeclaredStyle
from crawler.extraction.css_syntax import split_body, unescape_css
from crawler.extraction.hiding import hides
from crawler.extraction.parsed_sheets import Rule
from crawler.extraction.parsing import SILENT, Element
from system.patterns import re

_PART = re.compile(
    r"\"((?:[^\"\\\n]|\\.)*+)\"|'((?:[^'\\\n]|\\.)*+)'|attr\(\s*([\w:-]+)[^()]*\)|(/)|([\w-]+\([^()]*\)|[^\s\"'/]+)",
    re.DOTALL,
)
_VARIABLE = re.compile(r"var\(\s*(--[\w-]{1,100})[^()]*\)")
_CHINESE = re.compile("[\u2e80-\ud7ff\uf900-\uffef\U00020000-\U000323af]")
_PRIVATE = re.compile("[\ue000-\uf8ff\U000f0000-\U0010ffff]")
_REPLACED = frozenset(
    (
        "img",
        "br",
        "input",
        "hr",
        "video",
        "audio",
        "canvas",
        "embed",
        "meta",
        "link",
        "col",
        "area",
        "source",
        "wbr",
    )
)
_BOXES = ("block", "flex", "grid", "table", "list-item")
_MIN_CHARS = 5  # minimum characters that sheets add to a page; fewer are a label such as 广告
_MAX_LABEL_CHARS = 8  # maximum characters of a label on top of another element, such as a mark on a picture
_MAX_CHARS = 100_000
_MAX_DEPTH = 3  # maximum depth of variables inside variables
_MAX_VARIABLES = 8  # of one value
_MAX_LEVELS = 10  # maximum number of elements around one that may declare its variables
_MAX_STYLE_CHARS = 1_000


def add_content(styles: Mapping[str, Mapping[Element, DeclaredStyle]]) -> bool:
    """Insert generated content into the elements for which sheets show it; return whether there is any.

    Args:
        styles: ``before`` or ``after`` → element → its declarations.
    """
    additions = [
        (element, text, pseudo == "before", merged.get("display", "").startswith(_BOXES))
        for pseudo, declared in styles.items()
        for element, (style, important) in declared.items()
        if isinstance(element.tag, str) and element.tag not in SILENT and element.tag not in _REPLACED
        if (text := content_text((merged := {**style, **important}).get("content", ""), element))
        and not hides(merged)
        and not (len(text) <= _MAX_LABEL_CHARS and merged.get("position") in {"absolute", "fixed"})
    ]
    if sum(len(text) for _, text, _, _ in additions) < _MIN_CHARS:
        return False
    remaining_chars = _MAX_CHARS
    for element, text, is_first, is_box in additions:
        remaining_chars -= len(text)
        if remaining_chars >= 0:
            _insert(element, text, is_first=is_first, is_box=is_box)
    return True


def adds_text(rule: Rule) -> bool:
    """Return whether a rule of a pseudo-element may add Chinese."""
    value = rule.important.get("content") or rule.style.get("content") or ""
    return "attr(" in value or "var(" in value or _CHINESE.search(unescape_css(value)) is not None


def content_text(value: str, element: Element) -> str:
    """Return the text that a value of ``content`` shows at an element; empty if it is not Chinese."""
    text = _PRIVATE.sub("", "".join(_strings_of(_without_variables(value, element), element)))
    return text if _CHINESE.search(text) else ""


def _strings_of(value: str, element: Element) -> Iterator[str]:
    for double, single, attribute, slash, _ in _PART.findall(value):
        if slash:  # the alternative text for screen readers follows after the slash
            break
        yield (element.get(attribute.lower()) or "") if attribute else unescape_css(double or single)


def _without_variables(value: str, element: Element) -> str:
    """Return a value whose variables are replaced by what the element or one around it declares."""
    for _ in range(_MAX_DEPTH):
        if "var(" not in value:
            break
        value = _VARIABLE.sub(
            lambda variable: _declared(variable[1], element), value[:_MAX_STYLE_CHARS], count=_MAX_VARIABLES
        )
    return value


def _declared(variable: str, element: Element) -> str:
    """Return the value of a custom property by the inline style of an element or one around it."""
    for node in chain((element,), islice(element.iterancestors(), _MAX_LEVELS)):
        style = (node.get("style") or "")[:_MAX_STYLE_CHARS]
        if variable in style:
            for declared in split_body(style):
                name, _, value = declared.partition(":")
                if name.strip() == variable:
                    return value
    return ""


def _insert(element: Element, text: str, *, is_first: bool, is_box: bool) -> None:
    if is_box:
        box = element.makeelement("div")
        box.text = text
        if is_first:
            box.tail, element.text = element.text, None
            element.insert(0, box)
        else:
            element.append(box)
    elif is_first:
        element.text = text + (element.text or "")
    elif len(element):
        element[-1].tail = (element[-1].tail or "") + text
    else:
        element.text = (element.text or "") + text
