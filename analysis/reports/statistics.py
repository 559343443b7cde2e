"""The figures of one scan, for the table that commands print when the scan ends."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from analysis.reports.scope import (
    WAITING,
    count_pages,
    count_unchecked,
    find_matches,
    page_scope,
)
from analysis.words.labels.pages import Looked
from storage.collections.stores import Stores
from storage.records import (
    LOOK_STATES,
    VERDICTS,
    Crawl,
    CrawlState,
    Match,
    Message,
    ScanStatus,
    UnreadFigures,
    Verdict,
)
from tracker.judgement.cases import copied_chars
from tracker.scans.scanning import unvisited_counts

LOOKED: tuple[Looked, ...] = (*LOOK_STATES, "left")


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceSummary:
    """The figures of one source in a scan. ``duration_s`` is None until its crawl has ended."""

    name: str
    state: CrawlState
    counts: dict[str, int]
    error: str
    message: Message
    duration_s: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ScanSummary:
    """The figures of a scan.

    Attributes:
        duration_s: seconds from start to end; None while the scan runs.
        pages: number of pages that the scan saw last.
        compared: number of these pages that were compared with the corpus.
        unread: compared pages with content that could not be read.
        waiting: number of these pages that wait for comparison.
        not_compared: reason → number of pages that could not be compared, the most frequent first.
        left: reason → number of known addresses that were not requested.
        verdicts: verdict → number of compared pages, the gravest first, without verdicts that do not occur.
        low_confidence: number of compared pages whose text is too short for a reliable verdict.
        last_texts: number of pages that were not compared, but have an earlier text that counts.
        looks: numbers of addresses with a match by the result of the look; ``left`` were not checked.
        matches: number of matches on these pages, or on their last texts.
        cases: number of distinct pairs of work and site among the matches.
        copied_chars: copied characters of works, each counted once per site.
    """

    scan_id: str
    status: ScanStatus
    error: str
    started: datetime
    finished: datetime | None
    duration_s: float | None
    sources: tuple[SourceSummary, ...]
    pages: int
    compared: int
    waiting: int
    not_compared: dict[str, int]
    left: dict[str, int]
    verdicts: dict[Verdict, int]
    low_confidence: int
    last_texts: int
    looks: dict[Looked, int]
    matches: int
    cases: int
    copied_chars: int
    unread: UnreadFigures = field(default_factory=UnreadFigures)


def scan_summary(stores: Stores, scan_id: str) -> ScanSummary:
    """Return the figures of a scan. Pages that a later scan saw again count there.

    Raises:
        UnknownRecord: there is no such scan.
        StorageFailed: MongoDB refused an operation.
    """
    scan = stores.scans.get(scan_id)
    scope = page_scope(stores, scan_id=scan_id)
    groups = stores.page_figures.groups(scope)
    findings = find_matches(stores, scope)
    counts = count_pages(groups, last_texts=findings.last_texts)
    cases: dict[tuple[int, str], list[Match]] = defaultdict(list)
    for match in findings.matches:
        cases[match.work_id, match.site].append(match)
    crawls = stores.scans.crawls(scan_id)
    return ScanSummary(
        scan_id=scan.id,
        status=scan.status,
        error=scan.error,
        started=scan.started,
        finished=scan.finished,
        duration_s=_duration(scan.started, scan.finished),
        sources=tuple(_summarise_crawl(crawl) for crawl in crawls),
        pages=counts.total,
        compared=counts.states["compared"],
        waiting=counts.states["fetched"],
        not_compared={
            reason: pages for reason, pages in count_unchecked(groups).items() if reason != WAITING
        },
        left=unvisited_counts(crawls),
        verdicts={verdict: counts.verdicts[verdict] for verdict in VERDICTS if verdict in counts.verdicts},
        low_confidence=counts.low_confidence,
        last_texts=counts.last_texts,
        looks={state: scan.counts[f"look:{state}"] for state in LOOKED if scan.counts.get(f"look:{state}")},
        matches=len(findings.matches),
        cases=len(cases),
        copied_chars=_copied_chars(cases),
        unread=stores.page_figures.unread(scope),
    )


def _copied_chars(cases: Mapping[tuple[int, str], Sequence[Match]]) -> int:
    """Return the copied characters of cases; text that counts for another of the works counts once."""
    return sum(
        copied_chars(
            match for match in matches if not any((book_id, site) in cases for book_id in match.charged_to)
        )
        for (_, site), matches in cases.items()
    )


def _summarise_crawl(crawl: Crawl) -> SourceSummary:
    return SourceSummary(
        name=crawl.source,
        state=crawl.state,
        counts=crawl.counts,
        error=crawl.error,
        message=crawl.message,
        duration_s=_duration(crawl.started, crawl.finished),
    )


def _duration(start: datetime | None, end: datetime | None) -> float | None:
    return None if start is None or end is None else (end - start).total_seconds()
