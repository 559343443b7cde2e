"""Celery tasks for cases, notices, alerts and evidence. Each task returns a small dict of numbers.

``tracker.celeryconfig`` names this module as a string, because the tracker does not import ``analysis``.
"""

import logging

from analysis.actions.deposits import deposit_roots
from analysis.alerts.checks import checks_of
from analysis.alerts.running import run_alerts
from analysis.evidence.log import append_pending
from analysis.evidence.roots import sign_daily_root, stamp_roots
from analysis.notices.replies import record_silence
from analysis.notices.sending import settle_interrupted
from analysis.watch.enrolling import follow_events
from analysis.watch.rounds import run_due
from system.errors import PindnaError
from tracker.celery import app
from tracker.tasks import worker_runtime

log = logging.getLogger(__name__)

_WATCH_S = 60.0  # after this time the watch starts no further round; the next scheduled run continues


@app.task(name="analysis.tasks.follow_notices")
def follow_notices() -> dict[str, int]:
    """Find notices whose sending broke off or that got no reply in time, and move their cases."""
    stores = worker_runtime().stores
    now = stores.clock.now()
    uncertain, silent = settle_interrupted(stores, now=now), record_silence(stores, now=now)
    if uncertain or silent:
        log.info("notices: %d became uncertain, %d were not answered in time", uncertain, silent)
    return {"uncertain": uncertain, "unanswered": silent}


@app.task(name="analysis.tasks.tell_alerts")
def tell_alerts() -> dict[str, int]:
    """Send alerts on what happened since the last time, and retry failed ones."""
    runtime = worker_runtime()
    run = run_alerts(
        runtime.stores, runtime.settings, checks=checks_of(runtime), clock=runtime.stores.clock.now
    )
    if run.new or run.packed or run.sent:
        log.info("alerts: %d new, %d mailings made, %d through", run.new, run.packed, run.sent)
    return {"new": run.new, "packed": run.packed, "sent": run.sent}


@app.task(name="analysis.tasks.log_evidence")
def log_evidence() -> dict[str, int]:
    """Append new captures and events to the evidence log."""
    runtime = worker_runtime()
    try:
        count = append_pending(runtime.stores, runtime.settings)
    except PindnaError as error:
        log.error("%s", error)  # noqa: TRY400 - one line; it is tried again by itself
        return {"logged": 0}
    return {"logged": count}


@app.task(name="analysis.tasks.sign_evidence")
def sign_evidence() -> dict[str, int]:
    """Sign the root of the day, and request missing timestamps and receipts of roots."""
    runtime = worker_runtime()
    try:
        root = sign_daily_root(runtime.stores, runtime.settings)
        failed = [
            *stamp_roots(runtime.stores, runtime.settings),
            *deposit_roots(runtime.stores, runtime.settings),
        ]
    except PindnaError as error:
        log.error("%s", error)  # noqa: TRY400 - one line; it is tried again by itself
        return {"signed": 0, "failed": 0}
    for failure in failed:
        log.warning("%s", failure)
    return {"signed": int(root is not None), "failed": len(failed)}


@app.task(name="analysis.tasks.watch_due")
def watch_due() -> dict[str, int]:
    """Update the watched addresses of changed cases, and check the addresses that are due."""
    runtime = worker_runtime()
    rules = runtime.settings.analysis.watch
    if not rules.enabled:
        return {}
    clock, processes = runtime.stores.clock.now, runtime.settings.crawler.processes
    follow_events(runtime.stores, rules, now=clock())
    rounds = run_due(
        runtime.stores, runtime.settings.analysis, processes=processes, budget_s=_WATCH_S, now=clock
    )
    due_count = runtime.stores.watches.count_due(clock())
    if rounds or due_count:
        log.info("watch: %d addresses asked, %d are left for the next time", len(rounds), due_count)
    return {"asked": len(rounds), "left": due_count}
