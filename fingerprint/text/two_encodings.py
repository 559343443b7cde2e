"""Bytes of which one part is UTF-8 and the other is not: a template of one age around texts of another. Pure.

Such a page is read in stretches: between two tags or line ends nobody changes the encoding. A stretch that
is UTF-8 with a character outside ASCII is taken for that; Chinese in GB18030 or Big5 is hardly ever UTF-8 by
chance, and of four characters in a row practically never. Linear; at most 20,000 changes are followed.
"""

import re
from collections.abc import Iterator

_STRETCH = re.compile(rb"[^<>\n]+|[<>\n]+")
_HIGH = re.compile(rb"[\x80-\xff]")
# Four characters of UTF-8 in a row: Chinese, or its punctuation.
_CHINESE_UTF8 = re.compile(rb"(?:[\xe3-\xe9\xef][\x80-\xbf]{2}){4}")
_MAX_CHANGES = 20_000


def holds_utf8(data: bytes) -> bool:
    """Return whether a part of the bytes is Chinese in UTF-8."""
    return _CHINESE_UTF8.search(data) is not None


def parts(data: bytes) -> Iterator[tuple[bytes, bool]]:
    """Yield the bytes in parts, each with whether it is UTF-8; ASCII belongs to the part before it."""
    start = end = changes = 0
    is_utf8 = True
    for stretch in _STRETCH.finditer(data):
        if changes >= _MAX_CHANGES:
            break
        if _HIGH.search(stretch[0]) is not None and (now := _is_utf8(stretch[0])) is not is_utf8:
            if start < end:
                yield data[start:end], is_utf8
                changes += 1
            start, is_utf8 = end, now
        end = stretch.end()
    if start < len(data):
        yield data[start:], is_utf8


def _is_utf8(stretch: bytes) -> bool:
    try:
        stretch.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True
