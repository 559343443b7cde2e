"""Reads the links of sitemaps and feeds. Pure: bytes in, values out; no link is opened.

A sitemap may be an index of sitemaps, gzipped, or plain text. libxml2 parses in one pass, recovers from
errors and builds no tree, so time and memory are linear in the body. Entities are not resolved, so no file is
read and no entity expands.
"""

import re
import zlib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, tzinfo
from typing import ClassVar

from lxml import etree

from crawler.addresses import MAX_ADDRESS_CHARS
from crawler.lists.link_list import (
    CUT_SHORT,
    TOO_MANY,
    Link,
    LinkList,
    NotAList,
    absolute_links,
    within_bounds,
)
from crawler.lists.xml_text import XmlCleaner
from fingerprint.text.decoding import decode
from storage.records import CHINA
from storage.records.dates import parse_date

_GZIP = b"\x1f\x8b"
_DECLARED = re.compile(rb"<\?xml[^>]{0,100}?\bencoding\s*=\s*[\"']([\w.-]{2,20})")
_HEAD_BYTES = 200
_CHUNK_BYTES = 64 * 1024  # number of bytes that the parser gets at once
_MAX_RECORDS = 200_000  # maximum number of stored records; further records are only counted
# The end of a list; an empty list may be a single tag.
_CLOSED = re.compile(r"</(?:[\w.-]+:)?(?:urlset|sitemapindex|rss|rdf|feed)\s*>|/>\s*\Z", re.IGNORECASE)
_TAIL_CHARS = 2_000
_MAX_FIELD_CHARS = MAX_ADDRESS_CHARS + 1_000  # longer than an address, because white space may surround it


class NotAFeed(NotAList):
    """A body is not a sitemap or feed, or too large when decompressed."""

    reason = "not-a-feed"


def read_sitemap(body: bytes, *, url: str, max_bytes: int, zone: tzinfo = CHINA) -> LinkList:
    """Return the links of a sitemap: texts, or further sitemaps as lists.

    Args:
        body: as received; gzip is recognised by its first bytes.
        url: its address.
        max_bytes: maximum size when decompressed.
        zone: for dates without a zone.

    Raises:
        NotAFeed: the body is not a sitemap.
    """
    data, is_whole = _decompress(body, max_bytes)
    text = _decode(data)
    if not text.lstrip().startswith("<"):
        return _read_lines(text, is_whole=is_whole)
    feed = _parse_feed(text)
    if feed.root not in ("urlset", "sitemapindex"):
        raise NotAFeed("not a sitemap")
    refused = feed.refused + Counter({CUT_SHORT: int(not (feed.is_whole and is_whole))})
    links = [
        Link(record["loc"], _last_change(record.get("lastmod"), zone))
        for record in feed.records
        if record.get("loc")
    ]
    bounded = within_bounds(absolute_links(url, links, refused), refused)
    return (
        LinkList(texts=bounded, refused=refused) if feed.root == "urlset" else LinkList((), bounded, refused)
    )


def read_feed(body: bytes, *, url: str) -> LinkList:
    """Return the links of an RSS or Atom feed.

    Raises:
        NotAFeed: the body is not a feed.
    """
    feed = _parse_feed(_decode(body))
    if feed.root not in ("rss", "rdf", "feed"):
        raise NotAFeed("not a feed")
    links = [Link(target) for record in feed.records if (target := record.get("link") or record.get("guid"))]
    refused = feed.refused + Counter({CUT_SHORT: int(not feed.is_whole)})
    return LinkList(within_bounds(absolute_links(url, links, refused), refused), refused=refused)


def _read_lines(text: str, *, is_whole: bool) -> LinkList:
    """Read a sitemap of one absolute address a line."""
    refused: Counter[str] = Counter({CUT_SHORT: 1} if not is_whole else {})
    texts = within_bounds(absolute_links("", (Link(line) for line in text.split()), refused), refused)
    if not texts:
        raise NotAFeed("neither XML nor addresses")
    return LinkList(texts, refused=refused)


def _decompress(body: bytes, max_bytes: int) -> tuple[bytes, bool]:
    """Decompress a body; return it with whether it was complete."""
    if body[:2] != _GZIP:
        return body, True
    unpacker = zlib.decompressobj(wbits=31)
    try:
        data = unpacker.decompress(body, max_bytes)
    except zlib.error as error:
        raise NotAFeed("not gzip") from error
    if unpacker.unconsumed_tail:
        raise NotAFeed("too large when unpacked")
    return data, unpacker.eof


@dataclass(slots=True)
class _Feed:
    """A parsed sitemap or feed.

    Attributes:
        root: local name of its first element.
        records: field → text, for each record.
        refused: reason → number of skipped records.
        is_whole: whether its root element is closed.
    """

    root: str
    records: list[dict[str, str]]
    refused: Counter[str]
    is_whole: bool = True


