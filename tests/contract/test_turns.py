"""Scans at the same time: who may open one, what stands in the way, and which of them go on."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta

import pytest

from storage.records import Page, Source, utc_now
from tracker.indexing.adding import index_works
from tracker.scans.reopening import reopen_stale
from tracker.scans.scanning import start_scan
from tracker.scans.turns import StillScanning, goes_on, turn

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


def test_one_program_at_a_time_has_the_turn(stores):
    first = stores.scans.take_turn(lease_s=60)
    assert first
    assert stores.scans.take_turn(lease_s=60) is None
    stores.scans.end_turn("of somebody else")
    assert stores.scans.take_turn(lease_s=60) is None
    assert stores.scans.keep_turn(first, lease_s=60)
    stores.scans.end_turn(first)
    assert not stores.scans.keep_turn(first, lease_s=60)
    assert stores.scans.take_turn(lease_s=60) not in (None, first)


def test_the_turn_of_a_killed_program_ends_by_itself(stores):
    killed = stores.scans.take_turn(lease_s=0.3)
    with turn(stores) as token:
        assert token != killed
        assert not stores.scans.keep_turn(killed, lease_s=60)


def test_of_many_that_start_the_same_scan_at_once_one_opens_it(stores, start):
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


def test_a_scan_of_other_sources_runs_beside_it(start):
    first = start("a", "b")
    start("c")
    with pytest.raises(StillScanning) as raised:
        start("b", "d")
    assert raised.value.scan_id == first.id
    assert first.id in str(raised.value)


def test_a_schedule_goes_by_the_sources_that_are_still_crawled(stores, start):
    """One source may take a day: the others are not left out for it, but when a user asks they are told."""
    first = start("slow", "quick")
    end_crawl(stores, f"{first.id}:quick")
    with pytest.raises(StillScanning):
        start("quick")
    with pytest.raises(StillScanning):
        start("slow", trigger="schedule")
    assert start("quick", trigger="schedule").sources == ("quick",)


def test_a_scan_that_is_complete_is_closed_and_in_nobodys_way(stores, start):
    first = start("a")
    end_crawl(stores, f"{first.id}:a")
    second = start("a")
    assert stores.scans.get(first.id).status == "finished"
    assert [scan.id for scan in stores.scans.running()] == [second.id]


def test_what_is_stored_is_compared_by_one_scan_at_a_time(stores, start):
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


def test_a_scan_goes_on_as_long_as_somebody_has_some_of_it_in_hand(stores, start):
    fresh = start("a")
    assert goes_on(fresh, stores)
    old = make_old(stores, fresh)
    assert not goes_on(old, stores)
    token, (crawl_id,) = stores.scans.reserve_due(count=1, lease_s=60)
    assert goes_on(old, stores)
    assert stores.scans.take_crawl(crawl_id, token=token, lease_s=60)
    stores.scans.close_crawl(crawl_id, token=token, state="done")
    page = Page(
        id="p", url="http://a.cn/p", host="a.cn", source="a", kind="article", text="候鸟", scan_id=old.id
    )
    stores.pages.see_many([page])
    assert not goes_on(old, stores)
    stores.pages.reserve_fetched(count=1, lease_s=60)
    assert goes_on(old, stores)
