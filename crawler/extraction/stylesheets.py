"""Style sheets in files of their own: which a page links to, and what of one decides what is seen. Pure.

Of a page only sheets for screens count, and only the first few. Of a sheet only those rules are kept that
could hide or show something; what it imports is not followed.
"""

import re
from collections.abc import Iterator, Mapping
from html import unescape
from typing import TypeAlias
from urllib.parse import urljoin

from crawler.addresses import canonical, is_web
from crawler.extraction.parsing import Element
from crawler.extraction.styles import says_what_is_seen, sheet_rules

# By address: the rules that decide whether something is seen.
Sheets: TypeAlias = Mapping[str, str]

MAX_SHEETS = 8  # of a page
_MAX_CHARS = 100_000  # that are kept of a sheet
_LINK = re.compile(rb"<(link|base)\b([^<>]{1,2000})>", re.IGNORECASE)
_ATTRIBUTE = re.compile(
    r"(?<![a-z-])([a-z-]{1,20})\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'>]+))", re.IGNORECASE
)
_SCREENS = re.compile(r"(?:^|,)\s*(?:only\s+)?(?:screen|all)\s*(?:,|$)", re.IGNORECASE)


def named_sheets(page: bytes, *, url: str) -> list[str]:
    """Return the addresses of the sheets that a page's bytes link to, in order, without parsing the page.

    Args:
        page: in an encoding whose markup is ASCII; in any other nothing is found.
        url: its address.
    """
    base, found = url, dict[str, None]()
    for element in _LINK.finditer(page):
        named = _attributes(element[2].decode("latin-1"))
        if element[1].lower() == b"base":
            base = _joined(url, named.get("href", "")) or base
        elif _is_sheet(named) and (address := _address(base, named.get("href", ""))):
            found[address] = None
        if len(found) == MAX_SHEETS:
            break
    return list(found)


def linked_sheet(link: Element, base: str) -> str:
    """Return the address of the sheet that a ``link`` element names, empty when it names none.

    Args:
        link: the element.
        base: what addresses on its page are relative to.
    """
    if not _is_sheet(link.attrib):
        return ""
    return _address(base, link.get("href") or "")


def is_for_screens(media: str | None) -> bool:
    """Return whether a ``media`` attribute includes every screen."""
    return not media or not media.strip() or _SCREENS.search(media) is not None


def kept_rules(sheet: str) -> str:
    """Return a sheet's rules that could hide or show something, those that hold on a screen, as a sheet."""
    return "".join(_kept(sheet))


def _kept(sheet: str) -> Iterator[str]:
    chars = 0
    for selectors, body in sheet_rules(sheet):
        if says_what_is_seen(body):
            rule = f"{' '.join(selectors.split())}{{{' '.join(body.split())}}}\n"
            chars += len(rule)
            if chars > _MAX_CHARS:
                return
            yield rule


def _is_sheet(named: Mapping[str, str]) -> bool:
    relation = (named.get("rel") or "").lower().split()
    return "stylesheet" in relation and "alternate" not in relation and is_for_screens(named.get("media"))


def _attributes(text: str) -> dict[str, str]:
    return {
        name.lower(): unescape(double or single or bare)
        for name, double, single, bare in _ATTRIBUTE.findall(text)
    }


def _address(base: str, href: str) -> str:
    joined = _joined(base, href)
    return canonical(joined) if joined and is_web(joined) else ""


def _joined(base: str, href: str) -> str:
    """Return an absolute address, empty for one that cannot be read."""
    try:
        return urljoin(base, href.strip()) if href.strip() else ""
    except ValueError:  # a bracket in the host
        return ""
