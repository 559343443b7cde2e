"""Machines that compare while servers answer late, or that are cut off: leases hold, nothing is done twice.

A machine is a thread here, with connections of its own by ways to both servers. `python -m benchmarks
--section outages` does this with a whole day and real minutes.
"""

import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from urllib.parse import urlsplit

import pytest
from pydantic import SecretStr
from support.faults.ways import way_to
from support.loading import raw, stored_corpus
from support.strategies import story
from support.waiting import wait_until

from storage.records import Page
from system.errors import ServiceDown
from tracker import tasks
from tracker.corpus.chapters import ChapterSection
from tracker.runtime import open_runtime
from tracker.scans import comparing
from tracker.scans.screening import Screening

pytestmark = pytest.mark.services
COPIED = story(300, 1)
PAGES = [f"p{number}" for number in range(24)]
LEASE_S = 3.0
LATE_S = (0.03, 0.06)  # so that all pages together take longer than a lease
HERE = threading.local()


class Machine:
    """One that compares pages; ``way`` leads it to the documents, which have ``patience_s`` to answer."""

    def __init__(self, settings, opened, *, patience_s=20.0):
        url = settings.storage.mongo_url.get_secret_value()
        port = urlsplit(url).port
        self.way = opened.enter_context(way_to("127.0.0.1", port))
        detour = {
            "mongo_url": SecretStr(url.replace(f":{port}", f":{self.way.port}")),
            "timeout_s": patience_s,
        }
        own = {
            "storage": settings.storage.model_copy(update=detour),
            "tracker": settings.tracker.model_copy(update={"lease_s": LEASE_S}),
        }
        self.runtime = opened.enter_context(closing(open_runtime(settings.model_copy(update=own))))
        self.screening = Screening(self.runtime.stores, self.runtime.params)

    def compare(self, ids, token):
        """Do what a worker does with a message; returns how many pages it compared."""
        HERE.machine = self
        return tasks.compare_pages.run(ids, token)["compared"]


@pytest.fixture
def machine(settings, opened):
    return Machine(settings, opened)


@pytest.fixture
def opened():
    with ExitStack() as stack:
        yield stack


@pytest.fixture(autouse=True)
def _waiting_pages(stores, redis_client, monkeypatch):
    """A work, and pages that copy from it and wait to be compared."""
    corpus = stored_corpus(stores, redis_client)
    corpus.load(raw(ChapterSection("第1章", COPIED)))
    corpus.index_all()
    fields = {"host": "site.example", "source": "a", "kind": "chapter", "scan_id": "s1"}
    stores.pages.see_many(
        [
            Page(
                id=name,
                url=f"http://site.example/{name}",
                content_hash=name,
                text=COPIED + story(600, number),
                **fields,
            )
            for number, name in enumerate(PAGES)
        ]
    )
    monkeypatch.setattr(tasks, "worker_runtime", lambda: HERE.machine.runtime)
    monkeypatch.setattr(tasks, "screening", lambda: HERE.machine.screening)
    monkeypatch.setattr(
        comparing, "_STORED_AFTER_S", 0.0
    )  # so that one is cut off with a part of its batch done


def test_leases_of_a_batch_are_renewed_despite_late_answers(machine, stores):
    token, ids, _ = stores.pages.reserve_fetched(count=99, lease_s=LEASE_S)
    assert sorted(ids) == sorted(PAGES)
    machine.way.delay_s = LATE_S
    with ThreadPoolExecutor(1) as pool:
        comparing = pool.submit(machine.compare, ids, token)
        while not comparing.done():
            assert stores.pages.reserve_fetched(count=99, lease_s=LEASE_S)[1] == []
    assert comparing.result() == len(PAGES)
    assert {row["attempts"] for row in stores.database["pages"].find({})} == {1}


@pytest.mark.parametrize("away", ["cut", "stall"])
def test_disconnected_machine_that_returns_neither_loses_nor_doubles_pages(settings, opened, stores, away):
    """Its late writes arrive after another machine did the same."""
    near, machine = Machine(settings, opened), Machine(settings, opened, patience_s=1.0)
    token, ids, _ = stores.pages.reserve_fetched(count=99, lease_s=LEASE_S)
    machine.way.delay_s = LATE_S
    with ThreadPoolExecutor(1) as pool:
        comparing = pool.submit(machine.compare, ids, token)
        wait_until(lambda: comparing.done() or stores.pages.compared("s1") >= 2, patience_s=60)
        getattr(machine.way, away)()
        with pytest.raises(ServiceDown):
            comparing.result()
    done = stores.pages.compared("s1")
    assert done < len(PAGES)

    def take_over():
        own, waiting, _ = stores.pages.reserve_fetched(count=99, lease_s=LEASE_S)
        near.compare(waiting, own)
        return stores.pages.compared("s1") == len(PAGES)

    wait_until(take_over)
    machine.way.delay_s = (0.0, 0.0)
    machine.way.join()
    wait_until(lambda: machine.runtime.stores.pages.compared("s1") == len(PAGES))
    assert machine.compare(ids, token) == 0  # the message comes once more
    matched = Counter(match.page_id for name in PAGES for match in stores.matches.of_page(name))
    assert matched == dict.fromkeys(PAGES, 1)
    assert stores.pages.waiting("s1") == 0
