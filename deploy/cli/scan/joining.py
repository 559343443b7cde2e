"""Start a scan while another scan runs: the second command waits for the running scan, and reports that."""

from collections.abc import Sequence
from typing import Literal

from analysis.accounts.permissions import Identity
from analysis.actions.scans import open_scan
from analysis.queries.scans import get_scan, needs_comparison, scans_that_compare
from analysis.words.i18n import gettext as _
from analysis.words.i18n import ngettext
from deploy.cli.console import print_progress
from deploy.cli.scan.waiting import wait_for_scan
from storage.records import Scan, Source
from tracker.runtime import Runtime
from tracker.scans.turns import StillScanning, is_in_progress


def scan_or_join(
    identity: Identity,
    runtime: Runtime,
    sources: list[Source],
    *,
    trigger: Literal["hand", "corpus"] = "hand",
    closed: Sequence[Source] = (),
) -> list[Scan]:
    """Scan sources, or join the running scans of these sources; return the closed scans.

    Sources of a running scan are not scanned again; the other sources follow after that scan. An interrupted
    scan is finished first, then all sources are scanned, because the interrupted scan saw its pages some time
    ago.

    Args:
        identity: asks for it.
        runtime: the stores.
        sources: what to scan; none: compare what is stored.
        trigger: of a new scan.
        closed: sources outside their hours, which a new scan reports.

    Raises:
        NothingToCompareWith: no work is indexed.
    """
    joined: list[Scan] = []
    rest = sources
    while True:
        try:
            opened = open_scan(identity, runtime, rest, trigger=trigger, closed=closed)
        except StillScanning as still:
            other = _wait_for_other(identity, runtime, still.scan_id, rest)
            joined += [other] if other else []
            rest = [source for source in rest if other is None or source.name not in other.sources]
            if sources and not rest:
                return joined
        else:
            if sources:
                line = ngettext("Scan {id}: {count} source.", "Scan {id}: {count} sources.", len(rest))
                print_progress(line.format(id=opened.id, count=len(rest)))
            return [*joined, wait_for_scan(runtime, opened)]


def _wait_for_other(identity: Identity, runtime: Runtime, scan_id: str, sources: list[Source]) -> Scan | None:
    """Wait for a running scan; return the scan, or None if it had been interrupted before."""
    running = get_scan(identity, runtime.stores, scan_id)
    is_going_on = is_in_progress(running, runtime.stores)
    print_progress(_line(running, sources, is_going_on=is_going_on))
    closed = wait_for_scan(runtime, running)
    return closed if is_going_on else None


def _line(running: Scan, sources: list[Source], *, is_going_on: bool) -> str:
    """Return the line about a scan that the command waits for."""
    if not is_going_on:
        return _("Scan {id} was interrupted; it is finished first.").format(id=running.id)
    later = [source.name for source in sources if source.name not in running.sources]
    if later:
        line = _(
            "Scan {id} is already running; this request joins it. Sources that are scanned afterwards: "
            "{names}"
        )
        return line.format(id=running.id, names=", ".join(later))
    return _("Scan {id} is already running; this request joins it.").format(id=running.id)


def compare_stored_pages(identity: Identity, runtime: Runtime) -> None:
    """Compare all pages again that an older mother corpus judged, or join scans that already do this."""
    if needs_comparison(identity, runtime.stores):
        scan_or_join(identity, runtime, [], trigger="corpus")
    for running in scans_that_compare(identity, runtime.stores):
        print_progress(_line(running, [], is_going_on=True))
        wait_for_scan(runtime, running)
