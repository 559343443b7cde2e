"""Sources: what to crawl, how each has fared, and what to tell about that."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, get_args

from storage.records.hours import OpeningHours, opening_hours
from storage.records.times import utc_now
from system.messages import NO_MESSAGE, Message

SourceKind = Literal["news", "novel", "site", "urls", "discovery"]
SOURCE_KINDS: tuple[SourceKind, ...] = get_args(SourceKind)

# Whether a source's pages are shown in a browser: all, none, or those that need it.
Rendering = Literal["auto"] | bool

AlertKind = Literal["blocked", "collapsed", "empty", "interrupted", "slow", "unreachable", "unreadable"]
ALERT_KINDS: tuple[AlertKind, ...] = get_args(AlertKind)

MAX_MINUTES = 12 * 60.0  # of a crawl whose source does not say: it ends before the next day's begins


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
        max_pages: of texts; then the crawl stops.
        max_depth: links from a start page to a text of a ``site``, at most.
        max_minutes: end the crawl after so long; what is left then is told.
        delay_s: seconds between two requests to a host; None: the crawler's setting.
        concurrency: requests at once to a host; None: the crawler's own.
        interval_h: a scheduled scan leaves the source out until its last crawl is this long ago.
        hours: when crawls may ask it, as :mod:`storage.records.hours` writes them; none: at any time.
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
        timezone: of the times on its pages that name none, and of its hours: an IANA name or an offset.
        render: show its pages in a browser, and read what it shows: each, none, or with ``auto`` those of
            which a reading without a browser left something out.
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
    hours: tuple[str, ...] = ()
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
    timezone: str = "+08:00"
    render: Rendering = False
    screenshot: bool = False
    enabled: bool = True
    added: datetime = field(default_factory=utc_now)

    @property
    def addresses(self) -> tuple[str, ...]:
        """Return the addresses that a crawl begins at."""
        return (*self.start_urls, *self.sitemaps, *self.feeds)

    @property
    def opening_hours(self) -> OpeningHours | None:
        """Return when crawls may ask it; None: at any time."""
        return opening_hours(self.hours, self.timezone)

    def opens(self, moment: datetime) -> datetime:
        """Return from when on crawls may ask it: a moment itself, if they may then."""
        return hours.opening(moment) if (hours := self.opening_hours) else moment


@dataclass(frozen=True, slots=True, kw_only=True)
class CrawlSummary:
    """One crawl of a source in the numbers that tell a sound crawl from a collapsed one.

    Attributes:
        listed: texts that the source's pages of links led to.
        texts: pages with a text, unchanged ones included.
        failed: pages without one.
        confidence: mean confidence of the extraction of new texts; 1 when there were none.
    """

    scan_id: str
    ended: datetime
    listed: int
    texts: int
    failed: int
    confidence: float


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceHealth:
    """How a source fares; kept apart from its definition, which a user may replace at any time.

    Attributes:
        recent: the last crawls, the newest first.
        crawls: how many there were.
        paused_until: scans leave the source out until then, because it refused us.
        pauses: how often in a row; each pause is twice as long.
        rest: the scan whose crawl its hours cut; its frontier has what is left, and the next crawl goes on
            with it. Empty: there is none.
        part: what that crawl came to so far, over all its parts.
    """

    name: str
    first_success: datetime | None = None
    last_success: datetime | None = None
    last_crawl: datetime | None = None
    crawls: int = 0
    recent: tuple[CrawlSummary, ...] = ()
    paused_until: datetime | None = None
    pause_reason: str = ""
    pauses: int = 0
    rest: str = ""
    part: CrawlSummary | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Alert:
    """Something about a source that a person should look at.

    Attributes:
        detail: the figures behind it, in English, without page text; of ``blocked`` the reason.
        message: the same as it is worded for its readers.
        open: it still holds; a good crawl closes it.
    """

    id: str
    source: str
    kind: AlertKind
    detail: str
    since: datetime
    last: datetime
    scan_id: str
    open: bool = True
    message: Message = NO_MESSAGE
