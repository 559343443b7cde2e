"""Find the pages and matches in the scope of a report or a summary.

An address counts once, by its last visit. Its matches are the matches of its last compared text, even if
later visits could not read it. The server counts the pages. Only pages with matches are read, so the time is
linear in the number of matches.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime

from analysis.reports.records import (
    LeftAddresses,
    NotAligned,
    NotChecked,
    NotRead,
    PageCounts,
    PartlyCompared,
    ScanReport,
)
from analysis.words.known_sites import find_site, hosts_of
from crawler.reasons import fault_of
from storage.collections.page_figures import Incomplete, PageGroup, PageScope
from storage.collections.stores import Stores
from storage.records import FOUND, PAGE_STATES, UNREAD_UNITS, Fault, Match, Page, UnreadReason
from system.batches import batched
from system.errors import UnknownRecord
from tracker.scans.scanning import unvisited_counts

WAITING = "waiting"  # reason for pages that were not compared yet
VANISHED = "vanished"  # reason for pages that are gone, but whose matches are reported
_BATCH = 500  # matches whose pages are looked up together


def page_scope(
    stores: Stores, *, scan_id: str | None = None, since: datetime | None = None, site: str | None = None
) -> PageScope:
    """Return the scope of a report.

    Args:
        stores: the database.
        scan_id: only pages that this scan saw last.
        since: only pages seen at or after this time.
        site: only pages of this site or host.

    Raises:
        UnknownRecord: no page of ``site`` is in scope. So a mistyped site does not look like a clean one. The
            error contains sites with similar names.
    """
    hosts = None if site is None else hosts_of(site, stores)
    scope = PageScope(scan_id=scan_id, since=since, hosts=hosts)
    if site is not None and not stores.page_figures.has_any(scope):
        raise UnknownRecord(kind="site", name=find_site(site, stores))
    return scope


@dataclass(frozen=True, slots=True)
class Findings:
    """The matches in a scope.

    Attributes:
        matches: the counted matches, without dismissed ones.
        pages: id → page without its text, for the pages of the matches.
        dismissed: the matches that an analyst dismissed, the most copied first.
        last_texts: number of addresses in scope that were not compared, but have an earlier text that counts.
    """

    matches: list[Match]
    pages: dict[str, Page]
    dismissed: tuple[Match, ...]
    last_texts: int


def find_matches(stores: Stores, scope: PageScope, *, work_id: int | None = None) -> Findings:
    """Return the matches in a scope, by the last compared text of each address.

    The scope of a scan also includes addresses with matches at which it saw no page, such as moved texts.

    Args:
        stores: the database.
        scope: the scope.
        work_id: only matches of this work.
    """
    looked_for = _checked_pages(stores, scope)
    last_texts = 0
    pages_by_id: dict[str, Page] = {}
    for page in stores.page_figures.last_texts(scope):
        last_texts += 1
        if page.verdict is None or page.verdict in FOUND:
            pages_by_id[page.id] = page
    if work_id is None:
        pages_by_id |= {page.id: page for page in stores.page_figures.with_matches(scope)}
        pages_by_id |= {key: page for key, page in looked_for.items() if page.verdict in FOUND}
        counted = [
            (match, pages_by_id[match.page_id]) for match in stores.matches.of_pages(list(pages_by_id))
        ]
    else:
        counted = list(_counted_matches(stores, scope, looked_for, stores.matches.listed(work_id=work_id)))
    taken = [(match, page) for match, page in counted if match.review != "dismissed"]
    reviewed = stores.matches.listed(work_id=work_id, review="dismissed")
    dismissed = (match for match, _ in _counted_matches(stores, scope, looked_for, reviewed))
    return Findings(
        matches=[match for match, _ in taken],
        pages={page.id: page for _, page in taken},
        dismissed=tuple(sorted(dismissed, key=lambda match: (-match.copied_chars, match.id))),
        last_texts=last_texts,
    )


def _checked_pages(stores: Stores, scope: PageScope) -> dict[str, Page]:
    """Return id → page without its text, for the pages with matches that a scan checked, in any state."""
    if scope.scan_id is None:
        return {}
    ids = sorted({look.page_id for look in stores.looks.of_scan(scope.scan_id)})
    pages = stores.pages.without_texts(ids)
    return {page.id: page for page in pages if page.standing != "replaced" and scope.is_on_hosts(page)}


def _counted_matches(
    stores: Stores, scope: PageScope, looked_for: Mapping[str, Page], matches: Iterable[Match]
) -> Iterator[tuple[Match, Page]]:
    """Yield (match, page) for the matches whose texts count in a scope."""
    for batch in batched(matches, _BATCH):
        ids = list(dict.fromkeys(match.page_id for match in batch))
        pages = {page.id: page for page in stores.page_figures.admitted(scope, ids)}
        pages |= {key: looked_for[key] for key in ids if key in looked_for}
        for match in batch:
            if match.page_id in pages:
                yield match, pages[match.page_id]


def partly_compared(stores: Stores, scope: PageScope, *, max_urls: int = 0) -> PartlyCompared:
    """Return the pages that were compared only in part, in one pass over them.

    Pages with the most omitted candidates come first. Reasons are in the order of their labels.

    Args:
        stores: the database.
        scope: the scope.
        max_urls: maximum number of listed addresses for each reason.
    """
    unread, aligned = _UnreadSummary(max_urls), list[NotAligned]()
    for page in stores.page_figures.incomplete(scope):
        unread.add(page)
        line = NotAligned(
            url=page.url,
            unaligned=page.unaligned,
            capped=page.capped,
            cut_chars=page.cut_chars,
            confidence=page.confidence,
        )
        if line.is_doubtful or page.unaligned or page.capped or page.cut_chars:
            aligned.append(line)
    lines = tuple(sorted(aligned, key=_omission_order))
    return PartlyCompared(pages=unread.pages, unread=unread.groups(), aligned=lines)


class _UnreadSummary:
    """Sums up unread content of pages by reason, with a few addresses for each reason."""

    def __init__(self, max_urls: int) -> None:
        self.pages = 0
        self._max_urls = max_urls
        self._counts: Counter[UnreadReason] = Counter()
        self._amounts: Counter[UnreadReason] = Counter()
        self._urls: defaultdict[UnreadReason, list[str]] = defaultdict(list)

    def add(self, page: Incomplete) -> None:
        """Add a page."""
        reasons = [reason for reason, amount in page.unread.items() if amount]
        self.pages += bool(reasons)
        for reason in reasons:
            self._counts[reason] += 1
            self._amounts[reason] += page.unread[reason]
            urls = self._urls[reason]
            urls.append(page.url)
            if len(urls) > 2 * self._max_urls:
                urls[:] = sorted(urls)[: self._max_urls]

    def groups(self) -> tuple[NotRead, ...]:
        """Return the unread content by reason."""
        return tuple(
            NotRead(
                reason=reason,
                pages=self._counts[reason],
                amount=self._amounts[reason],
                urls=tuple(sorted(self._urls[reason])[: self._max_urls]),
            )
            for reason in UNREAD_UNITS
            if self._counts[reason]
        )


def _omission_order(page: NotAligned) -> tuple[float | str, ...]:
    """Return a sort key: the page with most omissions first, then the page with the least certain text."""
    return -page.unaligned, -page.capped, -page.cut_chars, page.confidence, page.url


def left_addresses(scans: Iterable[ScanReport]) -> tuple[LeftAddresses, ...]:
    """Return the addresses that the last crawl of each source did not request. Scans are newest first."""
    by_source: dict[str, list[LeftAddresses]] = {}
    for report in scans:
        for source in dict.fromkeys(crawl.source for crawl in report.crawls if crawl.source not in by_source):
            numbers = unvisited_counts([crawl for crawl in report.crawls if crawl.source == source])
            by_source[source] = [
                LeftAddresses(source=source, scan_id=report.scan.id, reason=reason, addresses=number)
                for reason, number in numbers.items()
            ]
    return tuple(line for source in sorted(by_source) for line in by_source[source])


def count_pages(groups: Iterable[PageGroup], *, last_texts: int = 0) -> PageCounts:
    """Return the numbers of pages by state, kind and verdict. Verdicts count only for current comparisons.

    Args:
        groups: counted groups of the pages in scope.
        last_texts: number of pages that were not compared, but have an earlier text that counts.
    """
    states: Counter[str] = Counter()
    kinds: Counter[str] = Counter()
    verdicts: Counter[str] = Counter()
    low_confidence = 0
    for group in groups:
        states[group.state] += group.count
        kinds[group.kind] += group.count
        if group.state == "compared":
            verdicts[group.verdict or "clear"] += group.count
            low_confidence += group.count * group.low_confidence
    return PageCounts(
        total=states.total(),
        states={state: states[state] for state in PAGE_STATES},
        kinds=_most_common(kinds),
        verdicts=_most_common(verdicts),
        low_confidence=low_confidence,
        last_texts=last_texts,
    )


def _most_common(counts: Counter[str]) -> dict[str, int]:
    """Return counts, the largest first; equal ones are sorted by name."""
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))


def count_unchecked(groups: Iterable[PageGroup]) -> dict[str, int]:
    """Return reason → number of pages that were not compared, the most frequent first."""
    counts: Counter[str] = Counter()
    for group in groups:
        if group.state != "compared":
            counts[_reason(group)] += group.count
    return _most_common(counts)


def _reason(page: Page | PageGroup) -> str:
    match page.state:
        case "fetched":
            return WAITING
        case "failed" | "compared":
            return page.reason


def unchecked_pages(
    stores: Stores,
    scope: PageScope,
    groups: Iterable[PageGroup],
    *,
    max_urls: int,
    vanished: Iterable[str] = (),
) -> tuple[NotChecked, ...]:
    """Return the pages that were not compared by reason, the most frequent reason first.

    Args:
        stores: the database.
        scope: the scope.
        groups: counted groups of the pages in scope.
        max_urls: maximum number of listed addresses, over all reasons.
        vanished: addresses of matches that were gone at the last look; they have a separate reason.
    """
    gone = {page.url: _reason(page) for page in stores.page_figures.not_compared_at(scope, vanished)}
    counts = Counter(count_unchecked(groups))
    counts.subtract(gone.values())
    counts[VANISHED] += len(gone)
    entries = []
    for reason, pages in _most_common(+counts).items():
        urls = _first_urls(stores, scope, reason, gone=gone, count=max_urls)
        max_urls -= len(urls)
        fault: Fault = "" if reason in {WAITING, VANISHED} else fault_of(reason)
        entries.append(NotChecked(reason=reason, fault=fault, pages=pages, urls=urls))
    return tuple(entries)


def _first_urls(
    stores: Stores, scope: PageScope, reason: str, *, gone: Mapping[str, str], count: int
) -> tuple[str, ...]:
    """Return the first addresses that were not compared for a reason, without addresses that are gone."""
    if reason == VANISHED:
        return tuple(sorted(gone)[:count])
    waiting = {url for url, why in gone.items() if why == reason}
    stored_reason = None if reason == WAITING else reason
    limit = count + len(waiting) if count else 0
    urls = stores.page_figures.first_not_compared(scope, reason=stored_reason, count=limit)
    return tuple([url for url in urls if url not in waiting][:count])
