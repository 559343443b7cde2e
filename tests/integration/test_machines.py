"""Machines that may not do everything, and machines that are cut off: nothing is lost or done twice."""

import json
import os
import re
import subprocess
import time
from collections import Counter
from contextlib import ExitStack, closing
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import redis
from pydantic import SecretStr
from support.cluster import running_node
from support.faults.ways import way_to
from support.loading import raw, stored_corpus
from support.processes import environment_of, worker
from support.strategies import story
from support.waiting import wait_until
from support.webserver import anchors, article

from storage.collections.scan_turns import ScanOpening
from storage.records import Page, Scan, Source, utc_now
from tracker.corpus.chapters import ChapterSection
from tracker.queue import Queue
from tracker.scans.dispatch import dispatch_crawls, dispatch_pages

MACHINES = Path(__file__).parents[2] / "docs" / "several-machines.md"
PAGES = 3


@pytest.fixture
def guarded(settings, tmp_path, embedded_programs):  # noqa: ARG001 - skips where there is no server
    """A separate Redis with the user that docs/several-machines.md makes for crawl machines.

    Yields the settings of everybody else, and the address for crawl machines.
    """
    line = re.search(r"^> ACL SETUSER crawl (.+)$", MACHINES.read_text(encoding="utf-8"), re.MULTILINE)[1]
    with running_node(tmp_path) as node:
        node.client().execute_command("ACL", "SETUSER", "crawl", *line.replace("PASSWORD", "word").split())
        url = SecretStr(f"redis://127.0.0.1:{node.port}/0")
        storage = settings.storage.model_copy(update={"redis_url": url})
        yield settings.model_copy(update={"storage": storage}), f"redis://crawl:word@127.0.0.1:{node.port}/0"


def test_crawl_machine_needs_no_right_to_write_the_index(guarded, stores, site, tmp_path):
    settings, crawl_user = guarded
    site.pages["/"] = anchors(*((f"/{number}.html", f"第{number}篇") for number in range(PAGES)))
    site.pages |= {f"/{number}.html": article(f"第{number}篇", seed=number) for number in range(PAGES)}
    stores.sources.save(
        Source(name="a", kind="news", start_urls=(f"{site.url}/",), follow=r"/\d+\.html", delay_s=0)
    )
    stores.scans.open(Scan(id="s1", trigger="hand", sources=("a",), started=utc_now()))
    with closing(redis.Redis.from_url(crawl_user)) as client:
        for forbidden in (("SET", "pindna:{index}:live", "x"), ("DEL", "pindna:beats"), ("FLUSHALL",)):
            with pytest.raises(redis.exceptions.NoPermissionError):
                client.execute_command(*forbidden)
    log = tmp_path / "worker.log"
    environment = {**environment_of(settings), "PINDNA_STORAGE__REDIS_URL": crawl_user}
    with closing(Queue(settings.storage)) as queue, worker(environment, log, "-Q", "crawl"):
        assert dispatch_crawls(stores, settings.tracker, queue.send, count=8) == 1
        wait_until(lambda: stores.scans.crawls("s1")[0].state != "due", tell=log.read_text)
        assert queue.workers(timeout_s=2)  # which it answers, too
    (crawl,) = stores.scans.crawls("s1")
    assert (crawl.state, crawl.error, crawl.counts["pages"]) == ("done", "", PAGES)
    assert "Traceback" not in log.read_text()
    assert "has no permission" not in log.read_text()
    assert sum(page.state == "fetched" for page in stores.pages.all()) == PAGES


def test_doctor_examines_all_as_the_user_of_a_crawl_machine(guarded, stores, pindna, environment):
    settings, crawl_user = guarded
    environment.update(environment_of(settings), PINDNA_STORAGE__REDIS_URL=crawl_user)
    told = json.loads(pindna("doctor", "--json", status=3).stdout)["findings"]
    states = {finding["check"]: finding["state"] for finding in told}
    assert (states["redis"], states["clocks"], states["schedule"]) == ("good", "good", "alert")
    assert [check for check, state in states.items() if state == "wrong"] == ["worker"]  # for none runs
    assert stores.ping()


