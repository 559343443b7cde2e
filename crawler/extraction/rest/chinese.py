"""Chinese characters in any text: whether there are some, which, and in which lines. Pure, linear."""

import re
from collections.abc import Iterator
from html import unescape

from fingerprint.text.han import EXTENSION_A, UNIFIED

# Han characters and their look-alikes: radicals and compatibility forms.
CHINESE = f"{EXTENSION_A}{UNIFIED}\u2e80-\u2fd5\uf900-\ufaff\U00020000-\U000323af"
_CHINESE = re.compile(f"[{CHINESE}]")
_RUN = re.compile(f"[{CHINESE}]+")
_TAG = re.compile(r"<[a-zA-Z/!?][^<>]*>?")
_MAY_BE_TAG = re.compile(r"<[a-zA-Z/!?]")
# Elements whose beginnings and ends leave a line as it is.
_INLINE_NAMES = (
    "a|abbr|acronym|b|bdi|bdo|big|cite|code|data|del|dfn|em|font|i|ins|kbd|label|mark|q|s|samp|small|span|strike"
    "|strong|sub|sup|tt|u|var|wbr|tspan|ruby|rb|rt|rp|nobr"
)
_INLINE_TAG = re.compile(rf"</?(?:{_INLINE_NAMES})(?![\w-])[^<>]*>?", re.IGNORECASE)


def has_chinese(text: str) -> bool:
    """Return whether a text has a Chinese character."""
    return not text.isascii() and _CHINESE.search(text) is not None


def chinese_of(text: str) -> str:
    """Return the Chinese characters of a text and nothing else: what two forms of a line share."""
    return "".join(_RUN.findall(text))


def chinese_runs(text: str) -> list[str]:
    """Return the runs of Chinese characters in a text, in order."""
    return _RUN.findall(text)


def without_tags(text: str) -> str:
    """Return a text without anything that looks like a tag; one that is not inline ends a line.

    This is the simplest rule that there is, so that it finds what parsers disagree about.
    """
    if _MAY_BE_TAG.search(text) is None:
        return text
    return _TAG.sub("\n", _INLINE_TAG.sub("", text))


def chinese_lines(text: str) -> Iterator[str]:
    """Yield the lines of a text that have Chinese, without tags and entities."""
    if "&" in text:
        text = unescape(text)
        text = unescape(text) if "&lt;" in text or "&#" in text else text
    for line in without_tags(text).split("\n"):
        if has_chinese(line):
            yield " ".join(line.split())
