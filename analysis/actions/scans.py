"""Scans begun and ended by people and programs."""

from collections.abc import Sequence
from typing import Literal

from analysis.accounts.permissions import Identity
from analysis.actions.auditing import note_act
from storage.records import Scan, Source
from tracker.runtime import Runtime
from tracker.scans import scanning


def start_scan(identity: Identity, runtime: Runtime, names: Sequence[str] = ()) -> Scan:
    """Open a scan; its crawls begin as soon as a worker takes them.

    Args:
        identity: asks for it.
        runtime: settings and stores.
        names: of sources; none: all that are enabled, within their hours, and do not pause.

    Raises:
        NotPermitted: this one may not.
        UnknownRecord: there is no such source.
        NoSources, AllPaused, OutsideHours, NothingToCompareWith, StillScanning: it cannot be opened now.
    """
    sources, closed = sources_to_scan(identity, runtime, names)
    opened = open_scan(identity, runtime, sources, closed=closed)
    send_waiting(runtime)
    return opened


def sources_to_scan(
    identity: Identity, runtime: Runtime, names: Sequence[str] = ()
) -> tuple[list[Source], list[Source]]:
    """Return the sources that a scan would crawl, and those outside their hours, which its result lists.

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
    """Open a scan of some sources; beat, or the command that waits for it, sends its work.

    Args:
        identity: asks for it.
        runtime: settings and stores.
        sources: to crawl; none: stored pages are compared again.
        trigger: ``corpus``: works were added or changed; the permission to do that is enough.
        closed: sources outside their hours, which the scan lists.

    Raises:
        NotPermitted: this one may not.
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
    note_act(identity, runtime, "start-scan", f"scan {opened.id}", kind="scan-started", after=after)
    return opened


def stop_scan(identity: Identity, runtime: Runtime, scan_id: str) -> int:
    """End the crawls of a scan; what they fetched is compared. Returns how many crawls there were.

    Raises:
        NotPermitted: this one may not.
        UnknownRecord: there is no such scan.
    """
    identity.require("scans:run")
    stores = runtime.stores
    scan = stores.scans.get(scan_id)
    count = stores.scans.stop_crawls(scan.id)
    note_act(identity, runtime, "stop-scan", f"scan {scan.id}", kind="scan-stopped")
    return count


def send_waiting(runtime: Runtime) -> None:
    """Send waiting work to the workers, as beat does; the console calls it while a scan runs."""
    scanning.tick(runtime.stores, runtime.settings, runtime.queue.send)
