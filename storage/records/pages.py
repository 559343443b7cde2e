"""Pages and the HTTP responses that they were read from."""

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

# Kinds of pages with incomplete text; an earlier text of the same address counts too.
PARTLY_READ: frozenset[PageKind] = frozenset({"blocked", "incomplete", "obfuscated", "unreadable"})

PageState = Literal["fetched", "compared", "failed"]
PAGE_STATES: tuple[PageState, ...] = get_args(PageState)

PageStanding = Literal["current", "last-text", "replaced"]

# Kinds of responses that contribute only to the rest of a page: a document in a frame, the page as read
# without a browser, or the page as shown in a browser (if the text is from the other reading).
AddedRole = Literal["frame", "plain", "browser"]

# Minimum confidence of extraction. Against the gold text, pages below it had a mean F1 of .4, and other pages
# .97 (docs/benchmarks).
MIN_CONFIDENCE = 0.5
MAX_TEXT_CHARS = 3_000_000  # of a page: at most 12 MB of the 16 MB that a document may have


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """A response as received, kept as evidence.

    Attributes:
        sha256: of ``body``; the key.
        headers: raw header lines, joined by CRLF.
        body: bytes after transfer and content decoding, otherwise unchanged.
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


# The forms of files with captured pages. Labels: ``analysis.words.labels.CAPTURED_FORMS``.
CapturedForm = Literal["warc", "wacz", "har", "mhtml", "saved-page"]
CAPTURED_FORMS: tuple[CapturedForm, ...] = get_args(CapturedForm)


@dataclass(frozen=True, slots=True, kw_only=True)
class PageImport:
    """Where a page comes from that pindna did not fetch: a file with pages that others captured.

    Attributes:
        file: name of the file.
        sha256: of the file, in hexadecimal.
        form: its form.
        captured: when the page was captured, as the file says.
        captured_by: program or person that captured it, as the file says; empty: the file does not say.
        imported: when the file was imported.
        by: who imported it.
    """

    file: str
    sha256: str
    form: CapturedForm
    captured: datetime
    captured_by: str = ""
    imported: datetime = field(default_factory=utc_now)
    by: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class AddedSnapshot:
    """A response that contributes to a page's rest but not to its text.

    Attributes:
        sha256: of its body.
        role: what the response is: a frame, or another reading of the page.
        place: for a frame: its path of elements.
    """

    sha256: str
    role: AddedRole
    place: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Background:
    """Stretches of a page that come from a passage of a background text; they are not copies of a work.

    Attributes:
        work_id, work: id and title of the text at that time.
        passage: heading of the passage; empty: none.
        spans: the stretches, in page order.
        part: the text of the page that contains them. The rest alone gives the page no verdict.
    """

    work_id: int
    work: str
    passage: str
    spans: tuple[Span, ...]
    part: MatchPart = "article"

    @property
    def chars(self) -> int:
        """The number of the page's characters in the stretches; one in two stretches counts twice."""
        return sum(span.page_end - span.page_start for span in self.spans)


@dataclass(frozen=True, slots=True, kw_only=True)
class PageResult:
    """The result of a comparison for the whole page; :class:`Page` explains the fields."""

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
        published: the date printed on the page.
        posts: for a thread: its posts in reading order, without quotes and signatures.
        content_hash: SHA-256 of the normalised text; empty when nothing was fetched.
        snapshots: SHA-256 of each raw response behind article and rest: first those of the text in reading
            order, then those that only added to the rest.
        added_snapshots: the responses that only added to the rest.
        fetched: when these responses were received.
        first_seen, last_seen: when pindna first and last saw this version; for an imported page when others
            captured it.
        imported: the file that the version comes from; None: pindna fetched it.
        state: ``fetched`` waits for comparison; ``compared``; ``failed`` was not compared, for ``reason``.
        corpus_version: version of the corpus that it was compared with. Replaced versions have a number that
            is never outdated, see :mod:`storage.collections.stale`.
        scan_id: the last scan that saw the page.
        unaligned: number of candidates that were not aligned, or only in part, because of limits.
        capped: number of hashes for which the index returned only some postings.
        background: stretches that come from background texts.
        coverage, copied_chars: the copied share and characters of the article.
        rest_verdict: the gravest verdict on a match in the rest; None: the rest was never compared.
        is_doubtful: the verdict comes from the rest alone, so a person must check it.
        confidence: of extraction, in [0, 1]. Below ``MIN_CONFIDENCE`` the article may be another text.
        cut_chars: number of characters cut from the end of a text that is too long. They are not compared.
        rest: the page's other Chinese text, one line for each piece; compared too.
        rest_pieces: the origin of each piece of the rest, in order.
        rest_hash: SHA-256 of the letters of the rest, see :func:`fingerprint.exact.letters_hash`; empty
            without a rest. The store computes it. A rest with other letters is compared again.
        unread: what could not be read; units are in :data:`storage.records.rest.UNREAD_UNITS`.
        attempts: number of comparisons begun.
        standing: whether the version counts. ``current``: the version that was seen last. ``last-text``: the
            last compared text, while the current version is not compared, or is of a partly read kind
            (:data:`PARTLY_READ`). ``replaced``: an old version that does not count. See
            :mod:`storage.collections.standings`.
        replaced: when it was replaced; None while it counts.
        reread_of: the earlier version of an unchanged page whose text was extracted differently.
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
    imported: PageImport | None = None
    lease: Lease = FREE

    @property
    def site(self) -> str:
        """The registered domain of the host, see :mod:`system.sites`."""
        return site_of_host(self.host)

    @property
    def text_snapshots(self) -> tuple[str, ...]:
        """The SHA-256 of each response from which the text comes, in reading order."""
        return self.snapshots[: len(self.snapshots) - len(self.added_snapshots)]

    def text_of(self, which: MatchPart) -> str:
        """Return the text to which the offsets of a match refer: article or rest."""
        return self.rest if which == "rest" else self.text
