"""External style sheets: which sheets a page links to, and which of their rules affect visibility. Pure.

Only a page's first few sheets for screens count. Only rules that could hide or show something are kept;
imports are not followed.
"""

import re
from collections.abc import Iterator, Mapping
from html import unescape
from typing import TypeAlias

from crawler.addresses import canonical, is_web, join_url
from crawler.extraction.css_syntax import SheetRule, sheet_rules
from crawler.extraction.parsing import Element
from crawler.extraction.styles import affects_visibility, is_for_screens, kept_declarations

# Address → the rules that affect visibility.
Sheets: TypeAlias = Mapping[str, str]

MAX_SHEETS = 8  # maximum number of sheets of a page
_MAX_CHARS = 100_000  # maximum characters of a sheet that are kept
_LINK = re.compile(rb"<(link|base)\b([^<>]{1,2000})>", re.IGNORECASE)
_ATTRIBUTE = re.compile(
    r"(?<![a-z-])([a-z-]{1,20})\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'>]+))", re.IGNORECASE
)


def named_sheets(page: bytes, *, url: str) -> list[str]:
    """Return the addresses of the sheets that a page's bytes link to, in order, without parsing the page.

    Args:
        page: in an encoding with ASCII markup; other encodings give no addresses.
        url: its address.
    """
    base, addresses = url, dict[str, None]()
    for element in _LINK.finditer(page):
        attributes = _attributes(element[2].decode("latin-1"))
        if element[1].lower() == b"base":
            href = attributes.get("href", "")
            base = (join_url(url, href) if href.strip() else "") or base
        elif _is_sheet(attributes) and (address := _address(base, attributes.get("href", ""))):
            addresses[address] = None
        if len(addresses) == MAX_SHEETS:
            break
    return list(addresses)


def linked_sheet(link: Element, base: str) -> str:
    """Return the address of the sheet that a ``link`` element names; empty without one.

    Args:
        link: the element.
        base: base of relative addresses on its page.
    """
    if not _is_sheet(link.attrib):
        return ""
    return _address(base, link.get("href") or "")


def kept_rules(sheet: str) -> str:
    """Return the rules of a sheet that decide what a screen shows, as a sheet.

    These are the rules that hide, show, position and order elements, and those that add Chinese to them.
    """
    return "".join(_kept_rules(sheet))


def _kept_rules(sheet: str) -> Iterator[str]:
    chars = 0
    for sheet_rule in sheet_rules(sheet):
        if sheet_rule.selectors == "@layer":
            rule = f"@layer {sheet_rule.layer};\n"
        elif affects_visibility(sheet_rule.body) and (body := kept_declarations(sheet_rule.body)):
            rule = _written(sheet_rule, body)
        else:
            continue
        chars += len(rule)
        if chars > _MAX_CHARS:
            return
        yield rule


def _written(sheet_rule: SheetRule, body: str) -> str:
    selectors = " ".join(sheet_rule.selectors.split())
    rule = f"{selectors}{{to{{{body}}}}}" if sheet_rule.keyframes else f"{selectors}{{{body}}}"
    if sheet_rule.layer:
        rule = f"@layer {sheet_rule.layer}{{{rule}}}"
    return f"{rule}\n" if sheet_rule.is_certain else f"@container (width){{{rule}}}\n"


def _is_sheet(attributes: Mapping[str, str]) -> bool:
    relation = (attributes.get("rel") or "").lower().split()
    return (
        "stylesheet" in relation and "alternate" not in relation and is_for_screens(attributes.get("media"))
    )


def _attributes(text: str) -> dict[str, str]:
    return {
        name.lower(): unescape(double or single or bare)
        for name, double, single, bare in _ATTRIBUTE.findall(text)
    }


def _address(base: str, href: str) -> str:
    url = join_url(base, href) if href.strip() else ""
    return canonical(url) if url and is_web(url) else ""
