"""Sitemaps and feeds to addresses. Pure: what comes in are bytes, and nothing in them is opened or fetched.

A sitemap may be an index of others, may be gzip, may be plain text; entities are not resolved, so no file is
read and nothing explodes. feedparser gets the bytes as a stream: a string it would take for an address, and a
body that reads ``/etc/passwd`` for a file to open.
"""

import io
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice
from typing import Final
from urllib.parse import urljoin

import feedparser
from lxml import etree  # type: ignore[import-untyped]
from scrapy.utils.gz import gunzip
from scrapy.utils.sitemap import Sitemap

from crawler.addresses import is_web

_GZIP: Final = b"\x1f\x8b"
_MOST: Final = 50_000  # addresses of one file, as the sitemap protocol says


class NotAFeed(ValueError):
    """A body is no sitemap, no feed, or larger than allowed when unpacked."""


@dataclass(frozen=True, slots=True)
class Listed:
    """An address that a sitemap or feed names, and when it was last changed, if that is said."""

    url: str
    changed: datetime | None = None


@dataclass(frozen=True, slots=True)
class SitemapFile:
    """A sitemap: the addresses of pages, or of further sitemaps."""

    pages: tuple[Listed, ...] = ()
    sitemaps: tuple[Listed, ...] = ()


def read_sitemap(body: bytes, *, url: str, max_bytes: int) -> SitemapFile:
    """Return what a sitemap names.

    Args:
        body: as received; gzip is found out by its first bytes.
        url: its address.
        max_bytes: the most that it may unpack to.

    Raises:
        NotAFeed: it is none.
    """
    try:
        data = gunzip(body, max_size=max_bytes) if body[:2] == _GZIP else body
    except (ValueError, OSError, EOFError) as error:
        raise NotAFeed(str(error)) from error
    if data.lstrip()[:1] != b"<":
        lines = data.decode("utf-8", "replace").split()
        return SitemapFile(pages=_listed(((each, None) for each in lines), url))
    try:
        sitemap = Sitemap(data)
        found = [(each["loc"], each.get("lastmod")) for each in islice(sitemap, _MOST)]
    except (etree.XMLSyntaxError, StopIteration, KeyError, ValueError) as error:
        raise NotAFeed("not XML") from error
    if sitemap.type not in ("urlset", "sitemapindex"):
        raise NotAFeed("not a sitemap")
    listed = _listed(found, url)
    return SitemapFile(pages=listed) if sitemap.type == "urlset" else SitemapFile(sitemaps=listed)


def read_feed(body: bytes, *, url: str) -> tuple[Listed, ...]:
    """Return the articles that an RSS or Atom feed names.

    Raises:
        NotAFeed: it is none.
    """
    found = feedparser.parse(io.BytesIO(body), sanitize_html=False, resolve_relative_uris=False)
    if not found.get("version") and not found.entries:
        raise NotAFeed("not a feed")
    entries = islice(found.entries, _MOST)
    return _listed(((each.get("link", ""), None) for each in entries), url)


def _listed(found: Iterable[tuple[str, str | None]], base: str) -> tuple[Listed, ...]:
    result: dict[str, Listed] = {}
    for address, changed in found:
        try:
            target = urljoin(base, str(address).strip())
        except ValueError:  # a bracket in the host
            continue
        if is_web(target):
            result.setdefault(target, Listed(target, _date(changed)))
    return tuple(result.values())


def _date(text: str | None) -> datetime | None:
    """Return a W3C date as aware UTC; a date without zone is taken as UTC."""
    try:
        found = datetime.fromisoformat((text or "").strip())
    except ValueError:
        return None
    return (found if found.tzinfo else found.replace(tzinfo=UTC)).astimezone(UTC)
