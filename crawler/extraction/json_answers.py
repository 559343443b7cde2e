"""Conversion of JSON and JSONP answers that contain a text to markup that is read like a page. Pure.

The article is the longest Chinese text: a string, or the strings of a list, with or without markup. A string
near it under a key such as ``title`` is its title. All other strings follow in separate elements, so no text
is lost. An answer of only short strings is a list. Linear.
"""

import json
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from html import escape, unescape
from itertools import islice
from typing import Any, TypeAlias

from crawler.extraction.encoded_data import decode_data
from crawler.extraction.short_texts import MIN_HAN, count_han

_START = re.compile(r"\ufeff?\s*(?:/\*\*/)?(?:[\w$.]{1,100}\s*\()?\s*[\[{]")
_JSONP = re.compile(r"\s*(?:/\*\*/)?\s*[\w$.]{1,100}\s*\((?P<data>.*)\)\s*;?\s*", re.DOTALL)
_GUARD = re.compile(r"\ufeff?\s*(?:\)\]\}',?|while\s*\(1\);|for\s*\(;;\);)\s*")
_TAG = re.compile(
    r"</?(?:p|br|div|span|h[1-6]|b|i|strong|em|font|section|article|li|ul|a)\b[^<>]*>", re.IGNORECASE
)
_ANY_TAG = re.compile(r"<[^<>]*>")
_NESTED = re.compile(r"\s*[\[{]\s*[\"\[{]")
_INDENT = re.compile("[\u3000\xa0 ]{2,}")
_SEPARATORS = re.compile(r"[\W_]+")
_TITLES = (
    "chaptername",
    "chaptertitle",
    "title",
    "articletitle",
    "contenttitle",
    "subject",
    "headline",
    "cname",
    "name",
    "bookname",
)
_AUTHORS = ("author", "authorname", "writer", "penname", "authorpenname", "byline")
_REMARKS = re.compile("comment|repl(?:y|ies)|pinglun|recommend|related", re.IGNORECASE)
_MAX_DEPTH = 40
_MAX_NAME_CHARS = 100
_MAX_VALUES = 100_000
_MAX_LINES = 20
_MAX_BEGINNING = 5_000

Path: TypeAlias = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Text:
    """A text of an answer.

    Attributes:
        path: keys that lead to it, without list indexes.
        key: the last key, without case and separators.
        lines: a string, or the strings that lists have under the same keys.
    """

    path: Path
    lines: tuple[str, ...]

    @property
    def key(self) -> str:
        return _SEPARATORS.sub("", self.path[-1]).lower() if self.path else ""

    @property
    def han(self) -> int:
        """Return the number of Han characters."""
        return sum(map(count_han, self.lines))


def markup_of(text: str) -> str:
    """Return an answer in JSON as a page; return other text, and JSON without Chinese, unchanged."""
    if _START.match(text) is None and _GUARD.match(text) is None:
        return text
    data = _parse(text)
    if not isinstance(data, dict | list):
        return text
    texts = [item for item in _texts(data) if item.han]
    return _page(texts) if texts else text


def title_in(script: str, opening: str) -> str:
    """Return the title of a text in the data of a script; empty without one.

    Args:
        script: JSON, or an assignment of it.
        opening: the first characters of the text, without white space.
    """
    start, end = (
        min(filter(lambda at: at >= 0, map(script.find, "{[")), default=-1),
        max(map(script.rfind, "}]")),
    )
    data = _parse(script[start : end + 1]) if 0 <= start < end else None
    texts = [item for item in _texts(data) if item.han] if isinstance(data, dict | list) else []
    article = next((text for text in texts if opening in _bare(text)), None)
    title = None if article is None else _nearest(article, texts, _TITLES)
    return "" if title is None else unescape(title.lines[0]).strip()


def _bare(text: _Text) -> str:
    """Return the beginning of a text without markup and white space."""
    beginning = "".join(islice(text.lines, _MAX_LINES))[:_MAX_BEGINNING]
    return "".join(_ANY_TAG.sub("", unescape(beginning)).split())


