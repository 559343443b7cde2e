"""``pindna scan --watch`` and ``--stop``: watch and stop running scans."""

from analysis.accounts.permissions import Identity
from analysis.actions.scans import stop_scan
from analysis.queries.scans import running_scans
from analysis.words.i18n import gettext as _
from analysis.words.i18n import ngettext
from deploy.cli.console import print_progress, print_result
from deploy.cli.identity import user_session
from deploy.cli.scan.waiting import wait_for_scan
from storage.records import Scan
from tracker.runtime import Runtime


def watch_scans(identity: Identity, runtime: Runtime) -> list[Scan]:
    """Wait until every running scan is closed, the oldest first; return these scans.

    Raises:
        ScanGoesOn, ScanRests: Ctrl-C, and what that means.
    """
    scans = []
    for scan in running_scans(identity, runtime.stores):
        closed = wait_for_scan(runtime, scan)
        line = _("Scan {id} is finished: {pages} pages seen.")
        print_progress(line.format(id=scan.id, pages=closed.counts.get("pages", 0)))
        scans.append(closed)
    if not scans:
        print_result(_("No scan is running."))
    return scans


def stop_scans(by: str) -> None:
    """Stop the crawls of all running scans; pages that were fetched are compared, then a scan is closed."""
    with user_session(by) as (identity, runtime):
        scans = running_scans(identity, runtime.stores)
        for scan in scans:
            count = stop_scan(identity, runtime, scan.id)
            line = ngettext(
                "Scan {id}: {count} crawl is stopped; the pages that it fetched are kept and compared.",
                "Scan {id}: {count} crawls are stopped; the pages that they fetched are kept and compared.",
                count,
            )
            print_result(line.format(id=scan.id, count=count))
    if not scans:
        print_result(_("No scan is running."))
