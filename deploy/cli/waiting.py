"""Waiting for the worker: keep dispatching, show the progress, notice when no worker answers."""

import time
from collections.abc import Callable

from analysis.i18n import gettext as _
from deploy.cli.console import print_error, print_progress, progress
from storage.errors import PindnaError
from storage.exit_status import ExitStatus
from storage.records import Scan
from tracker.queue import Queue
from tracker.runtime import Runtime
from tracker.scans.dispatch import dispatch_works
from tracker.scans.scanning import tick

_POLL_S = 0.5
_PATIENCE_S = 30.0  # without any progress before asking whether a worker is there
_PING_S = 10.0  # a busy machine answers late


class NoWorker(PindnaError):
    """Work waits and no Celery worker answers."""

    template = "No worker answers. Start one with `celery -A tracker worker`; the work waits in the database."
    exit_status = ExitStatus.DOWN


class NotYetIndexed(PindnaError):
    """Works wait for a worker. Data: ``count``."""

    template = "{count} works are not indexed yet and not compared with; a running worker indexes them."


class NotIndexed(PindnaError):
    """The worker could not index some works. Data: ``count``."""

    template = (
        "{count} works could not be indexed and are not compared with; the worker's log says why. "
        "Add them again to retry."
    )


def wait_for_works(runtime: Runtime) -> None:
    """Wait until every stored work is indexed.

    Raises:
        NoWorker: nothing moves and no worker answers.
        ServiceDown: a service does not answer.
    """
    works = runtime.stores.works
    _wait(
        _("Indexing works"),
        runtime.queue,
        remaining=lambda: works.count("stored"),
        keep_going=lambda: dispatch_works(runtime.stores, runtime.settings.tracker, runtime.queue.send),
        give_up=True,
    )


def warn_of_missing_works(runtime: Runtime) -> int:
    """Print how many works no comparison takes into account now, and return the number."""
    works = runtime.stores.works
    if waiting := works.count("stored"):
        print_error(NotYetIndexed(count=waiting))
    if failed := works.count("failed"):
        print_error(NotIndexed(count=failed))
    return waiting + failed


def missing_works(runtime: Runtime) -> int:
    """Return how many works no comparison takes into account now."""
    works = runtime.stores.works
    return works.count("stored") + works.count("failed")


def wait_for_scan(runtime: Runtime, scan: Scan) -> Scan:
    """Wait until a scan is closed and return it; a worker that died may come back.

    Raises:
        ServiceDown: a service does not answer.
    """
    stores = runtime.stores

    def remaining() -> int:
        if stores.scans.get(scan.id).status != "running":
            return 0
        due = sum(crawl.state == "due" for crawl in stores.scans.crawls(scan.id))
        return due + stores.pages.waiting(scan.id) + 1

    _wait(
        _("Scanning: sources to crawl and pages to compare"),
        runtime.queue,
        remaining=remaining,
        keep_going=lambda: tick(stores, runtime.settings, runtime.queue.send),
        give_up=False,
    )
    return stores.scans.get(scan.id)


def _wait(
    description: str,
    queue: Queue,
    *,
    remaining: Callable[[], int],
    keep_going: Callable[[], object],
    give_up: bool,
) -> None:
    """Call ``keep_going`` until nothing remains."""
    total = left = remaining()
    moved = time.monotonic()
    with progress() as bar:
        task = bar.add_task(description, total=total)
        while left:
            keep_going()
            time.sleep(_POLL_S)
            before, left = left, remaining()
            total = max(total, left)
            bar.update(task, total=total, completed=total - left)
            if left != before:
                moved = time.monotonic()
            elif time.monotonic() - moved > _PATIENCE_S:
                moved = time.monotonic()
                _look_for_worker(queue, give_up=give_up)


def _look_for_worker(queue: Queue, *, give_up: bool) -> None:
    if queue.workers(timeout_s=_PING_S):
        return
    if give_up:
        raise NoWorker
    print_progress(_("No worker answers; waiting for one. Start it with `celery -A tracker worker`."))
