"""Whole crawls in their own process: two small sites on a real HTTP server, pages in the real database."""

import os
import socket
import subprocess
import sys
import threading
import time
from contextlib import suppress
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import psutil
import pytest
from support.crawls import for_people
from support.waiting import has_ended, wait_until

from crawler.pages.warc_reading import read_back
from storage.records import Scan, Source, utc_now

PAGES = Path(__file__).parent.parent / "pages"
ROOT = Path(__file__).parent.parent.parent

pytestmark = pytest.mark.services


class _Handler(SimpleHTTPRequestHandler):
    """Serves a folder with Last-Modified, answers 304, and has a few paths that misbehave."""

    def log_message(self, *_):
        pass

    def do_GET(self):
        if self.path == "/robots.txt" and "robots" in self.server.tricks:
            self._answer(200, b"User-agent: *\nDisallow: /\n")
        elif self.path.startswith("/away"):
            self._answer(302, b"", Location="http://2130706433:9/")
        elif self.path.startswith("/inside"):
            self._answer(302, b"", Location="http://10.0.0.1:9/")
        elif self.path.startswith("/loop"):
            self._answer(302, b"", Location=f"/loop{time.monotonic_ns()}")
        elif self.path.startswith("/slow"):
            time.sleep(3)
            self._answer(200, b"late")
        elif self.path.startswith("/huge"):
            self._answer(200, b"<p>" + b"x" * 50_000)
        else:
            super().do_GET()

    def _answer(self, status, body, **headers):
        self.send_response(status)
        for name, value in {"Content-Length": str(len(body)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)


class _Server(ThreadingHTTPServer):
    def handle_error(self, *_):
        """A client that gave up waiting is what these tests want."""


class Site:
    def __init__(self, folder, tricks=()):
        self.server = _Server(("127.0.0.1", 0), partial(_Handler, directory=str(folder)))
        self.server.tricks = tricks
        self.thread = threading.Thread(target=self.server.serve_forever, daemon=True)
        self.thread.start()
        self.url = f"http://127.0.0.1:{self.server.server_port}"

    def close(self):
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()


@pytest.fixture
def site():
    opened = []

    def open_site(folder, *tricks):
        opened.append(Site(folder, tricks))
        return opened[-1].url

    yield open_site
    for each in opened:
        each.close()


@pytest.fixture
def environment(settings):
    return {
        **os.environ,
        "PINDNA_STORAGE__MONGO_URL": settings.storage.mongo_url.get_secret_value(),
        "PINDNA_STORAGE__MONGO_DATABASE": settings.storage.mongo_database,
        "PINDNA_STORAGE__REDIS_URL": settings.storage.redis_url.get_secret_value(),
        "PINDNA_CRAWLER__ALLOW_INNER": '["127.0.0.1"]',
        "PINDNA_CRAWLER__RETRIES": "0",
        "PINDNA_CRAWLER__DELAY_S": "0",
        "PINDNA_CRAWLER__TIMEOUT_S": "1",
        "PINDNA_CRAWLER__MAX_RESPONSE_BYTES": "40000",
    }


@pytest.fixture
def crawl(stores, environment, crawls):
    """Crawl a source in a new scan; returns the process's result and the scan's crawl row."""

    def run(source, scan, **env):
        stores.sources.save(source)
        stores.scans.open(Scan(id=scan, trigger="hand", sources=(source.name,), started=utc_now()))
        arguments = ["--source", source.name, "--scan", scan, "--crawl", f"{scan}:{source.name}"]
        result = crawls.run(arguments, {**environment, **env})
        return result, stores.scans.crawls(scan)[0]

    return run


def texts(stores, scan):
    ids = [page.id for page in stores.pages.of_scan(scan)]
    return {page.url: page for page in stores.pages.get_many(ids).values()}


def test_news_site_twice(stores, crawl, site):
    url = site(PAGES / "news")
    source = Source(name="news", kind="news", start_urls=(f"{url}/",))
    result, row = crawl(source, "s1")
    assert result.returncode == 0, result.stderr
    assert "Traceback" not in result.stderr
    pages = texts(stores, "s1")
    for number in (1, 2, 3):
        page = pages[f"{url}/2026-03/000{number}.html"]
        expected = (PAGES / f"news/2026-03/000{number}.txt").read_text(encoding="utf-8").strip()
        assert page.text == expected
        assert (page.kind, page.state, page.site) == ("article", "fetched", url.removeprefix("http://"))
        assert page.published is not None
        snapshot = stores.snapshots.get(page.snapshots[0])
        exchange = read_back(snapshot.warc, sha256=snapshot.sha256)
        assert exchange.body == (PAGES / f"news/2026-03/000{number}.html").read_bytes()
        assert exchange.request.startswith(f"GET /2026-03/000{number}.html HTTP/1.1\r\n".encode())
        assert b"Last-Modified" in exchange.headers
        assert page.fetched is not None
    missing = pages[f"{url}/missing.html"]
    assert (missing.kind, missing.state, missing.reason, missing.status) == (
        "error",
        "failed",
        "http-404",
        404,
    )
    assert (row.counts["pages"], row.counts["unchanged"], row.counts["failed"]) == (3, 0, 1)
    assert row.counts["requests"] >= 6
    assert row.counts["bytes"] > 1000

    result, row = crawl(source, "s2")
    assert result.returncode == 0, result.stderr
    assert (row.counts["pages"], row.counts["unchanged"], row.counts["failed"]) == (0, 3, 1)
    assert set(texts(stores, "s2")) == set(pages)
    assert len(list(stores.pages.all())) == 4


def test_gbk_novel_with_further_pages_twice(stores, crawl, site):
    url = site(PAGES / "novel")
    source = Source(name="novel", kind="novel", start_urls=(f"{url}/book/12/",))
    result, row = crawl(source, "s1")
    assert result.returncode == 0, result.stderr
    pages = texts(stores, "s1")
    assert sorted(pages) == [f"{url}/book/12/{number}.html" for number in (1, 2, 3)]
    for number in (1, 2, 3):
        page = pages[f"{url}/book/12/{number}.html"]
        expected = (PAGES / f"novel/book/12/{number}.txt").read_text(encoding="utf-8").strip()
        assert page.text == expected
        assert (page.kind, page.encoding, page.state) == ("chapter", "gb18030", "fetched")
    assert len(pages[f"{url}/book/12/1.html"].snapshots) == 2
    assert row.counts["pages"] == 3

    result, row = crawl(source, "s2")
    assert result.returncode == 0, result.stderr
    assert (row.counts["pages"], row.counts["unchanged"]) == (0, 3)
    assert len(list(stores.pages.all())) == 3


def test_max_pages_is_a_limit(stores, crawl, site):
    url = site(PAGES / "novel")
    source = Source(name="short", kind="novel", start_urls=(f"{url}/book/12/",), max_pages=1)
    result, _ = crawl(source, "s1")
    assert result.returncode == 0, result.stderr
    assert list(texts(stores, "s1")) == [f"{url}/book/12/1.html"]


@pytest.mark.parametrize(
    ("path", "allowed", "reason"),
    [
        ("/nothing.html", "127.0.0.1", "http-404"),
        ("/", "10.0.0.1", "inner-address"),
        ("/away", "127.0.0.1", "inner-address"),
        ("/loop", "127.0.0.1", "redirects"),
        ("/huge", "127.0.0.1", "too-large"),
        ("/slow", "127.0.0.1", "timeout"),
    ],
)
def test_unreadable_source_ends_with_a_single_line(stores, crawl, site, *, path, allowed, reason):
    source = Source(name="bad", kind="news", start_urls=(site(PAGES / "news") + path,))
    result, row = crawl(source, "s1", PINDNA_CRAWLER__ALLOW_INNER=f'["{allowed}"]')
    assert result.returncode == 2
    assert result.stderr.count("\n") == 1, result.stderr
    assert "bad" in result.stderr
    assert reason in result.stderr
    assert row.counts["pages"] == 0
    assert [page.reason for page in stores.pages.of_scan("s1")] == [reason]


def test_links_redirects_and_names_do_not_lead_inside(crawl, site, stores):
    """The site is allowed, its neighbours are not, however they are spelled."""
    url = site(PAGES / "news")
    inner = ["http://127.0.0.2:9/", "http://[::1]:9/", "http://0x7f.0.0.3:9/", "http://0:9/", f"{url}/inside"]
    name = socket.gethostname()
    with suppress(OSError):  # this machine may not know its own name
        inner += [f"http://{name}:9/"] if socket.gethostbyname(name) != "127.0.0.1" else []
    source = Source(name="n", kind="news", start_urls=(*inner, f"{url}/"), max_pages=1)
    result, _ = crawl(source, "s1", PINDNA_CRAWLER__ALLOW_INNER='["127.0.0.1"]')
    assert result.returncode == 0, result.stderr
    reasons = [page.reason for page in stores.pages.of_scan("s1") if page.state == "failed"]
    assert reasons == ["inner-address"] * len(inner)


def test_robots_are_obeyed_unless_disabled(stores, crawl, site):
    url = site(PAGES / "novel", "robots")
    source = Source(name="shy", kind="novel", start_urls=(f"{url}/book/12/",))
    result, _ = crawl(source, "s1")
    assert result.returncode == 2
    assert "robots" in result.stderr
    assert [page.reason for page in stores.pages.of_scan("s1")] == ["robots"]
    result, row = crawl(
        Source(name="bold", kind="novel", start_urls=source.start_urls, obey_robots=False), "s2"
    )
    assert result.returncode == 0, result.stderr
    assert row.counts["pages"] == 3


def test_unreachable_database_ends_the_crawl_with_a_single_line(environment):
    result = subprocess.run(
        [sys.executable, "-m", "crawler", "--source", "x", "--scan", "s", "--crawl", "c"],
        cwd=ROOT,
        env={
            **environment,
            "PINDNA_STORAGE__MONGO_URL": "mongodb://127.0.0.1:9",
            "PINDNA_STORAGE__TIMEOUT_S": "0.5",
        },
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert result.returncode == 3
    assert for_people(result.stderr).count("\n") == 1
    assert "The crawl stopped because MongoDB did not answer" in result.stderr
    assert "127.0.0.1:9" not in result.stderr


def test_crawl_ends_at_once_if_its_parent_died_at_the_start(stores, environment, site):
    url = site(PAGES / "news")
    starts = tuple(f"{url}/slow{n}" for n in range(99))
    stores.sources.save(Source(name="late", kind="news", start_urls=starts, delay_s=5))
    command = [sys.executable, "-m", "crawler", "--source", "late", "--scan", "s", "--crawl", "c"]
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    # With its pauses the crawl would take eight minutes.
    done = subprocess.run(
        [*command, "--parent", str(gone.pid)], cwd=ROOT, env=environment, timeout=120, check=False
    )
    assert done.returncode in (0, 1)
    assert stores.database["visits"].count_documents({"source": "late"}) < len(starts) // 2


# Starts a crawl that ends with it, says which process that is, and waits.
_PARENT = """
import os, subprocess, sys, time
child = subprocess.Popen([sys.executable, "-m", "crawler", *sys.argv[1:], "--parent", str(os.getpid())])
print(child.pid, flush=True)
time.sleep(600)
"""


def test_crawl_ends_soon_after_its_parent(stores, environment, site):
    """With its pauses the crawl would take eight minutes."""
    url = site(PAGES / "news")
    starts = tuple(f"{url}/slow{number}" for number in range(99))
    stores.sources.save(Source(name="long", kind="news", start_urls=starts, delay_s=5))
    parent = subprocess.Popen(
        [sys.executable, "-c", _PARENT, "--source", "long", "--scan", "s", "--crawl", "c"],
        cwd=ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    child = psutil.Process(int(parent.stdout.readline()))
    try:
        wait_until(lambda: stores.database["visits"].count_documents({"source": "long"}))
    finally:
        parent.kill()
        parent.communicate()
    wait_until(lambda: has_ended(child))
