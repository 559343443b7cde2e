"""The minimum length of a text that is compared, and the lower confidence in short texts. Pure.

A page with a verse or two is a text: a copied poem has twenty characters. Repeated sentences of the site are
removed only while a text remains, so no site can empty its pages by what it prints around them.
"""

import re

from crawler.extraction.parsing import count_chars, visible_chars
from fingerprint.text.han import ANY_HAN

MIN_HAN = 20  # minimum number of Han characters of a text that is compared
_MIN_LATIN = 100  # minimum characters of a text in Latin script, which may be pinyin
SURE_CHARS = 100  # from this length on, confidence only depends on the agreement of the extractors
_HAN = re.compile(f"[{ANY_HAN}]+")
_MIN_SHARE = 0.3  # factor for the confidence in the shortest text


def count_han(text: str) -> int:
    """Return the number of Han characters of a text."""
    return count_chars(_HAN, text)


def is_text(text: str) -> bool:
    """Return whether a text is long enough to compare; Latin pinyin has no Han characters."""
    return count_han(text) >= MIN_HAN or visible_chars(text) >= _MIN_LATIN


def confidence_in(text: str, confidence: float) -> float:
    """Return the confidence in a text, reduced if it is short."""
    return confidence * max(_MIN_SHARE, min(1.0, visible_chars(text) / SURE_CHARS))
