"""Han characters and chapter headings: ranges and patterns that several packages use.

Ranges are written for character classes: ``re.compile(f"[{HAN}]")``. There is one pattern of headings for
each context: a line of a book, a page's title, and a link. Each pattern accepts the forms that occur in its
context, and few others.
"""

import re
from itertools import islice

EXTENSION_A = "\u3400-\u4dbf"  # rare characters
UNIFIED = "\u4e00-\u9fff"  # all common characters
# Both ranges, and the 64 hexagrams between them, which are very rare in text. HAN_POINTS has it as numbers.
HAN = "\u3400-\u9fff"
HAN_POINTS = range(0x3400, 0xA000)
FIRST_SUPPLEMENTARY = "\U00020000"  # from here on: extensions B to H, and planes without characters
ANY_HAN = f"{HAN}{FIRST_SUPPLEMENTARY}-\U000323af"

_NUMERALS = "0-9零〇一二三四五六七八九十百千两"
_WEB_NUMERALS = f"{_NUMERALS}万○"  # web serials have more than 10,000 chapters
BOOK_NUMERALS = f"{_NUMERALS}○廿卅\uff10-\uff19"  # old books use 廿 and 卅

CHAPTER_UNITS = "章节節回话話"
_BOOK_UNITS = f"{CHAPTER_UNITS}卷集部篇折"
_LINK_UNITS = f"{CHAPTER_UNITS}卷集篇"
_SIMPLIFIED_LINK_UNITS = "章节回话卷集篇"

_PARTS = "楔子|序章|引子|番外|尾声"
_BOOK_PARTS = f"{_PARTS}|序幕|尾聲|后记|後記"
_LINK_PARTS = "楔子|序章?|序言|引子|前言|尾声|后记|番外|终章"
SIMPLIFIED_PARTS = f"{_LINK_PARTS}|完本感言"

# A heading line in a book, and a line that contains only a number.
CHAPTER_LINE = re.compile(
    rf"^[ \t\u3000]*(?:第[ \u3000]?[{BOOK_NUMERALS}]{{1,9}}[ \u3000]?[{_BOOK_UNITS}][^\n。]{{0,50}}"
    rf"|卷[ \u3000]?[{BOOK_NUMERALS}]{{1,5}}[^\n。，]{{0,40}}"
    rf"|(?:{_BOOK_PARTS})[^\n。，]{{0,30}})$",
    re.MULTILINE,
)
NUMBERED_LINE = re.compile(
    rf"^[ \t\u3000]*[{BOOK_NUMERALS}]{{1,5}}(?:[、.．][^\n。]{{0,30}})?$", re.MULTILINE
)
# The title of a page with a chapter.
CHAPTER_TITLE = re.compile(rf"第\s*[{_NUMERALS}]+\s*[{CHAPTER_UNITS}]|^(?:{_PARTS})")
# The text of a link to a chapter.
CHAPTER_LABEL = re.compile(
    rf"第\s*[{_WEB_NUMERALS}]+\s*[{_LINK_UNITS}]|^\s*\d{{1,5}}\s*[、.．:： ]|^(?:{_LINK_PARTS})"
)
# Pattern source for a chapter's number in simplified text.
SIMPLIFIED_CHAPTER = rf"第\s*(?P<number>[{_WEB_NUMERALS}]+)\s*[{_SIMPLIFIED_LINK_UNITS}]"

_ANY_HAN = re.compile(f"[{ANY_HAN}]")


def has_han(text: str, count: int = 1) -> bool:
    """Return whether a text has at least ``count`` Han characters; the search stops as soon as it is certain.

    >>> has_han("abc"), has_han("a青"), has_han("a青", 2)
    (False, True, False)
    """
    return sum(1 for _ in islice(_ANY_HAN.finditer(text), count)) >= count


def may_be_han(character: str) -> bool:
    """Return whether a character is Han, or in a supplementary plane, which may contain Han characters.

    >>> may_be_han("青"), may_be_han("a")
    (True, False)
    """
    return "\u3400" <= character <= "\u9fff" or character >= FIRST_SUPPLEMENTARY
