"""What a user types about sources and pages, and what they are told: alerts, pauses, events, evidence."""

import gzip
import hashlib
import json
import os
from datetime import timedelta

import pytest
from support.crawls import handed_in
from support.processes import environment_of
from support.webserver import Reply, anchors, article, web_site

from storage.collections.scan_turns import ScanOpening
from storage.records import Scan, Source, SourceHealth, utc_now
from tracker.scans.crawling import crawl_sources
from tracker.scans.scanning import AllPaused, sources_to_crawl

pytestmark = pytest.mark.services


@pytest.fixture
def site():
    with web_site() as running:
        running.pages = {
            "/": anchors(
                ("/a/1.html", "候鸟北归的消息"), ("/a/2.html", "三百户居民搬新家"), ("/a/3.html", "没有")
            ),
            "/a/1.html": article("候鸟北归", seed=1),
            "/a/2.html": article("搬新家", seed=2),
        }
        yield running


@pytest.fixture
def crawl(stores, settings, monkeypatch):
    """Crawl a source as a worker does; returns the scan's crawls."""
    for name, value in environment_of(settings).items():
        if os.environ.get(name) != value:
            monkeypatch.setenv(name, value)
    monkeypatch.setenv("PINDNA_CRAWLER__RETRIES", "0")

    def run(source, scan):
        stores.sources.save(source)
        opened = Scan(id=scan, trigger="hand", sources=(source.name,), started=utc_now())
        stores.scans.store(ScanOpening(scan=opened, processes={source.name: source.processes}))
        token, ids = stores.scans.reserve_due(count=9, lease_s=60)
        crawl_sources(handed_in(ids, token), stores, lease_s=60, processes=3, while_running=lambda: None)
        return stores.scans.crawls(scan)

    return run


def definition(tmp_path, site, name="portal", **more):
    path = tmp_path / f"{name}.toml"
    lines = [
        f'name = "{name}"',
        f'urls = ["{site.url}/"]',
        *(f"{key} = {value}" for key, value in more.items()),
    ]
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def test_source_is_tried_before_it_is_stored(pindna, site, tmp_path):
    path = definition(tmp_path, site)
    shown = pindna("source", "test", path, status=4).stdout
    assert "leads to 3 texts" in shown
    assert "Article “候鸟北归”" in shown
    assert "404" in shown
    steps = [
        json.loads(line)
        for line in pindna("source", "test", path, "--pages", 1, "--json").stdout.splitlines()
    ]
    assert [(step["asked"], step["kind"], step["reason"]) for step in steps] == [
        ("index", "", ""), ("text", "article", ""),
    ]  # fmt: skip
    assert "no source called portal" in pindna("source", "test", "portal", status=2).stderr


def test_source_without_text_is_reported(pindna, site, tmp_path):
    site.pages["/robots.txt"] = Reply("User-agent: *\nDisallow: /\n", kind="text/plain")
    done = pindna("source", "test", definition(tmp_path, site), status=2)
    assert "Forbidden by robots.txt" in done.stdout
    assert "No text was read." in done.stdout


def test_mistake_in_a_source_file_is_reported_with_its_key(pindna, site, tmp_path):
    done = pindna("source", "add", definition(tmp_path, site, folow='"x"'), status=2)
    assert "portal.toml: folow: there is no such key" in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.long
def test_source_file_leads_to_the_history_and_evidence_of_a_page(pindna, stores, site, tmp_path, crawl):
    pindna("source", "add", definition(tmp_path, site))
    source = stores.sources.get("portal")
    crawl(source, "s1")
    url = f"{site.url}/a/1.html"
    original = site.pages["/a/1.html"].encode()
    site.pages["/a/1.html"] = Reply(status=404)
    crawl(source, "s2")
    shown = json.loads(pindna("page", "show", url, "--json").stdout)
    assert [event["kind"] for event in shown["events"]] == ["new", "gone"]
    assert shown["state"] == "gone"
    (sha256,) = next(version["snapshots"] for version in shown["versions"] if version["snapshots"])
    assert sha256 == hashlib.sha256(original).hexdigest()
    assert pindna("page", "snapshot", url).stdout.encode() == original
    head = pindna("page", "snapshot", url, "--headers").stdout
    assert head.startswith("GET /a/1.html HTTP/1.1\n")
    assert "HTTP/1.1 200 OK\n" in head
    pindna("page", "snapshot", url, "--warc", tmp_path / "x.warc.gz")
    warc = gzip.decompress((tmp_path / "x.warc.gz").read_bytes())
    assert warc.count(b"WARC-Type: response") == 1
    assert original in warc
    assert "no page called" in pindna("page", "show", f"{site.url}/unknown", status=2).stderr


@pytest.mark.long
def test_evidence_is_pruned_by_command(pindna, stores, site, crawl):
    crawl(Source(name="p", kind="news", start_urls=(f"{site.url}/",)), "s1")
    assert "kept without limit" in pindna("page", "prune").stdout
    long_ago = utc_now() - timedelta(days=40)
    stores.database["captures"].update_many({}, {"$set": {"fetched": long_ago}})
    assert "2 fetches and 2 bodies were deleted" in pindna("page", "prune", "--days", 30).stdout
    assert list(stores.database["snapshots"].find({})) == []


