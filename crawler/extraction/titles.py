"""The title of a page, without the names of its site and section. Pure.

A page states its title in several places, with different additions. JSON-LD and the field of official sites
contain the bare title. A first heading counts unless it is the site's name or logo. The title element is
reduced to the part that the page also shows as a line.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from urllib.parse import urlsplit

from crawler.extraction.outline import Outline
from crawler.extraction.parsing import Element, Tree, text_of
from crawler.extraction.result import MAX_TITLE_CHARS, field_text
from crawler.extraction.title_lines import squeeze

_MARKS = r"_|｜–—•»›"
_LAST_PARTS = rf"(?=[^-{_MARKS}\s，。！？：:]{{2,20}}(?:-[^-{_MARKS}\s，。！？：:]{{2,20}}){{0,3}}$)"
_SEPARATOR = re.compile(
    rf"\s*(?:[{_MARKS}]|>>|--)+\s*|\s+[-/·]\s+|(?<![0-9A-Za-z])-{_LAST_PARTS}|-(?![0-9A-Za-z]){_LAST_PARTS}"
)
# The number of messages of the reader, which some sites write before titles.
_MESSAGES = re.compile(r"^\(\d{1,3}(?:条|封)[^()]{2,12}\)\s*")
_PATH = ">>"  # between the parts of a title element such as 江岸>>副刊>>渡口的灯
_NAME_ENDS = frozenset("【[(（《<_|｜–—-·•»›/ ")  # characters between a title and the name after it
_NAME_STARTS = frozenset("】])）》>_|｜–—-·•»›/: ：")
_LOGO = re.compile(r"(?:^|[\s_-])(?:logo|brand|site-?(?:title|name)|blog-?(?:title|name))", re.IGNORECASE)
_HOME = re.compile(r"/?(?:index\.\w{2,5})?")
_HEADINGS = frozenset({"h1", "h2", "h3"})
_MAX_HEADINGS = 50
_MAX_PARTS = 8
_MIN_TITLE = 4  # minimum characters of a part of the title element that a line shows
_MAX_SITE = 15  # maximum characters of a site's name
_MIN_COMMON = 8  # minimum number of leading characters that heading and title share


@dataclass(frozen=True, slots=True)
class TitleFields:
    """The titles in the page's head.

    Attributes:
        bare: titles without additions, the most certain first.
        named: titles that may have additions.
        full: the title element.
        site_name: empty if unknown.
    """

    bare: tuple[str, ...] = ()
    named: str = ""
    full: str = ""
    site_name: str = ""


def split_title(full: str) -> list[str]:
    """Return the parts of a title element: the title, the section, the site."""
    return [piece.strip() for piece in _SEPARATOR.split(full)]


def site_in(full: str) -> str:
    """Return the site's name in a title element: its last part, or the first part of a path."""
    parts = split_title(full)
    return (parts[0] if _PATH in full else parts[-1]) if len(parts) > 1 else ""


def title_of(tree: Tree, page: Outline, fields: TitleFields) -> str:
    """Return the title of a page.

    Args:
        tree: the whole page.
        page: its visible lines.
        fields: the titles in its head.
    """
    if bare := next(filter(None, fields.bare), ""):
        return bare
    full = _MESSAGES.sub("", fields.full)
    named = _without_site(fields.named, (fields.site_name, full))
    headings = list(_headings(tree, fields, split_title(full)))
    most = 2 * max(len(full), len(named))  # maximum characters of a line that can be the title
    shown = {squeeze(line.text) for line in page.lines if line.chars <= most and not line.is_link}
    shown_name = _shown_part(named, shown, fields.site_name)
    confirmed = [
        text
        for text in headings
        if (text in full or full.startswith(text[:_MIN_COMMON])) and text in (shown_name or text)
    ]
    if confirmed:
        return confirmed[0]
    if named:
        return shown_name or named
    if len(headings) == 1 and not full:
        return headings[0]
    return (
        _shown_part(full, shown, fields.site_name)
        or _named_line(page, full, fields.site_name)
        or _likely_part(full)
    )


def _likely_part(full: str) -> str:
    """Return the first part of a title element, or the last one if it is too long for a site's name."""
    parts = split_title(full)
    is_last = len(parts[-1]) > max(_MAX_SITE, 2 * len(parts[0]))
    return parts[-1 if is_last or _PATH in full else 0]


def _without_site(title: str, sites: Sequence[str]) -> str:
    """Return a title without the name of the site at its end."""
    parts = split_title(title)
    if len(parts) < 2 or parts[-1] not in filter(None, sites):  # noqa: PLR2004 - a title and a name
        return title
    return title[: title.rindex(parts[-1])].rstrip(f"{_MARKS}-/·> ")


def _named_line(page: Outline, full: str, site_name: str) -> str:
    """Return the longest line that a title element repeats next to another name; headings come first.

    The name may have any mark around it, as in ``渡口的灯【江湖吧】`` and ``江岸网：渡口的灯``.
    """
    best, rank = "", (False, 0)
    for line in page.lines:
        text = line.text
        if not _MIN_TITLE <= len(text) < len(full) or line.is_link or text == site_name or text not in full:
            continue
        is_heading = page.elements[line.block].tag in _HEADINGS
        is_first = full.startswith(text) and full[len(text)] in _NAME_ENDS
        is_last = is_heading and full.endswith(text) and full[-len(text) - 1] in _NAME_STARTS
        if (is_first or is_last) and (is_heading, len(text)) > rank:
            best, rank = text, (is_heading, len(text))
    return best


def _shown_part(full: str, shown: set[str], site_name: str) -> str:
    """Return the longest beginning of a title that a line of the page shows, else its first part."""
    ends = [match.start() for match in islice(_SEPARATOR.finditer(full), _MAX_PARTS)]
    beginnings = [full[:end].strip() for end in (len(full), *reversed(ends))]
    parts = split_title(full)[1:_MAX_PARTS]
    candidates = (text for text in (*beginnings, *parts) if len(text) >= _MIN_TITLE and text != site_name)
    return next((text for text in candidates if squeeze(text) in shown), "")


def _headings(tree: Tree, fields: TitleFields, parts: Sequence[str]) -> Iterator[str]:
    """Yield the first-level headings that are not the site's name or logo.

    Buttons and tags in a heading are left out if the title element has only the text before them.
    """
    for heading in islice(tree.iterfind(".//h1"), _MAX_HEADINGS):
        text = field_text(text_of(heading), max_chars=MAX_TITLE_CHARS)
        if len(heading) and (first := field_text(heading.text or "", max_chars=MAX_TITLE_CHARS)) in parts:
            text = first or text
        if text and text != fields.site_name and not _is_logo(heading):
            yield text


def _is_logo(heading: Element) -> bool:
    """Return whether a heading links to the home page, or has the site's name."""
    names = f"{heading.get('class') or ''} {heading.get('id') or ''}"
    anchor = heading.find(".//a[@href]")
    leads_home = anchor is not None and is_home(anchor.get("href") or "")
    return leads_home or _LOGO.search(names) is not None


def is_home(address: str) -> bool:
    """Return whether an address is that of a site's first page."""
    try:
        parts = urlsplit(address.strip())
    except ValueError:  # the address is invalid, such as http://[
        return False
    is_empty = not parts.path and not parts.netloc
    return not parts.query and not parts.fragment and not is_empty and _HOME.fullmatch(parts.path) is not None