def _parse(text: str) -> Any:
    guard = _GUARD.match(text)
    bare = text[guard.end() :] if guard else text.lstrip("\ufeff")
    jsonp = _JSONP.fullmatch(bare)
    with suppress(ValueError, RecursionError):
        return json.loads(jsonp["data"] if jsonp else bare, strict=False)
    return None


def _texts(data: Any) -> list[_Text]:
    """Return the texts of an answer in order; strings under the same keys of a list form one text."""
    groups: dict[Path, list[str]] = {}
    for path, string in _strings(data):
        groups.setdefault(path, []).append(string)
    return [_Text(path, tuple(lines)) for path, lines in groups.items()]


def _strings(data: Any) -> Iterator[tuple[Path, str]]:
    """Yield each string with its keys, also from JSON inside strings; without recursion."""
    stack: list[tuple[Path, int, Any]] = [((), 0, data)]
    for _ in range(_MAX_VALUES):
        if not stack:
            return
        path, depth, value = stack.pop()
        if isinstance(value, str):
            value = _decoded(value)
        if isinstance(value, str):
            yield path, value
        elif depth < _MAX_DEPTH and isinstance(value, dict):
            stack += [((*path, str(name)), depth + 1, item) for name, item in value.items()][::-1]
        elif depth < _MAX_DEPTH and isinstance(value, list):
            stack += [(path, depth + 1, item) for item in reversed(value)]


def _decoded(string: str) -> Any:
    """Return the data that a string contains; otherwise the string, decoded."""
    plain = decode_data(string)
    text = string if plain is None else plain
    if _NESTED.match(text):
        with suppress(ValueError, RecursionError):
            return json.loads(text, strict=False)
    return text


def _page(texts: Sequence[_Text]) -> str:
    article = max(texts, key=lambda text: (not _is_remark(text), text.han))
    is_list = article.han < MIN_HAN * len(article.lines)
    title, author = (_nearest(article, texts, keys) for keys in (_TITLES, _AUTHORS))
    name = escape(title.lines[0]) if title else ""
    byline = f'<meta name="author" content="{escape(author.lines[0])}">' if author else ""
    other_texts = [text for text in texts if text is not title and (is_list or text is not article)]
    heading = "" if is_list else f"<h1>{name}</h1><article>{_paragraphs(article)}</article>"
    return (
        f"<html><head><title>{name}</title>{byline}</head>"
        f"<body>{heading}<ul>{''.join(map(_items, other_texts))}</ul></body></html>"
    )


def _is_remark(text: _Text) -> bool:
    return any(map(_REMARKS.search, text.path))


def _nearest(article: _Text, texts: Sequence[_Text], keys: Sequence[str]) -> _Text | None:
    """Return the single short string that is nearest to the article, under one of the keys."""
    named = [
        text
        for text in texts
        if text.key in keys and len(text.lines) == 1 and len(text.lines[0]) <= _MAX_NAME_CHARS
    ]
    named = [text for text in named if text is not article]
    return max(
        named, key=lambda text: (_shared(text.path, article.path), -keys.index(text.key)), default=None
    )


def _shared(path: Path, other: Path) -> int:
    pairs = zip(path, other, strict=False)
    return next(
        (number for number, (first, second) in enumerate(pairs) if first != second),
        min(len(path), len(other)),
    )


def _paragraphs(text: _Text) -> str:
    return "".join(_markup(line) for line in text.lines)


def _markup(text: str) -> str:
    if "<" not in text and "&lt;" in text:
        text = unescape(text)
    if _TAG.search(text):
        return f"<div>{text}</div>"
    lines = text.replace("\\n", "\n").splitlines()
    lines = _INDENT.split(text) if len(lines) == 1 else lines
    return "".join(f"<p>{escape(unescape(line))}</p>" for line in lines)


def _items(text: _Text) -> str:
    return "".join(f"<li><a>{escape(line)}</a></li>" for line in text.lines)
