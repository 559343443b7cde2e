"""Stale pages wait again little by little: nothing is lost or done twice, whoever is killed."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta

import pymongo.monitoring
import pytest
from support.plans import indexes_of, listening
from support.standing import reopen_all
from support.strategies import story

from storage.collections.scan_turns import ScanTurns
from storage.collections.scans import ScanStore
from storage.collections.stale import PARTS
from storage.collections.stores import open_stores
from storage.records import FREE, Page, utc_now
from storage.settings import TrackerSettings
from system.errors import ServiceDown
from tracker.indexing.adding import index_works
from tracker.indexing.guard import IndexGuard
from tracker.scans import reopening
from tracker.scans.dispatch import dispatch_pages
from tracker.scans.reopening import reopen_stale
from tracker.scans.scanning import close_if_complete, start_scan

pytestmark = pytest.mark.services
SETTINGS = TrackerSettings(batch_pages=4, lease_s=60)
NUMBER = 24


@pytest.fixture
def add_pages(stores):
    """A function that stores pages as they were compared with a version of the corpus."""

    def add(count, *, version, scan_id="old", first=0):
        pages = [
            Page(
                id=f"p{number:03}",
                url=f"u{number}",
                host="s",
                source="x",
                kind="article",
                text="灯",
                content_hash="1",
                state="compared",
                verdict="clear",
                corpus_version=version,
                scan_id=scan_id,
            )
            for number in range(first, first + count)
        ]
        stores.pages.see_many(pages)
        stores.pages.settle([page.url for page in pages])

    return add


@pytest.fixture
def open_scan(stores, guard, save_work):
    """A function that opens a scan of what is stored."""
    assert index_works([save_work(1, {1: story(400, 1)})], stores, guard.index())

    def start():
        return start_scan(stores, guard, SETTINGS, sources=[], trigger="corpus")

    return start


@pytest.fixture
def work(stores):
    """A function that dispatches pages and compares what was sent; returns their ids."""

    def run():
        sent = []
        dispatch_pages(stores, SETTINGS, lambda _, ids, token: sent.append((ids, token)))
        for ids, token in sent:
            own, pages = stores.pages.claim_many(ids, token=token, lease_s=60)
            version = stores.versions.current()
            stores.pages.mark_current([page.id for page in pages], token=own, corpus_version=version)
        return [page_id for ids, _ in sent for page_id in ids]

    return run


def versions_of(stores):
    return Counter(page.corpus_version for page in stores.pages.all())


def test_every_stale_page_is_compared_once_and_not_counted_in_the_scan(
    stores, add_pages, open_scan, work, monkeypatch
):
    """Some pages at a time, with a corpus change in between; the next scan does the remainder."""
    monkeypatch.setattr(reopening, "AT_ONCE", 7)
    add_pages(NUMBER, version=0)
    scan, sent = open_scan(), Counter()
    assert stores.pages.stale.count(corpus_version=scan.corpus_version) == NUMBER
    while not close_if_complete(stores.scans.get(scan.id), stores):
        batch = work()
        assert len(batch) <= 7
        sent.update(batch)
        if len(sent) == 14:
            stores.versions.raise_version(added=True)
    assert sent == Counter(f"p{number:03}" for number in range(NUMBER))
    assert stores.scans.get(scan.id).counts["pages"] == NUMBER
    assert versions_of(stores) == {scan.corpus_version: 14, scan.corpus_version + 1: NUMBER - 14}
    second, again = open_scan(), Counter()
    while not close_if_complete(stores.scans.get(second.id), stores):
        again.update(work())
    assert stores.scans.get(second.id).counts["pages"] == len(again) == 14
    assert not stores.pages.stale.is_any(corpus_version=stores.versions.current())


@pytest.mark.parametrize("is_killed", [False, True], ids=["closed", "killed"])
def test_scan_waits_for_pages_under_comparison_with_the_old_version(
    stores, add_pages, open_scan, work, taken, *, is_killed
):
    """A worker compares it with the earlier version; in every case the scan waits for the page."""
    add_pages(1, version=0)
    (page,) = stores.pages.all()
    stores.database["pages"].update_one({"_id": page.id}, {"$set": {"state": "fetched", "scan_id": "other"}})
    token = taken(page.id)
    scan = open_scan()
    for _ in range(2):
        assert work() == []
        assert not close_if_complete(stores.scans.get(scan.id), stores)
    if is_killed:
        stores.database["pages"].update_one({"_id": page.id}, {"$set": {"lease.until": FREE.until}})
    else:
        stores.pages.mark_current([page.id], token=token, corpus_version=0)
    assert work() == [page.id]
    assert versions_of(stores) == {scan.corpus_version: 1}
    assert work() == []
    assert close_if_complete(stores.scans.get(scan.id), stores)


def test_comparison_begun_after_a_scan_does_not_delay_it(stores, add_pages, open_scan, taken):
    add_pages(3, version=0)
    scan = open_scan()
    assert reopen_stale(stores) == 3
    assert taken("p001")
    assert stores.scans.get(scan.id).in_hand == ()
    assert reopen_stale(stores) == stores.scans.get(scan.id).stale_parts == 0


def test_scan_stays_open_while_stale_pages_remain(stores, add_pages, open_scan, monkeypatch):
    add_pages(NUMBER, version=0)
    scan = open_scan()
    assert scan.stale_parts == PARTS
    assert not close_if_complete(scan, stores)
    monkeypatch.setattr(reopening, "AT_ONCE", 5)
    assert reopen_stale(stores) == 5
    assert 0 < stores.scans.get(scan.id).stale_parts <= PARTS
    assert (stores.pages.waiting(scan.id), stores.pages.is_waiting(scan.id)) == (5, True)


def test_pages_are_reopened_only_while_few_pages_wait(stores, add_pages, open_scan):
    """A full window is the wrong moment; claimed pages do not count."""
    open_scan()
    add_pages(3, version=0)
    waiting = [Page(id=f"w{n}", url=f"w{n}", host="s", source="x", kind="article") for n in range(40)]
    stores.pages.see_many(waiting)
    one = TrackerSettings(batch_pages=1, lease_s=60)
    assert dispatch_pages(stores, one, lambda *_: None) == 32
    assert stores.pages.stale.count(corpus_version=1) == 3
    assert dispatch_pages(stores, one, lambda *_: None) == 0
    assert stores.pages.stale.count(corpus_version=1) == 3
    assert dispatch_pages(stores, SETTINGS, lambda *_: None) == 8 + 3
    assert stores.pages.stale.count(corpus_version=1) == 0


def test_concurrent_dispatchers_send_every_page_once(stores, settings, add_pages, open_scan):
    add_pages(NUMBER, version=0)
    scan = open_scan()

    def dispatch(_):
        own, sent = open_stores(settings.storage), []
        for _ in range(4):
            dispatch_pages(own, SETTINGS, lambda _, ids, token: sent.append((ids, token)))
        taken = []
        for ids, token in sent:
            held, pages = own.pages.claim_many(ids, token=token, lease_s=60)
            taken += [page.id for page in pages]
            own.pages.mark_current([page.id for page in pages], token=held, corpus_version=1)
        own.close()
        return taken

    with ThreadPoolExecutor(3) as pool:
        taken = Counter(page_id for ids in pool.map(dispatch, range(3)) for page_id in ids)
    assert taken == Counter(f"p{number:03}" for number in range(NUMBER))
    assert close_if_complete(stores.scans.get(scan.id), stores)


@pytest.mark.parametrize(
    ("owner", "step"), [(ScanStore, "record_stale_parts"), (ScanTurns, "end")], ids=["parts", "turn"]
)
def test_killed_reopening_is_completed_by_the_next_run(stores, add_pages, open_scan, work, *, owner, step):
    add_pages(NUMBER, version=0)
    scan = open_scan()

    def killed(*_, **__):
        raise ServiceDown(service="MongoDB", address="", problem="killed")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(owner, step, killed)
        with pytest.raises(ServiceDown):
            reopen_stale(stores)
    stores.database["turns"].update_one(
        {}, {"$set": {"until": utc_now()}}
    )  # of the killed one, a minute later
    sent = Counter()
    while not close_if_complete(stores.scans.get(scan.id), stores):
        sent.update(work())
    assert sent == Counter(f"p{number:03}" for number in range(NUMBER))


def test_nothing_is_reopened_or_closed_while_another_has_the_turn(stores, add_pages, open_scan, work):
    """No scan may end between the check of running scans and the pages reopened for it."""
    add_pages(3, version=0)
    scan = open_scan()
    token = stores.scans.turns.claim(lease_s=60)
    assert reopen_stale(stores) == 0
    stores.scans.turns.end(token)
    assert len(work()) == 3
    assert work() == []
    token = stores.scans.turns.claim(lease_s=60)
    assert not close_if_complete(stores.scans.get(scan.id), stores)
    stores.scans.turns.end(token)
    assert close_if_complete(stores.scans.get(scan.id), stores)


def test_page_reopened_by_another_scan_belongs_to_that_scan(stores, add_pages):
    """A page is reopened only in the state in which it was read; then it is checked again."""
    add_pages(1, version=0)
    find = stores.pages.stale._pages.find

    def overtaken(*args, **kwargs):
        rows = list(find(*args, **kwargs))
        stores.pages.touch([row["_id"] for row in rows], scan_id="running")
        return iter(rows)

    part = stores.database["pages"].find_one({})["shard"]
    rule = {"count": 9, "corpus_version": 1, "before": utc_now(), "scan_id": "own", "running": ["running"]}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(stores.pages.stale._pages, "find", overtaken)
        assert stores.pages.stale.reopen(part, **rule) == (0, False)
    assert stores.pages.stale.reopen(part, **rule) == (1, True)
    assert stores.pages.get("p000").scan_id == "running"


def test_comparison_that_fails_again_waits_for_the_next_scan(stores, add_pages, open_scan, taken):
    add_pages(1, version=0)
    first = open_scan()
    assert reopen_stale(stores) == 1
    stores.pages.mark_failed("p000", token=taken("p000"), reason="internal-error")
    assert reopen_stale(stores) == 0
    assert close_if_complete(stores.scans.get(first.id), stores)
    assert stores.scans.get(first.id).not_compared == {"internal-error": 1}
    open_scan()
    assert reopen_stale(stores) == 1
    assert "broke_off" not in stores.database["pages"].find_one({})


def test_failure_mark_ends_when_the_page_changes_or_becomes_history(stores, taken):
    old = Page(id="p", url="u", host="s", source="x", kind="article", text="灯", content_hash="1")
    new = Page(id="n", url="u", host="s", source="x", kind="article", text="灯", content_hash="2")

    def broken(page):
        page = replace(page, last_seen=utc_now())
        stores.pages.see_many([page])
        stores.pages.mark_failed(page.id, token=taken(page.id), reason="internal-error")
        assert stores.database["pages"].find_one({"_id": page.id})["broke_off"]

    broken(old)
    stores.pages.see_many(
        [Page(id="p", url="u", host="s", source="x", kind="list", state="failed", reason="list")]
    )
    assert reopen_all(stores) == 0
    broken(old)
    stores.pages.see_many([replace(new, last_seen=utc_now() + timedelta(hours=1))])
    stores.pages.settle(["u"])
    assert reopen_all(stores) == 0
    assert stores.pages.get("p").standing == "replaced"


class Asked(pymongo.monitoring.CommandListener):
    """Remembers which collections were asked."""

    def __init__(self):
        self.names = set()

    def started(self, event):
        self.names.add(event.command.get(event.command_name))

    def succeeded(self, event):
        """Not needed."""

    def failed(self, event):
        """Not needed."""


@pytest.mark.usefixtures("open_scan")
def test_opening_a_scan_reads_no_pages(settings, redis_client, add_pages):
    add_pages(3, version=0)
    asked = Asked()
    with listening(asked):
        own = open_stores(settings.storage)
    guard = IndexGuard(own, redis_client)
    scan = start_scan(own, guard, SETTINGS, sources=[], trigger="corpus")
    own.close()
    assert scan.stale_parts == PARTS
    assert {"scans", "turns"} <= asked.names
    assert "pages" not in asked.names


@pytest.mark.parametrize(
    ("wanted", "index"),
    [
        (
            {"state": "compared", "shard": 3, "corpus_version": {"$lt": 9}},
            "state_1_shard_1_corpus_version_1",
        ),
        ({"state": "fetched", "shard": {"$in": [1, 2]}}, "state_1_shard_1_corpus_version_1"),
        ({"broke_off": {"$lt": utc_now()}}, "broke_off_1"),
        ({"unsettled": {"$gt": ""}}, "unsettled_1"),
        ({"scan_id": "s", "state": "fetched"}, "scan_id_1_state_1_shard_1"),
        ({"scan_id": "s", "state": "compared", "shard": {"$in": [1, 2]}}, "scan_id_1_state_1_shard_1"),
        ({"scan_id": "s", "state": "fetched", "shard": {"$in": [1, 2]}}, "scan_id_1_state_1_shard_1"),
    ],
    ids=["stale", "to dispatch", "broke off", "unsettled", "waiting", "seen by a scan", "in hand"],
)
def test_stale_pages_are_queried_by_index(stores, wanted, index):
    assert indexes_of(stores.database["pages"].find(wanted).explain()) == {index}
