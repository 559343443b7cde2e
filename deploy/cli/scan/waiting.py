"""Waiting until works are indexed or scans are closed, and the messages after Ctrl-C."""

from analysis.words.i18n import gettext as _
from analysis.words.i18n import ngettext
from deploy.cli.console import print_error
from deploy.cli.session import services_stay
from deploy.cli.wait import WaitProgress, wait
from storage.records import Crawl, Scan
from system.errors import PindnaError
from system.exit_status import ExitStatus
from tracker.runtime import Runtime
from tracker.scans.dispatch import dispatch_works
from tracker.scans.scanning import tick

_MAX_NAMES = 5


class NotYetIndexed(PindnaError):
    """Works wait for a worker. Data: ``count``."""

    template = (
        "Works are missing in the comparison, because they are not indexed yet ({count}). A "
        "running worker indexes them."
    )


class NotIndexed(PindnaError):
    """The worker could not index some works. Data: ``count``."""

    template = (
        "Works are missing in the comparison, because they could not be indexed ({count}). "
        "The log of the worker says why. Add them again to retry."
    )


class ScanGoesOn(PindnaError):
    """Ctrl-C ended the wait, not the scan. Data: ``id``, ``state``."""

    template = (
        "Interrupted. Scan {id} continues in the worker ({state}). `pindna scan --watch` "
        "shows it; `pindna scan --stop` ends it."
    )
    exit_status = ExitStatus.INTERRUPTED


class ScanRests(PindnaError):
    """Ctrl-C ended the wait and the embedded services, which the scan needs. Data: ``id``, ``state``."""

    template = (
        "Interrupted. The embedded services end with this command, so scan {id} is paused "
        "({state}). `pindna scan --watch` continues it; `pindna scan --stop` ends it."
    )
    exit_status = ExitStatus.INTERRUPTED


class IndexingGoesOn(PindnaError):
    """Ctrl-C ended the wait, not the indexing. Data: ``state``."""

    template = (
        "Interrupted. The works are stored, and the worker continues to index them "
        "({state}). `pindna index verify` lists the works that are not indexed yet."
    )
    exit_status = ExitStatus.INTERRUPTED


class IndexingRests(PindnaError):
    """Ctrl-C ended the wait and the embedded worker. Data: ``state``."""

    template = (
        "Interrupted. The embedded services end with this command, so the stored works wait "
        "to be indexed ({state}). The next `pindna scan` or `pindna corpus add` continues."
    )
    exit_status = ExitStatus.INTERRUPTED


def wait_for_works(runtime: Runtime) -> None:
    """Wait until every stored work is indexed.

    Raises:
        NoWorker: nothing moves and no worker answers.
        IndexingGoesOn, IndexingRests: Ctrl-C, and what that means.
    """
    works, tracker = runtime.stores.works, runtime.settings.tracker
    total = remaining = works.count("stored")

    def look() -> WaitProgress:
        nonlocal total, remaining
        remaining = works.count("stored")
        total = max(total, remaining)
        state = _("{done} of {total} works indexed").format(done=total - remaining, total=total)
        return WaitProgress(total - remaining, total, state, is_over=not remaining)

    def keep_going() -> None:
        dispatch_works(runtime.stores, tracker, runtime.queue.send)

    try:
        wait(_("Indexing works"), look, keep_going, runtime.queue, give_up=True)
    except KeyboardInterrupt as interrupt:
        state = _("{done} of {total} works indexed").format(done=total - remaining, total=total)
        raise (IndexingGoesOn if services_stay() else IndexingRests)(state=state) from interrupt


def warn_of_missing_works(runtime: Runtime) -> int:
    """Print and return the number of works that comparisons ignore now, because they are not indexed."""
    works = runtime.stores.works
    if waiting := works.count("stored"):
        print_error(NotYetIndexed(count=waiting))
    if failed := works.count("failed"):
        print_error(NotIndexed(count=failed))
    return waiting + failed


def wait_for_scan(runtime: Runtime, scan: Scan) -> Scan:
    """Wait until a scan is closed and return it; a dead worker may be restarted during the wait.

    Raises:
        ScanGoesOn, ScanRests: Ctrl-C, and what that means.
    """
    situation = WaitProgress(0, 0, "", is_over=False)

    def look() -> WaitProgress:
        nonlocal situation
        situation = _situation_of(scan.id, runtime)
        return situation

    def keep_going() -> None:
        tick(runtime.stores, runtime.settings, runtime.queue.send)

    try:
        wait(_("Comparing pages"), look, keep_going, runtime.queue, give_up=False)
    except KeyboardInterrupt as interrupt:
        error = ScanGoesOn if services_stay() else ScanRests
        raise error(id=scan.id, state=situation.waits_for) from interrupt
    return runtime.stores.scans.get(scan.id)


def _situation_of(scan_id: str, runtime: Runtime) -> WaitProgress:
    """Return the progress of a scan: the number of compared pages, and the running crawls."""
    stores = runtime.stores
    is_over = stores.scans.get(scan_id).status != "running"
    due = [crawl for crawl in stores.scans.crawls(scan_id) if crawl.state == "due"]
    compared, waiting = stores.pages.compared(scan_id), stores.pages.waiting(scan_id)
    total = compared + waiting
    parts = [_crawls_that_run(due)] if due else []
    parts += [_("{done} of {total} pages compared").format(done=compared, total=total)]
    trace = len(due), sum(sum(crawl.addresses.values()) for crawl in due)
    return WaitProgress(compared, total, _("; ").join(parts), is_over, trace)


def _crawls_that_run(due: list[Crawl]) -> str:
    """Return a text with the number of unfinished crawls and the first of their sources."""
    sources = list(dict.fromkeys(crawl.source for crawl in due))
    names = ", ".join(sources[:_MAX_NAMES]) + (", …" if len(sources) > _MAX_NAMES else "")
    text = ngettext("{count} crawl still runs: {names}", "{count} crawls still run: {names}", len(due))
    return text.format(count=len(due), names=names)
