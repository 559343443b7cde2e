"""Start and stop scans."""

from collections.abc import Sequence
from typing import Literal

from analysis.accounts.permissions import Identity
from analysis.actions.auditing import record_action
from storage.records import Scan, Source
from tracker.runtime import Runtime
from tracker.scans import scanning


def start_scan(identity: Identity, runtime: Runtime, names: Sequence[str] = ()) -> Scan:
    """Open a scan. Its crawls begin as soon as a worker claims them.

    Args:
        identity: the user or program that requests it.
        runtime: settings and stores.
        names: names of sources; empty: all sources that are enabled, open at this hour, and not paused.

    Raises:
        NotPermitted: the user lacks the permission.
        UnknownRecord: there is no such source.
        NoSources, AllPaused, OutsideHours, NothingToCompareWith, StillScanning: no scan can be opened now.
    """
    sources, closed = sources_to_scan(identity, runtime, names)
    opened = open_scan(identity, runtime, sources, closed=closed)
    send_waiting(runtime)
    return opened


def sources_to_scan(
    identity: Identity, runtime: Runtime, names: Sequence[str] = ()
) -> tuple[list[Source], list[Source]]:
    """Return the sources that a scan would crawl, and the sources that are closed at this hour.

    Raises:
        NotPermitted, UnknownRecord, NoSources, AllPaused, OutsideHours, ServiceDown: see :func:`start_scan`.
    """
    identity.require("scans:run")
    sources = scanning.sources_to_crawl(runtime.stores, list(dict.fromkeys(names)))
    return sources, [] if names else scanning.closed_sources(runtime.stores)


def open_scan(
    identity: Identity,
    runtime: Runtime,
    sources: Sequence[Source],
    *,
    trigger: Literal["hand", "corpus"] = "hand",
    closed: Sequence[Source] = (),
) -> Scan:
    """Open a scan of sources. Beat, or the command that waits for the scan, sends its work to the workers.

    Args:
        identity: the user or program that requests it.
        runtime: settings and stores.
        sources: sources to crawl; empty: only compare stored pages again.
        trigger: ``corpus`` for a scan because works were added or changed, which needs only the permission to
            change works.
        closed: sources that are closed at this hour, which the scan lists.

    Raises:
        NotPermitted: the user lacks the permission.
        NothingToCompareWith, StillScanning: it cannot be opened now.
    """
    identity.require("scans:run" if trigger == "hand" else "works:write")
    opened = scanning.start_scan(
        runtime.stores,
        runtime.guard,
        runtime.settings.tracker,
        sources=sources,
        trigger=trigger,
        closed=closed,
    )
    after = {"sources": list(opened.sources)}
    record_action(identity, runtime, "start-scan", f"scan {opened.id}", kind="scan-started", after=after)
    return opened


def stop_scan(identity: Identity, runtime: Runtime, scan_id: str) -> int:
    """End the crawls of a scan, and return their number. The fetched pages are still compared.

    Raises:
        NotPermitted: the user lacks the permission.
        UnknownRecord: there is no such scan.
    """
    identity.require("scans:run")
    stores = runtime.stores
    scan = stores.scans.get(scan_id)
    count = stores.scans.stop_crawls(scan.id)
    record_action(identity, runtime, "stop-scan", f"scan {scan.id}", kind="scan-stopped")
    return count


def send_waiting(runtime: Runtime) -> None:
    """Send waiting work to the workers, as beat does. The console calls this while a scan runs."""
    scanning.tick(runtime.stores, runtime.settings, runtime.queue.send)
