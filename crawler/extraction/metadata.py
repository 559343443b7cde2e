"""Title, author, time of publication and site name of a page. Pure.

Order: JSON-LD and meta elements, which are written for machines; then the heading; then the lines near the
top. Times without a zone are taken as China's.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone
from itertools import islice
from typing import Any

from crawler.extraction.parsing import Tree, text_of
from crawler.extraction.result import MAX_NAME_CHARS, MAX_TITLE_CHARS, field_text

CHINA = timezone(timedelta(hours=8))
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
_DATE = re.compile(
    r"(?<!\d)((?:19|20)\d\d)\s*[-/.年]\s*(\d{1,2})\s*[-/.月]\s*(\d{1,2})(?!\d)\s*日?[T\s]*"
    r"(?:(\d{1,2}):(\d{2})(?::(\d{2}))?)?(?:\.\d+)?\s*(Z|[+-]\d{2}:?\d{2})?"
)
_COMPACT = re.compile(r"(?<!\d)((?:19|20)\d\d)[/-]?([01]\d)[/-]?([0-3]\d)(?!\d)")
_BYLINE = re.compile(r"^(?:作者|文|撰文|记者)\s*[:：/丨|]\s*([^\s，。,;；|]{1,20})")
_SEPARATOR = re.compile(r"\s*[_|｜–—]+\s*|\s+-\s+|(?<!\d)-(?=[^-]{2,20}$)")
_ADDED = re.compile(r"[\[【(（].*$|作品(?:集|大全)?$|的小说$")
_TOP_LINES = 60
_MAX_DESCRIPTION_CHARS = 1_000
_MAX_TIME_CHARS = 200
_MAX_JSON_CHARS = 1_000_000  # of one script
_MAX_HEADINGS = 50


@dataclass(frozen=True, slots=True)
class Metadata:
    """The fields of a page; ``published`` is aware, ``descriptions`` often repeat how the text begins."""

    title: str
    author: str | None
    published: datetime | None
    site_name: str | None
    descriptions: tuple[str, ...] = ()


NO_FIELDS = Metadata("", None, None, None)


def metadata(tree: Tree, *, lines: list[str], url: str = "") -> Metadata:
    """Return the fields of a page.

    Args:
        tree: the whole page.
        lines: its visible lines from the top.
        url: its address, which often has the date.
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
        published=_publication_time(data, metas, lines, url),
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


def parse_time(text: str) -> datetime | None:
    """Return the first time in a text; a date alone is its midnight, a missing zone is China's."""
    match = _DATE.search(text[:_MAX_TIME_CHARS])
    if match is None:
        return None
    year, month, day, hour, minute, second = (int(number or 0) for number in match.groups()[:6])
    try:
        return datetime(year, month, day, hour, minute, second, tzinfo=_zone(match[7]))
    except (ValueError, OverflowError):  # the 31st of February, a zone of 99 hours
        return None


def _zone(text: str | None) -> timezone:
    if text is None:
        return CHINA
    if text == "Z":
        return UTC
    minutes = int(text[1:3]) * 60 + int(text[-2:])
    return timezone(timedelta(minutes=-minutes if text[0] == "-" else minutes))


def _publication_time(
    data: dict[str, Any], metas: dict[str, str], lines: list[str], url: str
) -> datetime | None:
    fields = (_string(data.get("datePublished")), *(metas.get(name, "") for name in _TIMES))
    for text in (*fields, *(line for line in lines[:_TOP_LINES] if len(line) < 100)):  # noqa: PLR2004 - a line of prose
        time = parse_time(text)
        if time is not None:
            return time
    compact = _COMPACT.search(url)
    return parse_time("-".join(compact.groups())) if compact else None


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
