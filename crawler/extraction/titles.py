"""The title of a page, without the names of its site and section. Pure.

A page states its title in several places, with different additions. JSON-LD and the field of official sites
contain the bare title. A first heading counts unless it is the site's name or logo. The title element is
reduced to the part that the page also shows as a line.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from urllib.parse import urlsplit

from crawler.extraction.outline import Outline
from crawler.extraction.parsing import Element, Tree, text_of
from crawler.extraction.result import MAX_TITLE_CHARS, field_text
from crawler.extraction.title_lines import squeeze

_SEPARATOR = re.compile(r"\s*[_|｜–—]+\s*|\s+-\s+|(?<!\d)-(?=[^-]{2,20}$)")
_LOGO = re.compile(r"(?:^|[\s_-])(?:logo|brand|site-?(?:title|name)|blog-?(?:title|name))", re.IGNORECASE)
_HOME = re.compile(r"/?(?:index\.\w{2,5})?")
_MAX_HEADINGS = 50
_MAX_PARTS = 8
_MIN_TITLE = 4  # minimum characters of a part of the title element that a line shows
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


def title_of(tree: Tree, page: Outline, fields: TitleFields) -> str:
    """Return the title of a page.

    Args:
        tree: the whole page.
        page: its visible lines.
        fields: the titles in its head.
    """
    if bare := next(filter(None, fields.bare), ""):
        return bare
    headings = list(_headings(tree, fields))
    full, named = fields.full, fields.named
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
    return _shown_part(full, shown, fields.site_name) or split_title(full)[0]


def _shown_part(full: str, shown: set[str], site_name: str) -> str:
    """Return the longest beginning of a title that a line of the page shows, else its first part."""
    ends = [match.start() for match in islice(_SEPARATOR.finditer(full), _MAX_PARTS)]
    beginnings = [full[:end].strip() for end in (len(full), *reversed(ends))]
    parts = split_title(full)[1:_MAX_PARTS]
    candidates = (text for text in (*beginnings, *parts) if len(text) >= _MIN_TITLE and text != site_name)
    return next((text for text in candidates if squeeze(text) in shown), "")


def _headings(tree: Tree, fields: TitleFields) -> Iterator[str]:
    """Yield the first-level headings that are not the site's name or logo."""
    for heading in islice(tree.iterfind(".//h1"), _MAX_HEADINGS):
        text = field_text(text_of(heading), max_chars=MAX_TITLE_CHARS)
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
