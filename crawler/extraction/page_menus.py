"""The parts of a text in a menu: ``<option value="/b/7_2.html">第2页</option>``. Pure, linear.

Readers choose a part there, and a script opens its address. The next part follows the selected one. Menus of
chapters look alike, so only entries that are labelled as pages count.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from itertools import islice

from crawler.extraction.page_buttons import numbered_addresses
from crawler.extraction.parsing import Element, Tree, label_of
from fingerprint.text.numerals import number_of

_PAGE_LABEL = re.compile(
    r"[\[(【]?(?:(?:本章|正文)?第)?(?P<number>\d{1,3}|[一二两三四五六七八九十]{1,3})(?:[页頁]|部分|分页)?"
    r"(?:/(?:共)?\d{1,3}[页頁]?|\(共\d{1,3}[页頁]\))?[\])】]?"
)
_SAYS_PAGE = re.compile(
    r"[页頁部/\[(【\d]"
)  # a label needs one of these characters: 二 alone may mean anything
# Attributes that contain the address of an option, or of a menu item that a script created.
_ADDRESSES = ("value", "data-url", "data-href", "data-src", "data-link", "data-value")
_PART = re.compile(r"[^\s(（][(（]\s*(?P<number>\d{1,3})(?:\s*/\s*\d{1,3})?\s*[)）]$")
_MAX_PART_CHARS = 20
_MAX_OPTIONS = 500
_MAX_MENUS = 50


def page_number(label: str) -> int | None:
    """Return the number in a label of a page, such as ``2``, ``[2]``, ``第二页`` and ``2/3``; else None."""
    squeezed = "".join(unicodedata.normalize("NFKC", label).split())
    match = _PAGE_LABEL.fullmatch(squeezed)
    if match is None or not _SAYS_PAGE.search(squeezed):
        return None
    digits = match["number"]
    return int(digits) if digits.isdecimal() else number_of(digits)


def options_after(tree: Tree, page_url: str) -> Iterator[str]:
    """Yield the addresses of the pages after the shown one in a page's menus, as written.

    Args:
        tree: the page.
        page_url: its address, which identifies the shown option if none is selected.
    """
    for menu in islice(tree.iter("select"), _MAX_MENUS):
        numbered = [
            (number, address, option)
            for option in islice(menu.iter("option"), _MAX_OPTIONS)
            if (number := _number_of(label_of(option))) is not None and (address := _address(option))
        ]
        following = _shown_number(numbered, page_url) + 1
        addresses = [address for number, address, _ in numbered if number == following]
        yield from addresses
        if str(following) in addresses:  # a script builds the address from the number
            yield from numbered_addresses(tree, following)


def _number_of(label: str) -> int | None:
    """Return the number in the label of an option, also of one that repeats a title: 第七章 磨坊(2)."""
    number = page_number(label)
    suffix = _PART.search(label[-_MAX_PART_CHARS:].rstrip()) if number is None else None
    return number if suffix is None else int(suffix["number"])


def _shown_number(options: Iterable[tuple[int, str, Element]], page_url: str) -> int:
    """Return the number of the shown page: of the selected option, else of this address, else 1."""
    name = page_url.rstrip("/").rpartition("/")[2]
    shown = 1
    for number, address, option in options:
        if option.get("selected") is not None:
            return number
        if name and address.rstrip("/").rpartition("/")[2] == name:
            shown = number
    return shown


def _address(option: Element) -> str:
    values = (option.get(name) or "" for name in _ADDRESSES)
    return next((value.strip() for value in values if value.strip()), "")
