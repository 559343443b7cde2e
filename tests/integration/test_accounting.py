"""What goes into a crawl comes out of it counted: read, refused with a reason, or left.

Every test ends with the same sum: entries = lists + new + unchanged + failed + left, and every address that
ended has a stored page.
"""

import os
import signal
import subprocess
import sys
import threading
import time
from dataclasses import replace
from datetime import timedelta

import pytest
from support.crawls import handed_in
from support.processes import environment_of
from support.webserver import Reply, anchors, article

from storage.collections.scan_turns import ScanOpening
from storage.frontier.interface import MAX_ATTEMPTS
from storage.records import Scan, Source, utc_now
from tracker.scans import crawling
from tracker.scans.crawling import crawl_sources
from tracker.scans.health import record_crawl
from tracker.scans.scanning import close_if_complete, unvisited_counts

pytestmark = pytest.mark.services
_WAIT_S = 60


def row_of(stores, scan="s1"):
    (row,) = stores.scans.crawls(scan)
    return row


def assert_accounted_for(row):
    addresses = dict(row.addresses)
    entries, _ = addresses.pop("entries"), addresses.pop("beyond")
    assert entries == sum(addresses.values()), row.addresses


def pages_of(stores, scan="s1"):
    return {page.url: page for page in stores.pages.of_scan(scan)}


def source_of(*urls, name="a", **fields):
    return Source(name=name, kind="urls", start_urls=urls, **fields)


def refuse(stores, collection, condition):
    """Let the server refuse documents that meet a condition, as it refuses those that are too large."""
    stores.database.command("collMod", collection, validator={"$nor": [condition]})


def test_page_that_the_database_refuses_is_listed_with_its_reason(stores, crawl, site):
    titles = {f"/{number}": f"第{number}天" for number in range(6)}
    titles["/3"] = "拒收"
    site.pages.update({path: article(title, seed=ord(path[1])) for path, title in titles.items()})
    refuse(stores, "pages", {"title": "拒收"})
    result, counts = crawl(source_of(*(f"{site.url}{path}" for path in titles)))
    assert result.returncode == 0, result.stderr
    reasons = {url.removeprefix(site.url): page.reason for url, page in pages_of(stores).items()}
    assert reasons == {path: "unstorable" if path == "/3" else "" for path in titles}
    assert counts["failed:unstorable"] == 1
    assert row_of(stores).addresses["failed"] == 1
    assert_accounted_for(row_of(stores))


def test_evidence_that_cannot_be_kept_takes_no_page_away(stores, crawl, site):
    site.pages.update({f"/{number}": article("候鸟", seed=number) for number in range(4)})
    refuse(stores, "snapshots", {"url": f"{site.url}/2"})
    result, counts = crawl(source_of(*(f"{site.url}/{number}" for number in range(4))))
    assert result.returncode == 0, result.stderr
    assert {page.state for page in pages_of(stores).values()} == {"fetched"}
    assert counts["evidence_lost"] == 1
    assert len(list(stores.database["snapshots"].find({}))) == 3
    assert_accounted_for(row_of(stores))


LONE = "a\\ud800b"
MONSTROUS = {
    "surrogate-author": f'<script type="application/ld+json">{{"author":"{LONE}"}}</script>',
    "surrogate-title": f'<script type="application/ld+json">{{"headline":"{LONE}"}}</script>',
    "surrogate-date": f'<script type="application/ld+json">{{"datePublished":"{LONE}"}}</script>',
    "huge-title": f"<title>{'题' * 2_000_000}</title>",
    "huge-author": f'<meta name="author" content="{"名" * 2_000_000}">',
    "entity": "<title>&#xD800;&#0;&#x110000;</title>",
    "css": "<style>.z{color:rgb(.)} .y{color:rgb(1.1.1)}</style>",
    "digits": f"<title>第{'一' * 4_301}章</title>",
    "far-date": '<meta property="article:published_time" content="0001-01-01T00:00:00+14:00">',
}


def test_monstrous_pages_are_all_accounted_for(stores, crawl, site, subtests):
    for number, (name, head) in enumerate(MONSTROUS.items()):
        site.pages[f"/{name}"] = article("候鸟", seed=number, head=head)
    site.pages["/bytes"] = b"<title>" + b"\xff\xfe\xfd" * 1_900_000 + b"</title>" + article("候鸟").encode()
    site.pages["/plain"] = article("候鸟", seed=99)
    urls = [f"{site.url}{path}" for path in site.pages]
    result, _ = crawl(source_of(*urls))
    assert result.returncode == 0, result.stderr
    pages = pages_of(stores)
    assert set(pages) == set(urls)
    for name in (*MONSTROUS, "plain"):
        with subtests.test(name=name):
            assert pages[f"{site.url}/{name}"].state == "fetched", pages[f"{site.url}/{name}"].reason
    assert_accounted_for(row_of(stores))


