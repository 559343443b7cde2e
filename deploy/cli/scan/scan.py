"""``pindna scan`` and ``pindna crawl``: run the daily job by hand, for all sources or one source."""

from collections.abc import Iterable
from typing import Annotated

import typer

from analysis.accounts.permissions import Identity
from analysis.actions.scans import sources_to_scan
from analysis.alerts.source_alerts import alert_line
from analysis.health.services import missing_works
from analysis.queries.scans import page_events_of, running_scans, summary_of
from analysis.queries.sources import every_source
from analysis.reports.statistics import ScanSummary
from analysis.words.i18n import gettext as _
from analysis.words.i18n import translator
from analysis.words.labels import LEFT, LOOKS, PAGE_EVENTS, VERDICTS
from analysis.words.page_texts import unread_amounts
from deploy.cli.console import print_progress, print_result
from deploy.cli.identity import As, user_session
from deploy.cli.labels import reason_of, word_of
from deploy.cli.outcomes import FOUND_VERDICTS, Tally, found_verdicts
from deploy.cli.scan.joining import scan_or_join
from deploy.cli.scan.scans_under_way import stop_scans, watch_scans
from deploy.cli.scan.waiting import wait_for_works, warn_of_missing_works
from deploy.cli.source.source_list import hours_line, pause_line
from storage.records import PageEventKind, Scan, Verdict
from system.exit_status import ExitStatus
from tracker.runtime import Runtime

# Reasons for which a page is not compared although nothing failed: there is no text, or the site's rules
# forbid requests.
NO_TEXT_THERE = frozenset({"list", "empty", "robots", "http-404", "http-410"})
# Events of known pages that a scan reports; new pages are counted separately.
PAGE_EVENTS_SHOWN: tuple[PageEventKind, ...] = ("changed", "gone", "moved", "returned")
_GRAVEST_FIRST = (ExitStatus.FOUND, ExitStatus.PARTLY)  # the first status that any scan has counts


def scan(
    *,
    watch: Annotated[
        bool, typer.Option("--watch", help=_("Wait for the running scans, without starting another one."))
    ] = False,
    stop: Annotated[
        bool, typer.Option("--stop", help=_("Stop the running scans; fetched pages are kept."))
    ] = False,
    by: As = "",
) -> None:
    """Scan every enabled source, or watch or stop the running scans."""
    if stop:
        stop_scans(by)
    elif watch:
        _watch(by)
    else:
        _scan([], by)


def crawl(
    names: Annotated[list[str], typer.Argument(metavar="SOURCE…", help=_("Names of sources."))],
    *,
    by: As = "",
) -> None:
    _scan(list(dict.fromkeys(names)), by)


def _scan(names: list[str], by: str) -> None:
    with user_session(by, worker=True) as (identity, runtime):
        paused = 0 if names else _print_left_out(identity, runtime)
        _end_with(identity, runtime, run_scans(identity, runtime, names), remaining=paused)


def _watch(by: str) -> None:
    with user_session(by, worker=True) as (identity, runtime):
        paused = _print_left_out(identity, runtime) if running_scans(identity, runtime.stores) else 0
        _end_with(identity, runtime, watch_scans(identity, runtime), remaining=paused)


def _end_with(identity: Identity, runtime: Runtime, scans: list[Scan], *, remaining: int) -> None:
    """Print the results of closed scans, and end with the gravest exit status among them.

    Args:
        identity: asks.
        runtime: the stores.
        scans: that are closed.
        remaining: sources that no scan crawled, for they pause or are outside their hours.
    """
    summaries = [show_scan(identity, runtime, closed) for closed in scans]
    remaining += missing_works(runtime.stores)
    verdicts = found_verdicts(runtime.settings.tracker)
    statuses = {status_of(summary, remaining=remaining, verdicts=verdicts) for summary in summaries}
    if status := next((status for status in _GRAVEST_FIRST if status in statuses), None):
        raise typer.Exit(status)


def _print_left_out(identity: Identity, runtime: Runtime) -> int:
    """Print the enabled sources that a scan omits (paused, or outside their hours); return their number."""
    views = every_source(identity, runtime.stores, runtime.settings.tracker)
    lines = {
        view.source.name: pause_line(view.health) or hours_line(view.source)
        for view in views
        if view.source.enabled
    }
    for name, line in lines.items():
        if line:
            print_progress(f"{name}: {line}")
    return sum(map(bool, lines.values()))


