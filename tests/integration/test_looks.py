"""Is it still up? A site over several days, and what is known of its copies each day.

Every day is a scheduled scan, in which no page but those with a match is due.
"""

import csv
import io
import json
import subprocess
import sys
import threading
from dataclasses import dataclass

import pytest
from support.compared import compare_page
from support.corpora import corpus_of
from support.crawls import ROOT
from support.sample_novels import CHAPTERS, STRANGER
from support.waiting import wait_until
from support.webserver import Reply, WebSite, anchors

from analysis.reports.building import build_report, render_csv, render_html
from storage.collections.stores import Stores
from storage.records import Passage, Scan, Source, Work, utc_now
from tracker.comparison import Corpus
from tracker.scans.looks import count_looks
from tracker.scans.scanning import close_complete

pytestmark = pytest.mark.services
NOVEL = "青灯渡"
LISTED = [(f"/b/{number}.html", f"第{number}章 渡口") for number in (1, 2, 3, 4)]
ADVERT = "手机用户请浏览本站阅读，更优质的阅读体验，最新章节抢先看。"


def chapter(text, title="第一章 渡口"):
    paragraphs = "".join(f"<p>{line}</p>" for line in text.splitlines() if line)
    head = f"<head><meta charset=utf-8><title>{title}</title></head>"
    return f"<html>{head}<body><h1>{title}</h1>{paragraphs}</body></html>"


@dataclass
class Days:
    """A site that is scanned once a day; addresses are named by the number of their chapter."""

    site: WebSite
    stores: Stores
    corpus: Corpus
    crawl: object
    source: Source
    number: int = 0

    def scan(self, **changes):
        """Crawl, compare and close the scan of another day; returns what the looks saw."""
        self.number += 1
        scan = f"s{self.number}"
        self.crawl(self.source, scan, trigger="schedule", **changes)
        self.compare()
        self.stores.database["crawls"].update_many({"state": "due"}, {"$set": {"state": "done"}})
        close_complete(self.stores)
        assert self.stores.scans.get(scan).status == "finished"
        return {chapter_of(look.url): look.state for look in self.stores.looks.of_scan(scan)}

    def compare(self):
        token, ids, _ = self.stores.pages.reserve_fetched(count=100, lease_s=60)
        token, pages = self.stores.pages.claim_many(ids, token=token, lease_s=60)
        for page in pages:
            assert compare_page(page, self.stores, self.corpus, token=token, lease_s=60)

    def counts(self):
        counts = self.stores.scans.get(f"s{self.number}").counts
        return {name: number for name, number in counts.items() if name.startswith("look:")}

    def report(self, scan=None):
        return build_report(self.stores, scan_id=scan)

    def states(self):
        """What the report says of each chapter that counts."""
        (case,) = self.report().cases
        return {chapter_of(entry.match.url): entry.presence.state for entry in case.matches}

    def presence(self, number):
        (case,) = self.report().cases
        (entry,) = [entry for entry in case.matches if chapter_of(entry.match.url) == number]
        return entry.presence


def chapter_of(url):
    return url.rpartition("/")[2].removesuffix(".html")


@pytest.fixture
def days(site, stores, crawl):
    texts = CHAPTERS[NOVEL]
    stores.works.save(
        Work(id=1, key=NOVEL, title=NOVEL, kind="novel", origin="o", status="indexed", passage_ids=(1, 2, 3))
    )
    stores.passages.save_many(
        Passage(id=n, work_id=1, ordinal=n - 1, title="", text=text, sha256=f"sha{n}")
        for n, text in enumerate(texts, 1)
    )
    site.pages = {
        "/b/": anchors(*LISTED),
        **{path: chapter(text) for (path, _), text in zip(LISTED, [*texts, STRANGER], strict=True)},
    }
    source = Source(name="n", kind="novel", start_urls=(f"{site.url}/b/",))
    return Days(site, stores, corpus_of({NOVEL: texts}), crawl, source)


def rows_of(report):
    table = render_csv(report).removeprefix("\ufeff")
    return {chapter_of(row["url"]): row for row in csv.DictReader(io.StringIO(table, newline=""))}


