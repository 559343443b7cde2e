"""Fills a database with what pages of so many addresses leave in it, in bulk.

Every row is a record of the program's own, as the stores write it. What is random comes from fixed seeds;
texts are pairs of characters of real prose in random order, so they copy nothing unless they are told to.

The proportions: an address was asked for three times, the first time with a new body; one in twenty holds a
stretch of a work; a hundred addresses belong to a scan of five sources that ended. Bodies and revisits have
the sizes that were measured on 188 saved pages of news and novel sites (medians: 98 kB of HTML, 24 kB as WARC
records, 1 kB for a revisit); all hold the records of one exchange, so a report shows them as altered.
"""

import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cached_property
from hashlib import sha256
from random import Random

import numpy as np
import numpy.typing as npt
from pymongo import WriteConcern

from crawler.exchange import Exchange
from crawler.pages.warc import response_record, revisit_record
from storage.collections.captures import capture_id
from storage.collections.cases import case_id
from storage.collections.checked import CheckedDatabase
from storage.collections.documents import Document, to_document
from storage.collections.leases import shard_of
from storage.collections.looks import look_id
from storage.collections.matches import match_id
from storage.collections.newest import Newest
from storage.collections.page_events import event_id
from storage.collections.pages import page_id
from storage.collections.scans import crawl_id
from storage.collections.stores import Stores
from storage.collections.visits import visit_id
from storage.records import (
    Capture,
    Case,
    Crawl,
    Look,
    Match,
    Page,
    PageEvent,
    Passage,
    Presence,
    Scan,
    Snapshot,
    Span,
    TextPart,
    Visit,
    Work,
)
from system.batches import batched

SITES = 20
MATCHING = 20  # one address in so many has a match
VISITS = 3
SOURCES_OF_A_SCAN = 5
CHARS = 2_500
COPIED = 600
_PAYLOAD_BYTES = 23_000
_BEGAN = datetime(2019, 1, 1, tzinfo=UTC)
_STEP = timedelta(hours=6)  # from scan to scan
_EXCHANGE = Exchange(
    url="http://www.site-00.example/book/0/0.html",
    request=b"GET /book/0/0.html HTTP/1.1\r\nHost: www.site-00.example\r\nAccept: text/html\r\n"
    b"User-Agent: pindna (+https://www.site-00.example/contact)\r\nAccept-Encoding: gzip\r\n\r\n",
    status=200,
    header_block=b"HTTP/1.1 200 OK\r\nServer: nginx\r\nContent-Type: text/html; charset=utf-8\r\n"
    b'Content-Encoding: gzip\r\nConnection: keep-alive\r\nETag: "5f3a61c2-1800"\r\n\r\n',
    payload=Random(1).randbytes(_PAYLOAD_BYTES),
    at=_BEGAN,
)
_IN_ONE_WRITE = 500
_NO_BODY = zlib.compress(b"")  # it is in the WARC record
_EXTRACTION_VERSION = sha256(b"extraction").hexdigest()


