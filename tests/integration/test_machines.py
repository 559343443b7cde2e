"""Machines that may not do everything, and machines that are cut off: nothing is lost or done twice."""

import json
import re
import time
from collections import Counter
from contextlib import ExitStack, closing
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import redis
from pydantic import SecretStr
from support.cluster import running_node
from support.loading import raw, stored_corpus
from support.processes import environment_of, worker
from support.strategies import story
from support.waiting import wait_until
from support.webserver import anchors, article

from benchmarks.ways import way_to
from storage.records import Page, Scan, Source, utc_now
from tracker.corpus.chapters import Section
from tracker.queue import Queue
from tracker.scans.dispatch import dispatch_crawls, dispatch_pages

OPERATIONS = Path(__file__).parents[2] / "docs" / "operations.md"
PAGES = 3


@pytest.fixture
def guarded(settings, tmp_path, embedded_programs):  # noqa: ARG001 - skips where there is no server
    """A Redis of its own with the user that docs/operations.md makes for crawl machines.

    Yields the settings of everybody else, and the address for crawl machines.
    """
    line = re.search(r"^> ACL SETUSER crawl (.+)$", OPERATIONS.read_text(encoding="utf-8"), re.MULTILINE)[1]
    with running_node(tmp_path) as node:
        node.client().execute_command("ACL", "SETUSER", "crawl", *line.replace("PASSWORD", "word").split())
        url = SecretStr(f"redis://127.0.0.1:{node.port}/0")
        storage = settings.storage.model_copy(update={"redis_url": url})
        yield settings.model_copy(update={"storage": storage}), f"redis://crawl:word@127.0.0.1:{node.port}/0"


def test_a_crawl_machine_needs_no_right_to_write_the_index(guarded, stores, site, tmp_path):
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
    assert "forbids" not in log.read_text()
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


@pytest.mark.long
def test_a_compare_machine_that_is_cut_off_comes_back_and_nothing_is_lost_or_done_twice(
    settings, stores, redis_client, tmp_path
):
    """Another machine takes over what it held, for leases end after five seconds; later it is alone again."""
    corpus = stored_corpus(stores, redis_client)
    corpus.load(raw(Section("第1章", COPIED)))
    corpus.index_all()
    add_pages(stores, FIRST)
    mongo, redis_url = settings.storage.mongo_url.get_secret_value(), settings.storage.redis_url
    with ExitStack() as opened:
        ways, environment = [], environment_of(settings)
        for name, url in (("MONGO", mongo), ("REDIS", redis_url.get_secret_value())):
            port = urlsplit(url).port
            ways.append(opened.enter_context(way_to("127.0.0.1", port)))
            environment[f"PINDNA_STORAGE__{name}_URL"] = url.replace(f":{port}", f":{ways[-1].port}")
        queue = opened.enter_context(closing(Queue(settings.storage)))
        opened.enter_context(worker(environment, tmp_path / "far.log", "-Q", "compare", "-c", "1"))

        def are_compared(count):
            dispatch_pages(stores, settings.tracker, queue.send)
            return stores.pages.compared("s1") >= count

        wait_until(lambda: are_compared(3), tell=(tmp_path / "far.log").read_text)
        for way in ways:
            way.cut()
        with worker(environment_of(settings), tmp_path / "near.log", "-Q", "compare", "-c", "1"):
            wait_until(lambda: are_compared(len(FIRST)), tell=(tmp_path / "near.log").read_text)
        for way in ways:
            way.join()
        add_pages(stores, LATER)
        wait_until(lambda: are_compared(len(FIRST) + len(LATER)), tell=(tmp_path / "far.log").read_text)
    pages = list(stores.pages.all())
    assert {(page.state, page.verdict is not None) for page in pages} == {("compared", True)}
    matched = Counter(match.page_id for page in pages for match in stores.matches.of_page(page.id))
    assert matched == dict.fromkeys((f"p{number}" for number in (*FIRST, *LATER)), 1)
    assert stores.pages.waiting("s1") == 0
    assert "Redis is back" in (tmp_path / "far.log").read_text()


@pytest.mark.long
def test_two_machines_ask_one_site_at_the_pace_of_one(settings, stores, site, tmp_path):
    """As the site sees it: each address once, no faster than its delay, by as many at once as each may."""
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
    stores.scans.open(
        Scan(id="s1", trigger="hand", sources=("a",), started=utc_now()), processes={"a": fields["processes"]}
    )
    environment = {**environment_of(settings), "PINDNA_CRAWLER__PROCESSES": "1"}
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
    assert all(re.search(r"crawl s1:a\S* begun", log.read_text()) for log in logs)  # both asked it
    asked = Counter(path for path, *_ in site.asked if path.endswith(".html"))
    assert asked == dict.fromkeys((f"/{number}.html" for number in range(count)), 1)
    assert most <= fields["processes"]
    assert max(begun) - min(begun) > 0.95 * delay_s * (count - 1)