def tell_of_the_vanished(days, pindna, vanished):
    """Report, table, lists and the page itself say on the third day that chapter 2 is gone."""
    of_day = days.report("s3")
    assert [group.reason for group in of_day.not_checked] == ["vanished"]  # and no page that nobody looked at
    row = rows_of(of_day)["2"]
    assert (row["last_look"], row["look_reason"], row["absent_since"]) == (
        "gone",
        "http-404",
        row["last_check"],
    )
    assert "Gone · HTTP status 404 · gone since" in render_html(of_day, language="en")
    shown = json.loads(pindna("page", "show", f"{days.site.url}/b/2.html", "--json").stdout)
    assert [look["state"] for look in shown["looks"]] == ["up", "gone"]
    assert shown["presence"]["absent_since"] == vanished.absent_since.isoformat()
    assert "Gone · HTTP status 404" in pindna("page", "show", f"{days.site.url}/b/2.html").stdout
    listed = [json.loads(line) for line in pindna("review", "list", "--json").stdout.splitlines()]
    assert {chapter_of(row["url"]): row["presence"]["state"] for row in listed} == days.states()
    (row,) = [json.loads(line) for line in pindna("case", "list", "--json").stdout.splitlines()]
    assert (row["looks"], row["absent_since"]) == ({"up": 2, "gone": 1}, None)
    assert "Gone 1" in pindna("case", "show", row["name"]).stdout


@pytest.mark.long
def test_presence_of_every_copy_is_followed_day_by_day(days, pindna):
    site, stores = days.site, days.stores
    assert days.scan() == {}  # first sights: nothing had a match before
    assert days.states() == {"1": "up", "2": "up", "3": "up"}

    # Nothing is due, and still each copy is asked for; the text without a match is not.
    site.paths()
    assert days.scan() == {"1": "up", "2": "up", "3": "up"}
    assert sorted(site.paths()) == ["/b/", "/b/1.html", "/b/2.html", "/b/3.html"]
    (case,) = stores.cases.listed()
    assert (case.looks, case.absent_since) == ({"up": 3}, None)

    # A chapter vanishes.
    site.pages["/b/2.html"] = Reply("nothing here", status=404)
    assert days.scan() == {"1": "up", "2": "gone", "3": "up"}
    vanished = days.presence("2")
    assert (vanished.state, vanished.reason, vanished.absent_since) == ("gone", "http-404", vanished.checked)
    assert vanished.seen < vanished.absent_since
    (case,) = stores.cases.listed()
    assert (case.pages, case.looks) == (3, {"up": 2, "gone": 1})
    assert case.checked >= vanished.checked
    tell_of_the_vanished(days, pindna, vanished)

    # It leaves the catalogue as well; another one moves, and one gains an advertisement.
    site.pages["/b/"] = anchors(*LISTED[2:])
    site.pages["/b/3.html"] = Reply(status=302, Location="/c/33.html")
    site.pages["/c/33.html"] = chapter(CHAPTERS[NOVEL][2])
    site.pages["/b/1.html"] = chapter(f"{ADVERT}\n{CHAPTERS[NOVEL][0]}")
    assert days.scan() == {"1": "up", "2": "gone", "3": "moved"}
    assert days.presence("2").absent_since == vanished.absent_since
    assert days.presence("2").checked > vanished.checked
    assert days.presence("3").moved_to == f"{site.url}/c/33.html"
    assert days.states() == {"1": "up", "2": "gone", "3": "moved", "33": "up"}
    assert {number: row["last_look"] for number, row in rows_of(days.report("s4")).items()} == days.states()
    assert rows_of(days.report("s4"))["3"]["moved_to"] == f"{site.url}/c/33.html"

    # It is back, though no list names it; its neighbour has another text now.
    site.pages["/b/2.html"] = chapter(CHAPTERS[NOVEL][1])
    site.pages["/b/1.html"] = chapter(STRANGER)
    assert days.scan() == {"1": "changed", "2": "up", "3": "moved", "33": "up"}
    assert (days.presence("2").state, days.presence("2").absent_since) == ("up", None)
    assert days.states() == {"2": "up", "3": "moved", "33": "up"}  # what chapter 1 was is history

    # The site is down: nothing is said of the texts.
    before = days.presence("2")
    site.pages = {}
    site.default = Reply("down", status=503)
    assert days.scan() == {"2": "unreachable", "3": "unreachable", "33": "unreachable"}
    down = days.presence("2")
    assert (down.state, down.seen, down.absent_since) == ("unreachable", before.seen, None)
    assert down.checked > before.checked
    assert [look.state for look in stores.looks.of_url(f"{site.url}/b/2.html")] == [
        "up", "gone", "gone", "up", "unreachable",
    ]  # fmt: skip


