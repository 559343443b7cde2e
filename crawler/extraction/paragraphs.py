"""Texts that a script holds as a string for each paragraph: in a list, under one name, or in one call. Pure.

Sites that are made by scripts send an article as ``{"blocks": [{"text": "…"}, {"text": "…"}]}``, and old ones
write it line by line. Strings that stand in objects with a title, an address or an author of their own are
summaries or comments, no paragraphs. One pass over the script: linear.
"""

import re
from collections.abc import Iterator
from itertools import islice, pairwise

from crawler.extraction.script_strings import LITERAL, content_of, unescape_literal
from fingerprint.text.han import HAN

BLOCK_TAG = re.compile(r"<(?:p|br|div|section|li|h[1-6]|td)\b", re.IGNORECASE)
_MAY_BE_PARAGRAPH = re.compile(rf"[{HAN}]|\\u[4-9][0-9a-f]{{3}}|&#", re.IGNORECASE)
_LINE_BREAK = re.compile(r"\n|\\n.|\\x0a.|<br", re.IGNORECASE)
_NAME = re.compile(r"[A-Za-z_$][\w$]*")
# What an object with a text of its own has besides: then its texts are summaries or comments, no paragraphs.
_OWN_FIELD = re.compile(
    r"\b(?:title|headline|subject|url|link|href|author|nick\w*|user\w*|avatar|summary|abstract|like\w*|repl\w+)[\"']?\s*:",
    re.IGNORECASE,
)
_MIN_PARAGRAPH_CHARS = 8
_MIN_PARAGRAPHS = 3
# Of a text in its longest paragraph; of more this is the text, and the others comment on it.
_MAX_PARAGRAPH_SHARE = 0.6
_MAX_CODE_CHARS = 30  # before a string, by which its kind is told
_MAX_GAP_CHARS = 400  # between two paragraphs
_MAX_PARAGRAPHS = 20_000


def paragraph_texts(script: str) -> Iterator[str]:
    """Yield the texts that a script holds as a string for each paragraph, unescaped, a line for each.

    Strings are of one kind when the code before them is the same; in a list, that of its first string.
    """
    kinds: dict[str, list[tuple[int, int, str]]] = {}
    for kind, start, end, text in islice(_paragraphs(script), _MAX_PARAGRAPHS):
        kinds.setdefault(kind, []).append((start, end, text))
    for strings in kinds.values():
        if _are_paragraphs(script, strings):
            yield "\n".join(unescape_literal(text) for _, _, text in strings)


def _paragraphs(script: str) -> Iterator[tuple[str, int, int, str]]:
    """Yield (kind, start, end, content) of the literals that can be paragraphs."""
    kind, end = "", 0
    for literal in LITERAL.finditer(script):
        start = literal.start()
        if script[max(end, start - _MAX_CODE_CHARS) : start].strip() != ",":
            kind = _kind_of(script[max(0, start - _MAX_CODE_CHARS) : start])
        end = literal.end()
        if _is_paragraph(text := content_of(literal)):
            yield kind, start, end, text


def _is_paragraph(literal: str) -> bool:
    """Return whether a string can be one paragraph, of Chinese; several are a text of their own."""
    return (
        len(literal) >= _MIN_PARAGRAPH_CHARS
        and _MAY_BE_PARAGRAPH.search(literal) is not None
        and _LINE_BREAK.search(literal.strip()) is None
        and len(BLOCK_TAG.findall(literal)) <= 1
    )


def _kind_of(code: str) -> str:
    """Return the name or the call before a string: ``text`` of ``{"text": "…``, ``write`` of ``write('…``."""
    names = _NAME.findall(code)
    return names[-1] if names else ""


def _are_paragraphs(script: str, strings: list[tuple[int, int, str]]) -> bool:
    """Return whether strings of one kind are one text, not one of each of several."""
    chars = [len(literal) for _, _, literal in strings]
    if len(strings) < _MIN_PARAGRAPHS or max(chars) > _MAX_PARAGRAPH_SHARE * sum(chars):
        return False
    gaps = [(end, start) for (_, end, _), (start, _, _) in pairwise(strings)]
    owned = sum(
        _OWN_FIELD.search(script, end, min(start, end + _MAX_GAP_CHARS)) is not None for end, start in gaps
    )
    return 2 * owned < len(gaps)
