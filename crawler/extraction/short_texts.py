"""How long a text is to be compared at all, and how much less sure a short one is. Pure.

A page with a verse or two is a text: a copied poem has twenty characters. What a site repeats is left out
only as far as a text remains, so no site can make its pages empty by what it prints around them.
"""

import re

from crawler.extraction.parsing import count_chars, visible_chars
from fingerprint.text.han import ANY_HAN

MIN_HAN = 20  # of a text that is compared
_MIN_LATIN = 100  # characters of a text in another script, which may be pinyin
SURE_CHARS = 100  # from which on a text is as sure as its extractors agree
_HAN = re.compile(f"[{ANY_HAN}]+")
_MIN_SHARE = 0.3  # of the confidence that is left to the shortest text


def count_han(text: str) -> int:
    """Return the number of Han characters of a text."""
    return count_chars(_HAN, text)


def is_text(text: str) -> bool:
    """Return whether a text is long enough to be compared; one in Latin pinyin has no Han characters."""
    return count_han(text) >= MIN_HAN or visible_chars(text) >= _MIN_LATIN


def confidence_in(text: str, confidence: float) -> float:
    """Return the confidence in a text, less when it is short."""
    return confidence * max(_MIN_SHARE, min(1.0, visible_chars(text) / SURE_CHARS))
