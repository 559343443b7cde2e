"""Scans at the same time: who may open one, what stands in the way, and which of them go on."""

import json
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from datetime import timedelta
from types import SimpleNamespace

import pytest

from storage.records import Page, Source, utc_now
from storage.servers.redis_client import open_redis
from tracker import beat_signals, tasks
from tracker.indexing.adding import index_works
from tracker.queue import Queue
from tracker.scans.calendar import DUE as DUE_HEADER
from tracker.scans.reopening import reopen_stale
from tracker.scans.scanning import start_scan
from tracker.scans.turns import StillScanning, due_turn, is_in_progress, is_missed, turn

pytestmark = pytest.mark.services


@pytest.fixture
def start(stores, guard, settings, save_work):
    """A function that opens a scan of some sources, which are stored first."""
    index_works(
        [save_work(1, {1: "渡口的候鸟从北方的湿地启程，沿着河谷一路向南。" * 20})], stores, guard.index()
    )

    def open_scan(*names, trigger="hand"):
        sources = [Source(name=name, kind="news", start_urls=("http://a.cn/",)) for name in names]
        for source in sources:
            stores.sources.save(source)
        opened = start_scan(stores, guard, settings.tracker, sources=sources, trigger=trigger)
        reopen_stale(stores)
        return opened

    return open_scan


def end_crawl(stores, crawl_id):
    stores.database["crawls"].update_one({"_id": crawl_id}, {"$set": {"state": "done"}})


def add_page(stores, scan_id):
    page = Page(id="p", url="http://a.cn/p", host="a.cn", source="a", kind="article", text="候鸟")
    stores.pages.see_many([replace(page, scan_id=scan_id)])


def make_old(stores, scan):
    stores.database["scans"].update_one(
        {"_id": scan.id}, {"$set": {"started": utc_now() - timedelta(hours=1)}}
    )
    return stores.scans.get(scan.id)


def test_only_a_single_program_has_the_turn(stores):
    first = stores.scans.turns.claim(lease_s=60)
    assert first
    assert stores.scans.turns.claim(lease_s=60) is None
    stores.scans.turns.end("of somebody else")
    assert stores.scans.turns.claim(lease_s=60) is None
    assert stores.scans.turns.extend(first, lease_s=60)
    stores.scans.turns.end(first)
    assert not stores.scans.turns.extend(first, lease_s=60)
    assert stores.scans.turns.claim(lease_s=60) not in (None, first)


def test_turn_of_a_killed_program_ends_by_itself(stores):
    killed = stores.scans.turns.claim(lease_s=0.3)
    with turn(stores) as token:
        assert token != killed
        assert not stores.scans.turns.extend(killed, lease_s=60)


def test_only_the_first_of_concurrent_equal_scans_opens(stores, start):
    def attempt(_):
        try:
            return start("a", "b").id
        except StillScanning as still:
            return f"in the way: {still.scan_id}"

    with ThreadPoolExecutor(6) as pool:
        outcomes = list(pool.map(attempt, range(6)))
    (opened,) = (outcome for outcome in outcomes if not outcome.startswith("in the way"))
    assert sorted(outcomes) == sorted([opened, *[f"in the way: {opened}"] * 5])
    assert [scan.id for scan in stores.scans.running()] == [opened]
    assert len(stores.scans.crawls(opened)) == 2


def test_scan_of_other_sources_runs_at_the_same_time(start):
    first = start("a", "b")
    start("c")
    with pytest.raises(StillScanning) as raised:
        start("b", "d")
    assert raised.value.scan_id == first.id
    assert first.id in str(raised.value)


def test_schedule_goes_by_the_sources_that_are_still_crawled(stores, start):
    """One source may take a day: scheduled scans skip it, but a user who requests it gets an error."""
    first = start("slow", "quick")
    end_crawl(stores, f"{first.id}:quick")
    with pytest.raises(StillScanning):
        start("quick")
    with pytest.raises(StillScanning):
        start("slow", trigger="schedule")
    assert start("quick", trigger="schedule").sources == ("quick",)


def test_scan_that_is_complete_is_closed_and_in_nobodys_way(stores, start):
    first = start("a")
    end_crawl(stores, f"{first.id}:a")
    second = start("a")
    assert stores.scans.get(first.id).status == "finished"
    assert [scan.id for scan in stores.scans.running()] == [second.id]


def test_stored_pages_are_compared_by_a_single_scan(stores, start):
    start("a")
    stores.pages.see_many(
        [
            Page(
                id="p",
                url="http://a.cn/p",
                host="a.cn",
                source="a",
                kind="article",
                text="候鸟",
                scan_id="old",
            )
        ]
    )
    stores.database["pages"].update_one({"_id": "p"}, {"$set": {"state": "compared", "corpus_version": 0}})
    first = start(trigger="corpus")
    with pytest.raises(StillScanning) as raised:
        start(trigger="corpus")
    assert raised.value.scan_id == first.id


