"""The Celery tasks: ids in, a small dict out; the other modules do the work.

A task logs an unexpected error with ids and sets the record aside. If a service is down, the record keeps its
lease and is sent again later.
"""

import logging
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from datetime import datetime, timedelta
from functools import cache

from celery import Task
from celery.signals import task_prerun, worker_init, worker_process_init

from storage.collections.leases import Keeper
from storage.collections.retention import prune_evidence
from storage.index.redis_index import RedisIndex
from storage.records import VERDICTS, Work
from storage.settings import load_settings
from system.errors import IndexBusy, IndexUnusable, PindnaError
from system.log_lines import log_ids
from tracker.celery import app
from tracker.corpus.removal import REMOVED_DAYS, purge_removed
from tracker.indexing.adding import index_works as run_index_works
from tracker.indexing.generations import keep_compact as run_keep_compact
from tracker.judgement.profiles import chosen_profiles, rules_of
from tracker.metrics import count_comparisons, count_lost, count_works
from tracker.runtime import Runtime, open_runtime
from tracker.scans.calendar import DUE, due_of, last_due
from tracker.scans.comparing import compare_reserved
from tracker.scans.crawl_inbox import Assignment, CrawlInbox
from tracker.scans.crawling import PAUSE_S
from tracker.scans.crawling import crawl_sources as run_crawls
from tracker.scans.daily import open_daily
from tracker.scans.dispatch import dispatch_crawls, dispatch_pages
from tracker.scans.hours import mark_opened, sources_to_open
from tracker.scans.pages import ComparedPage
from tracker.scans.scanning import (
    AllPaused,
    NoSources,
    NothingToCompareWith,
    close_complete,
    start_scan,
)
from tracker.scans.scanning import tick as run_tick
from tracker.scans.screening import Screening
from tracker.scans.turns import StillScanning, due_turn, is_missed
from tracker.stopping import is_stopping

log = logging.getLogger(__name__)

_LATE = timedelta(minutes=2)  # after this, the message for a due time counts as lost
_COMPACTION_STEPS = 16  # steps of some 4,000 buckets each: after a few seconds, other work continues


@cache
def worker_runtime() -> Runtime:
    """Return this process's open stores."""
    return open_runtime(load_settings())


@cache
def screening() -> Screening:
    """Return this process's screening of recently added works."""
    return Screening(worker_runtime().stores, worker_runtime().params)


@cache
def crawl_inbox() -> CrawlInbox:
    """Return the inbox in which the processes of this worker submit crawls."""
    return CrawlInbox()


@worker_init.connect
def _make_inbox(**_: object) -> None:
    """Create the inbox before any process is forked."""
    crawl_inbox()


@worker_process_init.connect
def _drop_inherited_connections(**_: object) -> None:
    """Drop the connections of the parent, which a forked process must not use."""
    worker_runtime.cache_clear()
    screening.cache_clear()


@task_prerun.connect
def _follow_settings(**_: object) -> None:
    """Read changed settings before a task, at most every few seconds."""
    if worker_runtime.cache_info().currsize:
        worker_runtime().live_settings.follow()


@app.task(name="tracker.tasks.index_works")
def index_works(work_ids: list[int], token: str) -> dict[str, int]:
    """Fingerprint and index reserved works: all together, or one by one if that fails."""
    runtime = worker_runtime()
    settings, stores = runtime.settings.tracker, runtime.stores
    index = runtime.guard.live()
    claimed, works = stores.works.claim_many(work_ids, token=token, lease_s=settings.lease_s)
    began, keep = time.monotonic(), _lease_keeper(works, claimed, runtime)
    try:
        indexed = run_index_works(works, stores, index, runtime.params, keep=keep)
    except PindnaError:
        raise
    except Exception:
        log.exception("%d works could not be indexed together", len(works))
        indexed = sum(_index_alone(work, runtime, index, claimed) for work in works)
    if works:
        characters, seconds = sum(work.characters for work in works), time.monotonic() - began
        count_works(indexed, characters, seconds=seconds)
        log.info("works indexed: %d of %d, %d characters, %.1f s", indexed, len(works), characters, seconds)
    if is_stopping():  # the call was interrupted; finished works have no lease any more
        stores.works.release([work.id for work in works], token=claimed)
    return {"indexed": indexed}