def test_every_address_with_a_match_is_counted(days):
    days.scan()
    days.scan()
    assert days.counts() == {"look:up": 3}
    days.source = Source(name="n", kind="novel", start_urls=days.source.start_urls, max_pages=2)
    looks = days.scan()
    assert days.counts() == {"look:up": 2, "look:left": 1}
    assert len(looks) == 2
    checked = {number: days.presence(number).checked for number in "123"}
    left = [number for number, at in checked.items() if at < days.stores.scans.get("s3").started]
    assert [number not in looks for number in left] == [True]
    assert left[0] in days.scan()  # what was left comes first the next time


def test_dismissed_match_is_not_requested_again(days):
    days.scan()
    days.stores.database["matches"].update_many(
        {"url": f"{days.site.url}/b/2.html"}, {"$set": {"review": "dismissed"}}
    )
    assert days.scan() == {"1": "up", "3": "up"}
    assert days.counts() == {"look:up": 2}


def test_server_that_says_not_modified_has_the_text(days):
    text = chapter(CHAPTERS[NOVEL][0])
    days.site.pages["/b/1.html"] = Reply(text, ETag='"v1"')
    days.scan()
    assert days.scan()["1"] == "up"
    (look,) = days.stores.looks.of_url(f"{days.site.url}/b/1.html")
    assert (look.status, look.answer_id) == (304, look.page_id)
    days.site.pages["/b/1.html"] = Reply(status=301, Location="/c/11.html")
    days.site.pages["/c/11.html"] = Reply(text, ETag='"v1"')
    assert days.scan()["1"] == "moved"
    assert days.scan()["1"] == "moved"  # the target says that it is unchanged
    assert days.presence("1").moved_to == f"{days.site.url}/c/11.html"


def test_walls_and_soft_errors_are_distinguished(days):
    days.scan()
    days.site.pages |= {
        "/b/1.html": Reply("no", status=403),
        "/b/2.html": "<html><body>您访问的章节不存在</body></html>",
        "/b/3.html": "<html><body><p>欢迎光临</p></body></html>",
    }
    assert days.scan() == {"1": "unreachable", "2": "gone", "3": "changed"}
    days.site.pages["/robots.txt"] = Reply("User-agent: *\nDisallow: /b/", kind="text/plain")
    assert set(days.scan().values()) == {"unreachable"}
    assert days.presence("2").absent_since is not None  # it was seen gone, and not seen up since


def test_address_is_requested_only_when_its_source_is_scanned(days):
    days.scan()
    other = Source(name="other", kind="urls", start_urls=(f"{days.site.url}/b/4.html",))
    days.source, own = other, days.source
    assert days.scan() == {}
    assert days.counts() == {}
    days.source = own
    assert days.scan() == {"1": "up", "2": "up", "3": "up"}


@pytest.mark.long
def test_killed_crawl_stores_every_look_exactly_once(days, environment):
    days.scan()
    stores, site = days.stores, days.site

    gone, is_killed, answered = Reply("nothing here", status=404), threading.Event(), []
    pages = {path: site.pages[path] for path, _ in LISTED[:2]} | {LISTED[2][0]: gone}

    def answer(path, *_):
        if answered:  # all but the first one wait
            is_killed.wait(60)
        answered.append(path)
        return pages[path]

    site.pages |= dict.fromkeys(pages, answer)
    scan = Scan(id="s2", trigger="schedule", sources=("n",), started=utc_now())
    stores.scans.open(scan)
    command = [sys.executable, "-m", "crawler", "--source", "n", "--scan", "s2", "--crawl", "s2:n"]
    options = {"PINDNA_CRAWLER__FRONTIER_LEASE_S": "2", "PINDNA_CRAWLER__CONCURRENT_REQUESTS": "1"}
    with subprocess.Popen(command, cwd=ROOT, env={**environment, **options}) as process:
        wait_until(lambda: [*stores.looks.of_scan("s2")])
        process.kill()
    is_killed.set()
    before = [*stores.looks.of_scan("s2")]
    assert len(before) == 1
    subprocess.run(command, cwd=ROOT, env={**environment, **options}, check=True, timeout=120)
    looks = [*stores.looks.of_scan("s2")]
    assert {chapter_of(look.url): look.state for look in looks} == {"1": "up", "2": "up", "3": "gone"}
    assert before[0] in looks
    assert count_looks(scan, stores) == {"look:up": 2, "look:gone": 1}
