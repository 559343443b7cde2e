"""Sitemaps and feeds to addresses. Pure: what comes in are bytes, and nothing in them is opened or fetched.

A sitemap may be an index of others, may be gzip, may be plain text. Both kinds are read by one pass of
libxml2's parser, which mends what is broken and builds no tree: time and memory are linear in the body.
Entities are not resolved, so no file is read and nothing explodes.
"""

import re
import zlib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import ClassVar

from lxml import etree

from crawler.addresses import MAX_ADDRESS_CHARS
from crawler.lists.listed import CUT_SHORT, TOO_MANY, Found, Listed, NotAList, addresses, within_bounds
from fingerprint.text.decoding import decode

_GZIP = b"\x1f\x8b"
_DECLARED = re.compile(rb"<\?xml[^>]{0,100}?\bencoding\s*=\s*[\"']([\w.-]{2,20})")
_HEAD_BYTES = 200
_SURROGATE = re.compile(  # which the parser hands on as bytes that are no UTF-8
    r"&#(?:0*5[567][0-9]{3}|x0*d[89a-f][0-9a-f]{2});", re.IGNORECASE
)
_STEP_BYTES = 64 * 1024  # handed to the parser at once
_MAX_RECORDS = 200_000  # that are looked at; what is more is counted
_NO_CONTROLS = bytes(code for code in range(0x20) if code not in b"\t\n\r")
# What ends a list; an empty one may end where it begins.
_CLOSED = re.compile(r"</(?:[\w.-]+:)?(?:urlset|sitemapindex|rss|rdf|feed)\s*>|/>\s*\Z", re.IGNORECASE)
_TAIL_CHARS = 2_000
_TEXT_CHARS = MAX_ADDRESS_CHARS + 1_000  # of a field: white space may stand around an address


class NotAFeed(NotAList):
    """A body is no sitemap, no feed, or larger than allowed when unpacked."""

    reason = "not-a-feed"


def read_sitemap(body: bytes, *, url: str, max_bytes: int) -> Found:
    """Return what a sitemap names: texts, or further sitemaps as lists.

    Args:
        body: as received; gzip is found out by its first bytes.
        url: its address.
        max_bytes: the most that it may unpack to.

    Raises:
        NotAFeed: it is none.
    """
    data, is_whole = _unpacked(body, max_bytes)
    text = _text(data)
    if not text.lstrip().startswith("<"):
        return _lines(text, is_whole=is_whole)
    read = _read(text)
    read.is_whole = read.is_whole and is_whole
    if read.root not in ("urlset", "sitemapindex"):
        raise NotAFeed("not a sitemap")
    refused = read.refused + Counter({CUT_SHORT: int(not read.is_whole)})
    named = [Listed(each["loc"], _date(each.get("lastmod"))) for each in read.records if each.get("loc")]
    listed = within_bounds(addresses(url, named, refused), refused)
    return Found(texts=listed, refused=refused) if read.root == "urlset" else Found((), listed, refused)


def read_feed(body: bytes, *, url: str) -> Found:
    """Return the articles that an RSS or Atom feed names.

    Raises:
        NotAFeed: it is none.
    """
    read = _read(_text(body))
    if read.root not in ("rss", "rdf", "feed"):
        raise NotAFeed("not a feed")
    named = [Listed(target) for each in read.records if (target := each.get("link") or each.get("guid"))]
    refused = read.refused + Counter({CUT_SHORT: int(not read.is_whole)})
    return Found(within_bounds(addresses(url, named, refused), refused), refused=refused)


def _lines(text: str, *, is_whole: bool) -> Found:
    """Read a sitemap of one absolute address a line."""
    refused: Counter[str] = Counter({CUT_SHORT: 1} if not is_whole else {})
    texts = within_bounds(addresses("", (Listed(line) for line in text.split()), refused), refused)
    if not texts:
        raise NotAFeed("neither XML nor addresses")
    return Found(texts, refused=refused)


def _unpacked(body: bytes, max_bytes: int) -> tuple[bytes, bool]:
    """Return a body unpacked, and whether it came to its end."""
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
class _Read:
    """What a pass over a body found.

    Attributes:
        root: local name of its first element.
        records: field → text, of each record in turn.
        is_whole: its first element was closed.
    """

    root: str
    records: list[dict[str, str]]
    refused: Counter[str]
    is_whole: bool = True


