"""The contents of a report: frozen values with all that its outputs need; rendering reads no store."""

from collections import Counter
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from analysis.evidence.captures import CaptureFacts
from analysis.reports.case_counts import CaseCounts, count_cases
from analysis.reports.pictures import NOTHING_DRAWN, Pictures
from analysis.reports.site_summary import SiteSummary
from analysis.texts.excerpts import SideBySide
from storage.records import (
    LOOK_STATES,
    MIN_CONFIDENCE,
    Background,
    Case,
    ClaimedDate,
    Crawl,
    CrawlState,
    Fault,
    LookState,
    Match,
    PageKind,
    Presence,
    Scan,
    UnreadReason,
    Verdict,
    Work,
)

NoText = Literal["", "gone", "changed", "limit"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """Which pages a report is about; None means no restriction."""

    scan_id: str | None = None
    since: datetime | None = None
    work: str | None = None
    work_id: int | None = None
    site: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PageFacts:
    """A page without its text: where and when it was seen, with its evidence.

    Attributes:
        published: the date that it bears.
        first_seen, last_seen: our own sights of it.
        background: its stretches in background texts.
        older_versions: how many texts the address had before, which are history.
        captures: of each response the first one, and every one that does not agree; none where the report
            leaves texts out.
    """

    id: str
    url: str
    source: str
    kind: PageKind
    title: str
    author: str | None
    published: ClaimedDate | None
    first_seen: datetime
    last_seen: datetime
    content_hash: str
    snapshots: tuple[str, ...]
    background: tuple[Background, ...] = ()
    older_versions: int = 0
    captures: tuple[CaptureFacts, ...] = ()

    @property
    def is_altered(self) -> bool:
        """Return whether some of the evidence is not what it was."""
        return any(capture.problem for capture in self.captures)


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchReport:
    """A match with its page and its texts.

    Attributes:
        page: None when the page is no longer stored.
        presence: whether its text is still up; None when no crawl looked.
        texts: the two texts side by side; None for the reason in ``no_text``.
        no_text: ``gone``: page or passage is no longer stored; ``changed``: the passage is another than
            the one compared; ``limit``: only the gravest matches are shown with their texts.
    """

    match: Match
    page: PageFacts | None
    texts: SideBySide | None
    no_text: NoText = ""
    presence: Presence | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseReport:
    """A case, summed up over the report's pages only, with its work and its matches.

    Attributes:
        case: its ``deadline`` is the one that holds: a person's word, else what the settings say.
        priority: points of the whole case, see :mod:`analysis.cases.priority`; None: it is not stored.
        is_overdue: the deadline is over.
    """

    case: Case
    work: Work | None
    matches: tuple[MatchReport, ...]
    priority: int | None = None
    is_overdue: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class NotChecked:
    """Pages that were not compared for one reason; ``urls`` are the first of ``pages``.

    Attributes:
        fault: whose fault that is; empty for pages that only wait.
    """

    reason: str
    fault: Fault
    pages: int
    urls: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class NotRead:
    """What could not be read of compared pages for one reason; ``urls`` are the first of ``pages``.

    Attributes:
        amount: characters, or frames, scripts and so on, over all these pages.
    """

    reason: UnreadReason
    pages: int
    amount: int
    urls: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class NotAligned:
    """A compared page of which not everything was compared, or perhaps not the article.

    Attributes:
        unaligned: passages that may be in it and were too many to be aligned, or in too many pieces.
        capped: fingerprints in so many passages that not all of them were compared.
        cut_chars: characters at the end of its text, which was too long to be stored.
        confidence: in the text that was extracted; below ``MIN_CONFIDENCE`` another text may be the article.
    """

    url: str
    unaligned: int
    capped: int
    cut_chars: int = 0
    confidence: float = 1.0

    @property
    def is_doubtful(self) -> bool:
        """Return whether another text of the page may be the article."""
        return self.confidence < MIN_CONFIDENCE


@dataclass(frozen=True, slots=True, kw_only=True)
class PartlyCompared:
    """The compared pages in scope of which something was not compared.

    Attributes:
        pages: how many have something that could not be read.
        unread: what could not be read, by reason.
        aligned: pages of which not everything was looked up or aligned, or perhaps not the article.
    """

    pages: int = 0
    unread: tuple[NotRead, ...] = ()
    aligned: tuple[NotAligned, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftAddresses:
    """Addresses that a source's pages led to and that its last crawl did not ask for."""

    source: str
    scan_id: str
    reason: str
    addresses: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PageCounts:
    """Pages in scope by state, kind and verdict; only kinds and verdicts that occur.

    Attributes:
        total: addresses, each counted once.
        last_texts: of those that were not compared, how many have an earlier text whose matches count.
    """

    total: int
    states: dict[str, int]
    kinds: dict[str, int]
    verdicts: dict[str, int]
    low_confidence: int
    last_texts: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ScanReport:
    """A scan with the crawls of its sources."""

    scan: Scan
    crawls: tuple[Crawl, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """Everything a report states.

    Attributes:
        scans: the newest first; one when the scope names a scan.
        scans_left_out: how many older scans are in scope but not listed.
        superseded: a later scan has run; pages that it saw again count there and not here.
        profiles: judgement profiles (with version) of the matches.
        cases: the gravest first, then by copied characters.
        works: protected works that are in the index now.
        not_aligned: compared pages of which not everything was compared, or perhaps not the article.
        not_read: what could not be read of compared pages, by reason.
        partly_read: how many compared pages that concerns.
        left: what the last crawl of each source left.
        dismissed: matches that an analyst dismissed; they are no findings.
        sites: the pages in scope and what was found, by site, the gravest first.
        pictures: what is drawn of the matches.
        new_since: when the last report of this scope was made; None when nothing is known of one.
    """

    scope: Scope
    generated: datetime
    scans: tuple[ScanReport, ...]
    scans_left_out: int
    superseded: bool
    corpus_version: int
    works: int
    works_waiting: int
    profiles: tuple[str, ...]
    pages: PageCounts
    cases: tuple[CaseReport, ...]
    not_checked: tuple[NotChecked, ...]
    not_aligned: tuple[NotAligned, ...] = ()
    not_read: tuple[NotRead, ...] = ()
    partly_read: int = 0
    left: tuple[LeftAddresses, ...] = ()
    dismissed: tuple[Match, ...] = ()
    sites: tuple[SiteSummary, ...] = ()
    pictures: Pictures = NOTHING_DRAWN
    new_since: datetime | None = None

    @property
    def unread(self) -> dict[UnreadReason, int]:
        """What could not be read of compared pages: reason → characters or number."""
        return {group.reason: group.amount for group in self.not_read}

    def is_new(self, match: Match) -> bool:
        """Return whether a match was first seen after the last report of this scope."""
        return self.new_since is not None and match.first_seen > self.new_since

    @property
    def newly_gone(self) -> tuple[str, ...]:
        """The addresses with a match that were first found gone after the last report of this scope."""
        since = self.new_since
        gone = (entry.match.url for entry in self.matches if since and _is_gone(entry.presence, since))
        return tuple(sorted(set(gone)))

    @property
    def decided(self) -> tuple[Match, ...]:
        """Every match of which an analyst decided something, the latest decision first."""
        counted = (entry.match for entry in self.matches if entry.match.review or entry.match.decided)
        return tuple(sorted((*counted, *self.dismissed), key=_decided_at, reverse=True))

    @property
    def gravest(self) -> Verdict | None:
        """The gravest verdict of all cases; None without any."""
        return self.cases[0].case.verdict if self.cases else None

    @property
    def counts(self) -> CaseCounts:
        """How many cases are leads to look at, and how many are licensed or quoted."""
        return count_cases(case.case for case in self.cases)

    @property
    def matches(self) -> tuple[MatchReport, ...]:
        """Every match, in the order of the cases."""
        return tuple(match for case in self.cases for match in case.matches)

    @property
    def looks(self) -> dict[LookState, int]:
        """How many pages with a match were seen up, gone … by the last look at each."""
        counts: Counter[LookState] = Counter()
        for case in self.cases:
            counts.update(case.case.looks)
        return {state: counts[state] for state in LOOK_STATES if counts[state]}

    @property
    def failed_crawls(self) -> tuple[Crawl, ...]:
        """The crawls that failed, of every scan in the report."""
        return self._crawls_in("failed")

    @property
    def open_crawls(self) -> tuple[Crawl, ...]:
        """The crawls that were never finished."""
        return self._crawls_in("due")

    def _crawls_in(self, state: CrawlState) -> tuple[Crawl, ...]:
        return tuple(crawl for report in self.scans for crawl in report.crawls if crawl.state == state)


def _decided_at(match: Match) -> datetime:
    latest = max((decided.made for decided in match.decided), default=match.last_seen)
    return match.reviewed or latest


def _is_gone(presence: Presence | None, since: datetime) -> bool:
    return presence is not None and presence.absent_since is not None and presence.absent_since > since
