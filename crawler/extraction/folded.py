"""Text that a page hides until the reader clicks a button such as 展开阅读全文. Pure.

The text behind such a button belongs to the page's text. It is next to the button, or the button refers to it
by id. If a page shows the beginning and hides the whole text, only the whole text is read.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cache
from itertools import chain, islice, takewhile
from typing import NamedTuple

import numpy as np

from crawler.extraction.marked import NAMING
from crawler.extraction.outline import SENTENCE
from crawler.extraction.parsing import Element, is_element
from crawler.extraction.short_texts import is_text
from fingerprint.text.variants import fold, fold_points

_BUTTON = re.compile(
    r"[↓▼▾⌄+＋…【\[(（]*(?:请?点击|点我|点此|轻触|戳我)?"
    r"(?:(?:请?(?:登录|关注(?:微信)?公众号|扫码)[后再]?|(?:打开|下载|前往|用)(?:app|客户端|小程序)[内后]?)?"
    r"(?:展开|显示|查看|阅读|浏览|加载|打开|继续阅读|继续|看)(?:阅读|查看|显示)?"
    r"(?:全文|全部|全章|更多|剩余|余下|其余|后续|后文|下文|隐藏|折叠|完整|本章|正文|所有)(?:[\d.]+%)?[内容文字章节部分的全]{0,6}"
    r"|(?:展开|展开阅读|继续阅读|阅读全文|余下全文|剩余内容|继续看|接着读|接着看|阅读剩余部分)[内容正文]{0,3})"
    r"[(（]?(?:剩余|还有|余)?[\d.]*[%字]?[)）]?[↓▼▾⌄>»…c】\])）]*",
    re.IGNORECASE,
)
# Every label of such a button contains one of these characters, in simplified form.
_CALLS = frozenset("展示看读览载开余")
_TAGS = frozenset({"a", "button", "span", "div", "p", "label", "summary", "em", "i", "b", "input", "strong"})
_WORD = re.compile(r"[\w-]+")
_MAX_LABEL_CHARS = 24
_MAX_RAW_CHARS = 100  # maximum characters of a label, including white space
_MAX_TEXTS = 60  # maximum number of text nodes in a label
_MAX_INSIDE = 2  # maximum number of elements inside a button
_LEVELS = 3  # number of ancestors of a button that may contain its text
_MORE = "更多"  # such a button may also load other pages
_MAX_BUTTONS = 50
_MAX_RUN = 500  # maximum number of hidden elements next to a button
_OPENING = 15  # two texts with this many equal first characters have the same beginning


class FoldedTexts(NamedTuple):
    """Texts behind buttons, and the elements that they replace: their beginnings and the buttons."""

    texts: set[Element]
    replaced: set[Element]


def folded_texts(hidden: Collection[Element], referring: Iterable[tuple[Element, str]]) -> FoldedTexts:
    """Return the hidden elements of a page that a button shows, and the elements that they replace.

    Args:
        hidden: the hidden elements.
        referring: elements of the page that may refer to others, each with the attribute that does.
    """
    candidates = {element for element in hidden if _is_prose(element)}
    texts: set[Element] = set()
    replaced: set[Element] = set()
    places = {**_nearby_elements(candidates), **_referring_elements(candidates, referring)}
    for button, label in islice(_buttons(places), _MAX_BUTTONS):
        levels = _LEVELS if _MORE not in label else 1
        matches = _named(button, candidates) or _beside(button, candidates, levels)
        texts |= matches
        replaced |= {button} if matches else set()
    replaced |= {opening for text in texts if (opening := _opening_of(text, hidden)) is not None}
    return FoldedTexts(texts, replaced)


def _nearby_elements(candidates: Collection[Element]) -> dict[Element, None]:
    """Return the siblings of elements up to one with content, and their descendants, innermost first."""
    adjacent: dict[Element, None] = {}
    for candidate in candidates:
        for is_before in (True, False):
            adjacent |= dict.fromkeys(_siblings_of_edge(candidate, is_before=is_before))
    levels = [adjacent]
    for _ in range(_LEVELS - 1):
        levels.append(dict.fromkeys(chain.from_iterable(levels[-1])))
    return dict.fromkeys(chain.from_iterable(reversed(levels)))


def _siblings_of_edge(candidate: Element, *, is_before: bool) -> Iterator[Element]:
    """Yield the siblings before or after an element up to one with content, or those of its container.

    Those of its container count if the element is at the edge of it.
    """
    node = candidate
    for _ in range(_LEVELS):
        for sibling in node.itersiblings(preceding=is_before):
            yield sibling
            if _has_content(sibling):
                return
        parent = node.getparent()
        if parent is None or parent.tag in {"body", "html"} or (is_before and _has_words(parent.text)):
            return
        node = parent


def _referring_elements(
    candidates: Collection[Element], referring: Iterable[tuple[Element, str]]
) -> dict[Element, None]:
    """Return the elements that may refer to a candidate by its id, and their children."""
    words = {word for element in candidates for word in _WORD.findall(element.get("id") or "")}
    if not words:
        return {}
    naming = [element for element, value in referring if not words.isdisjoint(_WORD.findall(value))]
    return dict.fromkeys(chain(chain.from_iterable(naming), naming))


def _is_prose(element: Element) -> bool:
    text = "".join(element.itertext())
    return is_text(text) and SENTENCE.search(text) is not None


@cache
def _label_characters() -> re.Pattern[str]:
    """Return a pattern for a character of a button's label, in any of its forms."""
    points = np.concatenate([np.arange(0xD800), np.arange(0xE000, 0x30000)]).astype(np.uint32)
    is_call = np.isin(fold_points(points), list(map(ord, _CALLS)))
    return re.compile(f"[{''.join(map(chr, points[is_call].tolist()))}]")