def status_of(
    summary: ScanSummary, *, remaining: int, verdicts: Iterable[Verdict] = FOUND_VERDICTS
) -> ExitStatus:
    """Return the exit status of a scan.

    Args:
        summary: of the scan.
        remaining: sources that it left out, and works that its pages were not compared with; what its crawls
            left is in the summary.
        verdicts: those that make it end with FOUND.
    """
    is_whole = summary.status == "finished" and all(source.state == "done" for source in summary.sources)
    remaining += summary.waiting + summary.unread.pages + sum(summary.left.values()) + (not is_whole)
    remaining += sum(pages for reason, pages in summary.not_compared.items() if reason not in NO_TEXT_THERE)
    is_found = any(summary.verdicts.get(verdict) for verdict in verdicts)
    return Tally(used=1, missing=remaining, has_found=is_found).status


def run_scans(identity: Identity, runtime: Runtime, names: list[str]) -> list[Scan]:
    """Wait until all works are indexed, scan sources, and wait until the scans are closed.

    Returns:
        The scan; before it those that were running, had some of the sources already and were joined.
    """
    sources, closed = sources_to_scan(identity, runtime, names)
    wait_for_works(runtime)
    warn_of_missing_works(runtime)
    return scan_or_join(identity, runtime, sources, closed=closed)


def show_scan(identity: Identity, runtime: Runtime, closed: Scan) -> ScanSummary:
    """Print the results of a scan, and return them."""
    summary = summary_of(identity, runtime.stores, closed.id)
    print_result(summary_line(summary))
    for verdict, number in summary.verdicts.items():
        label = word_of(VERDICTS, verdict)
        print_result(_("  {verdict}: {number}").format(verdict=label, number=number))
    _show_not_compared(summary)
    for state, number in summary.looks.items():
        label = word_of(LOOKS, state)
        print_result(_("  known pages with matches, {state}: {number}").format(state=label, number=number))
    counts = page_events_of(identity, runtime.stores, closed.id)
    for kind in PAGE_EVENTS_SHOWN:
        if events := counts.get(kind):
            label = word_of(PAGE_EVENTS, kind)
            print_result(_("  pages {event}: {number}").format(event=label, number=events))
    _show_alerts(identity, runtime, closed, summary)
    return summary


def summary_line(summary: ScanSummary) -> str:
    """Return the line with a scan's numbers of pages: seen, compared, partly or not compared, and left."""
    partly = ""
    if summary.unread.pages:
        partly = _(" ({count} not fully: {amounts})").format(
            count=summary.unread.pages, amounts=unread_amounts(summary.unread.amounts, translator())
        )
    line = _("{pages} pages seen, {compared} compared{partly}, {failed} not compared; {left} addresses left.")
    return line.format(
        pages=summary.pages,
        compared=summary.compared,
        partly=partly,
        failed=sum(summary.not_compared.values()),
        left=sum(summary.left.values()),
    )


def _show_alerts(identity: Identity, runtime: Runtime, closed: Scan, summary: ScanSummary) -> None:
    """Print the alerts about a scan's sources, and the failures that no alert reports."""
    views = every_source(identity, runtime.stores, runtime.settings.tracker)
    alerts = [alert for view in views if view.source.name in closed.sources for alert in view.alerts]
    for alert in alerts:
        print_progress(alert_line(translator(), alert))
    alerted = {(alert.source, alert.detail) for alert in alerts}
    for source in summary.sources:
        if source.state == "failed" and (source.name, source.error) not in alerted:
            print_progress(translator().message(source.message) or source.error)


def _show_not_compared(summary: ScanSummary) -> None:
    """Print the pages that a scan did not compare, and the addresses that it did not request."""
    for reason, number in sorted(summary.not_compared.items()):
        label = reason_of(reason)
        print_result(_("  not compared, {reason}: {number}").format(reason=label, number=number))
    if summary.last_texts:
        print_result(
            _("  of these, matches of an earlier text count: {number}").format(number=summary.last_texts)
        )
    for reason, number in sorted(summary.left.items()):
        label = word_of(LEFT, reason)
        print_result(_("  not requested, {reason}: {number}").format(reason=label, number=number))
