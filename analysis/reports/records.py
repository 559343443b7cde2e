"""The contents of a report as frozen records. They contain all data for rendering, which reads no store."""

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
    """The pages that a report is about. None means no restriction."""

    scan_id: str | None = None
    since: datetime | None = None
    work: str | None = None
    work_id: int | None = None
    site: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PageFacts:
    """A page without its text: its address, its dates and its evidence.

    Attributes:
        published: the date on the page.
        first_seen, last_seen: when pindna first and last saw the page.
        background: its stretches in background texts.
        older_versions: number of earlier texts at the address.
        captures: for each response the first capture, and every capture that does not match; empty if the
            report shows no texts of the page.
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
        """Whether a part of the evidence was changed after it was stored."""
        return any(capture.problem for capture in self.captures)


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchReport:
    """A match with its page and its texts.

    Attributes:
        page: the page; None if it is no longer stored.
        presence: whether its text is still up; None if no crawl checked it.
        texts: the two texts side by side; None for the reason in ``no_text``.
        no_text: ``gone``: the page or the passage is no longer stored; ``changed``: the passage changed since
            the comparison; ``limit``: only the gravest matches are shown with texts.
    """

    match: Match
    page: PageFacts | None
    texts: SideBySide | None
    no_text: NoText = ""
    presence: Presence | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseReport:
    """A case with its work and its matches. Its sums include only the pages of the report.

    Attributes:
        case: the case. Its ``deadline`` is the one that a user set, else the one from the settings.
        priority: points of the whole case, see :mod:`analysis.cases.priority`; None: the case is not stored.
        is_overdue: the deadline has passed.
    """

    case: Case
    work: Work | None
    matches: tuple[MatchReport, ...]
    priority: int | None = None
    is_overdue: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class NotChecked:
    """Pages that were not compared for one reason. ``urls`` lists the first of the ``pages`` pages.

    Attributes:
        fault: who must fix the reason; empty for pages that only wait.
    """

    reason: str
    fault: Fault
    pages: int
    urls: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class NotRead:
    """Content of compared pages that could not be read for one reason. ``urls`` lists the first pages.

    Attributes:
        amount: number of characters, frames, scripts and so on, over all these pages.
    """

    reason: UnreadReason
    pages: int
    amount: int
    urls: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class NotAligned:
    """A page that was compared only in part, or whose compared text may not be the article.

    Attributes:
        unaligned: number of candidate passages that were not aligned, because they were too many or in too
            many pieces.
        capped: number of fingerprints that occur in so many passages that not all of these were compared.
        cut_chars: number of characters cut off at the end of a text that was too long to be stored.
        confidence: confidence of the extraction; below ``MIN_CONFIDENCE`` another text may be the article.
    """

    url: str
    unaligned: int
    capped: int
    cut_chars: int = 0
    confidence: float = 1.0

    @property
    def is_doubtful(self) -> bool:
        """Whether another text of the page may be the article."""
        return self.confidence < MIN_CONFIDENCE


@dataclass(frozen=True, slots=True, kw_only=True)
class PartlyCompared:
    """The pages in scope that were compared only in part.

    Attributes:
        pages: number of pages with content that could not be read.
        unread: content that could not be read, by reason.
        aligned: pages that were not looked up or aligned completely, or whose text may not be the article.
    """

    pages: int = 0
    unread: tuple[NotRead, ...] = ()
    aligned: tuple[NotAligned, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftAddresses:
    """Addresses that the last crawl of a source found but did not request."""

    source: str
    scan_id: str
    reason: str
    addresses: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PageCounts:
    """Pages in scope by state, kind and verdict; only kinds and verdicts that occur.

    Attributes:
        total: number of addresses, each counted once.
        last_texts: number of pages that were not compared, but have an earlier text whose matches count.
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
    """All data of a report.

    Attributes:
        scans: the scans, the newest first; only one if the scope is a scan.
        scans_left_out: number of older scans in scope that are not listed.
        superseded: a later scan has run. Pages that it saw again belong to that scan.
        profiles: profiles of the matches, with versions.
        cases: the cases, the gravest first, then by copied characters.
        works: number of protected works that are in the index now.
        not_aligned: pages that were compared only in part, or whose text may not be the article.
        not_read: content of compared pages that could not be read, by reason.
        partly_read: number of compared pages with such content.
        left: addresses that the last crawl of each source did not request.
        dismissed: matches that an analyst dismissed; they are not findings.
        sites: figures of the pages and matches of each site, the gravest first.
        pictures: the pictures.
        new_since: when the last report of this scope was made; None if none is known.
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
        """Content of compared pages that could not be read: reason → number."""
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
        """Every match that an analyst decided about, the latest decision first."""
        counted = (entry.match for entry in self.matches if entry.match.review or entry.match.decided)
        return tuple(sorted((*counted, *self.dismissed), key=_decided_at, reverse=True))

    @property
    def gravest(self) -> Verdict | None:
        """The gravest verdict of all cases; None without cases."""
        return self.cases[0].case.verdict if self.cases else None

    @property
    def counts(self) -> CaseCounts:
        """The numbers of leads, licensed cases, quotations and cases of common text."""
        return count_cases(case.case for case in self.cases)

    @property
    def matches(self) -> tuple[MatchReport, ...]:
        """Every match, in the order of the cases."""
        return tuple(match for case in self.cases for match in case.matches)

    @property
    def looks(self) -> dict[LookState, int]:
        """Numbers of pages with a match by the result of the last look at each."""
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
