"""The daily job with a real worker: a scan finds what is there, and survives the death of its worker."""

import json
import subprocess
import uuid
from collections.abc import Mapping
from pathlib import Path

import pytest
from support.loading import store_work
from support.processes import PINDNA, environment_of, kill_group, worker
from support.scraping import scrape, value
from support.waiting import wait_until

from deploy.demo.plan import licences, plan, sources
from deploy.demo.samples import MOTHER_CORPUS
from storage.collections.stores import Stores, open_stores
from storage.servers.redis_client import open_redis
from storage.settings import Settings
from tracker.corpus.loading import Terms
from tracker.corpus.reading import read_works
from tracker.indexing.guard import IndexGuard, verify


def prepare(stores: Stores, settings: Settings, base_urls: Mapping[str, str]) -> None:
    """Store the sample works and sources; the worker indexes them."""
    client = open_redis(settings.storage)
    index = IndexGuard(stores, client).live()
    allowed = licences(base_urls)
    for path in MOTHER_CORPUS:
        for raw in read_works(path):
            store_work(raw, stores, index, terms=Terms(None, allowed.get(raw.title, ())))
    for source in sources(base_urls):
        stores.sources.save(source)
    client.close()


def findings(stores: Stores) -> dict[str, object]:
    """Everything a scan concluded, without times and ids of the run."""
    pages = list(stores.pages.all())
    return {
        "pages": sorted(
            (page.url, page.state, page.reason, page.verdict, page.copied_chars) for page in pages
        ),
        "matches": sorted(
            (match.url, match.work_title, match.passage_title, match.verdict, match.spans)
            for page in pages
            for match in stores.matches.of_page(page.id)
        ),
        "cases": sorted(
            (case.work_title, case.site, case.verdict, case.pages, case.copied_chars)
            for case in stores.cases.listed()
        ),
    }


def assert_counted(stores: Stores, before: str, after: str) -> None:
    """Hold the worker's metrics against what a scan stored."""

    def rise(name: str, **labels: str) -> float:
        return value(after, name, **labels) - value(before, name, **labels)

    (scan,) = stores.scans.newest(5)
    crawls, pages = stores.scans.crawls(scan.id), list(stores.pages.all())
    assert rise("pindna_crawl_requests_total") == sum(crawl.counts["requests"] for crawl in crawls)
    assert rise("pindna_pages_total", stage="crawled") == sum(crawl.counts["pages"] for crawl in crawls)
    assert rise("pindna_crawls_total", ending="done") == len(crawls)
    assert rise("pindna_pages_total", stage="compared") == sum(page.state == "compared" for page in pages)
    assert rise("pindna_page_verdicts_total", verdict="copy") == sum(page.verdict == "copy" for page in pages)
    assert rise("pindna_works_indexed_total") == len(list(stores.works.all()))
    assert rise("pindna_tasks_total", task="crawl_sources") >= len(crawls)


def assert_logged(stores: Stores, log: Path) -> None:
    """See that every line of the worker is an object, with the ids of what it is about."""
    lines = [json.loads(line) for line in log.read_text(encoding="ascii").splitlines()]
    assert {line["program"] for line in lines} == {"worker"}
    (scan,) = stores.scans.newest(5)
    for crawl in stores.scans.crawls(scan.id):
        own = [line for line in lines if line["message"].startswith(f"crawl {crawl.id} ")]
        assert len(own) == 2
        assert {(line["scan"], line["source"]) for line in own} == {(scan.id, crawl.source)}
    (*_, batch) = [line for line in lines if line["message"].startswith("pages compared: ")]
    assert (batch["task"], batch["scan"], len(batch["task_id"])) == ("compare_pages", scan.id, 36)


def compared(stores: Stores) -> int:
    return sum(page.state == "compared" for page in stores.pages.all())


@pytest.fixture
def second(settings: Settings, services):
    """Settings and stores of a second database, for the run that is disturbed."""
    other = settings.model_copy(
        update={
            "storage": settings.storage.model_copy(
                update={
                    "mongo_database": f"test_{uuid.uuid4().hex}",
                    "redis_url": type(settings.storage.redis_url)(
                        services.redis_url.removesuffix("/0") + "/0"
                    ),
                }
            )
        }
    )
    client = open_redis(other.storage)
    client.flushdb()
    opened = open_stores(other.storage)
    opened.ensure_schema()
    yield other, opened
    opened.database.client.drop_database(opened.database.name)
    opened.close()
    client.flushdb()
    client.close()


def scan(environment) -> subprocess.Popen:
    return subprocess.Popen([PINDNA, "scan"], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


@pytest.mark.timeout(600)
@pytest.mark.usefixtures("background_worker")
@pytest.mark.parametrize("kills", [1, pytest.param(3, marks=pytest.mark.long)])
@pytest.mark.long
def test_scan_survives_kill_9_of_its_worker(pindna, settings, stores, second, sites, *, tmp_path, kills):
    prepare(stores, settings, sites.base_urls)
    address = f"http://127.0.0.1:{settings.tracker.metrics_port}"
    before = scrape(address)
    pindna("scan", status=1)
    expected = findings(stores)
    assert_counted(stores, before, scrape(address))
    assert_logged(stores, settings.storage.data_dir.with_name("worker.log"))
    urls = {sites.base_urls[page.site] + page.path: page for page in plan()}
    verdicts = {url: verdict for url, _state, _reason, verdict, _chars in expected["pages"] if url in urls}
    assert verdicts == {url: page.expected for url, page in urls.items()}

    disturbed, disturbed_stores = second
    environment = environment_of(disturbed)
    prepare(disturbed_stores, disturbed, sites.base_urls)
    running = scan(environment)
    for _ in range(kills):
        with worker(environment, tmp_path / "disturbed.log") as doomed:
            before = compared(disturbed_stores)
            wait_until(lambda before=before: compared(disturbed_stores) >= before + 3)
            kill_group(doomed)
        assert running.poll() is None, "the scan must still be waiting"
    with worker(environment, tmp_path / "disturbed.log"):
        assert running.wait(240) == 1, running.communicate()
        running.communicate()
    assert findings(disturbed_stores) == expected
    assert disturbed_stores.pages.waiting(disturbed_stores.scans.newest(99)[0].id) == 0


def test_works_are_indexed_although_the_worker_is_killed(settings, stores, sites, tmp_path, redis_client):
    environment = environment_of(settings)
    prepare(stores, settings, sites.base_urls)
    adding = subprocess.Popen(
        [PINDNA, "corpus", "add", *map(str, MOTHER_CORPUS)],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    with worker(environment, tmp_path / "worker.log") as first:
        wait_until(lambda: stores.works.count("indexed") > 0)
        kill_group(first)
    with worker(environment, tmp_path / "worker.log"):
        assert adding.wait(120) == 0, adding.communicate()
        adding.communicate()
    assert stores.works.count("stored") == 0
    assert verify(stores, redis_client) == 0
    statistics = IndexGuard(stores, redis_client).index().statistics()
    assert statistics.unfinished == 0
    assert statistics.postings == sum(work.postings for work in stores.works.all())
