"""``pindna scan`` and ``pindna crawl``: the daily job by hand, for all sources or one."""

from collections import Counter
from typing import Annotated

import typer

from analysis.i18n import gettext as _
from analysis.i18n import translator
from analysis.labels import LEFT, PAGE_EVENTS, VERDICTS, reason_word, word
from analysis.statistics import ScanSummary, scan_summary
from deploy.cli.console import print_progress, print_result
from deploy.cli.outcomes import FOUND_VERDICTS, Tally
from deploy.cli.session import session
from deploy.cli.source import alert_line, pause_line
from deploy.cli.waiting import missing_works, wait_for_scan, wait_for_works, warn_of_missing_works
from storage.exit_status import ExitStatus
from storage.records import PageEventKind, Scan
from tracker.runtime import Runtime
from tracker.scans.scanning import sources_to_crawl, start_scan

# Why a page is not compared although nothing went wrong: there is no text, or the site's rules keep us out.
NO_TEXT_THERE = frozenset({"list", "empty", "robots", "http-404", "http-410"})
# New pages are counted already; these events concern known ones.
PAGE_EVENTS_SHOWN: tuple[PageEventKind, ...] = ("changed", "gone", "moved", "returned")


def scan() -> None:
    """Scan every enabled source."""
    _scan([])


def crawl(
    names: Annotated[list[str], typer.Argument(metavar="SOURCE…", help=_("Names of sources."))],
) -> None:
    """Scan some sources."""
    _scan(list(dict.fromkeys(names)))


def _scan(names: list[str]) -> None:
    with session(worker=True) as runtime:
        paused = 0 if names else _print_paused(runtime)
        closed = run_scan(runtime, names)
        show_scan(runtime, closed)
        left = paused + missing_works(runtime)
        status = status_of(scan_summary(runtime.stores, closed.id), left=left)
    if status:
        raise typer.Exit(status)


def _print_paused(runtime: Runtime) -> int:
    """Print which enabled sources a scan leaves out because they pause; return how many."""
    health = runtime.stores.health.all()
    lines = {
        source.name: pause_line(health.get(source.name))
        for source in runtime.stores.sources.all()
        if source.enabled
    }
    for name, line in lines.items():
        if line:
            print_progress(f"{name}: {line}")
    return sum(map(bool, lines.values()))


def status_of(summary: ScanSummary, *, left: int) -> ExitStatus:
    """Return the exit status of a scan.

    Args:
        summary: of the scan.
        left: sources that it left out, and works that its pages were not compared with; what its crawls
            left is in the summary.
    """
    is_whole = summary.status == "finished" and all(source.state == "done" for source in summary.sources)
    left += summary.waiting + sum(summary.left.values()) + (not is_whole)
    left += sum(pages for reason, pages in summary.not_compared.items() if reason not in NO_TEXT_THERE)
    is_found = any(summary.verdicts.get(verdict) for verdict in FOUND_VERDICTS)
    return Tally(done=1, left=left, found=is_found).status


def run_scan(runtime: Runtime, names: list[str]) -> Scan:
    """Wait for works that are not indexed yet, open a scan, and wait until it is closed."""
    sources = sources_to_crawl(runtime.stores, names)
    wait_for_works(runtime)
    warn_of_missing_works(runtime)
    rules = runtime.settings.tracker
    opened = start_scan(runtime.stores, runtime.guard, rules, sources=sources, trigger="hand")
    print_progress(_("Scan {id}: {count} sources.").format(id=opened.id, count=len(sources)))
    return wait_for_scan(runtime, opened)


def show_scan(runtime: Runtime, closed: Scan) -> None:
    """Print a scan's results."""
    summary = scan_summary(runtime.stores, closed.id)
    print_result(
        _("{pages} pages seen, {compared} compared, {failed} not compared; {left} addresses left.").format(
            pages=summary.pages,
            compared=summary.compared,
            failed=sum(summary.not_compared.values()),
            left=sum(summary.left.values()),
        )
    )
    for verdict, number in summary.verdicts.items():
        print_result(f"  {word(translator(), VERDICTS, verdict)}: {number}")
    for reason, number in sorted(summary.not_compared.items()):
        label = reason_word(translator(), reason)
        print_result(_("  not compared, {reason}: {number}").format(reason=label, number=number))
    for reason, number in sorted(summary.left.items()):
        label = word(translator(), LEFT, reason)
        print_result(_("  left, {reason}: {number}").format(reason=label, number=number))
    counts = Counter(event.kind for event in runtime.stores.page_events.of_scan(closed.id))
    for kind in PAGE_EVENTS_SHOWN:
        if counts[kind]:
            label = word(translator(), PAGE_EVENTS, kind)
            print_result(_("  pages {event}: {number}").format(event=label, number=counts[kind]))
    for alert in runtime.stores.health.open_alerts():
        if alert.source in closed.sources:
            print_progress(_("Alert, {source}: {alert}").format(source=alert.source, alert=alert_line(alert)))
    for source in summary.sources:
        if source.state == "failed":
            print_progress(source.error)
