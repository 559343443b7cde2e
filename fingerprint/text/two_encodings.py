"""Split bytes in two encodings, UTF-8 and another: for instance an old template around newer texts. Pure.

Such a page is split at tags and line ends, because the encoding never changes between them. A stretch is
UTF-8 if it is valid UTF-8 and contains a character outside ASCII. Chinese in GB18030 or Big5 is hardly ever
valid UTF-8 by chance; four characters in a row practically never are.

Complexity: O(n). At most 20,000 changes of the encoding are recognised.
"""

import re
from collections.abc import Iterator

_STRETCH = re.compile(rb"[^<>\n]+|[<>\n]+")
_HIGH = re.compile(rb"[\x80-\xff]")
# Four consecutive Chinese characters or punctuation marks in UTF-8.
_CHINESE_UTF8 = re.compile(rb"(?:[\xe3-\xe9\xef][\x80-\xbf]{2}){4}")
_MAX_CHANGES = 20_000


def contains_utf8(data: bytes) -> bool:
    """Return whether the bytes contain Chinese text in UTF-8."""
    return _CHINESE_UTF8.search(data) is not None


def split_encodings(data: bytes) -> Iterator[tuple[bytes, bool]]:
    """Yield (piece, whether it is UTF-8) for all bytes; ASCII belongs to the piece before it."""
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
