"""A crawl of a site that means harm, in its own process: nothing gets inside, nothing brings it down.

One crawl asks for every hostile address; each test looks at what became of one of them. The crawl's own
resolver is given a few names that DNS would have: one that leads inside, one that leads inside the second
time.
"""

import subprocess
from dataclasses import dataclass

import pytest
from support.hostile import LITERALS, NAMES, HostileSite, crawl_hostile, fresh_stores, hostile_site
from support.hostile_answers import TEXT

from crawler.addresses import canonical, is_web
from crawler.pages.warc_reading import read_back
from storage.collections.stores import Stores
from storage.records import Page, Source

pytestmark = pytest.mark.services
MAX_MEGABYTES = 700  # several bombs of a megabyte may be unpacked at once; 511 were seen
DIRECT = [*LITERALS, "rebind.test"]
OTHER = [
    "file:///etc/passwd",
    "ftp://127.0.0.2/",
    "data:text/html,x",
    "gopher://127.0.0.2/",
    "s3://bucket/x",
    "HTTP:/x",
]


@dataclass
class Crawled:
    """What came of the crawl."""

    site: HostileSite
    urls: list[str]
    result: subprocess.CompletedProcess
    pages: dict[str, Page]
    stores: Stores
    megabytes: int

    def reason(self, url):
        page = self.pages.get(url)
        if page is None or page.state != "fetched":
            return None if page is None else page.reason
        return "incomplete" if "incomplete" in page.unread else TEXT


@pytest.fixture(scope="module")
def crawled(services, tmp_path_factory):
    folder = tmp_path_factory.mktemp("resolver")
    with fresh_stores(services) as stores, hostile_site() as site:
        bad = [f"{site.url}/{path}" for path in site.cases]
        bad += [f"http://{host}:{site.port}/direct" for host in DIRECT] + OTHER
        urls = [each for number, url in enumerate(bad) for each in (url, f"{site.url}/good{number}")]
        source = Source(name="hostile", kind="urls", start_urls=tuple(urls), concurrency=12)
        result = crawl_hostile(site, source, stores, services, folder, names=NAMES, timeout_s=6)
        pages = {page.url: page for page in stores.pages.all()}
        memory = int((folder / "memory").read_text(encoding="ascii")) // 1024
        yield Crawled(site, urls, result, pages, stores, memory)


def found(crawled, path):
    """Return the reason under which a path was filed, whatever spelling its address was stored in."""
    return crawled.reason(canonical(f"{crawled.site.url}/{path}"))


def test_hostile_answers_end_as_they_should(crawled, subtests):
    for path in crawled.site.cases:
        with subtests.test(path=path[:40]):
            expected = crawled.site.cases[path].reasons
            reason = found(crawled, path)
            assert reason is not None, crawled.result.stderr[-2000:]
            assert reason.partition(":")[0] in expected or reason in expected, reason


def test_every_address_is_counted_exactly_once(crawled):
    (row,) = crawled.stores.scans.crawls("s")
    addresses = dict(row.addresses)
    entries, beyond = addresses.pop("entries"), addresses.pop("beyond")
    assert entries == sum(addresses.values()), row.addresses
    assert (beyond, addresses["left"]) == (0, 0)
    # Several spellings of an address are one entry; what is not http has none. One page leads on, inside.
    asked = {canonical(url) for url in crawled.urls if is_web(url)} | {
        f"http://127.0.0.2:{crawled.site.port}/"
    }
    assert entries == len(asked)
    assert crawled.reason(f"http://127.0.0.2:{crawled.site.port}/") == "inner-address"


def test_inner_address_is_refused_in_every_spelling(crawled, subtests):
    for host in LITERALS:
        with subtests.test(host=host):
            url = canonical(f"http://{host}:{crawled.site.port}/direct")
            assert crawled.reason(url) in ("inner-address", "dns")


def test_name_with_changing_addresses_is_resolved_once(crawled):
    assert crawled.reason(f"http://rebind.test:{crawled.site.port}/direct") in ("http-404", TEXT)


def test_only_http_is_spoken(crawled, subtests):
    for url in OTHER:
        with subtests.test(url=url):
            assert url not in crawled.pages
            assert not any(
                page.url.startswith(url.partition(":")[0].lower() + "://")
                for page in crawled.pages.values()
                if not url.lower().startswith("http")
            )


def test_no_request_reached_an_inner_address(crawled):
    assert crawled.site.escapes == []


def test_good_pages_next_to_hostile_pages_were_read(crawled):
    good = [page for url, page in crawled.pages.items() if "/good" in url]
    assert len(good) == len(crawled.site.cases) + len(DIRECT) + len(OTHER)
    # On a machine under load a page may take longer than the short limit of this crawl.
    assert {page.reason for page in good} <= {"", "timeout"}
    assert sum(page.state == "fetched" for page in good) > len(good) * 0.8


def test_crawl_ended_well_and_small(crawled):
    assert crawled.result.returncode == 0, crawled.result.stderr[-2000:]
    assert crawled.megabytes < MAX_MEGABYTES, crawled.megabytes


def test_no_request_carried_an_injected_header(crawled):
    assert not [path for path, request in crawled.site.asked if b"\r\nX-Injected" in request]


def test_stored_hostile_pages_read_back_as_single_records(crawled):
    pages = [page for page in crawled.pages.values() if page.snapshots]
    assert len(pages) > 50
    for page in pages:
        for sha256 in page.snapshots:
            snapshot = crawled.stores.snapshots.get(sha256)
            assert read_back(snapshot.warc, sha256=sha256).body is not None
            assert snapshot.warc.count(b"\x1f\x8b\x08\x00") >= 2