class Prose:
    """Endless texts of pairs of characters of real ones.

    Args:
        pool: real prose, some thousand characters at least.
    """

    def __init__(self, pool: str) -> None:
        codes = np.frombuffer(pool.encode("utf-32-le", "replace"), dtype="<u4")
        self._pairs: npt.NDArray[np.uint32] = codes[: len(codes) // 2 * 2].reshape(-1, 2)

    def text(self, chars: int, seed: int) -> str:
        """Return a text, the same for the same seed."""
        chosen = np.random.default_rng(seed).integers(0, len(self._pairs), (chars + 1) // 2)
        return self._pairs[chosen].tobytes().decode("utf-32-le")[:chars]


@dataclass(frozen=True, slots=True)
class Address:
    """The n-th address of a site."""

    number: int

    @property
    def source(self) -> str:
        """Its source, one for each site."""
        return source_name(self.number % SITES)

    @property
    def host(self) -> str:
        """Its host."""
        return f"www.{self.source}.example"

    @property
    def url(self) -> str:
        """The address."""
        return f"http://{self.host}/book/{self.number // SITES // 100}/{self.number}.html"


def source_name(number: int) -> str:
    """Return the name of a source."""
    return f"site-{number:02}"


def scan_name(number: int) -> str:
    """Return the id of a scan that ended."""
    return f"2026-{number:06}"


def moment_of(scan: int) -> datetime:
    """Return when a scan of that number began."""
    return _BEGAN + _STEP * scan


@dataclass(frozen=True)  # without slots: two values are made once
class Filler:
    """Writes the rows of addresses.

    Attributes:
        stores: the database.
        prose: texts.
        works: the mother corpus: each work with its first passage.
        corpus_version: that the pages were compared with.
        matching: one address in so many has a match.
        of_a_scan: addresses that a scan saw.
    """

    stores: Stores
    prose: Prose
    works: Sequence[tuple[Work, Passage]]
    corpus_version: int
    matching: int = MATCHING
    of_a_scan: int = 100

    @cached_property
    def _response(self) -> bytes:
        return response_record(_EXCHANGE)

    @cached_property
    def _revisit(self) -> bytes:
        digest = sha256(_EXCHANGE.payload).hexdigest()
        url = _EXCHANGE.url
        return revisit_record(_EXCHANGE, sha256=digest, first_url=url, first_fetched=_EXCHANGE.at)

    def fill(self, pages: int) -> None:
        """Write everything that so many addresses leave."""
        addresses = [Address(number) for number in range(pages)]
        self._write("pages", (self._page(address) for address in addresses))
        self._write("visits", (self._visit(address) for address in addresses))
        self._write("captures", (row for address in addresses for row in self._captures(address)))
        self._write("snapshots", (self._snapshot(address) for address in addresses))
        self._write("page_events", (self._event(address) for address in addresses))
        matching = [address for address in addresses if self._matches(address)]
        self._write("matches", (to_document(self._match(address)) for address in matching))
        self._write("looks", (row for address in matching for row in self._looks(address)))
        self._write("cases", self._cases(matching))
        scans = range(-(-pages // self.of_a_scan))
        self._write("scans", (to_document(self._ended(number)) for number in scans))
        self._write("crawls", (row for number in scans for row in _crawls(number)))
        counters = self.stores.database["counters"]
        for name in ("matches", "cases"):
            counters.replace_one({"_id": name}, {"value": pages}, upsert=True)
        newest = moment_of(self._scan(addresses[-1]))
        for listed in ("matches", "pages"):
            Newest(CheckedDatabase(self.stores.database), listed).record([newest])

    def _write(self, collection: str, rows: Iterable[Document]) -> None:
        target = self.stores.database.get_collection(collection, write_concern=WriteConcern(w=1, j=False))
        for part in batched(rows, _IN_ONE_WRITE):
            target.insert_many(part, ordered=False)

    def text(self, address: Address, version: int = 0) -> str:
        """Return a text of an address: one in twenty holds a stretch of a work."""
        text = self.prose.text(CHARS, version * 10_000_000 + address.number)
        if not self._matches(address):
            return text
        return text[:1_000] + self._of(address)[1].text[:COPIED] + text[1_000 + COPIED :]

    def _matches(self, address: Address) -> bool:
        return address.number % self.matching == 0

    def _scan(self, address: Address) -> int:
        """Return the number of the scan that saw an address first."""
        return address.number // self.of_a_scan

    def _of(self, address: Address) -> tuple[Work, Passage]:
        return self.works[Random(address.number).randrange(len(self.works))]

    def page(self, address: Address, version: int, *, seen: datetime, scan_id: str) -> Page:
        """Return a version of an address as a crawl reads it."""
        text = self.text(address, version)
        digest = sha256(text.encode()).hexdigest()
        return Page(
            id=page_id(address.url, digest),
            url=address.url,
            host=address.host,
            source=address.source,
            kind="chapter",
            title=self.prose.text(12, address.number),
            text=text,
            content_hash=digest,
            encoding="utf-8",
            snapshots=(_body(address),),
            fetched=seen,
            first_seen=seen,
            last_seen=seen,
            scan_id=scan_id,
        )

    def _page(self, address: Address) -> Document:
        seen = moment_of(self._scan(address))
        document = to_document(self.page(address, 0, seen=seen, scan_id=scan_name(self._scan(address))))
        matches = self._matches(address)
        return document | {
            "shard": shard_of(document["_id"]),
            "state": "compared",
            "corpus_version": self.corpus_version,
            "verdict": "partial" if matches else "clear",
            "coverage": COPIED / CHARS if matches else 0.0,
            "copied_chars": COPIED if matches else 0,
        }

    def _id(self, address: Address) -> str:
        return page_id(address.url, sha256(self.text(address).encode()).hexdigest())

    def _visit(self, address: Address) -> Document:
        digest, seen = sha256(self.text(address).encode()).hexdigest(), moment_of(self._scan(address))
        matches = self._matches(address)
        visit = Visit(
            url=address.url,
            source=address.source,
            page_id=page_id(address.url, digest),
            content_hash=digest,
            whole_hash=digest,
            etag='"5f3a61c2-1800"',
            last_modified="Thu, 01 Jan 2026 00:00:00 GMT",
            parts=(TextPart(url=address.url, sha256=_body(address)),),
            first_seen=seen,
            last_checked=seen + _STEP * VISITS,
            last_changed=seen,
            checks=VISITS,
            interval_s=_STEP.total_seconds(),
            due=seen + _STEP * 2 * VISITS,
            presence=Presence(state="up", checked=seen, seen=seen) if matches else None,
        )
        document = to_document(visit, key="url")
        document["reader"] = _EXTRACTION_VERSION
        del document["extraction_version"]
        return {**document, "url": visit.url, "_id": visit_id(visit.url)}

    def _captures(self, address: Address) -> Iterator[Document]:
        body = _body(address)
        for visit in range(VISITS):
            fetched = moment_of(self._scan(address) + visit)
            yield to_document(
                Capture(
                    id=capture_id(address.url, body, fetched),
                    url=address.url,
                    source=address.source,
                    scan_id=scan_name(self._scan(address)),
                    fetched=fetched,
                    status=304 if visit else 200,
                    sha256=body,
                    warc=self._revisit if visit else b"",
                    digest=sha256(f"{body}{visit}".encode()).hexdigest(),
                )
            )

    def _snapshot(self, address: Address) -> Document:
        snapshot = Snapshot(
            sha256=_body(address),
            url=address.url,
            status=200,
            headers=b"Content-Type: text/html; charset=utf-8\r\nServer: nginx",
            body=b"",
            fetched=moment_of(self._scan(address)),
            warc=self._response,
        )
        return {**to_document(snapshot, key="sha256"), "body": _NO_BODY}

    def _event(self, address: Address) -> Document:
        key, scan_id = self._id(address), scan_name(self._scan(address))
        event = PageEvent(
            id=event_id(address.url, "new", key, scan_id),
            url=address.url,
            source=address.source,
            kind="new",
            at=moment_of(self._scan(address)),
            scan_id=scan_id,
            page_id=key,
        )
        return to_document(event)

    def _match(self, address: Address) -> Match:
        work, passage = self._of(address)
        key, seen = self._id(address), moment_of(self._scan(address))
        profile = f"{work.kind}@3"
        return Match(
            id=match_id(key, passage.id, profile),
            page_id=key,
            passage_id=passage.id,
            work_id=work.id,
            profile=profile,
            site=f"{address.source}.example",
            url=address.url,
            page_title=self.prose.text(12, address.number),
            work_title=work.title,
            passage_title=passage.title,
            verdict="partial",
            coverage=COPIED / CHARS,
            passage_coverage=COPIED / len(passage.text),
            copied_chars=COPIED,
            longest_span=COPIED,
            char_identity=1.0,
            sound_identity=1.0,
            spans=(
                Span(
                    page_start=1_000,
                    page_end=1_000 + COPIED,
                    passage_start=0,
                    passage_end=COPIED,
                    char_identity=1.0,
                    sound_identity=1.0,
                ),
            ),
            anchors={"shingle": COPIED // 16, "dna": COPIED // 20},
            page_chars=CHARS,
            taken_chars=COPIED,
            undecided=((0, COPIED),),
            number=address.number // self.matching + 1,
            scan_id=scan_name(self._scan(address)),
            first_seen=seen,
            last_seen=seen,
        )

    def _looks(self, address: Address) -> Iterator[Document]:
        key = self._id(address)
        for visit in range(1, VISITS):
            scan_id = scan_name(self._scan(address) + visit)
            look = Look(
                id=look_id(address.url, scan_id),
                url=address.url,
                page_id=key,
                answer_id=key,
                state="up",
                status=304,
                scan_id=scan_id,
                source=address.source,
                at=moment_of(self._scan(address) + visit),
            )
            yield to_document(look)

    def _cases(self, matching: Iterable[Address]) -> Iterator[Document]:
        """Yield the cases of matching addresses, each as the first of its matches makes it."""
        first: dict[tuple[int, str], Match] = {}
        pages: dict[tuple[int, str], int] = {}
        for match in map(self._match, matching):
            key = match.work_id, match.site
            first.setdefault(key, match)
            pages[key] = pages.get(key, 0) + 1
        for number, (key, match) in enumerate(first.items(), 1):
            case = Case(
                id=case_id(*key),
                work_id=match.work_id,
                work_title=match.work_title,
                site=match.site,
                verdict="partial",
                pages=pages[key],
                passages=1,
                copied_chars=COPIED,
                first_seen=match.first_seen,
                last_seen=match.last_seen,
                reviews={"": pages[key]},
                waiting=pages[key],
                number=number,
            )
            yield {**to_document(case), "is_waiting": True}

    def _ended(self, number: int) -> Scan:
        began, seen = moment_of(number), self.of_a_scan
        return Scan(
            id=scan_name(number),
            trigger="schedule",
            sources=tuple(_sources_of(number)),
            started=began,
            finished=began + timedelta(hours=2),
            status="finished",
            counts={"pages": seen, "state:compared": seen, "kind:chapter": seen},
        )


def _body(address: Address) -> str:
    """Return the SHA-256 that names an address's body."""
    return sha256(address.url.encode()).hexdigest()


def _sources_of(scan: int) -> Iterator[str]:
    for place in range(SOURCES_OF_A_SCAN):
        yield source_name((scan * SOURCES_OF_A_SCAN + place) % SITES)


def _crawls(scan: int) -> Iterator[Document]:
    for source in _sources_of(scan):
        name, began = scan_name(scan), moment_of(scan)
        crawl = Crawl(
            id=crawl_id(name, source),
            scan_id=name,
            source=source,
            state="done",
            counts={"requests": 25, "pages": 5, "unchanged": 15, "listed": 20, "extracted": 20},
            addresses={"entries": 25, "list": 5, "new": 5, "unchanged": 15},
            end="finished",
            started=began,
            finished=began + timedelta(hours=1),
        )
        yield to_document(crawl)