@pytest.mark.long
def test_collapsed_source_raises_an_alert_and_a_good_crawl_closes_it(pindna, stores, site, crawl):
    articles = {f"/a/{n}.html": article(f"新闻{n}", seed=n) for n in range(1, 7)}
    full = anchors(*((path, f"一条很长的新闻标题{path}") for path in articles))
    site.pages = {"/": full, **articles}
    source = Source(name="portal", kind="news", start_urls=(f"{site.url}/",))
    crawl(source, "s1")
    assert stores.health.open_alerts() == []
    assert stores.health.get("portal").last_success is not None
    site.pages["/"] = "<html><body><div id=app></div><script>render()</script></body></html>"
    crawl(source, "s2")
    (alert,) = stores.health.open_alerts()
    assert (alert.source, alert.kind, alert.detail) == ("portal", "empty", "no text was listed, usually 6")
    told = "Alert, portal: Nothing was found: no text was listed, usually 6"
    assert told in pindna("source", "list").stdout.splitlines()
    row = json.loads(pindna("source", "list", "--json").stdout)
    assert row["alerts"][0]["kind"] == "empty"
    assert "! source portal: Nothing was found" in pindna("doctor", status=None).stdout
    site.pages["/"] = full
    crawl(source, "s3")
    assert stores.health.open_alerts() == []


def test_source_that_refuses_access_pauses_until_enabled(pindna, stores, site, crawl):
    site.pages = {"/": anchors(*((f"/a/{n}.html", f"一条很长的新闻标题{n}") for n in range(60)))}
    site.default = Reply("forbidden", status=403)
    source = Source(name="portal", kind="news", start_urls=(f"{site.url}/",))
    (row,) = crawl(source, "s1")
    assert (row.state, "refused access (http-403)" in row.error) == ("failed", True)
    with pytest.raises(AllPaused):
        sources_to_crawl(stores)
    assert [source.name for source in sources_to_crawl(stores, ["portal"])] == ["portal"]
    assert "portal: pauses until" in pindna("source", "list").stdout
    assert [alert.kind for alert in stores.health.open_alerts()] == ["blocked"]
    pindna("source", "enable", "portal")
    assert [source.name for source in sources_to_crawl(stores)] == ["portal"]


def test_source_that_cannot_be_read_raises_an_alert(stores, site, crawl):
    site.pages = {}
    crawl(Source(name="portal", kind="news", start_urls=(f"{site.url}/",)), "s1")
    (alert,) = stores.health.open_alerts()
    assert alert.kind == "unreadable"
    assert "http-404" in alert.detail
    assert [crawl.fault for crawl in stores.scans.crawls("s1")] == ["theirs"]


def test_unknown_host_name_is_a_fault_of_the_network(stores, crawl):
    crawl(Source(name="portal", kind="news", start_urls=("http://no-such-name.invalid/",)), "s1")
    assert [alert.kind for alert in stores.health.open_alerts()] == ["unreachable"]
    assert [crawl.fault for crawl in stores.scans.crawls("s1")] == ["network"]


@pytest.mark.long
def test_redis_outage_is_not_a_failure_of_the_source(pindna, stores, site, crawl, tmp_path):
    site.pages = {"/": anchors(("/1.html", "一条很长的新闻标题")), "/1.html": article("一")}
    portal = Source(name="portal", kind="news", start_urls=(f"{site.url}/",))
    with pytest.MonkeyPatch.context() as outage:
        outage.setenv("PINDNA_STORAGE__REDIS_URL", "redis://127.0.0.1:9/0")
        crawl(portal, "s1")
    (row,) = stores.scans.crawls("s1")
    assert (row.state, row.fault) == ("failed", "ours")
    (alert,) = stores.health.open_alerts()
    assert alert.kind == "interrupted"
    report = tmp_path / "report.html"
    pindna("report", "--output", report, status=None)
    text = report.read_text(encoding="utf-8") + alert.detail + row.error
    assert "Redis" in text
    assert "127.0.0.1:9" not in text
    crawl(portal, "s2")
    assert stores.health.open_alerts() == []


def test_scheduled_scan_omits_a_source_until_its_interval_has_passed(stores):
    source = Source(name="portal", kind="news", start_urls=("http://site.example/",), interval_h=24)
    stores.sources.save(source)
    stores.health.save(SourceHealth(name="portal", last_crawl=utc_now()))
    with pytest.raises(AllPaused):
        sources_to_crawl(stores, scheduled=True)
    assert sources_to_crawl(stores) == [source]


def test_processes_of_a_source_share_its_pages(stores, site, crawl):
    articles = {f"/a/{n}.html": article(f"新闻{n}", seed=n) for n in range(1, 13)}
    site.pages = {"/": anchors(*((path, f"一条很长的新闻标题{path}") for path in articles)), **articles}
    source = Source(name="portal", kind="news", start_urls=(f"{site.url}/",), processes=3)
    rows = crawl(source, "s1")
    assert [(row.state, row.error) for row in rows] == [("done", "")] * 3
    assert sum(row.counts["pages"] for row in rows) == 12
    assert len(list(stores.pages.all())) == 12
    asked = [path for path in site.paths() if path.startswith("/a/")]
    assert sorted(asked) == sorted(articles)
    assert len(stores.health.get("portal").recent) == 1
