"""What a source remembers: what became of its pages, and what need not be asked for again."""

import gzip
import time
from datetime import timedelta
from urllib.parse import urlsplit

import pytest
from support.crawl_parts import event_paths
from support.webserver import Reply, anchors, article

from crawler.pages.warc_reading import read_back
from storage.records import Source, utc_now

pytestmark = pytest.mark.services


def make_due(stores):
    """Let the time of every visit pass."""
    past = utc_now() - timedelta(days=60)
    stores.database["visits"].update_many({}, {"$set": {"due": past}})


def test_page_events_are_recorded_as_they_happen(stores, crawl, site):
    site.pages = {f"/{n}.html": article(f"第{n}", seed=n) for n in range(1, 6)}
    source = Source(name="u", kind="urls", start_urls=tuple(f"{site.url}/{n}.html" for n in range(1, 6)))
    crawl(source, "s1")
    assert event_paths(stores, "s1") == [("new", f"/{n}.html") for n in range(1, 6)]
    site.pages |= {
        "/2.html": article("第2", seed=99),
        "/3.html": Reply(status=404),
        "/4.html": Reply(status=301, Location="/moved/4.html"),
        "/moved/4.html": article("第4", seed=4),
        "/5.html": "<html><body>此页已删除</body></html>",
    }
    _, counts = crawl(source, "s2")
    assert event_paths(stores, "s2") == [
        ("changed", "/2.html"),
        ("gone", "/3.html"),
        ("gone", "/5.html"),
        ("moved", "/4.html"),
    ]
    assert counts["event:gone"] == 2
    crawl(source, "s3")
    assert event_paths(stores, "s3") == []
    site.pages |= {
        "/3.html": article("第3", seed=3),
        "/4.html": article("第4", seed=4),
        "/5.html": article("第5", seed=7),
    }
    crawl(source, "s4")
    assert event_paths(stores, "s4") == [
        ("changed", "/5.html"), ("returned", "/3.html"), ("returned", "/4.html"), ("returned", "/5.html"),
    ]  # fmt: skip
    history = stores.page_events.of_url(f"{site.url}/3.html")
    assert [(event.kind, event.detail) for event in history] == [
        ("new", ""),
        ("gone", "http-404"),
        ("returned", "gone"),
    ]
    assert history[1].before == history[0].page_id == history[2].page_id


def test_unchanged_pages_need_no_further_requests(stores, crawl, site):
    further = anchors(("/plain_2", "下一页"))
    site.pages = {
        "/tagged": Reply(article("有标签", seed=1), ETag='"v1"'),
        "/plain": article("没有标签", seed=2, links=further),
        "/restless": lambda *_: article("总在变", seed=3) + f"<!-- {time.monotonic_ns()} -->",
    }
    source = Source(name="u", kind="urls", start_urls=tuple(f"{site.url}{path}" for path in site.pages))
    site.pages["/plain_2"] = article("没有标签", seed=4)
    crawl(source, "s1")
    _, counts = crawl(source, "s2")
    assert (counts["not_modified"], counts["same_body"], counts["extracted"]) == (1, 1, 1)
    assert (counts["unchanged"], counts["pages"]) == (3, 0)
    assert len(list(stores.pages.all())) == 3
    # Evidence: the exchange in full once, then revisits; a changed body in full again.
    kept = {urlsplit(url).path: stores.captures.of_url(url) for url in source.start_urls}
    assert {path: [bool(capture.warc) for capture in captures] for path, captures in kept.items()} == {
        "/tagged": [True, False],
        "/plain": [True, False],
        "/restless": [False, False],
    }
    assert [capture.status for capture in kept["/tagged"]] == [304, 200]
    assert b"WARC-Type: revisit" in gzip.decompress(kept["/plain"][0].warc)
    newest = kept["/restless"][0]
    exchange = read_back(stores.snapshots.get(newest.sha256).warc, sha256=newest.sha256)
    assert exchange.headers.startswith(b"HTTP/1.1 200 OK\r\n")


def test_change_in_the_middle_of_a_multi_page_text_is_detected(stores, crawl, site):
    def part(number, *, last=False):
        links = "" if last else anchors((f"/c/1_{number + 1}.html", "下一页"))
        return article("第一章 渡口", seed=number, links=links)

    site.pages = {"/c/1.html": part(1), "/c/1_2.html": part(2), "/c/1_3.html": part(3, last=True)}
    source = Source(name="u", kind="urls", start_urls=(f"{site.url}/c/1.html",))
    crawl(source, "s1")
    assert [len(page.snapshots) for page in stores.pages.all()] == [3]
    site.pages["/c/1_2.html"] = article("第一章 渡口", seed=77, links=anchors(("/c/1_3.html", "下一页")))
    crawl(source, "s2")
    assert event_paths(stores, "s2") == [("changed", "/c/1.html")]


def test_scheduled_scan_requests_only_new_and_due_addresses(stores, crawl, site):
    chapters = [(f"/b/{n}.html", f"第{n}章 渡口") for n in range(1, 7)]
    site.pages = {
        "/b/": anchors(*chapters[:5]),
        **{path: article(label, seed=n) for n, (path, label) in enumerate(chapters)},
    }
    source = Source(name="n", kind="novel", start_urls=(f"{site.url}/b/",))
    crawl(source, "s1", trigger="schedule")
    assert len(site.paths()) == 6
    site.pages["/b/"] = anchors(*chapters)
    _, counts = crawl(source, "s2", trigger="schedule")
    assert site.paths() == ["/b/", "/b/6.html"]
    assert (counts["pages"], counts["not_due"]) == (1, 5)
    make_due(stores)
    site.pages["/b/"] = anchors(*chapters[4:])  # the old ones are no longer listed, but still looked after
    site.pages["/b/1.html"] = Reply(status=410)
    crawl(source, "s3", trigger="schedule")
    assert sorted(site.paths()) == ["/b/", *(path for path, _ in chapters)]
    assert event_paths(stores, "s3") == [("gone", "/b/1.html")]
    assert stores.visits.get(f"{site.url}/b/2.html").interval_s == 2 * 20 * 3600
