"""A page decoded with its declared charset, if it was read with another one. Pure, linear."""

from collections.abc import Iterator

from crawler.extraction.rest.chinese import chinese_lines, chinese_of
from crawler.extraction.rest.naturalness import is_natural
from fingerprint.text.decoding import Decoded, common_character_share, declared_encoding, decode_declared

_MIN_CHARS = 8  # minimum Chinese characters of a line that can be judged
_MIN_COMMON = 0.9  # minimum share of common characters; with the wrong charset it is about half


def other_lines(data: bytes, decoded: Decoded, *, charset: str | None) -> Iterator[str]:
    """Yield the lines that make sense when a page is decoded with its declared charset.

    Args:
        data: the page's bytes.
        decoded: the page as it was read.
        charset: the declared charset.
    """
    other = None if declared_encoding(charset) == decoded.encoding else decode_declared(data, charset)
    if other is None or other.text == decoded.text:
        return
    for line in chinese_lines(other.text):
        key = chinese_of(line)
        if len(key) >= _MIN_CHARS and common_character_share(key) >= _MIN_COMMON and is_natural(key):
            yield line