def test_crawl_that_runs_out_of_time_counts_the_remaining_addresses(stores, crawl, site):
    site.pages.update({f"/{number}": article("候鸟", seed=number) for number in range(40)})
    urls = [f"{site.url}/{number}" for number in range(40)]
    result, _ = crawl(source_of(*urls, delay_s=0.5, max_minutes=0.1))
    assert result.returncode == 0, result.stderr
    row = row_of(stores)
    assert row.end == "time"
    assert row.left == {"time": 40 - row.addresses["new"]}
    assert 0 < row.addresses["new"] < 40
    assert_accounted_for(row)


def test_crawl_cut_off_by_hours_is_continued_without_repeats(stores, crawl, crawls, settings, site):
    """The first crawl ends by its time limit, recorded as the end of its hours to keep the test short."""
    site.pages.update({f"/{number}": article("候鸟", seed=number) for number in range(20)})
    source = source_of(*(f"{site.url}/{number}" for number in range(20)), delay_s=0.5)
    short_lease = {"PINDNA_CRAWLER__FRONTIER_LEASE_S": "4"}  # the last crawl waits for others' claims
    crawl(replace(source, max_minutes=0.08), **short_lease)
    asked = site.paths()
    row = row_of(stores)
    assert 0 < row.left["time"] < 20
    stores.database["crawls"].update_one({"_id": row.id}, {"$set": {"state": "done", "end": "hours"}})
    record_crawl(stores, "s1", "a")
    assert stores.health.get("a").rest == "s1"
    later = utc_now() + timedelta(hours=2)
    closed = replace(source, hours=(f"{later:%H:%M}-{later + timedelta(hours=1):%H:%M}",), timezone="+00:00")
    for name, own in (("s2", closed), ("s3", replace(source, delay_s=0.0))):
        stores.sources.save(own)
        scan = Scan(id=name, trigger="hand", sources=("a",), started=utc_now())
        stores.scans.store(ScanOpening(scan=scan, rests={"a": stores.health.get("a").rest}))
        result = crawls.run(
            ["--source", "a", "--scan", name, "--crawl", f"{name}:a"],
            {**environment_of(settings), **short_lease},
        )
        assert result.returncode == 0, result.stderr
        if own is closed:
            assert row_of(stores, name).left == {"hours": row.left["time"]}
            assert site.paths() == []
    assert (row_of(stores, "s3").end, row_of(stores, "s3").left) == ("finished", {})
    asked += site.paths()
    assert sorted(path for path in asked if path != "/robots.txt") == sorted(site.pages)


def test_scan_includes_the_unvisited_addresses_of_its_crawls(stores, crawl, site):
    site.pages["/"] = anchors(
        *((f"/2026/{number}.html", f"第{number}天的候鸟飞过湿地") for number in range(9))
    )
    site.pages.update({f"/2026/{number}.html": article("候鸟", seed=number) for number in range(9)})
    crawl(Source(name="a", kind="news", start_urls=(f"{site.url}/",), max_pages=4))
    row = row_of(stores)
    assert row.left == {"limit": 5}
    assert row.addresses == {"entries": 5, "left": 0, "beyond": 5, "list": 1, "new": 4}
    token, (crawl_id,) = stores.scans.reserve_due(count=1, lease_s=60)
    stores.scans.claim_crawl(crawl_id, token=token, lease_s=60)
    stores.scans.close_crawl(crawl_id, token=token, state="done")
    stores.database["pages"].update_many({}, {"$set": {"state": "compared"}})
    assert close_if_complete(stores.scans.get("s1"), stores)
    closed = stores.scans.get("s1")
    assert (closed.left, closed.counts["left"]) == ({"limit": 5}, 5)


@pytest.mark.long
def test_crawl_in_which_nothing_moves_ends_itself_and_says_so(stores, crawl, site):
    forever = threading.Event()
    site.pages["/hang"] = lambda *_: forever.wait(_WAIT_S) or Reply()
    began = time.monotonic()
    try:
        result, _ = crawl(
            source_of(f"{site.url}/hang"),
            PINDNA_CRAWLER__STALL_S="3",
            PINDNA_CRAWLER__MAX_WAIT_S="0",
            PINDNA_CRAWLER__TIMEOUT_S=str(_WAIT_S),
        )
    finally:
        forever.set()
    assert time.monotonic() - began < _WAIT_S
    assert result.returncode == 4
    assert "made no progress" in result.stderr.splitlines()[-1]
    assert row_of(stores).left == {"stalled": 1}


