"""Pages as they were read, and the responses that they were read from."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from storage.records.leases import FREE, Lease
from storage.records.matches import Verdict
from storage.records.times import utc_now

PageKind = Literal[
    "article", "chapter", "list", "obfuscated", "blocked", "incomplete", "empty", "unreadable", "error"
]

PageState = Literal["fetched", "compared", "failed"]

MAX_TEXT_CHARS = 3_000_000  # of a page: at most 12 MB; a document of MongoDB takes 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """A response as received: evidence.

    Attributes:
        sha256: of ``body``; the key.
        headers: raw header lines, joined by CRLF.
        body: bytes after transfer and content decoding, before any change of ours.
        warc: request and response as they were sent and received, two WARC records in gzip; see
            :mod:`crawler.pages.warc`.
    """

    sha256: str
    url: str
    status: int
    headers: bytes
    body: bytes
    fetched: datetime
    warc: bytes = b""


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """One crawled page in one version of its text.

    Attributes:
        id: hash of URL and content hash, see :func:`storage.collections.pages.page_id`.
        site: host, with its port when that is not the scheme's own.
        content_hash: SHA-256 of the normalised text; empty when nothing was fetched.
        snapshots: SHA-256 of each raw response that the text was taken from, in reading order.
        fetched: when these responses were received.
        state: ``fetched`` waits for comparison; ``compared``; ``failed`` was not compared, for ``reason``.
        corpus_version: version of the mother corpus that it was compared with.
        scan_id: the last scan that saw it.
        unaligned: candidates that were too many to be aligned with it.
        capped: looked-up hashes of which the index returned only some postings.
        cut_chars: characters at the end of the text that were too many to be stored, and are not compared.
        attempts: how often a comparison was begun.
    """

    id: str
    url: str
    site: str
    source: str
    kind: PageKind
    title: str = ""
    author: str | None = None
    published: datetime | None = None
    text: str = ""
    content_hash: str = ""
    encoding: str = ""
    confidence: float = 1.0
    status: int = 200
    etag: str | None = None
    last_modified: str | None = None
    snapshots: tuple[str, ...] = ()
    fetched: datetime | None = None
    first_seen: datetime = field(default_factory=utc_now)
    last_seen: datetime = field(default_factory=utc_now)
    scan_id: str = ""
    state: PageState = "fetched"
    reason: str = ""
    corpus_version: int = -1
    verdict: Verdict | None = None
    coverage: float = 0.0
    copied_chars: int = 0
    low_confidence: bool = False
    unaligned: int = 0
    capped: int = 0
    cut_chars: int = 0
    attempts: int = 0
    lease: Lease = FREE
