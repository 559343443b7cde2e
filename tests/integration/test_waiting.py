"""Commands that wait: they say for what, and Ctrl-C says what goes on without them."""

import os
import signal
import subprocess
import time
from contextlib import closing

import pytest
from pydantic import SecretStr
from support.processes import PINDNA, environment_of, processes_of
from support.waiting import wait_until
from support.webserver import anchors, article
from support.wrong_servers import free_port, redis_process

from deploy.demo.samples import SAMPLES
from storage.records import Scan, Source, utc_now
from storage.servers.redis_client import open_redis

NOVEL = SAMPLES / "novels" / "青灯渡.txt"
PAGES = 40


@pytest.fixture
def slow_source(site, stores):
    """A source whose crawl takes its time."""

    def page(path, *_):
        time.sleep(0.5)
        return article(path)

    site.pages["/"] = anchors(*((f"/{number}.html", f"第{number}篇") for number in range(PAGES)))
    site.pages |= {f"/{number}.html": page for number in range(PAGES)}
    source = Source(name="slow", kind="news", start_urls=(f"{site.url}/",), follow=r"/\d+\.html", delay_s=0.3)
    stores.sources.save(source)
    return source


@pytest.fixture
def indexed_work(pindna):
    pindna("corpus", "add", NOVEL)