COPIED = story(300, 1)
FIRST, LATER = range(40), range(40, 50)


def add_pages(stores, numbers):
    """Store pages that wait; each holds a chapter of the work."""
    fields = {
        "host": "site.example",
        "source": "a",
        "kind": "chapter",
        "scan_id": "s1",
    }
    stores.pages.see_many(
        [
            Page(
                id=f"p{number}",
                url=f"http://site.example/{number}",
                content_hash=f"{number:064}",
                text=COPIED + story(900, 100 + number),
                **fields,
            )
            for number in numbers
        ]
    )


class Network:
    """A network of a machine's own, with one cable to this one; only root may make it.

    Attributes:
        within: the program that runs another one there.
    """

    HERE, THERE = "10.213.77.1", "10.213.77.2"

    def __init__(self):
        self.name = f"pn{os.getpid()}"
        self.within = ["ip", "netns", "exec", self.name]

    def make(self):
        there = ["netns", "exec", self.name, "ip"]
        self._ip("netns", "add", self.name)
        self._ip("link", "add", self.name, "type", "veth", "peer", "name", "cable", "netns", self.name)
        self._ip("address", "add", f"{self.HERE}/30", "dev", self.name)
        self._ip(*there, "address", "add", f"{self.THERE}/30", "dev", "cable")
        self._ip(*there, "link", "set", "cable", "up")
        self._ip(*there, "link", "set", "lo", "up")
        self.plug("up")

    def plug(self, state):
        self._ip("link", "set", self.name, state)

    def remove(self):
        self._ip("netns", "delete", self.name)

    def _ip(self, *arguments):
        subprocess.run(["ip", *arguments], check=True, capture_output=True)  # noqa: S607


@pytest.fixture
def network():
    network = Network()
    try:
        network.make()
    except (OSError, subprocess.CalledProcessError) as error:
        pytest.skip(f"no network can be made here: {error}")
    yield network
    network.remove()


class Far:
    """A machine that compares, and whose ways to both servers can be closed."""

    def __init__(self, settings, opened, *, at="127.0.0.1", within=()):
        self.within, self.ways, self.environment = within, [], environment_of(settings)
        for name in ("MONGO", "REDIS"):
            url = getattr(settings.storage, f"{name.lower()}_url").get_secret_value()
            port = urlsplit(url).port
            self.ways.append(opened.enter_context(way_to("127.0.0.1", port, at=at)))
            detour = url.replace(f"127.0.0.1:{port}", f"{at}:{self.ways[-1].port}")
            self.environment[f"PINDNA_STORAGE__{name}_URL"] = detour

    def cut(self):
        for way in self.ways:
            way.cut()

    def join(self):
        for way in self.ways:
            way.join()


@pytest.fixture
def opened():
    with ExitStack() as stack:
        yield stack


@pytest.fixture
def compare_away(settings, stores, redis_client, tmp_path):
    """A function that lets a machine compare, be away for some seconds and come back, and checks the end."""

    def compare(far, go, come, away_s):
        corpus = stored_corpus(stores, redis_client)
        corpus.load(raw(ChapterSection("第1章", COPIED)))
        corpus.index_all()
        add_pages(stores, FIRST)
        log, options = tmp_path / "far.log", ("-Q", "compare", "-c", "1")
        with closing(Queue(settings.storage)) as queue:

            def are_compared(count):
                dispatch_pages(stores, settings.tracker, queue.send)
                return stores.pages.compared("s1") >= count

            with worker(far.environment, log, *options, within=far.within):
                wait_until(lambda: are_compared(3), tell=log.read_text)
                go()
                gone = time.monotonic()
                with worker(environment_of(settings), tmp_path / "near.log", *options):
                    wait_until(lambda: are_compared(len(FIRST)), tell=(tmp_path / "near.log").read_text)
                time.sleep(max(0, gone + away_s - time.monotonic()))
                come()
                add_pages(stores, LATER)
                wait_until(lambda: are_compared(len(FIRST) + len(LATER)), tell=log.read_text)
        pages = list(stores.pages.all())
        assert {(page.state, page.verdict is not None) for page in pages} == {("compared", True)}
        matched = Counter(match.page_id for page in pages for match in stores.matches.of_page(page.id))
        assert matched == dict.fromkeys((f"p{number}" for number in (*FIRST, *LATER)), 1)
        assert stores.pages.waiting("s1") == 0
        assert re.search("(MongoDB|Redis) is back after", log.read_text())

    return compare


