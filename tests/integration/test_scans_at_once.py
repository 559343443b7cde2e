"""Two scans at the same time: each address is asked once, and both commands tell the same complete story."""

import json
import subprocess
import threading
import time
import uuid
from collections import Counter
from datetime import timedelta

import pytest
from support.processes import PINDNA
from support.waiting import wait_until
from support.webserver import Reply, article

from storage.records import utc_now

pytestmark = pytest.mark.usefixtures("background_worker")


@pytest.fixture
def add_source(pindna, site, tmp_path):
    """A function that lets the site have slow pages under a name and adds them as a source.

    The last page may wait for an event.
    """

    def add(name, count, *, last_when=None):
        def slow(*_):
            time.sleep(0.2)
            return Reply(article(f"{name}的渡口", seed=len(name)))

        paths = [f"/{name}/{number}.html" for number in range(count)]
        site.pages |= dict.fromkeys(paths, slow)
        if last_when is not None:
            site.pages[paths[-1]] = lambda *asked: last_when.wait(25) and slow(*asked)
        path = tmp_path / f"{name}.toml"
        urls = json.dumps([f"{site.url}{page}" for page in paths])
        path.write_text(f'name = "{name}"\nkind = "urls"\nurls = {urls}\n', encoding="utf-8")
        pindna("source", "add", path)

    return add


@pytest.fixture(autouse=True)
def works(pindna, tmp_path):
    """One work, so that there is something to compare with."""
    path = tmp_path / "work.txt"
    path.write_text("老船工披着蓑衣坐在船头，听见对岸有人唤渡，便把竹篙往石上一点。" * 30, encoding="utf-8")
    pindna("corpus", "add", path)


class Program:
    """A command as a program of its own."""

    def __init__(self, arguments, environment, folder):
        self.outputs = [folder / f"{uuid.uuid4().hex}.{name}" for name in ("out", "err")]
        with self.outputs[0].open("w") as output, self.outputs[1].open("w") as errors:
            self.process = subprocess.Popen(
                [PINDNA, *arguments], env=environment, cwd=folder, stdout=output, stderr=errors
            )

    def end(self):
        """Wait for its end and return what it printed."""
        self.process.wait(timeout=120)
        return self.outputs[0].read_text("utf-8"), self.errors()

    def errors(self):
        """Return what it has told so far."""
        return self.outputs[1].read_text("utf-8")


@pytest.fixture
def begin(environment, tmp_path):
    """A function that starts a command as a program of its own."""
    started = []

    def start(*arguments):
        started.append(Program(arguments, environment, tmp_path))
        return started[-1]

    yield start
    for program in started:
        program.process.kill()
        program.process.wait()


def asked(site):
    """How often each page was asked for."""
    return Counter(path for path, _, _ in site.asked if path.endswith(".html"))


def wait_for_running(stores):
    """Wait until a scan is open and return it."""
    wait_until(stores.scans.running)
    return stores.scans.running()[0]


def test_two_concurrent_scans_request_every_address_once_and_agree(begin, site, add_source):
    have_met = threading.Event()
    add_source("north", 12, last_when=have_met)
    add_source("south", 9)
    programs = [begin("scan"), begin("scan")]
    wait_until(lambda: any("joins it." in program.errors() for program in programs))
    have_met.set()
    outputs = [program.end() for program in programs]
    assert set(asked(site).values()) == {1}
    assert outputs[0][0] == outputs[1][0]
    assert "21 pages seen, 21 compared" in outputs[0][0]
    assert sum("is already running; this request joins it." in errors for _, errors in outputs) == 1


@pytest.mark.long
def test_watching_a_scan_shows_its_result(pindna, begin, add_source, stores, tmp_path):
    (tmp_path / "copied.txt").write_text(article("north的渡口", seed=5), encoding="utf-8")
    pindna("corpus", "add", tmp_path / "copied.txt")
    add_source("north", 12)
    first = begin("scan")
    running = wait_for_running(stores)
    watched = pindna("scan", "--watch", status=1)
    assert f"Scan {running.id} is over: 12 pages seen." in watched.stderr
    assert "Copy: 12" in watched.stdout
    assert (first.end()[0], first.process.returncode) == (watched.stdout, 1)


@pytest.mark.long
def test_scan_of_other_sources_too_waits_for_those_that_it_shares(pindna, begin, site, add_source, stores):
    add_source("north", 12)
    first = begin("scan")
    running = wait_for_running(stores)
    add_source("south", 3)
    second = pindna("crawl", "north", "south")
    assert (
        f"Scan {running.id} is already running; this request joins it. "
        "Sources that are scanned afterwards: south"
    ) in second.stderr
    assert "12 pages seen, 12 compared" in first.end()[0]
    assert [line for line in second.stdout.splitlines() if "pages seen" in line] == [
        "12 pages seen, 12 compared, 0 not compared; 0 addresses left.",
        "3 pages seen, 3 compared, 0 not compared; 0 addresses left.",
    ]
    assert set(asked(site).values()) == {1}


@pytest.mark.long
def test_interrupted_scan_is_finished_and_does_not_delay_the_next(pindna, add_source, stores):
    add_source("north", 4)
    pindna("scan")
    (closed,) = [scan for scan in stores.scans.newest(99) if scan.sources]
    stores.database["scans"].update_one(
        {"_id": closed.id}, {"$set": {"status": "running", "started": utc_now() - timedelta(hours=9)}}
    )
    stores.database["crawls"].update_one({"scan_id": closed.id}, {"$set": {"state": "due", "attempts": 0}})
    second = pindna("scan")
    assert f"Scan {closed.id} was interrupted; it is finished first." in second.stderr
    assert second.stdout.count("pages seen") == 1
    assert not stores.scans.running()


@pytest.mark.long
def test_works_added_during_a_scan_are_compared_before_the_command_ends(begin, add_source, stores, tmp_path):
    is_added = threading.Event()
    add_source("north", 20, last_when=is_added)
    first = begin("scan")
    wait_for_running(stores)
    wait_until(lambda: any(page.state == "compared" for page in stores.pages.all()))
    (tmp_path / "copied.txt").write_text(article("north的渡口", seed=5), encoding="utf-8")
    second = begin("corpus", "add", str(tmp_path / "copied.txt"))
    wait_until(lambda: stores.works.count("indexed") == 2)
    is_added.set()
    second.end()
    assert {page.verdict for page in stores.pages.all() if page.state == "compared"} == {"copy"}
    assert "Copy: 20" in first.end()[0]
