"""A Redis that takes nothing more, or still loads: what it was asked is done later, once and whole."""

from contextlib import closing

import pytest
from pydantic import SecretStr
from support.faults.index_faults import outcome
from support.loading import raw, store_work
from support.strategies import story
from support.waiting import wait_until
from support.wrong_servers import free_port, redis_process

from storage.records import Page
from system.errors import MemoryFull, ServiceDown
from tracker import tasks
from tracker.corpus.chapters import ChapterSection
from tracker.corpus.loading import Terms
from tracker.indexing.guard import verify
from tracker.runtime import open_runtime
from tracker.scans.dispatch import dispatch_pages, dispatch_works
from tracker.scans.screening import Screening

pytestmark = pytest.mark.services
CHAPTERS = [ChapterSection(f"第{number}章", story(4000, number)) for number in range(20)]
ROOM_BYTES = 100_000  # the works need several times as much
SLOWLY = ("--key-load-delay", "60", "--loading-process-events-interval-bytes", "1024")  # some seconds


@pytest.fixture
def own(settings, stores, monkeypatch):
    """What a worker has, on a Redis at a port where none runs yet, with a work and a page that copies it."""
    storage = {"redis_url": SecretStr(f"redis://127.0.0.1:{free_port()}/0"), "timeout_s": 2.0}
    changed = {
        "storage": settings.storage.model_copy(update=storage),
        "tracker": settings.tracker.model_copy(update={"lease_s": 1.0}),
    }
    with closing(open_runtime(settings.model_copy(update=changed))) as runtime:
        monkeypatch.setattr(tasks, "worker_runtime", lambda: runtime)
        screening = Screening(stores, runtime.params)
        monkeypatch.setattr(tasks, "screening", lambda: screening)
        yield runtime


def running_redis(runtime, folder, *options):
    return redis_process(folder, *options, port=int(runtime.redis.get_connection_kwargs()["port"]))


def work(runtime):
    """Do what waits, as a worker does; return whether nothing waits any more."""
    sent, stores, rules = [], runtime.stores, runtime.settings.tracker
    dispatch_works(stores, rules, lambda *message: sent.append(message))
    dispatch_pages(stores, rules, lambda *message: sent.append(message))
    for task, ids, token in sent:
        getattr(tasks, task).run(list(ids), token)
    return not (stores.works.count("stored") or stores.pages.waiting("s1"))


def store(runtime):
    store_work(raw(*CHAPTERS), runtime.stores, runtime.guard.live(), terms=Terms())


def add_page(runtime):
    fields = {"host": "site.example", "source": "a", "kind": "chapter", "scan_id": "s1"}
    text = CHAPTERS[3].text[:2000]
    page = Page(id="p", url="http://site.example/p", content_hash="p", text=text, **fields)
    runtime.stores.pages.see_many([page])


def test_work_refused_by_a_full_redis_is_completed_once_after_a_raise(own, tmp_path):
    with running_redis(own, tmp_path):
        store(own)
        used = own.redis.info("memory")["used_memory"]
        own.redis.config_set("maxmemory", used + ROOM_BYTES)
        for _ in range(2):  # it was broken off within, and is again
            with pytest.raises(MemoryFull):
                wait_until(lambda: work(own))
        assert own.stores.works.count("stored") == 1
        own.redis.config_set("maxmemory", 0)
        wait_until(lambda: work(own))
        assert verify(own.stores, own.redis) == 0
        assert set(outcome(own)["postings"].values()) == {1}
        add_page(own)
        wait_until(lambda: work(own))
        assert [match.passage_title for match in own.stores.matches.of_page("p")] == ["第3章"]


def test_redis_that_loads_is_no_empty_index(own, tmp_path):
    with running_redis(own, tmp_path):
        store(own)
        wait_until(lambda: work(own))
        generation = own.guard.index().generation
        own.redis.save()
    add_page(own)
    with running_redis(own, tmp_path, *SLOWLY):
        refused = []

        def is_done():
            try:
                return work(own)
            except ServiceDown as error:
                refused.append(str(error))
                return False

        wait_until(is_done)
        assert any("is not ready yet" in line for line in refused)
        assert own.guard.index().generation == generation
    assert [match.passage_title for match in own.stores.matches.of_page("p")] == ["第3章"]
