"""Which pages and matches a report or a summary is about."""

from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import datetime

from analysis.report_records import LeftAddresses, NotAligned, NotChecked, PageCounts, ScanReport
from storage.collections.stores import Stores
from storage.errors import UnknownRecord
from storage.records import Match, Page
from tracker.scans.scanning import left_of

WAITING = "waiting"  # the reason of pages that were not compared yet


def pages_in_scope(
    stores: Stores, *, scan_id: str | None = None, since: datetime | None = None, site: str | None = None
) -> dict[str, Page]:
    """Return the pages, without texts, by id.

    Raises:
        UnknownRecord: no page of ``site`` is in scope: a misspelt site must not pass for a clean one.
    """
    pages = stores.pages.all() if scan_id is None else stores.pages.of_scan(scan_id)
    in_scope = {
        page.id: page
        for page in pages
        if (since is None or page.last_seen >= since) and (site is None or page.site == site)
    }
    if site is not None and not in_scope:
        raise UnknownRecord(kind="site", name=site)
    return in_scope


def find_matches(stores: Stores, pages: Mapping[str, Page], *, work_id: int | None = None) -> list[Match]:
    """Return the matches of these pages, of one work if one is named; dismissed ones are no findings.

    A page that waits to be compared anew keeps the matches of its last comparison.
    """
    if work_id is not None:
        matches = [match for match in stores.matches.of_work(work_id) if match.page_id in pages]
    else:
        matches = [
            match
            for page in pages.values()
            if page.verdict not in {None, "clear"}
            for match in stores.matches.of_page(page.id)
        ]
    return [match for match in matches if match.review != "dismissed"]


def find_dismissed(
    stores: Stores, pages: Mapping[str, Page], *, work_id: int | None = None
) -> tuple[Match, ...]:
    """Return the matches of these pages that an analyst dismissed, the most copied first."""
    dismissed = (match for match in stores.matches.all_reviewed() if match.review == "dismissed")
    return tuple(match for match in dismissed if match.page_id in pages and work_id in (None, match.work_id))


def not_aligned(pages: Iterable[Page]) -> tuple[NotAligned, ...]:
    """Return the compared pages of which not everything was compared, the most candidates left out first."""
    partly = [
        page
        for page in pages
        if page.state == "compared" and (page.unaligned or page.capped or page.cut_chars)
    ]
    ordered = sorted(partly, key=lambda page: (-page.unaligned, -page.capped, -page.cut_chars, page.url))
    return tuple(
        NotAligned(url=page.url, unaligned=page.unaligned, capped=page.capped, cut_chars=page.cut_chars)
        for page in ordered
    )


def left_addresses(scans: Iterable[ScanReport]) -> tuple[LeftAddresses, ...]:
    """Return what the last crawl of each source left; the scans come with the newest first."""
    left: dict[str, list[LeftAddresses]] = {}
    for report in scans:
        for source in dict.fromkeys(crawl.source for crawl in report.crawls if crawl.source not in left):
            numbers = left_of([crawl for crawl in report.crawls if crawl.source == source])
            left[source] = [
                LeftAddresses(source=source, scan_id=report.scan.id, reason=reason, addresses=number)
                for reason, number in numbers.items()
            ]
    return tuple(line for source in sorted(left) for line in left[source])


def count_pages(pages: Iterable[Page]) -> PageCounts:
    """Return the pages by state, kind and verdict; verdicts count only comparisons that hold now."""
    every = list(pages)
    states = Counter(page.state for page in every)
    compared = [page for page in every if page.state == "compared"]
    return PageCounts(
        total=len(every),
        states={state: states[state] for state in ("fetched", "compared", "failed")},
        kinds=dict(Counter(page.kind for page in every).most_common()),
        verdicts=dict(Counter(page.verdict or "clear" for page in compared).most_common()),
        low_confidence=sum(page.low_confidence for page in compared),
    )


def unchecked_pages(pages: Iterable[Page], *, max_urls: int) -> tuple[NotChecked, ...]:
    """Return the pages that were not compared by reason, the most frequent first.

    Args:
        pages: every page in scope.
        max_urls: how many URLs are named, over all reasons.
    """
    urls: dict[str, list[str]] = {}
    for page in pages:
        if page.state != "compared":
            urls.setdefault(WAITING if page.state == "fetched" else page.reason, []).append(page.url)
    groups = []
    for reason, addresses in sorted(urls.items(), key=lambda item: (-len(item[1]), item[0])):
        examples = tuple(sorted(addresses)[:max_urls])
        max_urls -= len(examples)
        groups.append(NotChecked(reason=reason, pages=len(addresses), urls=examples))
    return tuple(groups)
