"""Kinds of sources crawled for real: what each finds, and what it leaves out."""

import gzip
import json
import time
from urllib.parse import parse_qs, urlsplit

import pytest
from support.crawl_parts import fetched_paths
from support.hostile import with_names
from support.proxy_site import ProxySite
from support.webserver import Reply, anchors, article

from storage.records import Discovery, Passage, Source, Work

pytestmark = pytest.mark.services


def test_sitemap_indexes_gzip_sitemaps_and_feeds_are_crawled(stores, crawl, site):
    names = {f"/a/{number}.html": article(f"新闻{number}", seed=number) for number in range(1, 8)}
    urls = "".join(f"<url><loc>{site.url}/a/{number}.html</loc></url>" for number in (1, 2))
    packed = gzip.compress(
        f'<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{urls}</urlset>'.encode()
    )
    index = (
        f"<sitemapindex><sitemap><loc>{site.url}/one.xml.gz</loc></sitemap>"
        f"<sitemap><loc>{site.url}/two.txt</loc></sitemap></sitemapindex>"
    )
    rss = f"<rss version='2.0'><channel><item><link>{site.url}/a/4.html</link></item></channel></rss>"
    atom = (
        "<feed xmlns='http://www.w3.org/2005/Atom'><title>x</title><entry><title>y</title>"
        f"<link href='{site.url}/a/5.html'/></entry></feed>"
    )
    site.pages = {
        **names,
        "/index.xml": Reply(index, kind="application/xml"),
        "/one.xml.gz": Reply(packed, kind="application/gzip"),
        "/two.txt": Reply(f"{site.url}/a/3.html\n{site.url}/a/1.html\n", kind="text/plain"),
        "/rss": Reply(rss, kind="application/rss+xml"),
        "/atom": Reply(atom, kind="application/atom+xml"),
        "/": anchors(("/a/6.html", "候鸟北归的消息"), ("/a/7.html", "别的"), ("/about.html", "关于")),
    }
    source = Source(
        name="n",
        kind="news",
        start_urls=(f"{site.url}/",),
        sitemaps=(f"{site.url}/index.xml",),
        feeds=(f"{site.url}/rss", f"{site.url}/atom"),
        exclude=r"/7\.html$",
    )
    result, counts = crawl(source)
    assert result.returncode == 0, result.stderr
    assert fetched_paths(stores) == set(names) - {"/a/7.html"}
    assert (counts["pages"], counts["listed"]) == (6, 7)


@pytest.mark.parametrize("kind", ["news", "site"])
def test_lists_that_a_site_names_itself_are_crawled(kind, stores, crawl, site):
    names = {f"/a/{number}.html": article(f"新闻{number}", seed=number) for number in range(1, 6)}
    rss = f"<rss version='2.0'><channel><item><link>{site.url}/a/4.html</link></item></channel></rss>"
    elsewhere = "<url><loc>http://elsewhere.example/1.html</loc></url>"
    feed = '<link rel="alternate" type="application/rss+xml" href="/feed">'
    site.pages = {
        **names,
        "/robots.txt": Reply("User-agent: *\nAllow: /\nSitemap: /map.xml\nSitemap: http://b.example/m.xml\n"),
        "/map.xml": Reply(f"<sitemapindex><sitemap><loc>{site.url}/one.gz</loc></sitemap></sitemapindex>"),
        "/one.gz": gzip.compress(
            f"<urlset><url><loc>{site.url}/a/3.html</loc></url>{elsewhere}</urlset>".encode()
        ),
        "/feed": Reply(rss, kind="application/rss+xml"),
        "/": feed + anchors(("/a/1.html", "候鸟北归的消息"), ("/a/2.html", "候鸟的消息")),
    }
    result, counts = crawl(Source(name="n", kind=kind, start_urls=(f"{site.url}/",)))
    assert result.returncode == 0, result.stderr
    assert {"/a/1.html", "/a/2.html", "/a/3.html", "/a/4.html"} <= fetched_paths(stores)
    assert (counts["named_lists"], counts["refused:list-elsewhere"]) == (2, 1)


def test_sitemap_at_the_usual_address_is_read_if_it_exists(stores, crawl, site):
    site.pages = {
        "/robots.txt": Reply("User-agent: *\nAllow: /\n"),
        "/": anchors(("/a/1.html", "候鸟北归的消息")),
        "/a/1.html": article("新闻1", seed=1),
        "/a/2.html": article("新闻2", seed=2),
        "/sitemap.xml": "<html>没有这个页面</html>",
    }
    source = Source(name="n", kind="news", start_urls=(f"{site.url}/",))
    _, counts = crawl(source)
    assert (fetched_paths(stores), counts.get("failed", 0)) == ({"/a/1.html"}, 0)
    site.pages["/sitemap.xml"] = f"<urlset><url><loc>{site.url}/a/2.html</loc></url></urlset>"
    crawl(source, scan="s2")
    assert "/a/2.html" in fetched_paths(stores)


