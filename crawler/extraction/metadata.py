"""Title, author, publication time and site name of a page. Pure.

This module reads the data for machines: JSON-LD and meta elements. Their weight against headings and lines is
decided in :mod:`~crawler.extraction.titles`, :mod:`~crawler.extraction.authors` and
:mod:`~crawler.extraction.publication`.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from crawler.extraction.authors import author_of
from crawler.extraction.outline import Outline
from crawler.extraction.parsing import Tree, text_of
from crawler.extraction.publication import Clock, publication_date
from crawler.extraction.result import MAX_NAME_CHARS, MAX_TITLE_CHARS, field_text
from crawler.extraction.title_lines import title_line
from crawler.extraction.titles import TitleFields, site_in, title_of
from storage.records import ClaimedDate

_BARE_TITLES = ("articletitle",)  # names of title elements on official sites, without a prefix
_TITLES = ("og:title", "twitter:title")
_AUTHORS = ("og:novel:author", "article:author", "author", "byl", "mediaid")
_DESCRIPTIONS = ("description", "og:description", "twitter:description")
_TIMES = (
    "article:published_time",
    "og:published_time",
    "og:release_date",
    "bytedance:published_time",
    "datepublished",
    "publishdate",
    "pubdate",
    "publish_time",
    "publish_date",
    "firstcreate",
    "dc.date",
    "dcterms.created",
    "weibo: article:create_at",
    "article:create_at",
)
_SITE_NAMES = ("og:site_name", "sitename")
_METAS = frozenset((*_BARE_TITLES, *_TITLES, *_AUTHORS, *_DESCRIPTIONS, *_TIMES, *_SITE_NAMES))
_DATES = ("datePublished", "pubDate", "uploadDate", "dateCreated")  # names of dates in JSON-LD
_MAX_DESCRIPTION_CHARS = 1_000
_MAX_JSON_CHARS = 1_000_000  # maximum characters of one script
_MAX_OBJECTS = 100  # maximum number of JSON-LD objects


@dataclass(frozen=True, slots=True)
class Metadata:
    """The fields of a page; ``descriptions`` often repeat the beginning of the text."""

    title: str
    author: str | None
    published: ClaimedDate | None
    site_name: str | None
    descriptions: tuple[str, ...] = ()


NO_FIELDS = Metadata("", None, None, None)


def metadata(tree: Tree, page: Outline, *, url: str = "", clock: Clock | None = None) -> Metadata:
    """Return the fields of a page.

    Args:
        tree: the whole page.
        page: its visible lines.
        url: its address, which often contains the date.
        clock: the source's zone, and when the page was fetched.
    """
    metas = _metas(tree)
    objects = list(_objects(tree))
    data = next((candidate for candidate in objects if candidate.get("headline")), {})
    full_title = _full_title(tree)
    site_name = _first(metas, _SITE_NAMES) or site_in(full_title)
    title = title_of(
        tree,
        page,
        TitleFields(
            bare=(*(metas.get(name, "") for name in _BARE_TITLES), _string(data.get("headline"))),
            named=_first(metas, _TITLES) or "",
            full=full_title,
            site_name=site_name,
        ),
    )
    heading = title_line(page, title)
    names = (_name(data.get("author")), *(metas.get(name, "") for name in _AUTHORS))
    dates = (_string(candidate.get(key)) for candidate in (data, *objects) for key in _DATES)
    return Metadata(
        title=title,
        author=author_of(tree, page, fields=names, site_name=site_name, heading=heading),
        published=publication_date(
            tree,
            page,
            fields=(*dates, *(metas.get(name, "") for name in _TIMES)),
            heading=heading,
            url=url,
            clock=clock or Clock(),
        ),
        site_name=field_text(site_name, max_chars=MAX_NAME_CHARS) or None,
        descriptions=_descriptions(data, metas),
    )


def _full_title(tree: Tree) -> str:
    title = tree.find(".//title")
    full = "" if title is None else _string(text_of(title))
    return full or _string("".join(tree.xpath("string(//title)")))


def _descriptions(data: dict[str, Any], metas: dict[str, str]) -> tuple[str, ...]:
    texts = [metas.get(name, "") for name in _DESCRIPTIONS]
    texts += [
        _string(data.get(name), max_chars=_MAX_DESCRIPTION_CHARS) for name in ("description", "articleBody")
    ]
    return tuple(dict.fromkeys(filter(None, texts)))


def _metas(tree: Tree) -> dict[str, str]:
    """Return the contents of the meta elements in ``_METAS`` by name; the first of a name counts."""
    metas: dict[str, str] = {}
    for meta in tree.iter("meta"):
        name = meta.get("property") or meta.get("name") or meta.get("itemprop")
        content = meta.get("content")
        if name and content is not None and (plain := name.strip().lower()) in _METAS:
            metas.setdefault(plain, _string(content, max_chars=_MAX_DESCRIPTION_CHARS))
    return metas


def _first(metas: dict[str, str], names: tuple[str, ...]) -> str | None:
    return next((metas[name] for name in names if metas.get(name) and "@" not in metas[name]), None)


def _objects(tree: Tree) -> Iterator[dict[str, Any]]:
    """Yield the objects of JSON-LD; invalid JSON is skipped."""
    count = 0
    for script in tree.iter("script"):
        if script.get("type") != "application/ld+json" or len(script.text or "") > _MAX_JSON_CHARS:
            continue
        try:
            data = json.loads(script.text or "", strict=False)
        except (ValueError, RecursionError):
            continue
        for root in data if isinstance(data, list) else [data]:
            graph = root.get("@graph") if isinstance(root, dict) else None
            for node in graph if isinstance(graph, list) else [root]:
                if isinstance(node, dict) and count < _MAX_OBJECTS:
                    count += 1
                    yield node


def _string(value: object, *, max_chars: int = MAX_TITLE_CHARS) -> str:
    """Return a text cut to a field's length; empty for any other value."""
    return field_text(value, max_chars=max_chars) if isinstance(value, str) else ""


def _name(value: object) -> str:
    """Return the name of a person or organisation in JSON-LD; for several, the first."""
    while isinstance(value, list):  # lists may be nested to any depth
        value = value[0] if value else None
    return _string(value.get("name") if isinstance(value, dict) else value)
