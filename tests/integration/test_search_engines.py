"""Search engines that answer as they document it, asked by real crawls."""

import json
from urllib.parse import parse_qs, urlsplit

import pytest
from support.hostile import with_names
from support.proxy_site import ProxySite
from support.webserver import Reply, article

from crawler.sources.definition import source_from
from storage.records import Passage, Source, Work, utc_now
from tracker.scans.scanning import unvisited_counts

pytestmark = pytest.mark.services
PIRATE = "http://pirate.example"
KEY = "geheim-4711-token"
SENTENCES = [f"第{n}盏渡口的青灯在雨夜里照见了船家写下的旧名字" for n in "甲乙丙丁戊己"]


@pytest.fixture
def work(stores):
    """A work with six sentences to search for."""
    text = "。".join(SENTENCES)
    stores.passages.save_many([Passage(id=1, work_id=1, ordinal=1, title="", text=text, sha256="x")])
    stores.works.save(
        Work(id=1, key="青灯渡", title="青灯渡", kind="novel", origin="o", passage_ids=(1,), status="indexed")
    )


@pytest.fixture
def web():
    """Everything that is found, behind a proxy."""
    site = ProxySite()
    site.pages = {f"/{number}": article(f"盗版{number}", seed=number) for number in range(9)}
    yield site
    site.close()


@pytest.fixture
def search(crawl, site, web, tmp_path):
    """Crawl a source with a section [discovery]; the engine is a local server."""

    def run(page, scan="s1", environment=None, positions=None, **section):
        site.pages = {"/search": page}
        section |= {"answer": positions} if positions else {}
        if section.get("form") != "file":
            section = {"engine": f"{site.url}/search", **section}
        values = {
            "name": "d",
            "kind": "discovery",
            "discovery": section,
            "pace": {"delay_s": 0},
            "access": {"proxies": [web.url]},
        }
        names = with_names(tmp_path, {"pirate.example": ["93.184.216.34"]})
        return crawl(source_from(values, where="test"), scan, **names, **(environment or {}))

    return run


def reply(document, status=200, **headers):
    return Reply(json.dumps(document), status=status, kind="application/json", **headers)


def left(stores, scan="s1"):
    return unvisited_counts(stores.scans.crawls(scan))


def today():
    return Source(name="d", kind="discovery").day_of(utc_now())


def queries_of(site):
    return [parse_qs(urlsplit(path).query) for path in site.paths()]


def brave(path, *_):
    number = int(parse_qs(urlsplit(path).query)["offset"][0])
    results = [{"url": f"{PIRATE}/{number}", "title": "x"}]
    return reply({"type": "search", "web": {"type": "search", "results": results}})


@pytest.mark.usefixtures("work")
def test_brave_gets_its_key_and_no_more_searches_than_a_day_allows(stores, search, site, web):
    headers = {"X-Subscription-Token": "${PINDNA_SECRET_BRAVE}"}
    stores.health.reserve_searches("d", "s0", day=today(), count=2, most=None)
    result, counts = search(
        brave,
        environment={"PINDNA_SECRET_BRAVE": KEY},
        form="brave",
        pages=2,
        sentences=3,
        daily=6,
        headers=headers,
    )
    assert result.returncode == 0, result.stderr
    assert all(f"X-Subscription-Token: {KEY}".encode() in came for came, _ in site.exchanges)
    assert not any(KEY.encode() in came for came, _ in web.exchanges)
    assert sorted(query["offset"][0] for query in queries_of(site)) == ["0", "0", "1", "1"]
    assert (counts["searches"], counts["pages"], left(stores)) == (4, 2, {"searches-budget": 2})
    assert stores.health.get("d").searches.by_scan == {"s0": 2, "s1": 4}


@pytest.mark.usefixtures("work")
def test_engine_that_refuses_is_not_searched(stores, search, site):
    result, _ = search(Reply("Forbidden", status=403), sentences=6, pages=10)
    assert left(stores) == {"searches-refused": 60}
    assert len(site.paths()) < 60
    assert (result.returncode, "http-403" in result.stderr) == (2, True)


@pytest.mark.usefixtures("work")
def test_engine_without_any_result_is_not_searched(stores, search):
    search(reply({"results": [], "unresponsive_engines": []}), sentences=3)
    assert left(stores) == {"searches-empty": 3}


@pytest.mark.usefixtures("work")
def test_engine_described_by_its_source_is_searched(stores, search, site, web):
    def hits(path, *_):
        query = parse_qs(urlsplit(path).query)
        if query["from"] == ["5"] and "甲" in query["text"][0]:
            return Reply("", status=302, Location=f"{PIRATE}/8")
        urls = [f"{PIRATE}/1"] if "乙" in query["text"][0] else []
        return reply({"data": {"hits": [{"page": {"href": url}} for url in urls]}})

    _, counts = search(
        hits,
        form="json",
        results=5,
        pages=2,
        sentences=6,
        parameters={"text": "{query}", "from": "{offset}", "size": "{count}"},
        headers={"Authorization": "Bearer ${PINDNA_SECRET_ENGINE}"},
        positions={"results": "data.hits", "url": "page.href"},
        environment={"PINDNA_SECRET_ENGINE": KEY},
    )
    assert f"Authorization: Bearer {KEY}".encode() in site.exchanges[0][0]
    assert set(web.paths()) == {f"{PIRATE}/robots.txt", f"{PIRATE}/1"}  # the key does not follow the redirect
    assert (counts["searches"], counts["pages"], left(stores)) == (11, 1, {"searches-failed": 1})


def test_file_of_results_is_crawled_without_an_engine(search, site, tmp_path):
    folder = tmp_path / "results"
    folder.mkdir()
    (folder / "found.csv").write_text(f"标题,地址\n盗版,{PIRATE}/1\n盗版,{PIRATE}/2\n", encoding="utf-8")
    environment = {"PINDNA_CRAWLER__RESULTS_DIR": str(folder)}
    result, counts = search("", form="file", file="found.csv", environment=environment)
    assert result.returncode == 0, result.stderr
    assert (counts["pages"], site.paths()) == (2, [])
