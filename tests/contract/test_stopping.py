"""A worker that is stopped releases the records that it has begun; finished records stay finished."""

from contextlib import closing
from itertools import chain, repeat

import pytest
from support.loading import CHAPTERS, raw, stored_corpus

from storage.records import FREE, Page, Scan, utc_now
from tracker import tasks
from tracker.runtime import open_runtime

pytestmark = pytest.mark.services


@pytest.fixture
def mother(stores, redis_client):
    return stored_corpus(stores, redis_client)


@pytest.fixture
def stop_after(worker, monkeypatch):  # noqa: ARG001 - whose tasks are told
    """Let the worker be told to end after so many looks at the flag."""

    def stop(looks):
        answers = chain(repeat(False, looks), repeat(True))
        monkeypatch.setattr(tasks, "is_stopping", lambda: next(answers))

    return stop


@pytest.fixture
def worker(settings, monkeypatch):
    """Let the tasks of this process work on the test's databases."""
    with closing(open_runtime(settings)) as runtime:
        monkeypatch.setattr(tasks, "worker_runtime", lambda: runtime)
        tasks.screening.cache_clear()
        tasks.crawl_inbox.cache_clear()
        with closing(tasks.crawl_inbox()):
            yield runtime
        tasks.screening.cache_clear()
        tasks.crawl_inbox.cache_clear()


@pytest.mark.parametrize(("looks", "done"), [(0, 0), (2, 1), (9, 3)])
def test_batch_of_pages_is_released_between_two_pages(mother, stores, stop_after, looks, done):
    mother.load(raw())
    mother.index_all()
    pages = [
        Page(id=f"p{n}", url=f"u{n}", host="a.cn", source="x", kind="article", text=CHAPTERS[1].text)
        for n in range(3)
    ]
    stores.pages.see_many(pages)
    token, ids, _ = stores.pages.reserve_fetched(count=9, lease_s=60)
    stop_after(looks)
    assert tasks.compare_pages(ids, token) == {"compared": done}
    rows = list(stores.database["pages"].find({}))
    assert [row["verdict"] for row in rows if row["state"] == "compared"] == ["copy"] * done
    left = [row for row in rows if row["state"] == "fetched"]
    assert len(left) == 3 - done
    assert all((row["attempts"], row["lease"]["until"]) == (0, FREE.until) for row in left)
    assert len(stores.pages.reserve_fetched(count=9, lease_s=60).ids) == 3 - done


def test_works_being_indexed_are_released(mother, stores, stop_after):
    mother.load(raw())
    token, ids = stores.works.reserve_stored(count=9, lease_s=60)
    stop_after(0)
    assert tasks.index_works(ids, token) == {"indexed": 0}
    (row,) = stores.database["works"].find({})
    assert (row["status"], row["attempts"], row["lease"]["until"]) == ("stored", 0, FREE.until)
    token, again = stores.works.reserve_stored(count=9, lease_s=60)
    stop_after(99)
    assert (again, tasks.index_works(again, token)) == (ids, {"indexed": 1})


def test_late_crawl_is_released(stores, stop_after):
    stores.scans.open(Scan(id="s", trigger="hand", sources=("a",), started=utc_now()))
    token, ids = stores.scans.reserve_due(count=9, lease_s=60)
    stop_after(0)
    assert tasks.crawl_sources(ids, token) == {"crawled": 0}
    (crawl,) = stores.scans.crawls("s")
    assert (crawl.state, crawl.attempts, crawl.lease.taken) == ("due", 0, False)
    assert stores.scans.claim_crawl("s:a", token=token, lease_s=60) is None
