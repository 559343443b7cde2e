"""Which pages and matches a report or a summary is about.

An address is counted once: by what was seen of it last. Its matches are those of the last text that was
compared, also where nothing could be read since; they are what is known.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from datetime import datetime

from analysis.known_sites import find_site, site_name
from analysis.report_records import LeftAddresses, NotAligned, NotChecked, PageCounts, ScanReport
from crawler.reasons import fault_of
from storage.collections.stores import Stores
from storage.errors import UnknownRecord
from storage.records import Fault, Match, Page
from tracker.scans.scanning import left_of

WAITING = "waiting"  # the reason of pages that were not compared yet
VANISHED = "vanished"  # of those that are gone, while what was found on them is reported


def pages_in_scope(
    stores: Stores, *, scan_id: str | None = None, since: datetime | None = None, site: str | None = None
) -> dict[str, Page]:
    """Return what was seen of each address last, without texts, by id.

    Raises:
        UnknownRecord: no page of ``site`` is in scope: a misspelt site must not pass for a clean one; the
            error has sites that are called alike.
    """
    wanted = None if site is None else site_name(site)
    pages = stores.pages.current() if scan_id is None else stores.pages.of_scan(scan_id)
    in_scope = {
        page.id: page
        for page in pages
        if page.standing == "current"
        and (since is None or page.last_seen >= since)
        and (wanted is None or wanted in {page.site, page.host})
    }
    if site is not None and not in_scope:
        raise UnknownRecord(kind="site", name=find_site(site, stores))
    return in_scope


def texts_in_scope(stores: Stores, pages: Mapping[str, Page]) -> dict[str, Page]:
    """Return the last compared text of each address, without the text itself, by id.

    Args:
        stores: the database.
        pages: what was seen of the addresses last; one that waits to be compared anew counts as compared.
    """
    compared = {key: page for key, page in pages.items() if page.verdict is not None}
    others = [page.url for page in pages.values() if page.verdict is None]
    return {**compared, **{page.id: page for page in stores.pages.last_texts(others)}}


def texts_looked_for(
    stores: Stores, pages: Mapping[str, Page], *, scan_id: str, site: str | None = None
) -> dict[str, Page]:
    """Return the texts that a scan looked for at addresses where it saw no page at all, such as moved ones.

    Args:
        stores: the database.
        pages: those that the scan saw last.
        scan_id: of the scan.
        site: only of this site or host.
    """
    seen = {page.url for page in pages.values()}
    wanted = None if site is None else site_name(site)
    missing = {look.page_id for look in stores.looks.of_scan(scan_id) if look.url not in seen}
    return {
        page.id: page
        for page in stores.pages.without_texts(sorted(missing))
        if page.standing != "replaced" and (wanted is None or wanted in {page.site, page.host})
    }


def find_matches(stores: Stores, pages: Mapping[str, Page], *, work_id: int | None = None) -> list[Match]:
    """Return the matches of these texts, of one work if one is named; dismissed ones are no findings."""
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


def count_pages(pages: Iterable[Page], *, last_texts: int = 0) -> PageCounts:
    """Return the pages by state, kind and verdict; verdicts count only comparisons that hold now.

    Args:
        pages: what was seen of each address last.
        last_texts: how many of them were not compared, while an earlier text of theirs counts.
    """
    every = list(pages)
    states = Counter(page.state for page in every)
    compared = [page for page in every if page.state == "compared"]
    return PageCounts(
        total=len(every),
        states={state: states[state] for state in ("fetched", "compared", "failed")},
        kinds=dict(Counter(page.kind for page in every).most_common()),
        verdicts=dict(Counter(page.verdict or "clear" for page in compared).most_common()),
        low_confidence=sum(page.low_confidence for page in compared),
        last_texts=last_texts,
    )


def unchecked_pages(
    pages: Iterable[Page], *, max_urls: int, vanished: Collection[str] = ()
) -> tuple[NotChecked, ...]:
    """Return the pages that were not compared by reason, the most frequent first.

    Args:
        pages: every page in scope.
        max_urls: how many URLs are named, over all reasons.
        vanished: addresses of matches that were looked at and found gone; they have a reason of their own.
    """
    urls: dict[str, list[str]] = {}
    for page in pages:
        if page.state != "compared":
            reason = WAITING if page.state == "fetched" else page.reason
            urls.setdefault(VANISHED if page.url in vanished else reason, []).append(page.url)
    groups = []
    for reason, addresses in sorted(urls.items(), key=lambda item: (-len(item[1]), item[0])):
        examples = tuple(sorted(addresses)[:max_urls])
        max_urls -= len(examples)
        fault: Fault = "" if reason in {WAITING, VANISHED} else fault_of(reason)
        groups.append(NotChecked(reason=reason, fault=fault, pages=len(addresses), urls=examples))
    return tuple(groups)