@pytest.mark.long
def test_page_that_ends_every_process_is_abandoned_with_a_reason(stores, settings, site):
    """The server kills every process that requests the page; the other page is still read."""
    running = []

    def kill(*_):
        running[-1].kill()
        return Reply()

    site.pages.update({"/deadly": kill, "/1": article("候鸟")})
    source = source_of(f"{site.url}/deadly", f"{site.url}/1")
    stores.sources.save(source)
    stores.scans.open(Scan(id="s1", trigger="hand", sources=("a",), started=utc_now()))
    command = [sys.executable, "-m", "crawler", "--source", "a", "--scan", "s1", "--crawl", "s1:a"]
    environment = {**environment_of(settings), "PINDNA_CRAWLER__FRONTIER_LEASE_S": "4"}
    statuses = []
    while 0 not in statuses:
        assert len(statuses) <= MAX_ATTEMPTS
        running.append(subprocess.Popen(command, env=environment))
        statuses.append(running[-1].wait(_WAIT_S))
        time.sleep(4.1)  # the lease of what it held ends
    assert statuses == [-signal.SIGKILL] * MAX_ATTEMPTS + [0]
    pages = pages_of(stores)
    assert pages[f"{site.url}/deadly"].reason == "gave-up"
    assert pages[f"{site.url}/1"].state == "fetched"
    assert_accounted_for(row_of(stores))
    assert row_of(stores).left == {}


@pytest.mark.long
def test_frozen_crawl_is_ended_and_touches_no_other(stores, settings, site, monkeypatch):
    """SIGSTOP simulates a loop that no signal and no timer interrupts."""
    site.pages.update({f"/{number}": article("候鸟", seed=number) for number in range(3)})
    forever = threading.Event()
    site.pages["/hang"] = lambda *_: forever.wait(_WAIT_S) or Reply()
    for key, value in environment_of(settings).items():
        monkeypatch.setenv(key, value)
    monkeypatch.setattr(crawling, "_SILENCE_S", 20.0)
    begun = []
    start = crawling._start_crawl
    monkeypatch.setattr(crawling, "_start_crawl", lambda *crawl: begun.append(start(*crawl)) or begun[-1])
    stores.sources.save(source_of(f"{site.url}/hang", name="frozen"))
    stores.sources.save(source_of(*(f"{site.url}/{number}" for number in range(3)), name="other"))
    stores.scans.open(Scan(id="s1", trigger="hand", sources=("frozen", "other"), started=utc_now()))
    token, ids = stores.scans.reserve_due(count=9, lease_s=60)

    def is_under_way(crawl_id):
        return any(row.id == crawl_id and row.addresses.get("entries") for row in stores.scans.crawls("s1"))

    def freeze():
        for running in begun:
            if (
                running.process.returncode is None
                and running.crawl.source == "frozen"
                and is_under_way(running.crawl.id)
            ):
                os.kill(running.process.pid, signal.SIGSTOP)

    try:
        done = crawl_sources(handed_in(ids, token), stores, lease_s=4.0, processes=2, while_running=freeze)
    finally:
        forever.set()
    assert done == 2
    rows = {row.source: row for row in stores.scans.crawls("s1")}
    assert (rows["frozen"].state, rows["other"].state) == ("failed", "done")
    assert "reported nothing" in rows["frozen"].error
    assert (rows["frozen"].fault, rows["other"].fault) == ("ours", "")
    assert unvisited_counts(list(rows.values())) == {"unfinished": 1}
    assert rows["other"].addresses["new"] == 3


def test_error_of_any_length_ends_only_its_crawl(stores, site, settings, monkeypatch):
    """The last line of a crawl may contain a whole document: it is cut, and other crawls continue."""
    site.pages["/1"] = article("候鸟")
    for key, value in environment_of(settings).items():
        monkeypatch.setenv(key, value)
    popen = subprocess.Popen

    def start(command, **options):
        if "loud" in command:
            command = [
                sys.executable,
                "-c",
                "import sys; sys.stderr.write('\\x1b[31m' + '页' * 20_000_000); sys.exit(1)",
            ]
        return popen(command, **options)

    monkeypatch.setattr(crawling.subprocess, "Popen", start)
    stores.sources.save(source_of(f"{site.url}/1", name="quiet"))
    stores.scans.open(Scan(id="s1", trigger="hand", sources=("loud", "quiet"), started=utc_now()))
    token, ids = stores.scans.reserve_due(count=9, lease_s=60)
    assert (
        crawl_sources(handed_in(ids, token), stores, lease_s=60, processes=2, while_running=lambda: None) == 2
    )
    rows = {row.source: row for row in stores.scans.crawls("s1")}
    assert (rows["loud"].state, rows["quiet"].state) == ("failed", "done")
    assert len(rows["loud"].error) <= 300
    assert rows["loud"].error.isprintable()
