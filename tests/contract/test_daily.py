"""The daily scan: one scan for each due time, even if the opening process is killed at any step."""

from datetime import timedelta
from types import SimpleNamespace

import pytest
from support.killed import COLLECTION, killed_at

from analysis.queries.metrics import _last_scheduled
from storage.records import Scan, Source, SourceHealth, utc_now
from tracker import tasks
from tracker.indexing.adding import index_works
from tracker.scans.scanning import close_complete, start_scan
from tracker.scans.turns import StillScanning

pytestmark = pytest.mark.services
SOURCES = ("a", "b")
DUE = utc_now() - timedelta(minutes=5)
OPEN = """
from datetime import datetime
from tracker import tasks

tasks._open_daily(tasks.worker_runtime(), datetime.fromisoformat(sys.argv[5]))
"""
POINTS = {
    "nothing is stored": (*COLLECTION, "insert_new", "crawls"),
    "crawls without a scan": (*COLLECTION, "insert_new", "scans"),
    "a scan with a note of it": ("storage.collections.scan_turns", "ScanTurns", "forget", ""),
    "a scan that is not noted": ("storage.collections.due_times", "DueTimeStore", "end", ""),
}


@pytest.fixture(autouse=True)
def runtime(stores, guard, settings, save_work, monkeypatch):
    """This process as a worker's, with a work and sources."""
    work = save_work(1, {1: "渡口的候鸟从北方的湿地启程，沿着河谷一路向南。" * 20})
    index_works([work], stores, guard.index())
    for name in SOURCES:
        stores.sources.save(Source(name=name, kind="news", start_urls=("http://a.cn/",)))
    queue = SimpleNamespace(send=lambda *_: None)
    runtime = SimpleNamespace(stores=stores, guard=guard, settings=settings, queue=queue)
    monkeypatch.setattr(tasks, "worker_runtime", lambda: runtime)
    return runtime


def kill_in_opening(settings, point):
    """Open the daily scan in a separate process, which is killed at a given step."""
    killed_at(settings, POINTS[point], OPEN, DUE.isoformat())


def crawl_everything(stores):
    """Let crawls that somebody began be over, and their sources not be due."""
    stores.database["crawls"].update_many({}, {"$set": {"state": "done"}})
    stores.database["scans"].update_many({}, {"$set": {"stale_parts": 0}})
    for name in SOURCES:
        stores.health.save(SourceHealth(name=name, last_crawl=utc_now()))
    close_complete(stores)


@pytest.mark.parametrize(
    ("point", "is_crawled"),
    [
        ("nothing is stored", False),
        *((point, is_over) for point in (*POINTS,)[1:] for is_over in (False, True)),
    ],
)
def test_killed_opening_of_the_daily_scan_leaves_exactly_a_single_scan(
    runtime, stores, settings, point, is_crawled
):
    kill_in_opening(settings, point)
    if is_crawled:
        crawl_everything(stores)
    assert tasks._open_daily(runtime, DUE) == {}  # lease of the killed process
    stores.database["turns"].update_many({}, {"$set": {"until": utc_now()}})
    opened = tasks._open_daily(runtime, DUE)
    (scan,) = stores.scans.newest(9)
    assert opened == {"scan": scan.id}
    assert (scan.trigger, sorted(scan.sources)) == ("schedule", [*SOURCES])
    assert [crawl.source for crawl in stores.scans.crawls(scan.id)] == [*SOURCES]
    assert stores.database["crawls"].count_documents({}) == len(SOURCES)
    assert stores.due_times.is_done("daily-scan", DUE)
    assert tasks._open_daily(runtime, DUE) == {}


def test_manual_scan_is_refused_for_sources_of_an_interrupted_opening(runtime, stores, settings):
    """It waits for the turn; the daily scan is opened first."""
    kill_in_opening(settings, "crawls without a scan")
    stores.database["turns"].update_many({}, {"$set": {"until": utc_now()}})
    with pytest.raises(StillScanning, match="daily"):
        start_scan(stores, runtime.guard, settings.tracker, sources=[stores.sources.get("a")], trigger="hand")
    opened = tasks._open_daily(runtime, DUE)
    (scan,) = stores.scans.newest(9)
    assert opened == {"scan": scan.id}


def test_every_due_time_has_its_scan(runtime, stores):
    first = tasks._open_daily(runtime, DUE)
    stores.database["crawls"].update_many({}, {"$set": {"state": "done"}})
    stores.database["scans"].update_many({}, {"$set": {"stale_parts": 0}})
    second = tasks._open_daily(runtime, DUE + timedelta(minutes=1))
    assert first["scan"] != second["scan"]
    assert stores.scans.count() == 2


def hours_around_now():
    return (f"{utc_now() - timedelta(hours=1):%H:%M}-{utc_now() + timedelta(hours=1):%H:%M}",)


def test_scan_by_hours_has_its_trigger(stores):
    for name in SOURCES:
        stores.sources.save(
            Source(
                name=name,
                kind="news",
                start_urls=("http://a.cn/",),
                hours=hours_around_now(),
                timezone="+00:00",
            )
        )
    opened = tasks.scan_by_hours.run()
    assert stores.scans.get(opened["scan"]).trigger == "hours"


@pytest.mark.parametrize(("hours", "last"), [((), "daily"), (("Mo-Fr 22:00-02:00",), "by hours")])
def test_scan_by_hours_replaces_the_daily_scan_if_all_sources_have_hours(stores, hours, last):
    stores.sources.save(Source(name="a", kind="news", start_urls=("http://a.cn/",), hours=("22:00-02:00",)))
    stores.sources.save(Source(name="b", kind="news", start_urls=("http://a.cn/",), hours=hours))
    assert _last_scheduled(stores) is None
    for name, trigger, age_h in (("daily", "schedule", 40), ("by hours", "hours", 9), ("by hand", "hand", 1)):
        ended = utc_now() - timedelta(hours=age_h)
        stores.scans.open(
            Scan(id=name, trigger=trigger, sources=(), started=ended, finished=ended, status="finished")
        )
    assert _last_scheduled(stores) == stores.scans.get(last).finished
