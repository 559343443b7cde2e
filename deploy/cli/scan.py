"""``pindna scan`` and ``pindna crawl``: the daily job by hand, for all sources or one."""

from collections import Counter
from typing import Annotated, Final

import typer

from analysis.i18n import gettext as _
from analysis.i18n import translator
from analysis.statistics import scan_summary
from analysis.words import PAGE_EVENTS, VERDICTS, reason_word, word
from deploy.cli.console import say, tell
from deploy.cli.session import session
from deploy.cli.source import alert_line
from deploy.cli.waiting import wait_for_scan, wait_for_works, warn_of_missing_works
from storage.crawl_records import PageEventKind
from storage.records import Scan
from tracker.runtime import Runtime
from tracker.scanning import sources_to_crawl, start_scan

# What is new is in the table above already; what became of known pages is not.
PAGE_EVENTS_TOLD: Final[tuple[PageEventKind, ...]] = ("changed", "gone", "moved", "returned")


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
        closed = run_scan(runtime, names)
        failed = show_scan(runtime, closed)
    if failed:
        raise typer.Exit(2)


def run_scan(runtime: Runtime, names: list[str]) -> Scan:
    """Wait for works that are not indexed yet, open a scan, and wait until it is closed."""
    sources = sources_to_crawl(runtime.stores, names)
    wait_for_works(runtime)
    warn_of_missing_works(runtime)
    rules = runtime.settings.tracker
    opened = start_scan(runtime.stores, runtime.guard, rules, sources=sources, trigger="hand")
    tell(_("Scan {id}: {count} sources.").format(id=opened.id, count=len(sources)))
    return wait_for_scan(runtime, opened)


def show_scan(runtime: Runtime, closed: Scan) -> bool:
    """Print what a scan found; True when a source could not be crawled."""
    summary = scan_summary(runtime.stores, closed.id)
    say(
        _("{pages} pages seen, {compared} compared, {failed} not compared.").format(
            pages=summary.pages, compared=summary.compared, failed=sum(summary.not_compared.values())
        )
    )
    for verdict, number in summary.verdicts.items():
        say(f"  {word(translator(), VERDICTS, verdict)}: {number}")
    for reason, number in sorted(summary.not_compared.items()):
        told = reason_word(translator(), reason)
        say(_("  not compared, {reason}: {number}").format(reason=told, number=number))
    counts = Counter(event.kind for event in runtime.stores.page_events.of_scan(closed.id))
    for kind in PAGE_EVENTS_TOLD:
        if counts[kind]:
            told = word(translator(), PAGE_EVENTS, kind)
            say(_("  pages {event}: {number}").format(event=told, number=counts[kind]))
    for alert in runtime.stores.health.open_alerts():
        if alert.source in closed.sources:
            tell(_("Alert, {source}: {alert}").format(source=alert.source, alert=alert_line(alert)))
    failed = [source for source in summary.sources if source.state == "failed"]
    for each in failed:
        tell(each.error)
    return bool(failed)
