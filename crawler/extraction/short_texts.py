"""The minimum length of a text that is compared, and the lower confidence in short texts. Pure.

A page with a verse or two is a text: a copied poem has twenty characters. Repeated sentences of the site are
removed only while a text remains, so no site can empty its pages by what it prints around them.
"""

import re

from crawler.extraction.parsing import count_chars, visible_chars
from fingerprint.text.han import ANY_HAN

MIN_HAN = 20  # of a text that is compared
_MIN_LATIN = 100  # characters of a text in another script, which may be pinyin
SURE_CHARS = 100  # characters from which confidence is only the agreement of the extractors
_HAN = re.compile(f"[{ANY_HAN}]+")
_MIN_SHARE = 0.3  # share of the confidence that remains for the shortest text


def count_han(text: str) -> int:
    """Return the number of Han characters of a text."""
    return count_chars(_HAN, text)


def is_text(text: str) -> bool:
    """Return whether a text is long enough to compare; Latin pinyin has no Han characters."""
    return count_han(text) >= MIN_HAN or visible_chars(text) >= _MIN_LATIN


def confidence_in(text: str, confidence: float) -> float:
    """Return the confidence in a text, reduced if it is short."""
    return confidence * max(_MIN_SHARE, min(1.0, visible_chars(text) / SURE_CHARS))
