"""Title, author, time of publication and site name of a page. Pure.

Order: JSON-LD and meta elements, which are written for machines; then the heading; then the lines near the
top. A date that names no zone is in that of its source.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import tzinfo
from itertools import islice
from typing import Any

from crawler.extraction.parsing import Tree, text_of
from crawler.extraction.result import MAX_NAME_CHARS, MAX_TITLE_CHARS, field_text
from storage.records import CHINA, ClaimedDate
from storage.records.dates import first_date

_TITLES = ("og:title", "twitter:title")
_AUTHORS = ("author", "og:novel:author", "article:author", "byl", "mediaid")
_DESCRIPTIONS = ("description", "og:description", "twitter:description")
_TIMES = (
    "article:published_time",
    "og:published_time",
    "og:release_date",
    "datepublished",
    "publishdate",
    "pubdate",
    "publish_time",
    "weibo: article:create_at",
    "article:create_at",
)
_SITE_NAMES = ("og:site_name",)
_METAS = frozenset((*_TITLES, *_AUTHORS, *_DESCRIPTIONS, *_TIMES, *_SITE_NAMES))
_COMPACT = re.compile(r"(?<!\d)((?:19|20)\d\d)[/-]?([01]\d)[/-]?([0-3]\d)(?!\d)")
_BYLINE = re.compile(r"^(?:作者|文|撰文|记者)\s*[:：/丨|]\s*([^\s，。,;；|]{1,20})")
_SEPARATOR = re.compile(r"\s*[_|｜–—]+\s*|\s+-\s+|(?<!\d)-(?=[^-]{2,20}$)")
_ADDED = re.compile(r"[\[【(（].*$|作品(?:集|大全)?$|的小说$")
_TOP_LINES = 60
_MAX_DESCRIPTION_CHARS = 1_000
_MAX_JSON_CHARS = 1_000_000  # of one script
_MAX_HEADINGS = 50


@dataclass(frozen=True, slots=True)
class Metadata:
    """The fields of a page; ``descriptions`` often repeat how the text begins."""

    title: str
    author: str | None
    published: ClaimedDate | None
    site_name: str | None
    descriptions: tuple[str, ...] = ()


NO_FIELDS = Metadata("", None, None, None)


def metadata(tree: Tree, *, lines: list[str], url: str = "", zone: tzinfo = CHINA) -> Metadata:
    """Return the fields of a page.

    Args:
        tree: the whole page.
        lines: its visible lines from the top.
        url: its address, which often has the date.
        zone: of a date that names none.
    """
    metas = _metas(tree)
    data = next(_articles(tree), {})
    full_title = _string(text_of(title)) if (title := tree.find(".//title")) is not None else ""
    full_title = full_title or _string("".join(tree.xpath("string(//title)")))
    parts = _SEPARATOR.split(full_title)
    site_name = _first(metas, _SITE_NAMES) or (parts[-1].strip() if len(parts) > 1 else "")
    return Metadata(
        title=_string(data.get("headline")) or _title(tree, metas, full_title, parts),
        author=_bare(_person(data.get("author")) or _first(metas, _AUTHORS) or _byline(lines)),
        published=_publication_date(data, metas, lines, url, zone),
        site_name=field_text(site_name, max_chars=MAX_NAME_CHARS) or None,
        descriptions=_descriptions(data, metas),
    )


def _bare(name: str | None) -> str | None:
    """Return a name without what sites add to it."""
    bare = (
        _ADDED.sub("", field_text(name or "", max_chars=MAX_NAME_CHARS))
        .strip()
        .removeprefix("记者")
        .removeprefix("作者：")
    )
    return None if not bare or bare.isdigit() else bare


def _descriptions(data: dict[str, Any], metas: dict[str, str]) -> tuple[str, ...]:
    texts = [metas.get(name, "") for name in _DESCRIPTIONS]
    texts += [
        _string(data.get(name), max_chars=_MAX_DESCRIPTION_CHARS) for name in ("description", "articleBody")
    ]
    return tuple(dict.fromkeys(filter(None, texts)))


def _publication_date(
    data: dict[str, Any], metas: dict[str, str], lines: list[str], url: str, zone: tzinfo
) -> ClaimedDate | None:
    fields = (_string(data.get("datePublished")), *(metas.get(name, "") for name in _TIMES))
    for text in (*fields, *(line for line in lines[:_TOP_LINES] if len(line) < 100)):  # noqa: PLR2004 - a line of prose
        date = first_date(text, zone=zone)
        if date is not None:
            return date
    compact = _COMPACT.search(url)
    return first_date("-".join(compact.groups()), zone=zone) if compact else None


def _title(tree: Tree, metas: dict[str, str], full: str, parts: list[str]) -> str:
    elements = islice(tree.iterfind(".//h1"), _MAX_HEADINGS)
    headings = [text for heading in elements if (text := _string(text_of(heading)))]
    confirmed = [text for text in headings if text in full or full.startswith(text[:8])]
    named = _first(metas, _TITLES)
    if confirmed:
        return confirmed[0]
    if named:
        return named
    return (headings[0] if len(headings) == 1 and not full else parts[0]).strip()


def _byline(lines: list[str]) -> str | None:
    for line in lines[:_TOP_LINES]:
        byline = _BYLINE.match(line)
        if byline:
            return byline[1]
    return None


def _metas(tree: Tree) -> dict[str, str]:
    """Return the contents of the meta elements in ``_METAS`` by name; the first of a name counts."""
    metas: dict[str, str] = {}
    for meta in tree.iterfind(".//meta[@content]"):
        name = meta.get("property") or meta.get("name") or meta.get("itemprop")
        if name and (plain := name.strip().lower()) in _METAS:
            metas.setdefault(plain, _string(meta.get("content"), max_chars=_MAX_DESCRIPTION_CHARS))
    return metas


def _first(metas: dict[str, str], names: tuple[str, ...]) -> str | None:
    return next((metas[name] for name in names if metas.get(name) and "@" not in metas[name]), None)


def _articles(tree: Tree) -> Iterator[dict[str, Any]]:
    """Yield the JSON-LD objects that have a headline; invalid JSON is skipped."""
    for script in tree.iterfind(".//script[@type='application/ld+json']"):
        if len(script.text or "") > _MAX_JSON_CHARS:
            continue
        try:
            data = json.loads(script.text or "", strict=False)
        except (ValueError, RecursionError):
            continue
        roots = data if isinstance(data, list) else [data]
        for root in roots:
            graph = root.get("@graph") if isinstance(root, dict) else None
            for node in graph if isinstance(graph, list) else [root]:
                if isinstance(node, dict) and node.get("headline"):
                    yield node


def _string(value: object, *, max_chars: int = MAX_TITLE_CHARS) -> str:
    """Return a text as a field holds it, empty for any other value."""
    return field_text(value, max_chars=max_chars) if isinstance(value, str) else ""


def _person(value: object) -> str | None:
    while isinstance(value, list):  # however deeply nested
        value = value[0] if value else None
    return _string(value.get("name") if isinstance(value, dict) else value) or None
