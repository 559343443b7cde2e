"""The takedown watch by its own crawler process, on a site that does everything that sites do to copies."""

import json
import os
import signal
import subprocess
import sys
import threading
from dataclasses import replace
from datetime import timedelta

import pytest
from support.crawls import ROOT
from support.processes import environment_of
from support.sample_novels import CHAPTERS, STRANGER
from support.waiting import wait_until
from support.watched import NOVEL, Watched, chapter, compare_all, load_novel
from support.webserver import Reply, anchors

from analysis.actions.tasks import watch_due
from analysis.watch.rounds import end_round, take_due
from storage.records import Source, utc_now
from tracker.tasks import worker_runtime

pytestmark = pytest.mark.services
TEXTS = CHAPTERS[NOVEL]
ODD = "<html><head><title>迷路了</title></head><body><p>您要看的东西跑丢啦，去别处逛逛吧。</p></body></html>"
CAPTCHA = "<html><head><title>安全验证</title></head><body><p>请拖动滑块完成拼图</p></body></html>"
LOGIN = (
    "<html><head><title>用户登录</title></head><body><p>请先登录后查看</p><input type=password></body></html>"
)
HOME = (
    "<html><head><title>首页</title></head><body>"
    + anchors(("/b/", "目录"), ("/n/", "新书")) * 9
    + "</body></html>"
)


def text_of(number):
    """The third chapter is copied at one address only."""
    return TEXTS[2] if number == 9 else TEXTS[number % 2]


@pytest.fixture
def start(site, stores, settings, crawl, crawls):
    """A function that makes the site with some copies, crawls it and confirms its case."""

    def ask(round_id, name):
        options = {"PINDNA_CRAWLER__RETRIES": "0", "PINDNA_CRAWLER__FRONTIER_LEASE_S": "2"}
        result = crawls.run(["--source", name, "--watch", round_id], {**environment_of(settings), **options})
        assert "Traceback" not in result.stderr, result.stderr
        return result.returncode == 0

    def run(count=3):
        paths = [f"/b/{number}.html" for number in range(1, count + 1)]
        site.pages = {
            "/": HOME,
            "/b/": anchors(*((path, f"章节{path}") for path in paths), ("/b/99.html", "第九十九章 候鸟")),
            "/b/99.html": chapter(STRANGER, "第九十九章 候鸟"),
            **{path: chapter(text_of(number)) for number, path in enumerate(paths, 1)},
        }
        corpus = load_novel(stores)
        crawl(Source(name="n", kind="novel", start_urls=(f"{site.url}/b/",)))
        compare_all(stores, corpus)
        own = Watched(site, stores, corpus, ask)
        own.confirm()
        assert sorted(own.rows()) == sorted(paths)
        return own

    return run


@pytest.fixture
def watched(start):
    return start()