def _buttons(places: Iterable[Element]) -> Iterator[tuple[Element, str]]:
    """Yield the elements that are buttons, with their labels; inner elements come first in ``places``."""
    calls = _label_characters()
    labels: dict[Element, str] = {}
    for element in places:
        inside = len(element)
        text = (element.get("value") if element.tag == "input" else element.text) or ""
        if element.tag not in _TAGS or inside > _MAX_INSIDE or len(text) > _MAX_RAW_CHARS:
            continue
        if not inside and not calls.search(text):
            continue
        label = _label(element, text, labels)
        if element.tag != "input":  # the value of an input is not part of the text around it
            labels[element] = label
        if 1 < len(label) <= _MAX_LABEL_CHARS and calls.search(label) and _BUTTON.fullmatch(fold(label)):
            yield element, label


def _label(element: Element, text: str, labels: Mapping[Element, str]) -> str:
    """Return the text of an element without white space; it may be cut once it is too long for a button."""
    label = "".join(text.split())
    for child in element:
        if len(label) > _MAX_LABEL_CHARS:
            break
        inside = labels.get(child)
        label += _first_texts(child) if inside is None else inside
        if child.tail:
            label += "".join(child.tail.split())
    return label


def _first_texts(element: Element) -> str:
    if not is_element(element):
        return ""
    if not len(element):
        return "".join((element.text or "").split())
    label = ""
    for text in islice(element.itertext(), _MAX_TEXTS):
        label += "".join(text.split())
        if len(label) > _MAX_LABEL_CHARS:
            break
    return label


def _references(element: Element) -> str:
    return "\n".join([value for name, value in element.items() if name in NAMING])


def _named(button: Element, candidates: Collection[Element]) -> set[Element]:
    """Return the candidates whose id appears in an attribute of a button or of its parent."""
    around = takewhile(lambda node: node is not None, (button, button.getparent()))
    values = "\n".join(map(_references, around))
    ids = ((element, element.get("id")) for element in candidates)
    return {
        element
        for element, name in ids
        if name and re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", values)
    }


def _beside(button: Element, candidates: Collection[Element], levels: int) -> set[Element]:
    """Return the candidates next to a button, or next to an element around it.

    ``levels`` limits how deep in an element next to it they are.
    """
    node = button
    for _ in range(_LEVELS):
        parent = node.getparent()
        if parent is None or node.tag in {"body", "html"}:
            break
        for is_before in (True, False):
            if siblings_beside := _run_of(
                candidates, node.itersiblings(preceding=is_before), levels, is_before=is_before
            ):
                return siblings_beside
        node = parent
    return set()


def _run_of(
    candidates: Collection[Element], siblings: Iterable[Element], levels: int, *, is_before: bool
) -> set[Element]:
    """Return the candidates that begin a sequence of siblings, or the edge of the first one."""
    for _ in range(levels):
        nearest, run = None, set[Element]()
        for sibling in islice(filter(_has_content, siblings), _MAX_RUN):
            nearest = sibling if nearest is None else nearest
            if sibling not in candidates:
                break
            run.add(sibling)
        if run or nearest is None or (is_before and len(nearest) and _has_words(nearest[-1].tail)):
            return run
        siblings = nearest.iterchildren(reversed=is_before)
    return set()


def _has_content(element: Element) -> bool:
    return is_element(element) and any(map(_has_words, element.itertext()))


def _has_words(text: str | None) -> bool:
    return bool(text) and not str(text).isspace()


def _opening_of(text: Element, hidden: Collection[Element]) -> Element | None:
    """Return the element next to a text that shows only its beginning."""
    squeezed = _squeezed(text)
    for other in chain(text.itersiblings(preceding=True), text.itersiblings()):
        if other in hidden or not is_element(other):
            continue
        beginning = _squeezed(other)[:_OPENING]
        if len(beginning) == _OPENING and squeezed.startswith(beginning):
            return other
    return None


def _squeezed(element: Element) -> str:
    return "".join("".join(element.itertext()).split())
