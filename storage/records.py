"""The records that flow through every stage: frozen values, one class a collection.

Times are aware UTC, rounded to the millisecond that MongoDB keeps (see :func:`utc_now`). Shares and
identities are floats in [0, 1]. Offsets count characters (Unicode code points) of the text they point into.
"""

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Literal

WorkKind = Literal["novel", "news"]
SourceKind = Literal["news", "novel", "site", "urls", "discovery"]
WorkStatus = Literal["stored", "indexed", "failed"]
PageKind = Literal[
    "article", "chapter", "list", "obfuscated", "blocked", "incomplete", "empty", "unreadable", "error"
]
PageState = Literal["fetched", "compared", "failed"]
Verdict = Literal["copy", "partial", "quote", "common", "licensed", "clear"]
CrawlState = Literal["due", "done", "failed"]
# How a crawl came to its end; empty while it has not, or when its process died.
CrawlEnd = Literal["", "finished", "time", "stalled", "refused", "service", "stopped"]
ScanStatus = Literal["running", "finished", "failed"]
# What a licence makes of a match; empty where the site has none for the work.
LicenceState = Literal["", "licensed", "not-begun", "expired", "no-attribution", "beyond-licence"]
ReviewState = Literal["", "confirmed", "dismissed"]

MAX_TEXT_CHARS = 3_000_000  # of a page: at most 12 MB; a document of MongoDB takes 16
# Reason → the count of a crawl that says how much of its lists was not taken.
CUT_OFF = {
    "lists": "left:lists",
    "too-many": "refused:too-many",
    "long-address": "refused:long-address",
    "cut-short": "refused:cut-short",
}
MAX_MINUTES = 12 * 60.0  # of a crawl whose source does not say: it ends before the next day's begins

# From the gravest to the mildest: the verdict of a whole is the gravest of its parts.
VERDICTS: tuple[Verdict, ...] = ("copy", "partial", "licensed", "quote", "common", "clear")


