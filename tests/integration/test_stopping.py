"""SIGTERM to a worker that crawls: it ends within seconds, and its crawls are free for another one."""

import re
import signal
import time
from contextlib import closing

import pytest
from support.processes import children_with, environment_of, worker
from support.waiting import has_ended, wait_until
from support.webserver import anchors, article

from storage.records import FREE, Scan, Source, utc_now
from tracker.queue import Queue
from tracker.scans.dispatch import dispatch_crawls

PAGES = 40
NAMES = ("a", "b")


@pytest.fixture
def sources(site, stores):
    """Two sources that share a slow site."""

    def page(path, *_):
        time.sleep(0.3)
        return article(path)

    for name in NAMES:
        numbers = range(PAGES)
        site.pages[f"/{name}/"] = anchors(
            *((f"/{name}/{number}.html", f"第{number}篇") for number in numbers)
        )
        site.pages |= {f"/{name}/{number}.html": page for number in numbers}
        stores.sources.save(
            Source(
                name=name,
                kind="news",
                start_urls=(f"{site.url}/{name}/",),
                follow=r"/\d+\.html",
                concurrency=1,
            )
        )


def crawls_below():
    """The crawls that run below this process; the session's worker may have some."""
    return children_with("-m crawler --source")


@pytest.mark.usefixtures("sources")
def test_stopping_worker_releases_its_crawls(settings, stores, site, tmp_path):
    lasting = {"PINDNA_TRACKER__LEASE_S": "120", "PINDNA_CRAWLER__PROCESSES": "2"}
    log, others = tmp_path / "worker.log", set(crawls_below())
    stores.scans.open(Scan(id="s1", trigger="hand", sources=NAMES, started=utc_now()))

    def crawled():
        return {path[1] for path, *_ in site.asked if path.endswith(".html")}

    with (
        closing(Queue(settings.storage)) as queue,
        worker({**environment_of(settings), **lasting}, log, "-Q", "crawl") as process,
    ):
        assert dispatch_crawls(stores, settings.tracker, queue.send, count=8) == 2
        wait_until(lambda: crawled() == set(NAMES), tell=log.read_text)
        assert len(own := set(crawls_below()) - others) >= 2  # at once, below one process of the worker
        began = time.monotonic()
        process.send_signal(signal.SIGTERM)
        process.wait(60)
        took_s = time.monotonic() - began
    assert took_s < 20, log.read_text()  # 5 s for the crawls; the rest is a busy machine's
    assert all(map(has_ended, own))
    assert set(crawls_below()) <= others
    crawls = stores.scans.crawls("s1")
    assert [(crawl.state, crawl.attempts, crawl.lease) for crawl in crawls] == [("due", 0, FREE)] * 2
    assert len(re.findall(r"crawl s1:[ab] released", log.read_text())) == 2
    assert sorted(stores.scans.reserve_due(count=8, lease_s=60)[1]) == ["s1:a", "s1:b"]
