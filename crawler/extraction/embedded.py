"""Articles inside scripts, templates and text areas of a page. Pure.

Some sites send the article as JSON for a script to show, in a template, or in a hidden text area. They are
searched only when the page itself has hardly a visible sentence.
"""

import json
import re
from collections.abc import Iterator
from heapq import nlargest
from html import unescape

from crawler.extraction.outline import line_of
from crawler.extraction.parsing import Tree, count_chars, lines_of, parse
from crawler.extraction.result import storable_text
from fingerprint.text.han import HAN

# A quote behind a backslash begins no string, so each string is read once, however its quotes are escaped.
_STRING = re.compile(r"""(?<!\\)"((?:[^"\\]|\\.){100,}+)"|(?<!\\)'((?:[^'\\]|\\.){100,}+)'""", re.DOTALL)
_MARKUP = re.compile(r"</?[a-zA-Z][^<>]*>|&(?:[a-z]+|#\d+);")
_MAY_BE_TEXT = re.compile(f"[{HAN}]|&#")
_HAN = re.compile(f"[{HAN}\u3000-\u303f\uff00-\uffef“”‘’…—]")
_MIN_SENTENCE_CHARS = 100  # characters of sentences
_MAX_CHARS = 2_000_000  # of one script
_MAX_TEXTS = 100  # the longest ones are read


def embedded_lines(tree: Tree) -> list[str]:
    """Return the lines of the longest text in scripts, templates and text areas; none when there is none."""
    best: list[str] = []
    best_prose = _MIN_SENTENCE_CHARS - 1
    chinese = (text for text in _texts(tree) if _MAY_BE_TEXT.search(text))
    for text in nlargest(_MAX_TEXTS, chinese, key=len):
        lines = _lines(text)
        prose = sum(line.chars for line in map(line_of, lines) if line.is_prose and _is_chinese(line.text))
        if prose > best_prose:
            best, best_prose = lines, prose
    return best


def _is_chinese(text: str) -> bool:
    return 2 * count_chars(_HAN, text) > len(text)


def _texts(tree: Tree) -> Iterator[str]:
    for area in tree.iterfind(".//textarea"):
        yield area.text_content()
    for script in tree.iterfind(".//script"):
        content = (script.text or "")[:_MAX_CHARS]
        kind = (script.get("type") or "").lower()
        if "template" in kind or kind == "text/html":
            yield content
        else:
            yield from _strings(content)


def _strings(script: str) -> Iterator[str]:
    """Yield the long string literals of a script, unescaped."""
    for match in _STRING.finditer(script):
        literal = match[1] if match[1] is not None else match[2].replace("\\'", "'").replace('"', '\\"')
        try:
            text = json.loads(f'"{literal}"', strict=False)
        except ValueError:  # an escape that JSON does not know
            text = literal
        yield storable_text(str(text))


def _lines(text: str) -> list[str]:
    for _ in range(2):  # markup in JSON is often escaped twice
        if "<" not in text and "&lt;" in text:
            text = unescape(text)
    if not _MARKUP.search(text):
        return [line for raw in text.split("\n") if (line := " ".join(raw.split()))]
    article = parse(text)
    return [] if article is None else lines_of(article)
