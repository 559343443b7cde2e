"""A worker's crawl processes: the number at once, crawls without a free slot, and the state after a stop."""

import itertools
import signal
import subprocess
import sys
import tempfile
import time
from datetime import timedelta

import pytest
from support.crawls import handed_in

from storage.collections import scans
from storage.collections.leases import MAX_ATTEMPTS
from storage.records import FREE, Scan, utc_now
from system.errors import ServiceDown
from tracker.scans import crawling
from tracker.scans.crawling import crawl_sources

pytestmark = pytest.mark.services

NAMES = ("a", "b", "c")


@pytest.fixture
def reserved(stores):
    """Three reserved crawls, with the function that submits them."""
    stores.scans.open(Scan(id="s", trigger="hand", sources=NAMES, started=utc_now()))
    token, ids = stores.scans.reserve_due(count=9, lease_s=60)
    return handed_in(sorted(ids), token)


class Begun(list):
    """The sources whose crawls have begun; each crawl is a process that sleeps for some seconds."""

    def __init__(self):
        super().__init__()
        self.lasting = dict.fromkeys(NAMES, "1")
        self.processes = {}
        self.work = lambda: None

    def start(self, crawl, token):
        self.append(crawl.source)
        program = f"import time; time.sleep({self.lasting[crawl.source]})"
        process = subprocess.Popen([sys.executable, "-S", "-c", program])
        self.processes[crawl.source] = process
        self.work()
        return running_crawl(crawl, token, process)


def running_crawl(crawl, token, process):
    counted, now_s = crawling.CrawlCounts({}), time.monotonic()
    return crawling._Running(crawl, token, process, tempfile.TemporaryFile(), now_s, counted, now_s)


@pytest.fixture
def begun(monkeypatch):
    begun = Begun()
    monkeypatch.setattr(crawling, "_start_crawl", begun.start)
    return begun


def rows(stores):
    return {crawl.source: crawl for crawl in stores.scans.crawls("s")}


def test_crawl_without_room_is_released_with_a_pause(stores, reserved, begun):
    passed = []
    done = crawl_sources(reserved, stores, lease_s=60, processes=2, while_running=lambda: passed.append(1))
    assert done == 2
    assert begun == ["a", "b"]
    assert passed  # a crawl that ends frees a slot and reports it immediately
    assert {name: row.state for name, row in rows(stores).items()} == {"a": "done", "b": "done", "c": "due"}
    left = rows(stores)["c"]
    assert (left.attempts, left.lease.taken, left.lease.token) == (0, False, "")
    assert left.lease.until > FREE.until


def test_stop_closes_finished_crawls_and_releases_the_rest(stores, reserved, begun):
    begun.lasting.update(a="0", b="60", c="60")

    def is_stopping():
        all_run = len(begun) == len(NAMES)
        if all_run:
            begun.processes["a"].wait()
            stores.scans.record_progress("s:a", counts={}, addresses={}, end="finished")
        return all_run

    began = time.monotonic()
    done = crawl_sources(
        reserved, stores, lease_s=60, processes=3, while_running=lambda: None, is_stopping=is_stopping
    )
    assert time.monotonic() - began < 30
    assert done == 1
    assert {name: row.state for name, row in rows(stores).items()} == {"a": "done", "b": "due", "c": "due"}
    assert [(rows(stores)[name].attempts, rows(stores)[name].lease) for name in "bc"] == [(0, FREE)] * 2


def test_crawl_with_a_lost_lease_is_ended_and_counted_once(stores, reserved, begun, monkeypatch):
    lost = []
    monkeypatch.setattr(crawling, "count_lost", lost.append)
    begun.lasting.update(a="60", b="2", c="2")
    others = {"$set": {"lease.token": "of another worker"}}
    begun.work = lambda: stores.database["crawls"].update_one({"_id": "s:a"}, others)
    assert crawl_sources(reserved, stores, lease_s=1, processes=3, while_running=lambda: None) == 2
    assert lost == ["crawl"]
    assert begun.processes["a"].returncode == -signal.SIGKILL
    assert {name: row.state for name, row in rows(stores).items()} == {"a": "due", "b": "done", "c": "done"}


@pytest.fixture
def one(stores):
    """Crawl one source once; returns the number of finished crawls, and the stored crawl."""
    stores.scans.open(Scan(id="s", trigger="hand", sources=("a",), started=utc_now()))

    def run():
        token, ids = stores.scans.reserve_due(count=9, lease_s=60)
        take_all = handed_in(ids, token)
        done = crawl_sources(take_all, stores, lease_s=60, processes=1, while_running=lambda: None)
        return done, rows(stores)["a"]

    return run


