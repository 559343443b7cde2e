"""Articles inside scripts, templates, text areas and hidden data of a page. Pure.

Some sites send the article as JSON for a script to show, in a template, in a hidden text area or element, or
in an attribute; whole, percent-encoded, or a string for each paragraph. They are searched only when the page
itself has few visible sentences.
"""

import re
from collections.abc import Iterable, Iterator
from heapq import nlargest
from html import unescape
from urllib.parse import unquote

from crawler.extraction.block import Block
from crawler.extraction.outline import line_of
from crawler.extraction.paragraphs import BLOCK_TAG, paragraph_texts
from crawler.extraction.parsing import Tree, count_chars, lines_of, parse
from crawler.extraction.script_strings import LITERAL, content_of, unescape_literal
from crawler.extraction.title_lines import squeeze
from fingerprint.text.han import HAN

_LONG_ATTRIBUTES = "//@*[string-length() >= 500][name() = 'value' or starts-with(name(), 'data-')]"
_DATA = re.compile(r"\s*[\[{]")
_PERCENT_ENCODED = re.compile(r"\s*%(?:7B|5B|3C|22|E[3-9])", re.IGNORECASE)
_MIN_CHARS = 100  # of a string
_MAX_NESTED = 3  # strings of data inside strings
_MARKUP = re.compile(r"</?[a-zA-Z][^<>]*>|&(?:[a-z]+|#\d+);")
# Characters of sentences that a page shows.
_MIN_SHOWN = 100
_MAX_BLURB = 250
_MAX_SHOWN = 500
_OPENING = 30  # characters of it that the data hold too
_MIN_FACTOR = 2  # by which the data are longer then …
_MIN_OTHER_FACTOR = 10  # … and otherwise
_MAY_BE_TEXT = re.compile(f"[{HAN}]|&#")
_HAN = re.compile(f"[{HAN}\u3000-\u303f\uff00-\uffef“”‘’…—]")
_MIN_SENTENCE_CHARS = 100  # characters of sentences
_MAX_CHARS = 2_000_000  # of one script
_MAX_TEXTS = 100  # the longest ones are read


def hidden_article(tree: Tree, hidden: Iterable[str], block: Block) -> list[str]:
    """Return the lines of the article when the page's data hold it and the page shows it not, or in part.

    It is in the data where the page has hardly a sentence, where the data hold what the page shows and much
    more, or where a page of few sentences has data many times as long.

    Args:
        tree: the page.
        hidden: texts of elements that were taken out of it.
        block: the block of what it shows.
    """
    if block.prose_chars >= _MAX_SHOWN:
        return []
    lines = embedded_lines(tree, hidden)
    factor = chinese_prose(lines) / max(1, block.prose_chars)
    if block.prose_chars < _MIN_SHOWN:
        return lines if factor >= _MIN_FACTOR else []
    shown = squeeze("".join(line.text for line in block.lines if line.is_prose))[:_OPENING]
    is_whole = factor >= _MIN_FACTOR and shown in squeeze("".join(lines))
    is_other = factor >= _MIN_OTHER_FACTOR and block.prose_chars < _MAX_BLURB and not block.is_titled
    return lines if is_whole or is_other else []


def embedded_lines(tree: Tree, hidden: Iterable[str] = ()) -> list[str]:
    """Return the lines of the longest Chinese text in the page's data; none when there is none.

    Args:
        tree: the page.
        hidden: texts of elements that were taken out of it.
    """
    best: list[str] = []
    best_prose = _MIN_SENTENCE_CHARS - 1
    chinese = (text for text in _texts(tree, hidden) if _MAY_BE_TEXT.search(text))
    for text in nlargest(_MAX_TEXTS, chinese, key=len):
        lines = _lines(text)
        if (prose := chinese_prose(lines)) > best_prose:
            best, best_prose = lines, prose
    return best


def chinese_prose(lines: Iterable[str]) -> int:
    """Return the characters of the lines that are Chinese sentences."""
    return sum(line.chars for line in map(line_of, lines) if line.is_prose and _is_chinese(line.text))


def _is_chinese(text: str) -> bool:
    return 2 * count_chars(_HAN, text) > len(text)


def _texts(tree: Tree, hidden: Iterable[str]) -> Iterator[str]:
    for text in hidden:
        yield from _data_texts(text)
    for area in tree.iterfind(".//textarea"):
        yield from _data_texts(area.text_content())
    for template in tree.iterfind(".//template"):
        yield "\n".join(line for child in template for line in lines_of(child))
    for value in tree.xpath(_LONG_ATTRIBUTES):
        yield from _data_texts(str(value))
    for script in tree.iterfind(".//script"):
        content = (script.text or "")[:_MAX_CHARS]
        kind = (script.get("type") or "").lower()
        if "template" in kind or kind == "text/html":
            yield content
        elif _PERCENT_ENCODED.match(content):
            yield from _data_texts(content)
        else:
            yield from _strings(content)
            yield from paragraph_texts(content)


def _data_texts(text: str, depth: int = _MAX_NESTED) -> Iterator[str]:
    """Yield a text; of data (JSON) the strings in it."""
    if _PERCENT_ENCODED.match(text):
        text = unquote(text[:_MAX_CHARS], errors="ignore")
    if _DATA.match(text) is None:
        yield text
    elif depth:
        yield from _strings(text[:_MAX_CHARS], depth - 1)
        yield from paragraph_texts(text[:_MAX_CHARS])


def _strings(script: str, depth: int = _MAX_NESTED) -> Iterator[str]:
    """Yield the long string literals of a script, unescaped."""
    for token in LITERAL.finditer(script):
        literal = content_of(token)
        if len(literal) >= _MIN_CHARS:
            yield from _data_texts(unescape_literal(literal), depth)


def _lines(text: str) -> list[str]:
    for _ in range(2):  # markup in JSON is often escaped twice
        if "<" not in text and "&lt;" in text:
            text = unescape(text)
    if not _MARKUP.search(text):
        return [line for raw in text.split("\n") if (line := " ".join(raw.split()))]
    article = parse(text if BLOCK_TAG.search(text) else text.replace("\n", "<br>"))
    return [] if article is None else lines_of(article)