def test_scan_is_in_progress_while_a_worker_has_its_records(stores, start):
    fresh = start("a")
    assert is_in_progress(fresh, stores)
    old = make_old(stores, fresh)
    assert not is_in_progress(old, stores)
    token, (crawl_id,) = stores.scans.reserve_due(count=1, lease_s=60)
    assert is_in_progress(old, stores)
    assert stores.scans.claim_crawl(crawl_id, token=token, lease_s=60)
    stores.scans.close_crawl(crawl_id, token=token, state="done")
    page = Page(
        id="p", url="http://a.cn/p", host="a.cn", source="a", kind="article", text="候鸟", scan_id=old.id
    )
    stores.pages.see_many([page])
    assert not is_in_progress(old, stores)
    stores.pages.reserve_fetched(count=1, lease_s=60)
    assert is_in_progress(old, stores)


DUE = utc_now()


def test_due_time_is_attended_to_once(stores):
    with due_turn(stores, DUE) as first, due_turn(stores, DUE) as second:
        assert (first, second) == (True, False)
    for due, is_ours in ((DUE, False), (DUE - timedelta(days=1), False), (DUE + timedelta(days=1), True)):
        with due_turn(stores, due) as third:
            assert third is is_ours


def test_unfinished_due_time_is_begun_again(stores):
    def fail():
        with due_turn(stores, DUE):
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert stores.due_times.begin("daily-scan", DUE, lease_s=60)  # and then it is killed
    with due_turn(stores, DUE) as second:
        assert not second
    stores.database["turns"].update_one({"_id": "daily-scan"}, {"$set": {"until": utc_now()}})
    with due_turn(stores, DUE) as third:
        assert third


def test_due_time_with_a_lost_message_is_missed_until_handled(stores):
    day = timedelta(days=1)
    assert not is_missed(stores, DUE - day, now=DUE)  # a new database has missed nothing
    assert is_missed(stores, DUE + day, now=DUE + day)
    with due_turn(stores, DUE + day):
        pass
    assert not is_missed(stores, DUE + day, now=DUE + 2 * day)


def test_slow_program_ends_no_turn_of_another(stores):
    slow = stores.due_times.begin("daily-scan", DUE, lease_s=-1)
    token_of_turn = stores.due_times.begin("daily-scan", DUE, lease_s=60)
    assert slow
    assert token_of_turn
    stores.due_times.end("daily-scan", slow, finished=None)
    assert stores.due_times.begin("daily-scan", DUE, lease_s=60) is None


def test_two_beats_with_different_clocks_open_a_single_scan_a_day(
    start, stores, guard, settings, monkeypatch
):
    """Each beat sends at its local time with the due time; the schedule was not due between them."""
    start("a")
    for running in stores.scans.running():
        end_crawl(stores, f"{running.id}:a")
        stores.database["scans"].update_one({"_id": running.id}, {"$set": {"stale_parts": 0}})
    with closing(Queue(settings.storage)) as queue, closing(open_redis(settings.storage)) as client:
        runtime = SimpleNamespace(stores=stores, guard=guard, settings=settings, queue=queue)
        monkeypatch.setattr(tasks, "worker_runtime", lambda: runtime)
        three = (utc_now() - timedelta(days=1)).replace(hour=19, minute=0)  # in Shanghai
        for clock in (three, three + timedelta(minutes=10)):
            monkeypatch.setattr(beat_signals, "utc_now", lambda clock=clock: clock)
            queue.send_again("daily_scan")
        messages = [json.loads(client.rpop("scan")) for _ in range(2)]
        dues = {message["headers"][DUE_HEADER] for message in messages}
        assert len(dues) == 1
        opened = []
        for message in messages:
            tasks.daily_scan.push_request(**message["headers"])
            opened.append(tasks.daily_scan.run())
            tasks.daily_scan.pop_request()
    assert [bool(result) for result in opened] == [True, False]
    assert [scan.id for scan in stores.scans.newest(9) if scan.trigger == "schedule"] == [opened[0]["scan"]]


def test_daily_scan_that_no_message_opened_is_opened_late_and_once(
    start, stores, guard, settings, monkeypatch
):
    (first,) = (start(name) for name in "a")
    end_crawl(stores, f"{first.id}:a")
    stores.database["scans"].update_one({"_id": first.id}, {"$set": {"stale_parts": 0}})
    runtime = SimpleNamespace(
        stores=stores, guard=guard, settings=settings, queue=SimpleNamespace(send=print)
    )
    monkeypatch.setattr(tasks, "worker_runtime", lambda: runtime)
    tasks.scan_by_hours.run()  # from now on due times are minded
    assert stores.scans.count() == 1
    before = {"due": utc_now() - timedelta(days=2)}
    stores.database["turns"].update_one({"_id": "daily-scan"}, {"$set": before})
    for _ in range(2):
        tasks.scan_by_hours.run()
    (second,) = stores.scans.running()
    assert (second.trigger, second.sources, stores.scans.count()) == ("schedule", ("a",), 2)
