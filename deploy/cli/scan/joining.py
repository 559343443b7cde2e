"""A scan while another one runs: the second command waits for the first one's result and says so."""

from collections.abc import Sequence

from analysis.words.i18n import gettext as _
from analysis.words.i18n import ngettext
from deploy.cli.console import print_progress
from deploy.cli.scan.waiting import wait_for_scan
from storage.records import Scan, Source, Trigger
from tracker.runtime import Runtime
from tracker.scans.scanning import start_scan
from tracker.scans.turns import StillScanning, goes_on


def scan_or_join(
    runtime: Runtime, sources: list[Source], *, trigger: Trigger, closed: Sequence[Source] = ()
) -> list[Scan]:
    """Scan sources, or join the scans that have them already; return the closed scans.

    What a running scan has is not asked for again, the rest follows when that is finished. A scan that broke
    off is finished first, then everything is scanned: it saw its pages some time ago.

    Args:
        runtime: the stores.
        sources: what to scan; none: compare what is stored.
        trigger: of a new scan.
        closed: sources outside their hours, which a new scan tells of.

    Raises:
        NothingToCompareWith: no work is indexed.
        ServiceDown: a service does not answer.
    """
    joined: list[Scan] = []
    rest = sources
    while True:
        try:
            rules = runtime.settings.tracker
            opened = start_scan(
                runtime.stores, runtime.guard, rules, sources=rest, trigger=trigger, closed=closed
            )
        except StillScanning as still:
            other = _wait_for_other(runtime, still.scan_id, rest)
            joined += [other] if other else []
            rest = [source for source in rest if other is None or source.name not in other.sources]
            if sources and not rest:
                return joined
        else:
            if sources:
                line = ngettext("Scan {id}: {count} source.", "Scan {id}: {count} sources.", len(rest))
                print_progress(line.format(id=opened.id, count=len(rest)))
            return [*joined, wait_for_scan(runtime, opened)]


def _wait_for_other(runtime: Runtime, scan_id: str, sources: list[Source]) -> Scan | None:
    """Wait for a running scan; return it if it went on by itself, None if it had broken off."""
    running = runtime.stores.scans.get(scan_id)
    is_going_on = goes_on(running, runtime.stores)
    print_progress(_line(running, sources, is_going_on=is_going_on))
    closed = wait_for_scan(runtime, running)
    return closed if is_going_on else None


def _line(running: Scan, sources: list[Source], *, is_going_on: bool) -> str:
    """Return what the user is told of a scan that is waited for."""
    if not is_going_on:
        return _("Scan {id} broke off; it is finished first.").format(id=running.id)
    later = [source.name for source in sources if source.name not in running.sources]
    if later:
        line = _("Scan {id} is running; joined it. It is followed by: {names}")
        return line.format(id=running.id, names=", ".join(later))
    return _("Scan {id} is running; joined it.").format(id=running.id)


def compare_stored_pages(runtime: Runtime) -> None:
    """Compare pages that were compared with an older mother corpus; join the scans that compare some of them.

    Raises:
        ServiceDown: a service does not answer.
    """
    stores = runtime.stores
    if not stores.works.count_owned("indexed"):
        return
    if stores.pages.stale.is_any(corpus_version=stores.versions.current()):
        scan_or_join(runtime, [], trigger="corpus")
    for running in stores.scans.running():
        if running.stale_parts or stores.pages.is_waiting(running.id):
            print_progress(_line(running, [], is_going_on=True))
            wait_for_scan(runtime, running)
