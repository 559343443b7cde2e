"""Texts in scripts as one string for each paragraph: in a list, under one name, or in one call. Pure, linear.

Sites built by scripts send an article as ``{"blocks": [{"text": "…"}, {"text": "…"}]}``; older sites write it
line by line. If each string is in an object with its own title, address or author, the strings are summaries
or comments, not paragraphs. Whole texts that follow each other in a list, with at most a title each, are the
chapters of one text.
"""

import re
from collections.abc import Iterator
from itertools import islice, pairwise
from typing import TypeAlias

from crawler.extraction.script_strings import LITERAL, content_of, has_content, unescape_literal
from fingerprint.text.han import HAN

_String: TypeAlias = tuple[int, int, str]  # (start, end, content)

BLOCK_TAG = re.compile(r"<(?:p|br|div|section|li|h[1-6]|td)\b", re.IGNORECASE)
_MAY_BE_PARAGRAPH = re.compile(rf"[{HAN}]|\\u[4-9][0-9a-f]{{3}}|&#", re.IGNORECASE)
_HAN_MARKS = ("\\u", "\\U", "&#")  # Chinese written in ASCII always contains one of these marks
_LINE_BREAK = re.compile(r"\n|\\n.|\\x0a.|<br", re.IGNORECASE)
_NAME = re.compile(r"[A-Za-z_$][\w$]*")
# Other fields of an object with a text. They show that its texts are summaries or comments, not
# paragraphs.
_OWN_TEXT = r"url|link|href|author|nick\w*|user\w*|avatar|summary|abstract|like\w*|repl\w+"
_OWN_FIELD = re.compile(rf"\b(?:title|headline|subject|{_OWN_TEXT})[\"']?\s*:", re.IGNORECASE)
_OTHER_TEXT_FIELD = re.compile(rf"\b(?:{_OWN_TEXT})[\"']?\s*:", re.IGNORECASE)
_MIN_CHAPTER_CHARS = 1_000  # minimum characters of a string that is one of several chapters
# minimum characters (as written in the script) of a string that is one of several answers
_MIN_ANSWER_CHARS = 200
_MIN_PARAGRAPH_CHARS = 8
_MIN_PARAGRAPHS = 3
# Maximum share of the longest paragraph in a text. If its share is higher, this paragraph is the text, and
# the others are comments.
_MAX_PARAGRAPH_SHARE = 0.6
_MAX_CODE_CHARS = 30  # number of characters before a string that determine its kind
_MAX_GAP_CHARS = 400  # maximum characters between two paragraphs
_MAX_PARAGRAPHS = 20_000
_MAX_UNIQUE = 0.6  # maximum share of different strings in a text that a script has several times


def paragraph_texts(script: str, *, is_question: bool = False) -> Iterator[str]:
    """Yield the texts that a script contains as one string for each paragraph, chapter or answer, unescaped.

    Strings are of the same kind if the code before them is the same; strings of a list have the kind of its
    first.

    Args:
        script: a program or data.
        is_question: the page asks a question: whole texts of one kind are answers by different authors.
    """
    # most ASCII scripts without such marks are programs
    if script.isascii() and not any(mark in script for mark in _HAN_MARKS):
        return
    min_chars = _MIN_ANSWER_CHARS if is_question else _MIN_CHAPTER_CHARS
    for (is_chapter, _), strings in _by_kind(script, min_chars).items():
        if is_chapter:
            is_text = _are_chapters(script, strings) or (is_question and len(strings) > 1)
        else:
            is_text = _are_paragraphs(script, strings)
        if is_text:
            texts = _once([unescape_literal(text) for _, _, text in strings])
            yield ("<br>" if any(map(BLOCK_TAG.search, texts)) else "\n").join(texts)


def _once(texts: list[str]) -> list[str]:
    """Return the strings, each once if a script has most of them several times."""
    unique = list(dict.fromkeys(texts))
    return unique if len(unique) <= _MAX_UNIQUE * len(texts) else texts


def _by_kind(script: str, min_chars: int) -> dict[tuple[bool, str], list[_String]]:
    """Return the strings that can be parts of a text: (whether they are chapters, kind) → strings."""
    kinds: dict[tuple[bool, str], list[_String]] = {}
    for is_chapter, kind, string in islice(_strings(script, min_chars), _MAX_PARAGRAPHS):
        kinds.setdefault((is_chapter, kind), []).append(string)
    return kinds


def _strings(script: str, min_chars: int) -> Iterator[tuple[bool, str, _String]]:
    first = end = 0
    for literal in LITERAL.finditer(script):
        start = literal.start()
        if script[max(end, start - _MAX_CODE_CHARS) : start].strip() != ",":
            first = start
        end = literal.end()
        if not has_content(literal, _MIN_PARAGRAPH_CHARS):
            continue
        text = content_of(literal)
        is_chapter = len(text) >= min_chars and _is_whole(text)
        if is_chapter or _is_paragraph(text):
            kind = _kind_of(script[max(0, first - _MAX_CODE_CHARS) : first])
            yield is_chapter, kind, (start, end, text)


def _is_whole(literal: str) -> bool:
    """Return whether a string can be a whole Chinese text of several paragraphs."""
    return _MAY_BE_PARAGRAPH.search(literal) is not None and (
        _LINE_BREAK.search(literal.strip()) is not None or BLOCK_TAG.search(literal) is not None
    )


def _are_chapters(script: str, strings: list[_String]) -> bool:
    """Return whether whole texts of one kind follow each other, without a text's other fields between."""
    gaps = [(end, start) for (_, end, _), (start, _, _) in pairwise(strings)]
    return bool(gaps) and all(
        start - end <= _MAX_GAP_CHARS and _OTHER_TEXT_FIELD.search(script, end, start) is None
        for end, start in gaps
    )


def _is_paragraph(literal: str) -> bool:
    """Return whether a string can be a single Chinese paragraph; several paragraphs are a text."""
    return (
        len(literal) >= _MIN_PARAGRAPH_CHARS
        and _MAY_BE_PARAGRAPH.search(literal) is not None
        and _LINE_BREAK.search(literal.strip()) is None
        and len(BLOCK_TAG.findall(literal)) <= 1
    )


def _kind_of(code: str) -> str:
    """Return the name or call before a string: ``text`` of ``{"text": "…``, ``write`` of ``write('…``."""
    names = _NAME.findall(code)
    return names[-1] if names else ""


def _are_paragraphs(script: str, strings: list[_String]) -> bool:
    """Return whether strings of one kind form a single text, instead of one text each."""
    chars = [len(literal) for _, _, literal in strings]
    if len(strings) < _MIN_PARAGRAPHS or max(chars) > _MAX_PARAGRAPH_SHARE * sum(chars):
        return False
    gaps = [(end, start) for (_, end, _), (start, _, _) in pairwise(strings)]
    owned = sum(
        _OWN_FIELD.search(script, end, min(start, end + _MAX_GAP_CHARS)) is not None for end, start in gaps
    )
    return 2 * owned < len(gaps)
