"""Sources: what to crawl, the results of the crawls, and the alerts about them."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Literal, get_args

from storage.records.hours import OpeningHours, opening_hours
from storage.records.times import utc_now, zone_of
from system.messages import NO_MESSAGE, Message

SourceKind = Literal["news", "novel", "site", "urls", "discovery"]
SOURCE_KINDS: tuple[SourceKind, ...] = get_args(SourceKind)

SearchForm = Literal["searxng", "brave", "json", "file"]

# Which pages of a source are rendered in a browser: all, none, or only pages that need it.
Rendering = Literal["auto"] | bool

AlertKind = Literal["blocked", "collapsed", "empty", "interrupted", "slow", "unreachable", "unreadable"]
ALERT_KINDS: tuple[AlertKind, ...] = get_args(AlertKind)

MAX_MINUTES = 12 * 60.0  # default length of a crawl, which then ends before the crawl of the next day
_MOST_EARLY_H = 2.0  # hours by which a crawl may come before the end of its interval


@dataclass(frozen=True, slots=True, kw_only=True)
class Login:
    """A login form, filled in once before a crawl.

    Attributes:
        url: the page with the form.
        fields: name → value; ``${PINDNA_SECRET_NAME}`` in a value is replaced by that environment variable,
            so no secret is stored.
        check: text that the answer must contain; empty: any answer without an error.
    """

    url: str
    fields: dict[str, str]
    check: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchAnswer:
    """Positions in the JSON answer of a search engine, as keys and list indexes separated by dots.

    Attributes:
        results: of the list of results; empty: the answer is the list.
        url: of the address in a result; empty: the result is the address.
        problem: of an error message; an answer with a value there is no search. Empty: none.
    """

    results: str = "results"
    url: str = "url"
    problem: str = ""


DEFAULT_ANSWER = SearchAnswer()  # of SearXNG


@dataclass(frozen=True, slots=True, kw_only=True)
class Discovery:
    """How a source of kind ``discovery`` finds pages: by searching for sentences of works.

    Attributes:
        engine: address of the search; empty for a file.
        form: ``searxng``, ``brave``, ``json`` (described by ``parameters`` and ``answer``), or ``file``.
        file: name of a file of results in ``crawler.results_folder``.
        works: titles to search for; empty: every work.
        sentences: sentences of each work in one crawl; the next crawl uses the next sentences.
        queries: maximum searches of one crawl.
        daily: maximum searches of one day in the source's time zone; None: no limit.
        results: maximum pages used from one answer.
        pages: pages of the answer that are requested; each is a search.
        parameters: of the address, with ``{query}``, ``{count}``, ``{page}`` and ``{offset}``.
        headers: sent to the engine only; variables as in ``Login.fields``.
        answer: positions in the answer.
        cost: price of 1,000 searches; 0: free.
        currency: of the price.
    """

    engine: str
    form: SearchForm = "searxng"
    file: str = ""
    works: tuple[str, ...] = ()
    sentences: int = 3
    queries: int = 100
    daily: int | None = None
    results: int = 10
    pages: int = 1
    parameters: dict[str, str] = field(default_factory=dict)
    headers: dict[str, str] = field(default_factory=dict)
    answer: SearchAnswer = DEFAULT_ANSWER
    cost: float = 0.0
    currency: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteRules:
    """CSS selectors or XPath expressions for text and fields of a source's pages; empty: no rule.

    Attributes:
        text: the elements whose lines are the text, in this order.
        next_page: the link to the next page of the text.
        remove: elements to remove before reading.
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
    """A source: what to crawl, and how.

    Attributes:
        name: unique name, used on the command line.
        kind: ``news`` follows article links from the start pages, sitemaps and feeds; ``novel`` reads a
            catalogue, then its chapters with their further pages; ``site`` follows every link of a site
            within limits; ``urls`` reads only the start addresses; ``discovery`` searches for sentences of
            works.
        start_urls: http(s) addresses to begin at.
        sitemaps: addresses of sitemaps or indexes of them, ``.gz`` too (``news`` and ``site``).
        feeds: addresses of RSS or Atom feeds (``news`` and ``site``).
        follow: regular expression that an article or chapter URL must match; empty: guessed by the spider.
        exclude: regular expression of URLs that are never requested; empty: none.
        max_pages: maximum texts of a crawl.
        max_depth: links from a start page to a text of a ``site``, at most.
        max_minutes: maximum minutes of a crawl; the remaining addresses are reported.
        delay_s: seconds between two requests to a host; None: the crawler's setting.
        concurrency: simultaneous requests to a host; None: the crawler's setting.
        interval_h: hours between crawls by scheduled scans; see :attr:`due_after`.
        hours: opening hours for crawls in the format of :mod:`storage.records.hours`; none: at any time.
        obey_robots: respect robots.txt and its Crawl-delay.
        robots_reason: the reason for ignoring robots.txt.
        user_agent: replaces the crawler's user agent; empty: the default.
        header_sets: sets of headers, used in rotation.
        cookies: initial cookies; None: no cookies are sent.
        login: a form to fill in first.
        proxies: HTTP and SOCKS proxies, used in rotation; variables as in ``Login.fields``.
        processes: crawl processes that share the source's frontier.
        discovery: the search of a ``discovery`` source.
        rules: selectors of text and fields, where automatic extraction is not enough.
        timezone: zone of its hours, and of times without a zone on its pages: an IANA name or an offset.
        render: read pages in a browser: all, none, or with ``auto`` those that cannot be read fully without
            one.
        screenshot: store a picture of each text as evidence.
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
        """Return the addresses with which a crawl begins."""
        return (*self.start_urls, *self.sitemaps, *self.feeds)

    @property
    def opening_hours(self) -> OpeningHours | None:
        """Return the hours in which crawls may request pages; None if they may at any time."""
        return opening_hours(self.hours, self.timezone)

    def day_of(self, moment: datetime) -> str:
        """Return the day of a moment in the source's time zone, such as ``2026-03-01``."""
        return moment.astimezone(zone_of(self.timezone)).date().isoformat()

    @property
    def due_after(self) -> timedelta:
        """Return the time after which a scheduled scan crawls the source again.

        It is a tenth shorter than the interval, at most two hours: a daily scan at a fixed hour comes less
        than 24 hours after the end of the last crawl.
        """
        return timedelta(hours=self.interval_h - min(self.interval_h / 10, _MOST_EARLY_H))

    def opens(self, moment: datetime) -> datetime:
        """Return when crawls may request pages next; ``moment`` itself if it is within the hours."""
        return hours.opening(moment) if (hours := self.opening_hours) else moment