class _FeedTarget:
    """The parser's target: collects the fields of each record.

    A field that is a direct child of its record takes precedence over a nested one, which broken markup may
    produce. Elements of other namespaces are ignored.
    """

    RECORDS: ClassVar[dict[str, frozenset[str]]] = {
        **dict.fromkeys(("urlset", "sitemapindex"), frozenset({"url", "sitemap"})),
        **dict.fromkeys(("rss", "rdf", "feed"), frozenset({"item", "entry"})),
    }
    FIELDS = frozenset({"loc", "lastmod", "link", "guid"})

    def __init__(self) -> None:
        self.feed = _Feed("", [], Counter())
        self.ended = 0  # number of ended elements
        self._depth = 0
        self._record: dict[str, str] = {}
        self._deeper: dict[str, str] = {}
        self._space = ""  # the namespace of the record
        self._record_depth = 0
        self._field = ""
        self._field_depth = 0
        self._pieces: list[str] = []
        self._chars = 0

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        """Begin an element."""
        self._depth += 1
        space, _, name = tag.rpartition("}")
        self.feed.root = self.feed.root or name.lower()
        if name in self.RECORDS.get(self.feed.root, ()):
            self._end_record()  # the previous record was not closed
            self._record, self._deeper, self._space, self._record_depth = {}, {}, space, self._depth
        elif self._record_depth and name in self.FIELDS and space == self._space:
            self._begin_element(name, attributes)

    def data(self, text: str) -> None:
        """Add text to a field, up to the length of an address."""
        if self._field and self._chars < _MAX_FIELD_CHARS:
            piece = text[:_MAX_FIELD_CHARS] if self._chars else text.lstrip()[:_MAX_FIELD_CHARS]
            self._chars += len(piece)
            self._pieces.append(piece)

    def end(self, tag: str) -> None:  # noqa: ARG002 - the parser's signature
        """End an element."""
        self.ended += 1
        if self._field and self._depth == self._field_depth:
            self._keep_text(self._field, "".join(self._pieces).strip())
            self._field = ""
        elif self._depth == self._record_depth:
            self._end_record()
        self._depth -= 1

    def close(self) -> _Feed:
        """Return the records."""
        self._end_record()
        return self.feed

    def _begin_element(self, name: str, attributes: Mapping[str, str]) -> None:
        target = attributes.get("href", "")  # a link is an attribute in Atom, and text in RSS
        self._field_depth = self._depth
        if target and attributes.get("rel", "alternate") == "alternate":
            self._keep_text(name, target)
        is_name_only = name == "guid" and attributes.get("isPermaLink") == "false"
        self._field = "" if target or is_name_only else name
        self._pieces, self._chars = [], 0

    def _keep_text(self, name: str, text: str) -> None:
        is_direct = self._field_depth == self._record_depth + 1
        if text:
            (self._record if is_direct else self._deeper).setdefault(name, text)

    def _end_record(self) -> None:
        if self._record_depth and len(self.feed.records) < _MAX_RECORDS:
            self.feed.records.append({**self._deeper, **self._record})
        elif self._record_depth:
            self.feed.refused[TOO_MANY] += 1
        self._record_depth, self._field = 0, ""


def _decode(data: bytes) -> str:
    declared = _DECLARED.search(data, 0, _HEAD_BYTES)
    return decode(data, declared=declared[1].decode("ascii") if declared else None).text


def _parse_feed(text: str) -> _Feed:
    clean = XmlCleaner().clean(text, is_last=True)
    target = _FeedTarget()
    parser = etree.XMLParser(
        target=target,
        encoding="utf-8",
        recover=True,
        resolve_entities=False,
        no_network=True,
        huge_tree=False,
    )
    end = max(0, clean.rfind(b"</"))
    has_ended = True
    try:
        for start in range(0, end, _CHUNK_BYTES):
            parser.feed(clean[start : min(end, start + _CHUNK_BYTES)])
        count = target.ended
        parser.feed(clean[end:])
        has_ended = not end or target.ended > count  # damage may end the parser's work before the end
        parser.close()
    except etree.XMLSyntaxError as error:
        if not target.feed.root:
            raise NotAFeed("not XML") from error
    target.feed.is_whole = has_ended and _CLOSED.search(text[-_TAIL_CHARS:]) is not None
    return target.feed


def _last_change(text: str | None, zone: tzinfo) -> datetime | None:
    """Return the end of a date, aware UTC, because a page of today may still change; None if invalid."""
    date = parse_date((text or "").strip(), zone=zone)
    return None if date is None else date.end