def _lease_keeper(works: Sequence[Work], token: str, runtime: Runtime) -> Callable[[], bool]:
    """Return a function that extends the leases of works, until this worker ends."""
    lease_s, ids = runtime.settings.tracker.lease_s, [work.id for work in works]

    def extend() -> bool:
        is_ours = runtime.stores.works.extend_many(ids, token=token, lease_s=lease_s)
        if not is_ours:
            count_lost("work", len(ids))
        return is_ours

    keeper = Keeper(extend, lease_s)
    return lambda: not is_stopping() and keeper()


def _index_alone(work: Work, runtime: Runtime, index: RedisIndex, token: str) -> int:
    """Index one work; if that fails, it is set aside and the others continue."""
    try:
        keep = _lease_keeper([work], token, runtime)
        return run_index_works([work], runtime.stores, index, runtime.params, keep=keep)
    except PindnaError:
        raise
    except Exception:
        log.exception("work %d could not be indexed", work.id)
        runtime.stores.works.mark_failed(work.id, token=token)
        return 0


@app.task(name="tracker.tasks.compare_pages")
def compare_pages(page_ids: list[str], token: str) -> dict[str, int]:
    """Compare reserved pages with the mother corpus, looking all of them up in the index at once.

    The thresholds are recorded, because a scan may be opened with other ones after this began.
    """
    runtime, began, stored_pages = worker_runtime(), time.monotonic(), list[ComparedPage]()
    if runtime.stores.versions.record_rules(rules_of(chosen_profiles(runtime.settings.tracker))):
        log.warning("the thresholds have changed: the next scan judges all pages again")
    compared = compare_reserved(
        page_ids,
        runtime.stores,
        runtime.corpus(),
        screening(),
        token=token,
        lease_s=runtime.settings.tracker.lease_s,
        is_stopping=is_stopping,
    )
    try:
        stored_pages.extend(compared)  # includes the pages stored before a service went down
    finally:
        if stored_pages:
            _report_verdicts(stored_pages, len(page_ids), seconds=time.monotonic() - began)
    return {"compared": len(stored_pages)}


def _report_verdicts(stored_pages: Sequence[ComparedPage], requested: int, *, seconds: float) -> None:
    """Log and count the verdicts on the compared pages."""
    counter = Counter(stored_page.verdict for stored_page in stored_pages)
    verdicts = {verdict: counter[verdict] for verdict in VERDICTS if counter[verdict]}
    count_comparisons(verdicts, seconds=seconds)
    counts = ", ".join(f"{number} {verdict}" for verdict, number in verdicts.items())
    pages = [stored_page.page for stored_page in stored_pages]
    with log_ids(scan=(page.scan_id for page in pages), source=(page.source for page in pages)):
        log.info("pages compared: %d of %d (%s), %.1f s", len(stored_pages), requested, counts, seconds)


@app.task(name="tracker.tasks.keep_compact")
def keep_compact() -> dict[str, bool]:
    """Remove deleted postings from the index, and enlarge a grown one; a limited amount at a time."""
    runtime = worker_runtime()
    try:
        _, more = run_keep_compact(runtime.stores, runtime.redis, runtime.params, steps=_COMPACTION_STEPS)
    except (IndexBusy, IndexUnusable) as error:
        log.info("compaction of the index skipped: %s", error)
        return {"more": False}
    if more:
        runtime.queue.send_again("keep_compact")
    return {"more": more}


@app.task(name="tracker.tasks.crawl_sources")
def crawl_sources(crawl_ids: list[str], token: str) -> dict[str, int]:
    """Submit reserved crawls to the crawling process of this worker; become that process if there is none."""
    runtime, inbox, finished = worker_runtime(), crawl_inbox(), 0
    for crawl_id in crawl_ids:  # one; versions before 0.2 sent several together
        if not inbox.submit(Assignment(crawl_id, token)):
            runtime.stores.scans.release([crawl_id], token=token, pause_s=PAUSE_S)
    while inbox.has_pending():
        with inbox.turn() as is_ours:
            if not is_ours:
                break
            finished += _run_crawls(runtime, inbox)
    if finished:
        run_tick(runtime.stores, runtime.settings, runtime.queue.send)
    return {"crawled": finished}


