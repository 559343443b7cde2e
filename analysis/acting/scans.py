"""Scans that are started and stopped by hand."""

from collections.abc import Sequence

from analysis.accounts.permissions import Identity
from analysis.acting.auditing import note_act
from analysis.queries.scans import get_scan
from storage.records import Scan
from tracker.runtime import Runtime
from tracker.scans import scanning


def start_scan(who: Identity, runtime: Runtime, names: Sequence[str] = ()) -> Scan:
    """Start a scan; the workers carry it out.

    Args:
        who: asks for it.
        runtime: the open services.
        names: of sources; none: every source that is enabled and does not pause.

    Raises:
        NotPermitted: scans are not this one's to run.
        UnknownRecord: there is no such source.
        NoSources, AllPaused, StillScanning, NothingToCompareWith: there is nothing to scan, or it is scanned.
        IndexUnusable, ServiceDown: the index, or a service, cannot be used.
    """
    who.require("scans:run")
    chosen = scanning.sources_to_crawl(runtime.stores, list(dict.fromkeys(names)))
    scan = scanning.start_scan(
        runtime.stores, runtime.guard, runtime.settings.tracker, sources=chosen, trigger="hand"
    )
    note_act(who, runtime, "scan", f"scan {scan.id}", after={"sources": list(scan.sources)})
    scanning.tick(runtime.stores, runtime.settings, runtime.queue.send)
    return scan


def stop_scan(who: Identity, runtime: Runtime, scan_id: str) -> int:
    """End the crawls of a scan; what they fetched is compared. Returns how many crawls there were to end.

    Raises:
        NotPermitted: scans are not this one's to run.
        UnknownRecord: there is no such scan.
        ServiceDown: MongoDB does not answer.
    """
    who.require("scans:run")
    scan = get_scan(who, runtime.stores, scan_id)
    count = runtime.stores.scans.stop_crawls(scan.id)
    note_act(who, runtime, "stop", f"scan {scan.id}", after={"crawls": count})
    return count