class _Records:
    """Takes the parser's events in, and of each record its fields.

    A field that stands directly in its record counts before one that stands deeper in it: broken markup puts
    it there. Other vocabularies are passed over by their namespaces.
    """

    RECORDS: ClassVar[dict[str, frozenset[str]]] = {
        **dict.fromkeys(("urlset", "sitemapindex"), frozenset({"url", "sitemap"})),
        **dict.fromkeys(("rss", "rdf", "feed"), frozenset({"item", "entry"})),
    }
    FIELDS = frozenset({"loc", "lastmod", "link", "guid"})

    def __init__(self) -> None:
        self.read = _Read("", [], Counter())
        self._depth = 0
        self._record: dict[str, str] = {}
        self._deeper: dict[str, str] = {}
        self._space = ""  # of the record's name
        self._record_depth = 0
        self._field = ""
        self._field_depth = 0
        self._pieces: list[str] = []
        self._chars = 0

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        """Begin an element."""
        self._depth += 1
        space, _, name = tag.rpartition("}")
        self.read.root = self.read.root or name.lower()
        if name in self.RECORDS.get(self.read.root, ()):
            self._end_record()  # one that nobody closed
            self._record, self._deeper, self._space, self._record_depth = {}, {}, space, self._depth
        elif self._record_depth and name in self.FIELDS and space == self._space:
            self._begin(name, attributes)

    def data(self, text: str) -> None:
        """Take text in, as far as an address can be long."""
        if self._field and self._chars < _TEXT_CHARS:
            piece = text[:_TEXT_CHARS] if self._chars else text.lstrip()[:_TEXT_CHARS]
            self._chars += len(piece)
            self._pieces.append(piece)

    def end(self, tag: str) -> None:  # noqa: ARG002 - the parser's signature
        """End an element."""
        if self._field and self._depth == self._field_depth:
            self._keep(self._field, "".join(self._pieces).strip())
            self._field = ""
        elif self._depth == self._record_depth:
            self._end_record()
        self._depth -= 1

    def close(self) -> _Read:
        """Return what was found."""
        self._end_record()
        return self.read

    def _begin(self, name: str, attributes: Mapping[str, str]) -> None:
        target = attributes.get("href", "")  # Atom has its links in attributes, RSS in the text
        self._field_depth = self._depth
        if target and attributes.get("rel", "alternate") == "alternate":
            self._keep(name, target)
        is_name_only = name == "guid" and attributes.get("isPermaLink") == "false"
        self._field = "" if target or is_name_only else name
        self._pieces, self._chars = [], 0

    def _keep(self, name: str, text: str) -> None:
        is_direct = self._field_depth == self._record_depth + 1
        if text:
            (self._record if is_direct else self._deeper).setdefault(name, text)

    def _end_record(self) -> None:
        if self._record_depth and len(self.read.records) < _MAX_RECORDS:
            self.read.records.append({**self._deeper, **self._record})
        elif self._record_depth:
            self.read.refused[TOO_MANY] += 1
        self._record_depth, self._field = 0, ""


def _text(data: bytes) -> str:
    declared = _DECLARED.search(data, 0, _HEAD_BYTES)
    return decode(data, declared=declared[1].decode("ascii") if declared else None).text


def _read(text: str) -> _Read:
    clean = _SURROGATE.sub("\ufffd", text).encode("utf-8", "replace").translate(None, _NO_CONTROLS)
    records = _Records()
    parser = etree.XMLParser(
        target=records,
        encoding="utf-8",
        recover=True,
        resolve_entities=False,
        no_network=True,
        huge_tree=False,
    )
    try:
        for start in range(0, len(clean), _STEP_BYTES):
            parser.feed(clean[start : start + _STEP_BYTES])
        parser.close()
    except etree.XMLSyntaxError as error:
        if not records.read.root:
            raise NotAFeed("not XML") from error
    records.read.is_whole = _CLOSED.search(text[-_TAIL_CHARS:]) is not None
    return records.read


def _date(text: str | None) -> datetime | None:
    """Return a W3C date as aware UTC; a date without zone is taken as UTC, one that is none as unknown."""
    try:
        date = datetime.fromisoformat((text or "").strip())
        return (date if date.tzinfo else date.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        return None
