"""The process of a worker that crawls: how many at once, what finds no room, and what a stop leaves."""

import subprocess
import sys
import tempfile
import time

import pytest
from support.crawls import handed_in

from storage.records import FREE, Scan, utc_now
from tracker.scans import crawling
from tracker.scans.crawling import crawl_sources

pytestmark = pytest.mark.services

NAMES = ("a", "b", "c")


@pytest.fixture
def reserved(stores):
    """Three crawls that are reserved: what hands them in."""
    stores.scans.open(Scan(id="s", trigger="hand", sources=NAMES, started=utc_now()))
    token, ids = stores.scans.reserve_due(count=9, lease_s=60)
    return handed_in(sorted(ids), token)


class Begun(list):
    """The sources whose crawls were begun; each is a process that sleeps for some seconds."""

    def __init__(self):
        super().__init__()
        self.lasting = dict.fromkeys(NAMES, "1")
        self.processes = {}

    def start(self, crawl, token):
        self.append(crawl.source)
        program = f"import time; time.sleep({self.lasting[crawl.source]})"
        process = subprocess.Popen([sys.executable, "-S", "-c", program])
        self.processes[crawl.source] = process
        counted = crawling.CrawlCounts({})
        return crawling._Running(crawl, token, process, tempfile.TemporaryFile(), utc_now(), counted)


@pytest.fixture
def begun(monkeypatch):
    begun = Begun()
    monkeypatch.setattr(crawling, "_start", begun.start)
    return begun


def rows(stores):
    return {crawl.source: crawl for crawl in stores.scans.crawls("s")}


def test_what_finds_no_room_is_given_back_with_a_pause(stores, reserved, begun):
    passed = []
    done = crawl_sources(reserved, stores, lease_s=60, processes=2, meanwhile=lambda: passed.append(1))
    assert done == 2
    assert begun == ["a", "b"]
    assert passed  # a crawl that ended makes room, which is told at once
    assert {name: row.state for name, row in rows(stores).items()} == {"a": "done", "b": "done", "c": "due"}
    left = rows(stores)["c"]
    assert (left.attempts, left.lease.taken, left.lease.token) == (0, False, "")
    assert left.lease.until > FREE.until


def test_a_stop_closes_what_came_to_its_end_and_gives_the_rest_back(stores, reserved, begun):
    begun.lasting.update(a="0", b="60", c="60")

    def is_stopping():
        all_run = len(begun) == len(NAMES)
        if all_run:
            begun.processes["a"].wait()
            stores.scans.note_progress("s:a", counts={}, addresses={}, end="finished")
        return all_run

    began = time.monotonic()
    done = crawl_sources(
        reserved, stores, lease_s=60, processes=3, meanwhile=lambda: None, is_stopping=is_stopping
    )
    assert time.monotonic() - began < 30
    assert done == 1
    assert {name: row.state for name, row in rows(stores).items()} == {"a": "done", "b": "due", "c": "due"}
    assert [(rows(stores)[name].attempts, rows(stores)[name].lease) for name in "bc"] == [(0, FREE)] * 2