def _run_crawls(runtime: Runtime, inbox: CrawlInbox) -> int:
    """Run submitted crawls, and dispatch pages and further crawls while they run."""
    settings, stores = runtime.settings, runtime.stores

    def send_on() -> None:
        dispatch_pages(stores, settings.tracker, runtime.queue.send)
        dispatch_crawls(stores, settings.tracker, runtime.queue.send, count=settings.crawler.processes * 4)

    return run_crawls(
        inbox.take_all,
        stores,
        lease_s=settings.tracker.lease_s,
        processes=settings.crawler.processes,
        while_running=send_on,
        is_stopping=is_stopping,
    )


@app.task(name="tracker.tasks.tick")
def tick() -> dict[str, int]:
    """Dispatch waiting work: lost messages, expired leases, finished scans."""
    runtime = worker_runtime()
    run_tick(runtime.stores, runtime.settings, runtime.queue.send)
    return {}


@app.task(name="tracker.tasks.scan_by_hours")
def scan_by_hours() -> dict[str, str]:
    """Open a scan of sources whose hours began after the daily scan skipped them or after an interruption.

    The daily scan comes first, if it was missed.
    """
    runtime = worker_runtime()
    close_complete(runtime.stores)
    _open_missed(runtime)
    due = sources_to_open(runtime.stores, runtime.settings.tracker, now=runtime.stores.clock.now())
    if not due:
        return {}
    rules, sources = runtime.settings.tracker, [source for source, _ in due]
    try:
        scan = start_scan(runtime.stores, runtime.guard, rules, sources=sources, trigger="hours")
    except (NothingToCompareWith, StillScanning) as error:
        log.info("no scan opened for sources whose hours began: %s", error)
        return {}
    mark_opened(runtime.stores, due)
    run_tick(runtime.stores, runtime.settings, runtime.queue.send)
    return {"scan": scan.id}


def _forget_removed(runtime: Runtime) -> None:
    """Delete removed works whose retention time is over."""
    if runtime.stores.works.removed():
        before = runtime.stores.clock.now() - timedelta(days=REMOVED_DAYS)
        purged = purge_removed(runtime.stores, runtime.guard.live(), before=before)
        log.info("%d removed works deleted: their retention time is over", purged)


@app.task(name="tracker.tasks.daily_scan", bind=True)
def daily_scan(self: Task[..., dict[str, str]]) -> dict[str, str]:
    """Open the scheduled scan of the sources that no scan crawls any more, once for each due time."""
    runtime = worker_runtime()
    due = due_of(self.request.get(DUE), now=runtime.stores.clock.now())
    _forget_removed(runtime)
    return _open_daily(runtime, due)


def _open_missed(runtime: Runtime) -> None:
    """Open the daily scan that is due if its message was lost because beat, Redis or workers were down."""
    rules, now = runtime.settings.tracker, runtime.stores.clock.now()
    due = last_due(rules.scan_schedule, rules.timezone, now=now - _LATE)
    if is_missed(runtime.stores, due, now=now):
        log.warning("the scan that was due at %s is opened late", due)
        _open_daily(runtime, due)


def _open_daily(runtime: Runtime, due: datetime | None) -> dict[str, str]:
    """Open the scheduled scan, unless another worker does or did; and delete expired evidence."""
    with due_turn(runtime.stores, due) if due else nullcontext(enter_result=True) as is_ours:
        if not is_ours:
            log.info("the scan that was due at %s is already open: several beats are running", due)
            return {}
        try:
            scan = open_daily(runtime.stores, runtime.guard, runtime.settings.tracker, due=due)
        except (NoSources, AllPaused, NothingToCompareWith, StillScanning) as error:
            log.warning("daily scan skipped: %s", error)
            return {}
    run_tick(runtime.stores, runtime.settings, runtime.queue.send)
    if runtime.settings.crawler.snapshot_days:
        before = runtime.stores.clock.now() - timedelta(days=runtime.settings.crawler.snapshot_days)
        gone = prune_evidence(runtime.stores, before=before)
        log.info("%d captures deleted (%d bytes): their retention time is over", gone.captures, gone.size)
    return {"scan": scan.id}
