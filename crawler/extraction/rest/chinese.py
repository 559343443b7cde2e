"""Chinese characters in text: whether a text has any, which, and in which lines. Pure, linear."""

import re
from collections.abc import Iterator, Sequence
from html import unescape

import numpy as np
import numpy.typing as npt

from fingerprint.text.han import EXTENSION_A, UNIFIED
from fingerprint.text.letters import code_points, text_of

# Han characters and their look-alikes: radicals and compatibility forms.
CHINESE = f"{EXTENSION_A}{UNIFIED}\u2e80-\u2fd5\uf900-\ufaff\U00020000-\U000323af"
_CHINESE = re.compile(f"[{CHINESE}]")
_RUN = re.compile(f"[{CHINESE}]+")
_FIRST_POINT, _LAST_POINT = 0x2E80, 0x323AF
_SPACE, _LINE_FEED = ord(" "), ord("\n")
_TAG = re.compile(r"<[a-zA-Z/!?][^<>]*>?")
_MAY_BE_TAG = re.compile(r"<[a-zA-Z/!?]")
# Inline elements. They do not end a line.
_INLINE_NAMES = (
    "a|abbr|acronym|b|bdi|bdo|big|cite|code|data|del|dfn|em|font|i|ins|kbd|label|mark|q|s|samp|small|span|strike"
    "|strong|sub|sup|tt|u|var|wbr|tspan|ruby|rb|rt|rp|nobr"
)
_INLINE_TAG = re.compile(rf"</?(?:{_INLINE_NAMES})(?![\w-])[^<>]*>?", re.IGNORECASE)


def has_chinese(text: str) -> bool:
    """Return whether a text has a Chinese character."""
    return not text.isascii() and _CHINESE.search(text) is not None


def chinese_of(text: str) -> str:
    """Return only the Chinese characters of a text; they are equal in two forms of a line."""
    return "".join(_RUN.findall(text))


def runs_with_offsets(text: str) -> tuple[list[str], list[int]]:
    """Return the runs of Chinese characters in a text, in order, and their offsets."""
    if text.isascii():
        return [], []
    points = code_points(text)
    places = np.flatnonzero(points >= _FIRST_POINT)
    chinese = points[places]
    is_chinese = _is_chinese(chinese)
    places, chinese = places[is_chinese], chinese[is_chinese]
    if not len(places):
        return [], []
    firsts = np.flatnonzero(np.diff(places, prepend=-2) > 1)
    runs = text_of(np.insert(chinese, firsts[1:], _SPACE)).split(" ")
    return runs, places[firsts].tolist()


def wide_units(text: str) -> npt.NDArray[np.uint16]:
    """Return the UTF-16 units that may be Chinese or private use, in order: shape (n,)."""
    if text.isascii():
        return np.empty(0, dtype="<u2")
    units = np.frombuffer(text.encode("utf-16-le", "surrogatepass"), dtype="<u2")
    wide: npt.NDArray[np.uint16] = units[units >= _FIRST_POINT]
    return wide


def count_in_units(units: npt.NDArray[np.uint16]) -> int:
    """Return how many of the units are Chinese characters."""
    return int(np.count_nonzero(_TABLE[units]))


def count_chinese(text: str) -> int:
    """Return the number of Chinese characters in the first plane."""
    return 0 if text.isascii() else count_in_units(wide_units(text))


def keys_of(texts: Sequence[str]) -> list[str]:
    """Return the Chinese characters of each text (:func:`chinese_of`)."""
    joined = "\n".join(texts)
    points = code_points(joined)
    keys = text_of(points[_is_chinese(points) | (points == _LINE_FEED)]).split("\n")
    return keys if len(keys) == len(texts) else list(map(chinese_of, texts))


def _is_chinese(points: npt.NDArray[np.uint32]) -> npt.NDArray[np.bool_]:
    return _TABLE[np.minimum(points, len(_TABLE) - 1)]


def _table() -> npt.NDArray[np.bool_]:
    """Return whether each code point is Chinese; the last entry applies to all higher ones."""
    table = np.zeros(_LAST_POINT + 2, dtype=np.bool_)
    for at in range(0, len(CHINESE), 3):  # a range consists of three characters
        table[ord(CHINESE[at]) : ord(CHINESE[at + 2]) + 1] = True
    return table


def without_tags(text: str) -> str:
    """Return a text without anything that looks like a tag; tags that are not inline end a line.

    The rule is as simple as possible, to find text about which parsers disagree.
    """
    if _MAY_BE_TAG.search(text) is None:
        return text
    return _TAG.sub("\n", _INLINE_TAG.sub("", text))


def chinese_lines(text: str) -> Iterator[str]:
    """Yield the lines of a text with Chinese, without tags and entities."""
    if "&" in text:
        text = unescape(text)
        text = unescape(text) if "&lt;" in text or "&#" in text else text
    for line in without_tags(text).split("\n"):
        # not a function, because a call for each line would take longer
        if not line.isascii() and _CHINESE.search(line) is not None:
            yield " ".join(line.split())


_TABLE = _table()