def utc_now() -> datetime:
    """Return the present time as aware UTC, cut to whole milliseconds as MongoDB stores it."""
    now = datetime.now(UTC)
    return now.replace(microsecond=now.microsecond // 1000 * 1000)


@dataclass(frozen=True, slots=True, kw_only=True)
class Lease:
    """Who may work on a record, and until when.

    Attributes:
        token: names the reservation; the message that carries it is the only one that may take the record.
        until: after this moment the record is free again.
        taken: a worker has begun; the same token cannot be taken twice.
    """

    token: str
    until: datetime
    taken: bool = False


FREE = Lease(token="", until=datetime(1970, 1, 1, tzinfo=UTC))


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteLicence:
    """A site's permission to publish a work, with its terms.

    Attributes:
        site: host (``host`` or ``host:port``), or a pattern such as ``*.example.cn``.
        since: the first moment of the permission; None: from ever.
        until: the first moment after it; None: for ever.
        attribution: the page must name the work's title, author or rights holder.
        share: largest share of a passage that a page may hold; None: all of it.
    """

    site: str
    since: datetime | None = None
    until: datetime | None = None
    attribution: bool = False
    share: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """A protected text of a rights holder (母本), split into passages.

    Attributes:
        id: positive integer.
        key: natural key: the URL of a news article, else the title.
        origin: where it was loaded from, for messages.
        licensed_sites: hosts (``host`` or ``host:port``) that may publish the work, without any terms.
        licences: permissions with terms.
        passage_ids: its passages in reading order.
        characters: length of all passages in characters.
        postings: how many postings its passages have in the index (0 until indexed).
        sha256: of all passages' hashes in order; equal means nothing changed.
        indexed_version: the corpus version since which it is known as it is now; pages that were compared
            with an earlier one may miss it.
        status: ``stored`` waits to be indexed; ``failed`` could not be, for a reason in the worker's log.
    """

    id: int
    key: str
    title: str
    kind: WorkKind
    origin: str
    author: str | None = None
    holder: str | None = None
    url: str | None = None
    published: datetime | None = None
    licensed_sites: tuple[str, ...] = ()
    licences: tuple[SiteLicence, ...] = ()
    passage_ids: tuple[int, ...] = ()
    characters: int = 0
    postings: int = 0
    sha256: str = ""
    indexed_version: int = 0
    status: WorkStatus = "stored"
    added: datetime = field(default_factory=utc_now)
    updated: datetime = field(default_factory=utc_now)
    attempts: int = 0
    lease: Lease = FREE

    @property
    def permissions(self) -> tuple[SiteLicence, ...]:
        """Every licence; a licensed site is one without terms."""
        return (*(SiteLicence(site=site) for site in self.licensed_sites), *self.licences)


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """One chapter or article of a work: the unit that is indexed. ``id`` fits 32 bits, unsigned."""

    id: int
    work_id: int
    ordinal: int
    title: str
    text: str
    sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FingerprintSet:
    """Selected hashes of one passage under one set of parameters.

    Attributes:
        hashes: little-endian ``uint64``, packed.
        positions: little-endian ``uint32`` letter positions, packed; as many as hashes.
    """

    passage_id: int
    params_id: str
    hashes: bytes
    positions: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Login:
    """A login form, filled in once before a crawl.

    Attributes:
        url: the page with the form.
        fields: name → value; ``${PINDNA_SECRET_NAME}`` in a value stands for that environment variable, so
            that no secret is stored.
        check: words that the answer must contain; empty: any answer that is no error will do.
    """

    url: str
    fields: dict[str, str]
    check: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Discovery:
    """How a source of kind ``discovery`` finds pages: by searching for sentences of works.

    Attributes:
        engine: address of a search that answers like SearXNG's JSON: ``?q=…&format=json``.
        works: titles to search for; empty: every work.
        sentences: of each work in one crawl; the next crawl takes the next ones.
        queries: the most that one crawl asks.
        results: the most pages taken from one answer.
    """

    engine: str
    works: tuple[str, ...] = ()
    sentences: int = 3
    queries: int = 100
    results: int = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteRules:
    """Where on a source's pages text and fields stand: CSS selectors or XPath expressions, empty for none.

    Attributes:
        text: the elements whose lines are the text, in this order.
        next_page: the link under which the text goes on.
        remove: elements to take out before anything is read.
    """

    text: tuple[str, ...] = ()
    title: str = ""
    author: str = ""
    published: str = ""
    next_page: str = ""
    remove: tuple[str, ...] = ()


NO_RULES = SiteRules()


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """What to crawl.

    Attributes:
        name: unique name, used on the command line.
        kind: ``news`` follows article links from the start pages, sitemaps and feeds; ``novel`` reads a
            catalogue, then its chapters with their further pages; ``site`` follows every link of a site
            within limits; ``urls`` reads just the start addresses; ``discovery`` searches for sentences of
            works.
        start_urls: http(s) addresses to begin at.
        sitemaps: addresses of sitemaps or indexes of them, ``.gz`` too (``news`` and ``site``).
        feeds: addresses of RSS or Atom feeds (``news`` and ``site``).
        follow: regular expression that an article or chapter URL must match; empty: guessed by the spider.
        exclude: regular expression of URLs never to ask for; empty: none.
        max_pages: stop after so many texts.
        max_depth: links from a start page to a text of a ``site``, at most.
        max_minutes: end the crawl after so long; what is left then is told.
        delay_s: seconds between two requests to a host; None: the crawler's setting.
        concurrency: requests at once to a host; None: the crawler's own.
        interval_h: a scheduled scan leaves the source out until so many hours passed since its last crawl.
        obey_robots: respect robots.txt and its Crawl-delay.
        robots_reason: why not, when it is not.
        user_agent: instead of the crawler's own name; empty: the own.
        header_sets: sets of headers to send in turn.
        cookies: cookies to begin with; None: the source sees no cookies at all.
        login: a form to fill in first.
        proxies: HTTP and SOCKS proxies to go through in turn; variables as in ``Login.fields``.
        processes: crawl processes that share the source's frontier.
        discovery: what a ``discovery`` searches.
        rules: where text and fields stand on its pages, when guessing is not good enough.
        render: show its pages in a browser, and read what their scripts made of them.
        screenshot: keep a picture of each of its texts as evidence.
    """

    name: str
    kind: SourceKind
    start_urls: tuple[str, ...] = ()
    sitemaps: tuple[str, ...] = ()
    feeds: tuple[str, ...] = ()
    follow: str = ""
    exclude: str = ""
    max_pages: int = 10_000
    max_depth: int = 5
    max_minutes: float = MAX_MINUTES
    delay_s: float | None = None
    concurrency: int | None = None
    interval_h: float = 0.0
    obey_robots: bool = True
    robots_reason: str = ""
    user_agent: str = ""
    header_sets: tuple[dict[str, str], ...] = ()
    cookies: dict[str, str] | None = None
    login: Login | None = None
    proxies: tuple[str, ...] = ()
    processes: int = 1
    discovery: Discovery | None = None
    rules: SiteRules = NO_RULES
    render: bool = False
    screenshot: bool = False
    enabled: bool = True
    added: datetime = field(default_factory=utc_now)


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """A response as received: evidence.

    Attributes:
        sha256: of ``body``; the key.
        headers: raw header lines, joined by CRLF.
        body: bytes after transfer and content decoding, before any change of ours.
        warc: request and response as they were sent and received, two WARC records in gzip; see
            :mod:`crawler.evidence`.
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
        id: hash of URL and content hash, see :func:`storage.pages.page_id`.
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """One aligned stretch: ``page[page_start:page_end]`` and ``passage[passage_start:passage_end]``.

    ``char_identity`` compares characters with traditional and simplified forms taken as one;
    ``sound_identity`` compares pinyin initials. They differ where homophones were swapped in.
    """

    page_start: int
    page_end: int
    passage_start: int
    passage_end: int
    char_identity: float
    sound_identity: float
    disguises: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Suppressed:
    """A span that an analyst's dismissal covers: it is shown with the reason and not counted."""

    span: Span
    dismissal_id: str
    because: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """A verified candidate: one page against one passage under one profile.

    ``coverage`` is the share of the page's characters that the spans cover, ``passage_coverage`` the share
    of the passage's.

    Attributes:
        spans: the stretches that count.
        common: stretches that several unrelated works share, listed and not counted.
        suppressed: stretches that were dismissed, not counted either.
        page_chars: characters of the page.
        taken_chars: characters of the passage that are on the page.
        licence: what a licence of the site makes of it.
        work_published, page_published: what is known of the dates; the page's is its first sight where that
            is earlier or nothing else is known.
        page_older: the page was there before the work, so the copying may have gone the other way.
        review: what an analyst said: ``confirmed``, ``dismissed``, or nothing yet.
        because: why it was dismissed.
    """

    id: str
    page_id: str
    passage_id: int
    work_id: int
    profile: str
    site: str
    url: str
    page_title: str
    work_title: str
    passage_title: str
    verdict: Verdict
    coverage: float
    passage_coverage: float
    copied_chars: int
    longest_span: int
    char_identity: float
    sound_identity: float
    spans: tuple[Span, ...]
    disguises: tuple[str, ...] = ()
    low_confidence: bool = False
    anchors: dict[str, int] = field(default_factory=dict)
    common: tuple[Span, ...] = ()
    suppressed: tuple[Suppressed, ...] = ()
    page_chars: int = 0
    taken_chars: int = 0
    licence: LicenceState = ""
    work_published: datetime | None = None
    page_published: datetime | None = None
    page_older: bool = False
    review: ReviewState = ""
    because: str = ""
    reviewed: datetime | None = None
    scan_id: str = ""
    first_seen: datetime = field(default_factory=utc_now)
    last_seen: datetime = field(default_factory=utc_now)


@dataclass(frozen=True, slots=True, kw_only=True)
class Dismissal:
    """An analyst's “not infringing, because …” for a stretch of a passage on a site.

    Attributes:
        id: see :func:`storage.dismissals.dismissal_id`.
        passage_sha256: the passage's version that was looked at; another text is another matter.
        start, end: the stretch of the passage.
        work_title, passage_title, url: where it was seen, for people.
    """

    id: str
    site: str
    work_id: int
    passage_id: int
    passage_sha256: str
    start: int
    end: int
    because: str
    work_title: str = ""
    passage_title: str = ""
    url: str = ""
    made: datetime = field(default_factory=utc_now)


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """All matches of one work on one site: what a takedown notice is about."""

    id: str
    work_id: int
    work_title: str
    site: str
    verdict: Verdict
    pages: int
    passages: int
    copied_chars: int
    first_seen: datetime
    last_seen: datetime
    status: str = "open"


@dataclass(frozen=True, slots=True, kw_only=True)
class Crawl:
    """One source within one scan.

    Attributes:
        id: scan and source, with the process's number when several processes share the source's frontier.
        counts: what the crawler did, by reason (``requests``, ``pages``, ``unchanged``, ``failed`` …).
        addresses: what became of the addresses of the source's crawl, over all its processes, as this one
            saw it last: ``entries``; how they ended: ``list``, ``new``, ``unchanged``, ``failed``; ``left``
            were not asked for, ``beyond`` were kept out by the limit of texts.
        end: how it came to its end.
        heartbeat: when its process last said that it is alive.
        error: why it failed, in one line; empty otherwise.
    """

    id: str
    scan_id: str
    source: str
    state: CrawlState = "due"
    counts: dict[str, int] = field(default_factory=dict)
    addresses: dict[str, int] = field(default_factory=dict)
    end: CrawlEnd = ""
    heartbeat: datetime | None = None
    error: str = ""
    started: datetime | None = None
    finished: datetime | None = None
    attempts: int = 0
    lease: Lease = FREE

    @property
    def left(self) -> dict[str, int]:
        """Return the addresses of all processes that were not asked for, by reason: the end, or ``limit``."""
        why = self.end if self.end not in {"", "finished"} else "unfinished"
        numbers = {why: self.addresses.get("left", 0), "limit": self.addresses.get("beyond", 0)}
        return {reason: number for reason, number in numbers.items() if number}

    @property
    def cut_off(self) -> dict[str, int]:
        """Return what this process did not take of the lists that it read, by reason."""
        numbers = {reason: self.counts.get(name, 0) for reason, name in CUT_OFF.items()}
        return {reason: number for reason, number in numbers.items() if number}


@dataclass(frozen=True, slots=True, kw_only=True)
class Scan:
    """One run of the daily job.

    Attributes:
        counts: pages by state, kind and verdict at the end, and what happened to pages by kind of event;
            ``capped``: hashes of compared pages with more postings than the index returns.
        not_compared: reason → number of pages that could not be compared.
        left: reason → number of known addresses that were not asked for, over all sources.
        index_generation: the index that answered.
        corpus_version: version of the mother corpus at the start.
    """

    id: str
    trigger: Literal["hand", "schedule", "corpus"]
    sources: tuple[str, ...]
    started: datetime
    finished: datetime | None = None
    status: ScanStatus = "running"
    counts: dict[str, int] = field(default_factory=dict)
    not_compared: dict[str, int] = field(default_factory=dict)
    left: dict[str, int] = field(default_factory=dict)
    index_generation: str = ""
    corpus_version: int = 0
    error: str = ""
