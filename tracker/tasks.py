"""The Celery tasks: ids in, a small dict out; the work itself is in the modules beside.

A task is the boundary where an unexpected error is logged with ids and the record set aside; a service that
is down leaves the record under its lease, to be sent again.
"""

import logging
from collections.abc import Sequence
from datetime import timedelta
from functools import cache, partial

from celery.signals import worker_process_init

from storage.errors import PindnaError
from storage.records import utc_now
from storage.retention import prune_evidence
from storage.settings import load_settings
from tracker.celery import app
from tracker.crawling import crawl_sources as run_crawls
from tracker.dispatch import dispatch_pages
from tracker.indexing import index_work
from tracker.pages import compare_page
from tracker.retroactive import Screening
from tracker.runtime import Runtime, open_runtime
from tracker.scanning import (
    AllPaused,
    NoSources,
    NothingToCompareWith,
    close_complete,
    sources_to_crawl,
    start_scan,
)
from tracker.scanning import tick as run_tick

log = logging.getLogger(__name__)


@cache
def runtime() -> Runtime:
    """Return this process's open stores."""
    return open_runtime(load_settings())


@worker_process_init.connect
def _forget_inherited(**_: object) -> None:
    """A forked process must not use its parent's connections."""
    runtime.cache_clear()


def send(task: str, ids: Sequence[object], token: str) -> None:
    """Send a reservation to a worker."""
    app.send_task(f"tracker.tasks.{task}", args=[list(ids), token])


@app.task(name="tracker.tasks.index_works")
def index_works(work_ids: list[int], token: str) -> dict[str, int]:
    """Fingerprint and index reserved works."""
    here = runtime()
    settings, stores = here.settings.tracker, here.stores
    index, done = here.guard.live(), 0
    for work in stores.works.get_many(work_ids).values():
        if not stores.works.take(work.id, token=token, lease_s=settings.lease_s):
            continue
        try:
            keep = partial(stores.works.extend, work.id, token=token, lease_s=settings.lease_s)
            done += index_work(work, stores, index, keep=keep)
        except PindnaError:
            raise
        except Exception:
            log.exception("work %d could not be indexed", work.id)
            stores.works.mark_failed(work.id, token=token)
    return {"indexed": done}


@app.task(name="tracker.tasks.compare_pages")
def compare_pages(page_ids: list[str], token: str) -> dict[str, int]:
    """Compare reserved pages with the mother corpus."""
    here = runtime()
    settings, stores = here.settings.tracker, here.stores
    corpus, screening, done = here.corpus(), Screening(stores), 0
    for page in stores.pages.get_many(page_ids).values():
        if not stores.pages.take(page.id, token=token, lease_s=settings.lease_s):
            continue
        try:
            done += compare_page(
                page, stores, corpus, token=token, lease_s=settings.lease_s, screening=screening
            )
        except PindnaError:
            raise
        except Exception:
            log.exception("page %s could not be compared", page.id)
            stores.pages.mark_failed(page.id, token=token, reason="internal-error")
    close_complete(stores)
    return {"compared": done}


@app.task(name="tracker.tasks.crawl_sources")
def crawl_sources(crawl_ids: list[str], token: str) -> dict[str, int]:
    """Crawl reserved sources, and send their pages on as they come."""
    here = runtime()
    settings, stores = here.settings, here.stores
    done = run_crawls(
        crawl_ids,
        stores,
        token=token,
        lease_s=settings.tracker.lease_s,
        processes=settings.crawler.processes,
        meanwhile=lambda: dispatch_pages(stores, settings.tracker, send),
    )
    run_tick(stores, settings, send)
    return {"crawled": done}


@app.task(name="tracker.tasks.tick")
def tick() -> dict[str, int]:
    """Send on what waits: lost messages, expired leases, finished scans."""
    here = runtime()
    run_tick(here.stores, here.settings, send)
    return {}


@app.task(name="tracker.tasks.daily_scan")
def daily_scan() -> dict[str, str]:
    """Open the scheduled scan, unless one is still running."""
    here = runtime()
    if here.stores.scans.running():
        log.warning("the daily scan is skipped: the one before is still running")
        return {}
    try:
        sources = sources_to_crawl(here.stores, scheduled=True)
        scan = start_scan(here.stores, here.guard, sources=sources, trigger="schedule")
    except (NoSources, AllPaused, NothingToCompareWith) as error:
        log.warning("the daily scan is skipped: %s", error)
        return {}
    run_tick(here.stores, here.settings, send)
    if here.settings.crawler.snapshot_days:
        before = utc_now() - timedelta(days=here.settings.crawler.snapshot_days)
        log.info("%d fetches are deleted: their time was up", prune_evidence(here.stores, before=before))
    return {"scan": scan.id}
