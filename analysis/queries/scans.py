"""Scans and the crawls that they consist of."""

from dataclasses import replace

from analysis.accounts.permissions import Identity
from analysis.queries.listing import DEFAULT_LIMIT, Listing, Request
from analysis.reports.statistics import ScanSummary, scan_summary
from storage.collections.filters import newest_scans
from storage.collections.stores import Stores
from storage.records import FREE, Crawl, PageEventKind, Scan, ScanStatus


def list_scans(
    identity: Identity,
    stores: Stores,
    *,
    status: ScanStatus | None = None,
    cursor: str = "",
    limit: int = DEFAULT_LIMIT,
) -> Listing[Scan]:
    """Return scans, the newest first.

    Raises:
        NotPermitted, BadCursor, BadLimit: the request is not allowed.
    """
    identity.require("scans:read")
    runs = list(newest_scans(status))
    request = Request(f"scans {status}", cursor, limit)
    batch = stores.lists.scans(runs, after=request.place(runs), limit=limit)
    return request.listing(batch.records, batch.end)


def get_scan(identity: Identity, stores: Stores, scan_id: str) -> Scan:
    """Return a scan.

    Raises:
        NotPermitted: the user may not read scans.
        UnknownRecord: there is no such scan.
    """
    identity.require("scans:read")
    return stores.scans.get(scan_id)


def running_scans(identity: Identity, stores: Stores) -> list[Scan]:
    """Return the scans that are not closed yet, the oldest first.

    Raises:
        NotPermitted: the user may not read scans.
    """
    identity.require("scans:read")
    return sorted(stores.scans.running(), key=lambda scan: scan.started)


def crawls_of(identity: Identity, stores: Stores, scan_id: str) -> list[Crawl]:
    """Return the crawls of a scan with their present counts, sorted by source.

    Raises:
        NotPermitted, UnknownRecord: see :func:`get_scan`.
    """
    scan = get_scan(identity, stores, scan_id)
    return [replace(crawl, lease=FREE) for crawl in stores.scans.crawls(scan.id)]


def page_events_of(identity: Identity, stores: Stores, scan_id: str) -> dict[PageEventKind, int]:
    """Return the number of pages that changed, disappeared or came back in a scan, by kind of event.

    Raises:
        NotPermitted, UnknownRecord: see :func:`get_scan`.
    """
    return stores.page_events.counts_of_scan(get_scan(identity, stores, scan_id).id)


def needs_comparison(identity: Identity, stores: Stores) -> bool:
    """Return whether there are works, and also stored pages that were compared with an older corpus.

    Raises:
        NotPermitted: the user may not read scans.
    """
    identity.require("scans:read")
    return bool(stores.works.count_owned("indexed")) and stores.pages.stale.is_any(
        corpus_version=stores.versions.current()
    )


def scans_that_compare(identity: Identity, stores: Stores) -> list[Scan]:
    """Return the running scans with pages to compare, the oldest first.

    Raises:
        NotPermitted: the user may not read scans.
    """
    running = running_scans(identity, stores)
    return [scan for scan in running if scan.stale_parts or stores.pages.is_waiting(scan.id)]


def summary_of(identity: Identity, stores: Stores, scan_id: str) -> ScanSummary:
    """Return the results of a scan. This reads every page of the scan, so call it only for single scans.

    Raises:
        NotPermitted, UnknownRecord: see :func:`get_scan`.
    """
    return scan_summary(stores, get_scan(identity, stores, scan_id).id)