def test_changes_of_watched_copies_are_distinguished(start):
    watched = start(14)
    site, stores = watched.site, watched.stores
    site.paths()
    assert set(watched.look().values()) == {"up"}
    assert "/b/" not in site.paths()  # nothing is followed
    (capture, *_) = stores.captures.of_url(f"{site.url}/b/1.html")
    assert capture.scan_id.startswith("watch-")
    assert stores.pages.get(watched.rows()["/b/1.html"].page_id).scan_id == "s1"  # it stays the scan's

    site.default = Reply(ODD)  # what the site answers for anything that it does not have
    second = TEXTS[0].splitlines()[:2]
    site.pages |= {
        "/b/2.html": Reply("nothing here", status=404),
        "/b/3.html": Reply("unavailable for legal reasons", status=451),
        "/b/4.html": ODD,
        "/b/5.html": "<html><head><meta http-equiv=refresh content='0;url=/'></head><body></body></html>",
        "/b/6.html": Reply("no", status=403),
        "/b/7.html": CAPTCHA,
        "/b/8.html": Reply(status=302, Location="/user/login"),
        "/user/login": LOGIN,
        "/b/9.html": Reply(status=301, Location="/c/9.html"),
        "/c/9.html": site.pages["/b/9.html"],
        "/b/10.html": chapter(STRANGER),
        "/b/11.html": chapter("\n".join([*second, "本章为VIP章节，订阅后即可继续阅读。"])),
        "/b/12.html": "<html><body><p>该章节因违规已被删除</p></body></html>",
        "/b/13.html": Reply("busy", status=503),
        "/b/14.html": Reply(status=302, Location="/"),
    }
    first = watched.look()
    assert {path for path, state in first.items() if state == "gone"} == set()  # one look proves nothing
    assert {
        watch.first_gone is not None for watch in watched.rows().values() if watch.reason == "soft-404"
    } == {True}
    compare_all(stores, watched.corpus)
    assert watched.look() == {
        "/b/1.html": "up",
        "/b/2.html": "gone",
        "/b/3.html": "gone",
        "/b/4.html": "gone",
        "/b/5.html": "gone",
        "/b/6.html": "unreachable",
        "/b/7.html": "unreachable",
        "/b/8.html": "restricted",
        "/b/9.html": "moved",
        "/b/10.html": "changed",
        "/b/11.html": "restricted",
        "/b/12.html": "gone",
        "/b/13.html": "unreachable",
        "/b/14.html": "gone",
        "/c/9.html": "waiting",
    }
    rows = watched.rows()
    assert rows["/b/9.html"].moved_to == f"{site.url}/c/9.html"
    assert [rows[path].reason for path in ("/b/2.html", "/b/4.html", "/b/5.html")] == [
        "http-404", "soft-404", "front-page",
    ]  # fmt: skip
    assert watched.history() == ["new", "confirmed", "partly_removed"]
    kept = stores.captures.of_url(f"{site.url}/b/2.html")
    assert [capture.status for capture in kept] == [404, 404, 200, 200]
    assert stores.snapshots.get(kept[0].sha256).warc  # the answer itself is the evidence


def test_silent_site_is_unreachable_and_a_live_front_page_is_not(watched):
    site = watched.site
    site.pages = {}
    for _ in range(2):
        assert set(watched.look().values()) == {"unreachable"}
    assert {watch.reason for watch in watched.rows().values()} == {"site-down"}
    site.default = Reply(
        "<html><head><title>域名出售</title></head><body><p>此域名正在出售，有意者请联系。</p></body></html>"
    )
    assert set(watched.look().values()) == {"unreachable"}
    assert watched.history() == ["new", "confirmed"]

    # All other pages that are known are copies; only the front page shows that the site is well.
    site.default = Reply("nothing here", status=404)
    watched.stores.database["pages"].update_many({"verdict": "clear"}, {"$set": {"standing": "replaced"}})
    site.pages = {"/": HOME}
    for _ in range(2):
        watched.look()
    assert set(watched.states().values()) == {"gone"}
    assert watched.history() == ["new", "confirmed", "removed"]
    site.pages["/b/3.html"] = chapter(text_of(3))
    assert watched.look()["/b/3.html"] == "up"
    assert watched.history()[-1] == "back"


@pytest.mark.long
def test_killed_crawler_loses_no_look_and_doubles_none(start, settings):
    """The process dies in the middle; then the worker dies before it evaluates the looks."""
    watched = start(5)
    stores, site = watched.stores, watched.site
    gate, asked = threading.Event(), []
    pages = {path: site.pages[path] for path in watched.rows()}

    def answer(path, *_):
        asked.append(path)
        if len(asked) > 2:
            gate.wait(30)
        return pages[path]

    site.pages |= dict.fromkeys(pages, answer)
    stores.database["watches"].update_many({}, {"$set": {"due": utc_now()}})
    (own,) = take_due(stores, watched.rules, now=utc_now())
    command = [sys.executable, "-m", "crawler", "--source", "n", "--watch", own.id]
    environment = {**environment_of(settings), "PINDNA_CRAWLER__FRONTIER_LEASE_S": "2"}
    with subprocess.Popen(command, cwd=ROOT, env=environment) as process:
        wait_until(lambda: len([*stores.looks.of_scan(own.id)]) >= 2)
        os.kill(process.pid, signal.SIGKILL)
    gate.set()
    before = {look.url: look for look in stores.looks.of_scan(own.id) if "/99" not in look.url}
    # The task that waited for it is killed too. Its lease ends; the rows are taken up under the same round.
    stores.database["watches"].update_many({}, {"$set": {"due": utc_now()}})
    (again,) = take_due(stores, watched.rules, now=utc_now())
    assert (again.id, len(again.watches)) == (own.id, len(pages))
    asked.clear()
    assert watched.ask(own.id, "n")
    looks = {look.url: look for look in stores.looks.of_scan(own.id) if "/99" not in look.url}
    assert len(looks) == len(pages)
    assert before.items() <= looks.items()
    assert not {f"{site.url}{path}" for path in asked} & before.keys()  # what had its look is not asked again
    end_round(again, stores, watched.settings, is_whole=True, now=utc_now())
    assert set(watched.states().values()) == {"up"}
    assert {watch.round for watch in watched.rows().values()} == {""}