@pytest.fixture
def end_by(begun, monkeypatch):
    """End every process of the source immediately, at a given statement."""
    monkeypatch.setattr(crawling, "_AGAIN_S", 0.0)

    def set_end(statement):
        begun.lasting["a"] = f"0); import os; {statement}; int(0"

    return set_end


@pytest.mark.parametrize(
    "statement", ["os.kill(os.getpid(), 9)", "os._exit(3)"], ids=["killed", "a service away"]
)
def test_interrupted_crawl_restarts_as_long_as_it_makes_progress(stores, one, begun, end_by, statement):
    end_by(statement)
    requests = itertools.count(1)
    begun.work = lambda: stores.scans.record_progress(
        "s:a", counts={"requests": next(requests)}, addresses={}
    )
    for _ in range(MAX_ATTEMPTS + 1):
        done, crawl = one()
        assert (done, crawl.state, crawl.attempts, crawl.lease.taken) == (0, "due", 0, False)
    assert len(begun) == MAX_ATTEMPTS + 1


def test_crawl_killed_without_progress_is_abandoned(one, end_by):
    end_by("os.kill(os.getpid(), 9)")
    ends = [one() for _ in range(MAX_ATTEMPTS)]
    assert [done for done, _ in ends] == [0] * (MAX_ATTEMPTS - 1) + [1]
    last = ends[-1][1]
    assert (last.state, last.error, last.fault) == ("failed", "The crawler ended with status -9.", "ours")


def test_crawl_that_misses_a_service_restarts_for_a_day(stores, one, end_by):
    """Services that come and go interrupt one start after another."""
    end_by("os._exit(3)")
    for age, (done, state, attempts) in {
        timedelta(0): (0, "due", 0),
        timedelta(hours=23): (0, "due", 0),
        timedelta(hours=25): (1, "failed", 1),
    }.items():
        stores.database["scans"].update_one({"_id": "s"}, {"$set": {"started": utc_now() - age}})
        for _ in range(MAX_ATTEMPTS + 1 if state == "due" else 1):
            ended = one()
            assert (ended[0], ended[1].state, ended[1].attempts) == (done, state, attempts)


def test_crawls_are_released_when_a_lost_database_answers_again(stores, reserved, begun, monkeypatch):
    """A service that comes and goes costs crawls no attempt, however often."""
    begun.lasting.update(dict.fromkeys("abc", "60"))
    monkeypatch.setattr(crawling, "_AGAIN_S", 0.0)
    release, away = stores.scans.release, iter([True, True])

    def give_back_late(*args, **options):
        if next(away, False):
            raise ServiceDown(service="MongoDB", address="", problem="")
        release(*args, **options)

    def lose():
        raise ServiceDown(service="MongoDB", address="", problem="")

    monkeypatch.setattr(stores.scans, "release", give_back_late)
    with pytest.raises(ServiceDown):
        crawl_sources(reserved, stores, lease_s=60, processes=3, while_running=lose)
    assert {(row.state, row.attempts, row.lease.taken) for row in rows(stores).values()} == {
        ("due", 0, False)
    }
    assert all(process.poll() is not None for process in begun.processes.values())


def test_interrupted_crawl_pauses_before_it_restarts(stores, one, end_by, monkeypatch):
    end_by("os._exit(3)")
    monkeypatch.setattr(crawling, "_AGAIN_S", 60.0)
    assert one()[0] == 0
    assert stores.scans.reserve_due(count=9, lease_s=60)[1] == []


def test_unreadable_source_is_not_retried(one, begun, end_by):
    end_by("os._exit(2)")
    done, crawl = one()
    assert (done, crawl.state, len(begun)) == (1, "failed", 1)


@pytest.mark.usefixtures("reserved")
def test_silent_crawl_ends_independently_of_the_wall_clock(stores, monkeypatch):
    """The clock of a machine is set a day ahead and back while its crawl goes on, and then nothing comes."""
    process = subprocess.Popen([sys.executable, "-S", "-c", "import time; time.sleep(60)"])
    crawl = rows(stores)["a"]
    running, moment, shown = running_crawl(crawl, "", process), time.monotonic(), utc_now()
    clock = type("Clock", (), {"monotonic": staticmethod(lambda: moment)})
    monkeypatch.setattr(crawling, "time", clock)
    try:
        for hours in (0, 24, -24, 1):
            moment += crawling._SILENCE_S - 1
            monkeypatch.setattr(scans, "utc_now", lambda hours=hours: shown + timedelta(hours=hours))
            stores.scans.record_progress(crawl.id, counts={}, addresses={})
            crawling._end_silent([running], stores)
            assert not running.problem.template
        moment += crawling._SILENCE_S + 1
        crawling._end_silent([running], stores)
        assert "reported nothing" in running.problem.template
        assert process.wait(20) == -signal.SIGKILL
    finally:
        running.errors.close()
        process.kill()
        process.wait()
