"""A crawl in a real browser, of pages that mean harm: nothing gets inside, nothing brings the crawl down.

As in ``test_safety``, one crawl asks for every page, and each test looks at what became of one.
"""

import shutil
import socket
import tempfile
import threading
from pathlib import Path

import pytest
from support.browsers import require_browser
from support.hostile import HostileSite, crawl_hostile, fresh_stores
from support.hostile_answers import TEXT
from support.hostile_pages import CARRIED_OUT, cases, worker_script
from support.processes import processes_of

from crawler.addresses import canonical
from storage.records import Source

pytestmark = pytest.mark.services
NAMES = {"inner.test": ["127.0.0.2"], "rebind.test": ["127.0.0.1", "127.0.0.2"]}


class Site(HostileSite):
    """The pages, with the canary's ears for UDP as well."""

    def __init__(self):
        super().__init__()
        self.cases = cases(f"127.0.0.2:{self.port}", self.port)
        self.udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.udp.bind(("127.0.0.2", self.port))
        self.listener = threading.Thread(target=self._listen, daemon=True)
        self.listener.start()

    def _listen(self):
        while True:
            try:
                data, peer = self.udp.recvfrom(2000)
            except OSError:
                return
            if data == b"enough":
                return
            self.escapes.append((peer, data))

    async def send(self, path, writer):
        if path.startswith("worker.js"):
            await worker_script(path)(writer)
        else:
            await super().send(path, writer)

    def close(self):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as bell:
            bell.sendto(b"enough", ("127.0.0.2", self.port))
        self.listener.join()
        self.udp.close()
        super().close()


class Crawled:
    """What came of the crawl."""

    def __init__(self, site, result, pages, left):
        self.site, self.result, self.pages, self.left = site, result, pages, left

    def reason(self, path):
        page = self.pages.get(canonical(f"{self.site.url}/{path}"))
        return None if page is None else TEXT if page.state == "fetched" else page.reason


@pytest.fixture(scope="module")
def crawled(services, tmp_path_factory):
    require_browser()
    folder = tmp_path_factory.mktemp("resolver")
    with fresh_stores(services) as stores:
        site, scratch = Site(), Path(tempfile.mkdtemp(prefix="crawl-"))
        try:
            urls = tuple(f"{site.url}/{path}" for path in site.cases)
            source = Source(name="hostile", kind="urls", start_urls=urls, concurrency=6, render=True)
            own = {"PINDNA_CRAWLER__EXTRACT_PROCESSES": "1", "TMPDIR": str(scratch)}
            result = crawl_hostile(site, source, stores, services, folder, names=NAMES, timeout_s=8, **own)
            left = [*processes_of(scratch), *scratch.iterdir()]
            yield Crawled(site, result, {page.url: page for page in stores.pages.all()}, left)
        finally:
            shutil.rmtree(scratch)
            site.close()


def hostile_pages_end_as_they_should(crawled, subtests):
    for path in crawled.site.cases:
        with subtests.test(path=path):
            reason = crawled.reason(path)
            assert reason is not None, crawled.result.stderr[-2000:]
            assert reason.partition(":")[0] in crawled.site.cases[path].reasons, reason


def what_they_tried_with_the_canary_worked_with_the_site(crawled, subtests):
    for name in CARRIED_OUT:
        with subtests.test(name=name):
            assert any(path.startswith(f"seen/{name}") for path, _ in crawled.site.asked)


def no_script_got_inside(crawled):
    assert crawled.site.escapes == []


def pictures_and_films_are_not_fetched(crawled):
    asked = {path for path, _ in crawled.site.asked}
    assert not asked & {"seen/img/img", "seen/media/video", "seen/media/audio"}


def only_so_many_things_are_fetched_for_one_page(crawled):
    assert sum(path.startswith("seen/many/") for path, _ in crawled.site.asked) <= 300


def no_word_of_the_guard_reaches_a_site(crawled):
    assert not [path for path, request in crawled.site.asked if b"proxy-" in request.lower()]
    assert not [path for path, request in crawled.site.asked if b"\r\nauthorization:" in request.lower()]


def nothing_of_this_machine_is_in_a_text(crawled):
    assert not [page.url for page in crawled.pages.values() if "root:" in page.text]


def the_crawler_says_who_it_is(crawled):
    agents = {
        line
        for _, request in crawled.site.asked
        for line in request.decode("latin-1").split("\r\n")
        if line.lower().startswith(("user-agent:", "sec-ch-ua"))
    }
    assert all("pindna/" in line or line.lower().startswith("sec-ch-ua") for line in agents), agents
    assert not [line for line in agents if "Windows" in line or "Headless" in line], agents


def the_crawl_ended_well_and_left_nothing_behind(crawled):
    assert crawled.result.returncode == 0, crawled.result.stderr[-2000:]
    assert "Traceback" not in crawled.result.stderr
    assert not crawled.left


def test_crawl_of_hostile_pages_does_no_harm(crawled, subtests):
    """One test, for the crawl takes half a minute, and tests of a file may run in several processes."""
    hostile_pages_end_as_they_should(crawled, subtests)
    what_they_tried_with_the_canary_worked_with_the_site(crawled, subtests)
    for check in (
        no_script_got_inside,
        pictures_and_films_are_not_fetched,
        only_so_many_things_are_fetched_for_one_page,
        no_word_of_the_guard_reaches_a_site,
        nothing_of_this_machine_is_in_a_text,
        the_crawler_says_who_it_is,
        the_crawl_ended_well_and_left_nothing_behind,
    ):
        with subtests.test(check=check.__name__):
            check(crawled)
