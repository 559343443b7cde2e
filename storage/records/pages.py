"""Pages as they were read, and the responses that they were read from."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, get_args

from storage.records.leases import FREE, Lease
from storage.records.matches import Span
from storage.records.posts import Post
from storage.records.rest import MatchPart, RestPiece, UnreadReason
from storage.records.times import ClaimedDate, utc_now
from storage.records.verdicts import Verdict
from system.sites import site_of_host

PageKind = Literal[
    "article",
    "chapter",
    "thread",
    "list",
    "obfuscated",
    "blocked",
    "incomplete",
    "empty",
    "unreadable",
    "error",
]
PAGE_KINDS: tuple[PageKind, ...] = get_args(PageKind)

# Kinds of which the text is not all there: an earlier text of the address counts too.
PARTLY_READ: frozenset[PageKind] = frozenset({"blocked", "incomplete", "obfuscated", "unreadable"})

PageState = Literal["fetched", "compared", "failed"]
PAGE_STATES: tuple[PageState, ...] = get_args(PageState)

PageStanding = Literal["current", "last-text", "replaced"]

# What a response is of a page that has nothing but a piece of its rest from it: a document in a frame; or the
# page without a browser, or in one, where the text is from the other reading.
AddedRole = Literal["frame", "plain", "browser"]

# Of extraction; pages below it had a mean F1 of .4 against the gold text, others .97 (docs/benchmarks).
MIN_CONFIDENCE = 0.5
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
class AddedSnapshot:
    """A response that a page has something of in its rest, and nothing in its text.

    Attributes:
        sha256: of its body.
        role: what it is of the page.
        place: of a frame, as a path of elements.
    """

    sha256: str
    role: AddedRole
    place: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Background:
    """What of a page stands in one passage of a background text, and therefore counts as a copy of none.

    Attributes:
        work_id, work: the text and its title at that time.
        passage: heading of the passage; empty where it has none.
        spans: the stretches, in page order.
        part: the text of the page that they count in; what the rest has gives the page no verdict.
    """

    work_id: int
    work: str
    passage: str
    spans: tuple[Span, ...]
    part: MatchPart = "article"

    @property
    def chars(self) -> int:
        """Characters of the page; what stretches share is counted twice."""
        return sum(span.page_end - span.page_start for span in self.spans)


@dataclass(frozen=True, slots=True, kw_only=True)
class PageResult:
    """What a comparison says of a page as a whole; the fields are those of :class:`Page`."""

    verdict: Verdict
    coverage: float
    copied_chars: int
    low_confidence: bool
    unaligned: int
    capped: int = 0
    background: tuple[Background, ...] = ()
    rest_verdict: Verdict | None = None
    is_doubtful: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """One crawled page in one version of its text.

    Attributes:
        id: hash of URL and content hash, see :func:`storage.collections.pages.page_id`.
        host: as in the address, see :func:`system.sites.host_of`.
        published: the date that it bears.
        posts: of a thread, in reading order, without quotes and signatures.
        content_hash: SHA-256 of the normalised text; empty when nothing was fetched.
        snapshots: SHA-256 of each raw response that article and rest were taken from: those of the text in
            reading order, then those that only added to the rest.
        added_snapshots: the latter, with what they are of the page.
        fetched: when these responses were received.
        first_seen, last_seen: our own first and last sight of this version.
        state: ``fetched`` waits for comparison; ``compared``; ``failed`` was not compared, for ``reason``.
        corpus_version: version of the mother corpus that it was compared with; history bears one that never
            passes, see :mod:`storage.collections.stale`.
        scan_id: the last scan that saw it.
        unaligned: candidates that were too many to be aligned with it, or in too many pieces to be so in all.
        capped: looked-up hashes of which the index returned only some postings.
        background: what of it stands in background texts.
        coverage, copied_chars: how much of the article is copied.
        rest_verdict: the gravest verdict on a match in the rest; None where the rest was never compared.
        is_doubtful: it has its verdict from the rest alone, so a person must look.
        confidence: of extraction, in [0, 1]; below ``MIN_CONFIDENCE`` another text may be the article.
        cut_chars: characters at the end of the text that were too many to be stored, and are not compared.
        rest: the page's other Chinese text, a line for each piece of it; compared too.
        rest_pieces: where each piece of the rest is from, in order.
        rest_hash: SHA-256 of the letters of the rest, see :func:`fingerprint.exact.letters_hash`; empty
            without any. The store makes it. A rest with other letters is compared again.
        unread: what could not be read, see :data:`storage.records.rest.UNREAD_UNITS` for the units.
        attempts: how often a comparison was begun.
        standing: what the version counts for: ``current`` is what was seen of the address last;
            ``last-text`` is the last text that was compared, while the current one was not, or is
            of a kind that is read in part only (:data:`PARTLY_READ`);
            ``replaced`` is history, which nothing counts. See :mod:`storage.collections.standings`.
        replaced: since when it is history; None while it is not.
        reread_of: the version that is the same page, read otherwise before: the site changed nothing.
    """

    id: str
    url: str
    host: str
    source: str
    kind: PageKind
    title: str = ""
    author: str | None = None
    published: ClaimedDate | None = None
    text: str = ""
    posts: tuple[Post, ...] = ()
    content_hash: str = ""
    encoding: str = ""
    confidence: float = 1.0
    status: int = 200
    etag: str | None = None
    last_modified: str | None = None
    snapshots: tuple[str, ...] = ()
    added_snapshots: tuple[AddedSnapshot, ...] = ()
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
    background: tuple[Background, ...] = ()
    rest_verdict: Verdict | None = None
    is_doubtful: bool = False
    cut_chars: int = 0
    rest: str = ""
    rest_pieces: tuple[RestPiece, ...] = ()
    rest_hash: str = ""
    unread: dict[UnreadReason, int] = field(default_factory=dict)
    attempts: int = 0
    standing: PageStanding = "current"
    replaced: datetime | None = None
    reread_of: str = ""
    lease: Lease = FREE

    @property
    def site(self) -> str:
        """The registered domain of the host, see :mod:`system.sites`."""
        return site_of_host(self.host)

    @property
    def text_snapshots(self) -> tuple[str, ...]:
        """SHA-256 of the responses that the text is from, in reading order."""
        return self.snapshots[: len(self.snapshots) - len(self.added_snapshots)]

    def text_of(self, which: MatchPart) -> str:
        """Return the text that the offsets of a match count in."""
        return self.rest if which == "rest" else self.text