@pytest.mark.long
def test_round_out_of_time_continues_and_is_judged_after_its_neighbours(start):
    watched = start(4)
    stores, site = watched.stores, watched.site
    source = stores.sources.get("n")
    stores.sources.save(replace(source, max_minutes=0.08, delay_s=2.0))
    for path in watched.rows():
        site.pages[path] = Reply("nothing here", status=404)
    stores.database["watches"].update_many({}, {"$set": {"due": utc_now()}})
    (own,) = take_due(stores, watched.rules, now=utc_now())
    assert not watched.ask(own.id, "n")
    assert 1 <= len([*stores.looks.of_scan(own.id)]) < 4
    assert end_round(own, stores, watched.settings, is_whole=False, now=utc_now()) == []
    assert set(watched.states().values()) == {"waiting"}
    stores.sources.save(replace(source, delay_s=0))
    site.paths()
    (again,) = take_due(stores, watched.rules, now=utc_now() + timedelta(minutes=10))
    assert again.id == own.id
    assert watched.ask(own.id, "n")
    assert len([path for path in site.paths() if path in watched.rows()]) < 4  # none is asked twice
    rows = end_round(again, stores, watched.settings, is_whole=True, now=utc_now())
    assert {(row.reason, row.first_gone is not None) for row in rows} == {("http-404", True)}


def test_watch_command_checks_and_lists_and_the_task_requests_addresses(
    watched, pindna, environment, monkeypatch
):
    monkeypatch.setattr("analysis.watch.rounds.ask_in_process", watched.ask)  # no start of Python, for once
    site = watched.site
    site.pages["/b/2.html"] = Reply("nothing here", status=404)
    listed = [
        json.loads(line) for line in pindna("watch", "list", "--json", "--limit", "3").stdout.splitlines()
    ]
    assert [row["state"] for row in listed] == ["waiting"] * 3
    # Absent once, which is not certain.
    result = pindna("watch", "now", f"{site.url}/b/2.html", "--json", status=4)
    (row,) = map(json.loads, result.stdout.splitlines())
    assert (row["state"], row["reason"], row["gone_since"]) == ("waiting", "http-404", None)
    assert row["first_gone"]
    result = pindna("watch", "now", "c1", status=1)  # copies are up
    assert "Still up" in result.stdout
    assert "not watched" in pindna("watch", "now", f"{site.url}/b/99.html", status=2).stderr
    pindna("watch", "now", "c9", status=2)
    assert pindna("watch", "now").stdout == "Nothing is watched.\n"  # nothing is due
    table = pindna("watch", "list", "--case", "c1", "--state", "waiting").stdout
    assert "Probably removed" in " ".join(table.split())
    monkeypatch.undo()
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    worker_runtime.cache_clear()
    watched.stores.database["watches"].update_many({}, {"$set": {"due": utc_now() + timedelta(hours=1)}})
    row = watched.rows()["/b/2.html"]
    watched.stores.watches.change(row.id, {"due": utc_now()})
    assert watch_due() == {"asked": 1, "left": 0}
    assert watch_due() == {"asked": 0, "left": 0}
    worker_runtime().close()
    monkeypatch.setenv("PINDNA_ANALYSIS__WATCH__ENABLED", "false")
    worker_runtime.cache_clear()
    assert watch_due() == {}
    worker_runtime().close()
    worker_runtime.cache_clear()