@pytest.mark.long
def test_disconnected_compare_machine_returns_without_loss_or_repeats(settings, opened, compare_away):
    """Another machine takes over after the leases of five seconds; later the first one is alone again."""
    far = Far(settings, opened)
    compare_away(far, far.cut, far.join, away_s=0)


@pytest.mark.long
@pytest.mark.timeout(900)
def test_compare_machine_survives_five_minutes_without_network(settings, opened, network, compare_away):
    """It gets no error: its packets are dropped, and its connections stay open."""
    far = Far(settings, opened, at=network.HERE, within=network.within)
    compare_away(far, lambda: network.plug("down"), lambda: network.plug("up"), away_s=300)


@pytest.mark.long
def test_two_machines_share_the_pace_of_a_site(guarded, stores, site, tmp_path):
    """The site sees each address once, at its delay, with at most the allowed parallel requests."""
    settings, crawl_user = guarded
    delay_s, count, under_way, most, begun = 0.2, 60, set(), 0, []

    def page(path, *_):
        nonlocal most
        begun.append(time.monotonic())
        under_way.add(path)
        most = max(most, len(under_way))
        time.sleep(0.5)
        under_way.discard(path)
        return article(path)

    site.pages["/"] = anchors(*((f"/{number}.html", f"第{number}篇") for number in range(count)))
    site.pages |= {f"/{number}.html": page for number in range(count)}
    fields = {"follow": r"/\d+\.html", "delay_s": delay_s, "concurrency": 1, "processes": 2}
    stores.sources.save(Source(name="a", kind="news", start_urls=(f"{site.url}/",), **fields))
    scan = Scan(id="s1", trigger="hand", sources=("a",), started=utc_now())
    stores.scans.store(ScanOpening(scan=scan, processes={"a": fields["processes"]}))
    own = {"PINDNA_CRAWLER__PROCESSES": "1", "PINDNA_STORAGE__REDIS_URL": crawl_user}
    environment = {**environment_of(settings), **own}
    logs = [tmp_path / "one.log", tmp_path / "two.log"]
    with ExitStack() as opened:
        queue = opened.enter_context(closing(Queue(settings.storage)))
        for log in logs:
            opened.enter_context(worker(environment, log, "-Q", "crawl", "-c", "2"))
        wait_until(lambda: len(queue.workers(timeout_s=1)) == len(logs), tell=logs[0].read_text)

        def are_over():
            dispatch_crawls(stores, settings.tracker, queue.send, count=8)
            return all(crawl.state == "done" for crawl in stores.scans.crawls("s1"))

        wait_until(are_over, patience_s=200, tell=lambda: "".join(log.read_text() for log in logs))
    assert all(re.search(r"crawl s1:a\S* started", log.read_text()) for log in logs)  # both asked it
    asked = Counter(path for path, *_ in site.asked if path.endswith(".html"))
    assert asked == dict.fromkeys((f"/{number}.html" for number in range(count)), 1)
    assert most <= fields["processes"]
    assert max(begun) - min(begun) > 0.95 * delay_s * (count - 1)