def interrupted(environment, folder, ready):
    """Run a scan in a program of its own and interrupt it; return what it told."""
    scan = subprocess.Popen(
        [PINDNA, "scan"],
        env=environment,
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    wait_until(ready, tell=lambda: str(scan.poll()))
    scan.send_signal(signal.SIGINT)
    _, told = scan.communicate(timeout=120)
    assert scan.returncode == 130, told
    assert "Traceback" not in told
    return told.splitlines()[-1]


@pytest.mark.usefixtures("background_worker", "indexed_work", "slow_source")
def test_interrupted_scan_continues_and_can_be_watched_and_stopped(pindna, stores, environment, tmp_path):
    def is_crawling():
        return any(
            crawl.counts.get("pages")
            for run in stores.scans.running()
            for crawl in stores.scans.crawls(run.id)
        )

    told = interrupted(environment, tmp_path, is_crawling)
    (running,) = stores.scans.running()
    assert told.startswith(
        f"Interrupted. Scan {running.id} continues in the worker (1 crawl still runs: slow; "
    )
    assert told.endswith("`pindna scan --watch` shows it; `pindna scan --stop` ends it.")
    assert stores.scans.get(running.id).status == "running"

    stopped = pindna("scan", "--stop").stdout
    assert stopped.startswith(f"Scan {running.id}: 1 crawl is stopped")
    watched = pindna("scan", "--watch", status=4)
    assert f"Scan {running.id} is finished: " in watched.stderr
    assert watched.stdout.splitlines()[0].endswith(" addresses left.")
    closed, (crawl,) = stores.scans.get(running.id), stores.scans.crawls(running.id)
    assert (crawl.state, crawl.error, crawl.end) == ("failed", "stopped by hand", "stopped")
    assert 0 < closed.counts["pages"] < PAGES
    assert closed.counts["state:compared"] == closed.counts["pages"]
    assert stores.health.open_alerts() == []
    assert pindna("scan", "--stop").stdout == pindna("scan", "--watch").stdout == "No scan is running.\n"


@pytest.mark.usefixtures("background_worker", "indexed_work", "slow_source")
def test_source_that_is_disabled_ends_its_crawl_and_the_scan_says_so(pindna, stores, environment, tmp_path):
    told = tmp_path / "told.txt"
    with told.open("w") as output:
        scan = subprocess.Popen([PINDNA, "scan"], env=environment, cwd=tmp_path, stdout=output, stderr=output)
    try:
        wait_until(
            lambda: any(
                crawl.counts.get("pages")
                for run in stores.scans.running()
                for crawl in stores.scans.crawls(run.id)
            ),
            tell=told.read_text,
        )
        assert pindna("source", "disable", "slow").stdout == "Source slow is disabled.\n"
        assert scan.wait(120) == 4  # addresses are left
    finally:
        scan.kill()
    assert (
        "Source slow was disabled during its crawl. The fetched pages are still compared." in told.read_text()
    )
    (crawl,) = stores.scans.crawls(stores.scans.newest(1)[0].id)
    assert crawl.end == "stopped"
    assert 0 < crawl.counts["pages"] < PAGES
    assert stores.health.open_alerts() == []


def test_missing_worker_is_reported_and_then_the_wait_ends(pindna, stores, monkeypatch):
    monkeypatch.setattr("deploy.cli.wait._FIRST_LINE_S", 1.0)
    monkeypatch.setattr("deploy.cli.wait._SILENCE_S", 3.0)
    monkeypatch.setattr("deploy.cli.wait._PING_S", 0.5)
    monkeypatch.setattr("deploy.cli.wait._LAST_PING_S", 0.5)
    lines = pindna("corpus", "add", NOVEL, status=3).stderr.splitlines()
    assert lines[0].startswith("No worker has answered for ")
    assert lines[0].endswith(" s; start one: celery -A tracker worker")
    assert lines[-1].startswith("No worker answers. Start one with `celery -A tracker worker`")
    assert stores.works.count("stored") == 1


def test_command_that_waits_outlives_redis(settings, stores, tmp_path):
    port, log = free_port(), tmp_path / "told"
    stores.scans.open(Scan(id="s1", trigger="hand", sources=("slow",), started=utc_now()))
    storage = settings.storage.model_copy(update={"redis_url": SecretStr(f"redis://127.0.0.1:{port}/0")})
    environment = environment_of(settings.model_copy(update={"storage": storage}))
    environment["PINDNA_STORAGE__TIMEOUT_S"] = "1"
    with log.open("w") as told, redis_process(tmp_path, port=port):
        watching = subprocess.Popen([PINDNA, "scan", "--watch"], env=environment, stdout=told, stderr=told)
        with closing(open_redis(storage)) as client:
            wait_until(lambda: client.llen("celery") + client.llen("crawl"), tell=log.read_text)
    try:  # Redis was killed
        wait_until(lambda: "continues without this command" in log.read_text(), tell=log.read_text)
        with redis_process(tmp_path, port=port):
            wait_until(lambda: "Redis was down for" in log.read_text(), tell=log.read_text)
            stores.scans.stop_crawls("s1")
            assert watching.wait(60) == 4
    finally:
        watching.kill()
    first, *rest = log.read_text().splitlines()
    assert first.endswith(
        "The running work continues without this command, which waits until the service is back."
    )
    assert f"127.0.0.1:{port}" in first
    assert "Traceback" not in "".join(rest)


@pytest.mark.long
@pytest.mark.usefixtures("embedded_programs")
def test_interrupted_scan_with_embedded_services_says_how_to_continue(tmp_path, site):
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("PINDNA_")},
        "LC_ALL": "C.UTF-8",
        "PINDNA_CRAWLER__ALLOW_INNER": '["127.0.0.1"]',
        "PINDNA_STORAGE__DATA_DIR": str(tmp_path / "data"),
    }

    def pindna(*arguments):
        subprocess.run([PINDNA, *arguments], env=environment, capture_output=True, check=True)

    def page(path, *_):
        time.sleep(1)
        return article(path)

    site.pages["/"] = anchors(*((f"/{number}.html", f"第{number}篇") for number in range(PAGES)))
    site.pages |= {f"/{number}.html": page for number in range(PAGES)}
    pindna("corpus", "add", str(NOVEL))
    pindna("source", "add", "slow", f"{site.url}/", "--follow", r"/\d+\.html")
    told = interrupted(environment, tmp_path, lambda: len(site.asked) > 4)
    assert " is paused (1 crawl still runs: slow; " in told
    assert told.endswith("`pindna scan --watch` continues it; `pindna scan --stop` ends it.")
    assert processes_of(tmp_path) == []
