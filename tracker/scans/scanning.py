"""Scans: open them, keep them going, close them.

A scan is open until every source was crawled and every page that it saw was compared. All its state is in the
database: any process may call :func:`tick` at any time to dispatch waiting work and close complete scans. So
a killed worker, a restarted Redis or a lost message delay a scan and never end it.
"""

import logging
import secrets
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from storage.collections.scan_turns import ScanOpening
from storage.collections.stale import PARTS
from storage.collections.stores import Stores
from storage.records import FREE, Crawl, Scan, Source, SourceHealth, Trigger, moment_text, utc_now, zone_of
from storage.settings import Settings, TrackerSettings
from system.errors import PindnaError, one_line
from system.exit_status import ExitStatus
from system.log_lines import log_ids
from tracker.corpus.roles import finish_roles
from tracker.indexing.guard import IndexGuard
from tracker.judgement.licences import mark_licence_changes
from tracker.judgement.profiles import chosen_profiles, rules_of
from tracker.scans.dispatch import Send, dispatch_crawls, dispatch_pages, dispatch_works
from tracker.scans.rejudging import rejudge
from tracker.scans.tally import tally_scan
from tracker.scans.turns import LEASE_S, busy_sources, finish_opening, free_turn, refuse_second, turn

log = logging.getLogger(__name__)

_LONG_AGO = FREE.until


class NoSources(PindnaError):
    """There is nothing to crawl."""

    template = "There is no enabled source to crawl. Add one with `pindna source add`."


class AllPaused(PindnaError):
    """Every enabled source is paused, closed, not due, or being crawled.

    Attributes:
        names: the first names.
    """

    template = (
        "No source can be crawled now: {names} are paused, outside their hours, not due, or still"
        " being crawled. `pindna source list` shows the state of each."
    )


class OutsideHours(PindnaError):
    """A selected source is outside its hours.

    Attributes:
        name: the name as given.
        hours: the hours of the source.
        zone: the time zone of the hours.
        opens: when the hours begin next.
    """

    template = (
        "Source {name} can be crawled only at {hours} ({zone}). Wait until {opens}, or change its hours."
    )
    exit_status = ExitStatus.PARTLY


class NothingToCompareWith(PindnaError):
    """No work is indexed, so 'nothing found' would mean nothing."""

    template = "No protected work is indexed, so pages cannot be compared. Run `pindna corpus add` first."


def sources_to_crawl(stores: Stores, names: Sequence[str] = (), *, scheduled: bool = False) -> list[Source]:
    """Return the selected sources, or all that are enabled, open, not paused and not being crawled.

    Args:
        stores: the database.
        names: of sources to crawl, whether they are enabled or not.
        scheduled: skip sources whose ``interval_h`` has not passed since their last crawl, and those that a
            scan
            still crawls.

    Raises:
        NoSources: no source is enabled.
        AllPaused: all enabled sources are paused, outside their hours, not due, or being crawled.
        OutsideHours: a selected one is outside its hours.
        UnknownRecord: a selected source does not exist.
    """
    if names:
        return [_require_open(stores.sources.get(name), utc_now()) for name in names]
    enabled = [source for source in stores.sources.all() if source.enabled]
    if not enabled:
        raise NoSources
    health, now = stores.health.all(), utc_now()
    busy = being_crawled(stores) if scheduled else frozenset()
    chosen = [
        source
        for source in enabled
        if source.name not in busy
        and source.opens(now) <= now
        and is_due(source, health.get(source.name), now, scheduled=scheduled)
    ]
    if not chosen:
        raise AllPaused(names=", ".join(source.name for source in enabled))
    return chosen


def closed_sources(stores: Stores, *, since: datetime | None = None) -> list[Source]:
    """Return the enabled sources outside their hours, which a scan of all sources reports.

    Args:
        stores: the database.
        since: only sources whose last complete crawl is older.
    """
    health, now = stores.health.all(), utc_now()

    def is_unchecked(name: str) -> bool:
        health_of_source = health.get(name)
        return (
            since is None
            or health_of_source is None
            or health_of_source.last_crawl is None
            or bool(health_of_source.rest)
            or health_of_source.last_crawl < since
        )

    return [
        source
        for source in stores.sources.all()
        if source.enabled and source.opens(now) > now and is_unchecked(source.name)
    ]


