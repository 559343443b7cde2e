"""If the process that opens a scan is killed, the scan is still opened: no crawl lacks its scan."""

from dataclasses import replace

import pytest
from support.killed import COLLECTION, killed_at

from storage.collections.scan_turns import ScanOpening
from storage.records import Scan, Source, SourceHealth, utc_now
from system.errors import ServiceDown
from tracker.indexing.adding import index_works
from tracker.scans import turns
from tracker.scans.scanning import close_complete, start_scan
from tracker.scans.turns import StillScanning, free_turn, turn

pytestmark = pytest.mark.services
OPEN = """
from tracker.runtime import open_runtime
from tracker.scans.scanning import start_scan
from storage.settings import load_settings

runtime = open_runtime(load_settings())
sources = [source for source in runtime.stores.sources.all() if source.enabled]
closed = [source for source in runtime.stores.sources.all() if not source.enabled]
rules = runtime.settings.tracker
start_scan(runtime.stores, runtime.guard, rules, sources=sources, trigger="hand", closed=closed)
"""
POINTS = {
    "noted": (*COLLECTION, "insert_new", "crawls"),
    "crawls": (*COLLECTION, "insert_new", "scans"),
    "scan": ("storage.collections.scan_turns", "ScanTurns", "forget", ""),
}


@pytest.fixture
def sources(stores, guard, save_work):
    """A work, and sources: one of two processes, one whose crawl goes on where another ended, one closed."""
    index_works(
        [save_work(1, {1: "渡口的候鸟从北方的湿地启程，沿着河谷一路向南。" * 20})], stores, guard.index()
    )
    fields = {"kind": "news", "start_urls": ("http://a.cn/", "http://a.cn/b")}
    stores.sources.save(Source(name="two", processes=2, **fields))
    stores.sources.save(Source(name="a.dotted", **fields))
    stores.sources.save(Source(name="closed", enabled=False, **fields))
    stores.health.save(SourceHealth(name="a.dotted", rest="an-earlier-scan"))
    return [stores.sources.get("two"), stores.sources.get("a.dotted")]


def end_turn(stores):
    """Let the turn of the killed process expire."""
    stores.database["turns"].update_many({}, {"$set": {"until": utc_now()}})


def crawls_of(stores, scan_id):
    return sorted((crawl.id.partition(":")[2], crawl.end) for crawl in stores.scans.crawls(scan_id))


@pytest.mark.parametrize("point", [*POINTS])
def test_next_turn_opens_the_scan_of_a_killed_program(sources, stores, guard, settings, point):
    assert sources
    killed_at(settings, POINTS[point], OPEN)
    close_complete(stores)  # as every tick does; the turn lasts
    assert (stores.scans.count() == 1) == (point == "scan")
    end_turn(stores)
    close_complete(stores)
    (scan,) = stores.scans.newest(9)
    assert (scan.trigger, scan.status, sorted(scan.sources)) == ("hand", "running", ["a.dotted", "two"])
    assert crawls_of(stores, scan.id) == [("a.dotted", ""), ("closed", "hours"), ("two", ""), ("two#2", "")]
    assert stores.database["crawls"].count_documents({}) == 4
    assert stores.scans.frontier_of(f"{scan.id}:a.dotted") == "an-earlier-scan"
    assert stores.scans.frontier_of(f"{scan.id}:two") == scan.id
    (closed,) = [crawl for crawl in stores.scans.crawls(scan.id) if crawl.source == "closed"]
    assert closed.addresses == {"entries": 2, "left": 2}
    assert stores.scans.turns.saved() is None
    with pytest.raises(StillScanning, match=scan.id):
        start_scan(stores, guard, settings.tracker, sources=sources, trigger="hand")


def test_scan_is_opened_only_by_the_program_with_the_turn(stores):
    """The opener lives; another process does not interfere, and the turn ends before it could store."""
    opening = ScanOpening(scan=Scan(id="s", trigger="hand", sources=("a",), started=utc_now()))
    with turn(stores) as token:
        assert stores.scans.turns.save(token, opening, lease_s=60)
        turns.finish_opening(stores)
        assert stores.scans.find("s") is None
        end_turn(stores)
        with free_turn(stores) as other:
            assert other is not None
            assert stores.scans.find("s") == opening.scan
            late = replace(opening, scan=replace(opening.scan, id="late"))
            assert not stores.scans.open_in_turn(token, late, lease_s=60)
    assert stores.scans.find("late") is None
    assert stores.scans.turns.saved() is None


def test_saved_opening_outlives_a_turn_that_fails(stores, monkeypatch):
    """The database fails during the opening, and the program continues later."""
    opening = ScanOpening(scan=Scan(id="s", trigger="hand", sources=("a",), started=utc_now()))

    def refuse(_opening):
        raise ServiceDown(service="MongoDB")

    with monkeypatch.context() as patch:
        patch.setattr(stores.scans, "store", refuse)
        with pytest.raises(ServiceDown), turn(stores) as token:
            stores.scans.open_in_turn(token, opening, lease_s=60)
    assert stores.scans.find("s") is None
    turns.finish_opening(stores)
    assert stores.scans.find("s") == opening.scan


def test_opening_of_another_scan_is_kept(stores):
    opening = ScanOpening(scan=Scan(id="s", trigger="hand", sources=(), started=utc_now()))
    with turn(stores) as token:
        stores.scans.turns.save(token, opening, lease_s=60)
        stores.scans.turns.forget("another")
        assert stores.scans.turns.saved() == opening
        stores.scans.turns.forget("s")
    assert stores.scans.turns.saved() is None
