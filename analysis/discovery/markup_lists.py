"""OPML, feeds, sitemaps and bookmarks: addresses in XML or HTML, read in one pass without a tree.

Entities are not resolved and nothing is loaded, so no entity expands and no file is read.
"""

import html
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from itertools import chain

from lxml import etree

from analysis.discovery.files import ImportedFile
from analysis.discovery.rows import DAMAGED, MAX_SHOWN_CHARS, ImportRow
from crawler.lists.xml_text import XmlCleaner

_MAX_TEXT_CHARS = 4_000
_ANCHOR = re.compile(r"<a\s([^<>]{1,200000}+)>([^<>]{0,2000})", re.IGNORECASE)
_HREF = re.compile(r"(?<![\w-])href\s*=\s*[\"']?([^\"'<>\s]{1,8000})", re.IGNORECASE)
_DECLARATION = re.compile(r"<\?xml[^>]{0,200}\?>")
_WEB = ("http://", "https://")


class _Records:
    """The parser's target: collects the records of a file; the caller takes them while it reads on.

    Fields of another namespace than their record, such as ``image:loc``, are ignored.
    """

    RECORDS = frozenset({"item", "entry", "url", "sitemap"})
    FIELDS = frozenset({"title", "link", "guid", "loc"})

    def __init__(self) -> None:
        self.records: list[tuple[str, dict[str, str]]] = []
        self._depth = 0
        self._record = ""
        self._space = ""
        self._fields: dict[str, str] = {}
        self._field = ""
        self._pieces: list[str] = []
        self._chars = 0

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        """Begin an element. The parser hands over ``&amp;`` in attributes as ``&#38;``."""
        self._depth += 1
        attributes = {key: value.replace("&#38;", "&") for key, value in attributes.items()}
        space, _, name = tag.rpartition("}")
        if name == "outline":
            self.records.append((name, {key.lower(): value for key, value in attributes.items()}))
        elif name in self.RECORDS:
            self._end_record()
            self._record, self._space, self._fields = name, space, {}
        elif name in self.FIELDS and (not self._record or space == self._space):
            target, relation = attributes.get("href", ""), attributes.get("rel", "alternate")
            if target and relation in {"alternate", "self"}:
                self._keep("self" if relation == "self" else name, target)
            self._field, self._pieces, self._chars = ("" if target else name), [], 0

    def data(self, text: str) -> None:
        """Add text to a field."""
        if self._field and self._chars < _MAX_TEXT_CHARS:
            self._pieces.append(text[:_MAX_TEXT_CHARS])
            self._chars += len(text)

    def end(self, tag: str) -> None:
        """End an element."""
        self._depth -= 1
        name = tag.rpartition("}")[2]
        if name == self._field:
            self._keep(name, "".join(self._pieces).strip())
            self._field = ""
        elif name == self._record:
            self._end_record()

    @property
    def is_open(self) -> bool:
        """Whether an element is not closed."""
        return self._depth > 0

    def close(self) -> None:
        """End the last record."""
        self._end_record()

    def _keep(self, name: str, text: str) -> None:
        if not text:
            return
        if self._record:
            self._fields.setdefault(name, text)
        else:
            self.records.append(("channel", {name: text}))

    def _end_record(self) -> None:
        if self._record:
            self.records.append((self._record, self._fields))
        self._record, self._fields, self._field = "", {}, ""


def _records_of(file: ImportedFile) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield (element, fields) for the records of a file, and for single fields of its channel."""
    target = _Records()
    cleaner = XmlCleaner()
    parser = etree.XMLParser(
        target=target,
        encoding="utf-8",
        recover=True,
        resolve_entities=False,
        no_network=True,
        huge_tree=False,
    )
    for number, text in enumerate(chain(file.text_chunks(), [None])):
        if number == 0 and text is not None:
            text = _DECLARATION.sub("", text.lstrip(), count=1)  # noqa: PLW2901 - the text is decoded already
        try:
            parser.feed(cleaner.clean(text or "", is_last=text is None))
        except etree.XMLSyntaxError:
            break
        yield from target.records
        target.records.clear()
    with suppress(etree.XMLSyntaxError):
        parser.close()
    target.close()
    if target.is_open and not file.problem.template:
        file.problem = DAMAGED
    yield from target.records


def read_outlines(file: ImportedFile) -> Iterator[ImportRow]:
    """Yield a row for each subscription of an OPML file; folders without an address have none."""
    number = 0
    for name, fields in _records_of(file):
        feed, page = fields.get("xmlurl", ""), fields.get("htmlurl", "") or fields.get("url", "")
        if name != "outline" or not (feed or page):
            continue
        number += 1
        title = fields.get("title") or fields.get("text") or ""
        text = f"{title} {page or feed}".strip()[:MAX_SHOWN_CHARS]
        yield ImportRow(number=number, text=text, urls=(page,) if page else (), feeds=(feed,) if feed else ())


def read_feed_file(file: ImportedFile) -> Iterator[ImportRow]:
    """Yield a row for the feed itself, if it names its address, and one for each of its entries."""
    number, itself = 0, ""
    for name, fields in _records_of(file):
        if name == "channel":
            itself = fields.get("self", "")
            if not itself.lower().startswith(_WEB):
                continue
            number += 1
            yield ImportRow(number=number, text=itself[:MAX_SHOWN_CHARS], feeds=(itself,))
        elif name in {"item", "entry"}:
            number += 1
            link = fields.get("link") or fields.get("guid") or ""
            text = f"{fields.get('title', '')} {link}".strip()[:MAX_SHOWN_CHARS]
            yield ImportRow(number=number, text=text, urls=(link,) if link else ())


def read_sitemap_file(file: ImportedFile) -> Iterator[ImportRow]:
    """Yield a row for each page of a sitemap, or for each sitemap of an index of them."""
    number = 0
    for name, fields in _records_of(file):
        if name not in {"url", "sitemap"}:
            continue
        number += 1
        address = (fields.get("loc", ""),) if fields.get("loc") else ()
        text = "".join(address)[:MAX_SHOWN_CHARS]
        if name == "sitemap":
            yield ImportRow(number=number, text=text, sitemaps=address)
        else:
            yield ImportRow(number=number, text=text, urls=address)


def read_bookmarks(file: ImportedFile) -> Iterator[ImportRow]:
    """Yield a row for each bookmark with an http(s) address; other links are not web pages."""
    number = 0
    for line in file.lines():
        for anchor in _ANCHOR.finditer(line.text):
            if (target := _HREF.search(anchor[1])) is None:
                continue
            number += 1
            url, title = html.unescape(target[1]), html.unescape(anchor[2]).strip()
            text = f"{title} {url}".strip()[:MAX_SHOWN_CHARS]
            yield ImportRow(number=number, text=text, urls=(url,))