def sources_of_day(stores: Stores, *, since: datetime) -> tuple[list[Source], list[Source]]:
    """Return the sources that the daily scan crawls, and those outside their hours, which it reports.

    Args:
        stores: the database.
        since: the previous scan; sources crawled completely since then are not reported.

    Raises:
        NoSources: no source is enabled.
        AllPaused: there is no source to crawl or to report.
    """
    closed = closed_sources(stores, since=since)
    try:
        return sources_to_crawl(stores, scheduled=True), closed
    except AllPaused:
        if not closed:
            raise
        return [], closed


def _require_open(source: Source, now: datetime) -> Source:
    if (opens := source.opens(now)) > now:
        hours, zone = ", ".join(source.hours), source.timezone
        opening = moment_text(opens, zone_of(zone))
        raise OutsideHours(name=source.name, hours=hours, zone=zone, opens=opening)
    return source


def being_crawled(stores: Stores) -> frozenset[str]:
    """Return the sources of running scans."""
    busy = (busy_sources(scan, stores) for scan in stores.scans.running())
    return frozenset[str]().union(*busy)


def is_due(source: Source, health: SourceHealth | None, now: datetime, *, scheduled: bool) -> bool:
    """Return whether a source is not paused and its interval has passed; a manual scan ignores intervals."""
    if health is None:
        return True
    if health.paused_until is not None and health.paused_until > now:
        return False
    if not scheduled or health.last_crawl is None:
        return True
    return now - health.last_crawl >= source.due_after


def start_scan(
    stores: Stores,
    guard: IndexGuard,
    settings: TrackerSettings,
    *,
    sources: Sequence[Source],
    trigger: Trigger,
    closed: Sequence[Source] = (),
    scan_id: str = "",
) -> Scan:
    """Open a scan.

    Pages compared with an older mother corpus, or judged by other thresholds, are compared again by this
    scan; :func:`tick` reopens them a thousand at a time. A scan without sources compares only these, for
    instance to compare stored pages with a new work. Opening reads nothing whose size grows.

    Args:
        stores: the database.
        guard: of the index.
        settings: how pages are compared.
        sources: to crawl.
        trigger: the reason for the scan.
        closed: sources outside their hours, whose addresses the scan reports as unvisited.
        scan_id: of a scan that is opened once, even if the call is repeated; empty: a new one.

    Raises:
        BadSettings: a profile in the settings is wrong.
        NothingToCompareWith: no work is indexed.
        StillScanning: a running scan has one of the sources, or compares stored pages.
    """
    finish_roles(stores)
    if not stores.works.count_owned("indexed"):
        raise NothingToCompareWith
    while True:
        close_complete(stores)
        with turn(stores) as token:
            if scan_id and (opened := stores.scans.find(scan_id)) is not None:
                return opened
            refuse_second(stores, [source.name for source in sources], trigger)
            scan = _prepare_scan(stores, guard, settings, sources=sources, trigger=trigger, scan_id=scan_id)
            if stores.scans.open_in_turn(token, _opening_of(scan, stores, sources, closed), lease_s=LEASE_S):
                with log_ids(scan=scan.id):
                    log.info("scan %s opened (%s): %d sources", scan.id, trigger, len(sources))
                return scan


def _opening_of(
    scan: Scan, stores: Stores, sources: Sequence[Source], closed: Sequence[Source]
) -> ScanOpening:
    """Return the records of a scan to store."""
    rests = {source.name: stores.health.get(source.name).rest for source in sources}
    return ScanOpening(
        scan=scan,
        processes={source.name: source.processes for source in sources if source.processes != 1},
        rests={name: rest for name, rest in rests.items() if rest},
        unasked={source.name: len(set(source.addresses)) or 1 for source in closed},
    )