def test_hostile_sitemap_gives_no_links(stores, crawl, site):
    entity = '<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]>'
    site.pages = {
        "/": article("首页文章"),
        "/bomb.xml": Reply(gzip.compress(b" " * 60_000_000), kind="application/gzip"),
        "/xxe.xml": f"{entity}<urlset><url><loc>http://127.0.0.1:9/&e;</loc></url></urlset>",
        "/path": "/etc/passwd",
        "/away": "http://127.0.0.1:9/feed",
    }
    maps = tuple(f"{site.url}/{name}" for name in ("bomb.xml", "xxe.xml"))
    feeds = tuple(f"{site.url}/{name}" for name in ("path", "away"))
    source = Source(name="n", kind="news", start_urls=(f"{site.url}/",), sitemaps=maps, feeds=feeds)
    result, counts = crawl(source)
    assert result.returncode == 0, result.stderr
    assert counts["failed:not-a-feed"] == 3
    assert not any("root:" in page.url for page in stores.pages.all())


def test_whole_site_is_crawled_within_limits_and_without_traps(stores, crawl, site):
    def number_in(path, name):
        return int(parse_qs(urlsplit(path).query)[name][0])

    def session(*_):
        return article("甲", seed=50, links=anchors((f"/a.html?PHPSESSID={time.monotonic_ns()}", "再来")))

    def same(path, *_):
        return article("同", seed=60, links=anchors((f"/same/1?x={number_in(path, 'x') + 1}", "再")))

    def calendar(path, *_):
        month = number_in(path, "month")
        return f"<h1>日历</h1><a href='/events?year=2026&month={month + 1}'>下个月</a>" + "<p>无</p>" * 3

    deep = {
        f"/deep/{n}.html": article(f"深{n}", seed=n, links=anchors((f"/deep/{n + 1}.html", "再深")))
        for n in range(9)
    }
    site.pages = {
        "/": article(
            "首页",
            links=anchors(
                ("/a.html?sid=abc123", "会话"), ("/deep/0.html", "深"), ("/events?year=2026&month=1", "日历"),
                ("http://127.0.0.1:9/out", "别处"), ("/same/1?x=1", "一样"), ("/maze/x", "迷宫"),
                ("/pic.jpg", "图"),
            ),
        ),
        "/a.html": session,
        "/events": calendar,
        "/same/1": same,
        **deep,
    }  # fmt: skip
    site.default = lambda path, *_: (
        Reply(f"<a href='{path}/x'>x</a>") if path.startswith("/maze") else Reply(status=404)
    )
    source = Source(name="w", kind="site", start_urls=(f"{site.url}/",), max_depth=200, max_pages=2000)
    result, counts = crawl(source)
    assert result.returncode == 0, result.stderr
    assert {"/", "/a.html", *deep} <= fetched_paths(stores)
    asked = site.paths()
    assert sum(path.startswith("/a.html") for path in asked) == 1
    assert sum(path.startswith("/maze") for path in asked) < 6
    assert sum(path.startswith("/events") for path in asked) < 70
    assert sum(path.startswith("/same") for path in asked) < 70
    assert {name for name in counts if name.startswith("trap:")} >= {"trap:endless", "trap:barren"}


def test_pages_are_discovered_by_searching_for_sentences(stores, crawl, site, tmp_path):
    sentences = [f"第{n}盏渡口的青灯在雨夜里照见了船家写下的旧名字" for n in "甲乙丙丁戊己"]
    stores.passages.save_many(
        [Passage(id=1, work_id=1, ordinal=1, title="", text="。".join(sentences), sha256="x")]
    )
    work = Work(
        id=1, key="青灯渡", title="青灯渡", kind="novel", origin="o", passage_ids=(1,), status="indexed"
    )
    stores.works.save(work)
    web = ProxySite()  # what is found has to be on the internet, which it stands for
    web.pages = {f"/{n}": article(f"盗版{n}", seed=n) for n in range(9)}
    pirate = "http://pirate.example"
    known = with_names(tmp_path, {"pirate.example": ["93.184.216.34"]})

    def search(path, *_):
        query = parse_qs(urlsplit(path).query)
        assert query["format"] == ["json"]
        number = sentences.index(query["q"][0].strip('"'))
        results = [f"{pirate}/{number}?utm_source=x", f"{pirate}/8", "ftp://x/", f"{pirate}/7"]
        return Reply(json.dumps({"results": [{"url": url} for url in results]}), kind="application/json")

    site.pages = {"/search": search, "/robots.txt": Reply("User-agent: *\nDisallow: /\n", kind="text/plain")}
    wanted = Discovery(engine=f"{site.url}/search", sentences=9, queries=4, results=3)
    source = Source(name="d", kind="discovery", discovery=wanted, proxies=(web.url,))
    result, counts = crawl(source, **known)
    web.close()
    assert result.returncode == 0, result.stderr
    assert len(site.paths()) == 4
    assert (counts["pages"], counts["found"]) == (6, 16)
    assert web.paths().count(f"{pirate}/8") == 1