@dataclass(frozen=True, slots=True, kw_only=True)
class CrawlSummary:
    """The figures of one crawl that show whether it worked.

    Attributes:
        listed: texts linked from the source's list pages.
        texts: pages with a text, unchanged ones included.
        failed: pages without a text.
        confidence: mean confidence of the extraction of new texts; 1 without new texts.
    """

    scan_id: str
    ended: datetime
    listed: int
    texts: int
    failed: int
    confidence: float


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchUse:
    """The searches of a source on one day, by scan."""

    day: str
    by_scan: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceHealth:
    """The results of a source's crawls; stored separately from the definition, which users may replace.

    Attributes:
        recent: the last crawls, the newest first.
        crawls: number of crawls.
        paused_until: scans skip the source until then, because it refused requests.
        pauses: number of consecutive pauses; each pause is twice as long.
        rest: the scan whose crawl ended with the opening hours; the next crawl continues its frontier. Empty:
            none.
        part: the figures of that crawl so far.
        searches: the last day with searches, and their number; None: it never searched.
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
    searches: SearchUse | None = None

    def searches_on(self, day: str) -> int:
        """Return how many searches the source was allowed on a day, such as ``2026-03-01``."""
        return sum(self.searches.by_scan.values()) if self.searches and self.searches.day == day else 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Alert:
    """A problem of a source that a person should check.

    Attributes:
        detail: its figures in English, without page text; for ``blocked``: the reason.
        message: the same as a translatable message.
        open: the problem persists; a good crawl closes the alert.
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