def _prepare_scan(
    stores: Stores,
    guard: IndexGuard,
    settings: TrackerSettings,
    *,
    sources: Sequence[Source],
    trigger: Trigger,
    scan_id: str,
) -> Scan:
    """Return a scan that is not stored yet, and record the thresholds and index version with the corpus."""
    stores.versions.record_rules(rules_of(chosen_profiles(settings)))
    now = utc_now()
    mark_licence_changes(stores, until=now)
    return Scan(
        id=scan_id or f"{now:%Y%m%dT%H%M%SZ}-{secrets.token_hex(3)}",
        trigger=trigger,
        sources=tuple(source.name for source in sources),
        started=now,
        index_generation=str(guard.index().generation),
        corpus_version=stores.versions.current(),
        stale_parts=PARTS,
    )


def tick(stores: Stores, settings: Settings, send: Send) -> None:
    """Dispatch waiting work and close complete scans."""
    rejudge(stores)
    dispatch_works(stores, settings.tracker, send)
    dispatch_crawls(stores, settings.tracker, send, count=settings.crawler.processes * 4)
    dispatch_pages(stores, settings.tracker, send)
    close_complete(stores)


def close_complete(stores: Stores) -> None:
    """Close every complete scan, and open the scan that a killed program was opening."""
    finish_opening(stores)
    for scan in stores.scans.running():
        close_if_complete(scan, stores)


def close_if_complete(scan: Scan, stores: Stores) -> bool:
    """Close a scan if none of its work waits; return whether this call closed it.

    Pages, matches and cases are updated before the scan itself: after a crash in between it stays open, and
    the next call repeats all updates.
    """
    if not _is_complete(scan, stores):
        return False
    stores.pages.settle_remaining()
    if stores.pages.is_waiting(scan.id):  # a text that came back is compared again
        return False
    tally = tally_scan(scan, stores)
    crawls = stores.scans.crawls(scan.id)
    failed = [crawl for crawl in crawls if crawl.state == "failed"]
    remaining = unvisited_counts(crawls)
    error = error_of(scan, crawls)
    closed = replace(
        scan,
        finished=utc_now(),
        status="finished" if error is None else "failed",
        counts={**tally.counts, "left": sum(remaining.values())},
        not_compared=tally.not_compared,
        unread=tally.unread,
        left=remaining,
        stale_parts=0,
        error=error or "",
    )
    with free_turn(stores) as token:  # so that the scan cannot receive another page
        if token is None or stores.pages.is_waiting(scan.id) or not stores.scans.finish(closed):
            return False
    with log_ids(scan=scan.id):
        log.info("scan %s closed: %d pages, %d crawls failed", scan.id, tally.counts["pages"], len(failed))
    return True


def error_of(scan: Scan, crawls: Sequence[Crawl]) -> str | None:
    """Return why all crawls of a scan failed; None if one succeeded or there is none.

    Sources outside their hours, which the scan only reports, do not count.
    """
    crawls_of_scan = [crawl for crawl in crawls if crawl.source in scan.sources]
    if not crawls_of_scan or any(crawl.state != "failed" for crawl in crawls_of_scan):
        return None
    return one_line("; ".join(crawl.error for crawl in crawls_of_scan))


def _is_complete(scan: Scan, stores: Stores) -> bool:
    """Return whether no work of a scan remains to crawl, reopen or compare."""
    return not (scan.stale_parts or stores.scans.is_crawling(scan.id) or stores.pages.is_waiting(scan.id))


def unvisited_counts(crawls: Sequence[Crawl]) -> dict[str, int]:
    """Return how many known addresses the crawls of a scan did not visit, by reason.

    The processes of one source share its addresses, so the last one's numbers count; addresses cut off from
    lists are summed over the processes.
    """
    last: dict[str, Crawl] = {}
    for crawl in sorted(crawls, key=lambda crawl: crawl.heartbeat or _LONG_AGO):
        last[crawl.source] = crawl
    remaining: Counter[str] = Counter()
    for crawl in last.values():
        remaining.update(crawl.left)
    for crawl in crawls:
        remaining.update(crawl.cut_off)
    return dict(remaining)
