"""Every kind of source crawled for real: what it finds, what it leaves out, and what it remembers."""

import gzip
import json
import time
from contextlib import ExitStack
from datetime import timedelta
from urllib.parse import parse_qs, urlsplit

import pytest
from support.hostile import with_names
from webserver import Reply, WebSite, anchors, article, web_site

from crawler.pages.warc_reading import read_back
from storage.records import Discovery, Login, Passage, Source, Work, utc_now

pytestmark = pytest.mark.services


@pytest.fixture
def sites():
    """A function that starts further sites."""
    with ExitStack() as stack:
        yield lambda pages=None: stack.enter_context(web_site(pages))


def events(stores, scan):
    return sorted((event.kind, urlsplit(event.url).path) for event in stores.page_events.of_scan(scan))


def stored(stores):
    return {urlsplit(page.url).path for page in stores.pages.all() if page.state == "fetched"}


def make_due(stores):
    """Let the time of every visit pass."""
    past = utc_now() - timedelta(days=60)
    stores.database["visits"].update_many({}, {"$set": {"due": past}})


# Kinds of sources.


def test_sitemaps_with_indexes_and_gzip_and_feeds(stores, crawl, site):
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
    assert stored(stores) == set(names) - {"/a/7.html"}
    assert (counts["pages"], counts["listed"]) == (6, 7)


def test_a_sitemap_that_is_a_bomb_or_reads_files_brings_nothing(stores, crawl, site):
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


def test_a_whole_site_within_limits_and_out_of_its_traps(stores, crawl, site):
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
    assert {"/", "/a.html", *deep} <= stored(stores)
    asked = site.paths()
    assert sum(path.startswith("/a.html") for path in asked) == 1
    assert sum(path.startswith("/maze") for path in asked) < 6
    assert sum(path.startswith("/events") for path in asked) < 70
    assert sum(path.startswith("/same") for path in asked) < 70
    assert {name for name in counts if name.startswith("trap:")} >= {"trap:endless", "trap:barren"}


def test_a_site_is_read_as_deep_and_as_far_as_the_source_says(stores, crawl, site):
    site.pages = {
        f"/{n}.html": article(f"第{n}", seed=n, links=anchors((f"/{n + 1}.html", "下"))) for n in range(9)
    }
    start = (f"{site.url}/0.html",)
    crawl(Source(name="w", kind="site", start_urls=start, max_depth=3))
    assert stored(stores) == {f"/{n}.html" for n in range(4)}
    _, counts = crawl(Source(name="v", kind="site", start_urls=start, max_pages=2), "s2")
    assert counts["unchanged"] == 2


def test_a_list_of_addresses_is_just_that(stores, crawl, site):
    site.pages = {f"/{n}": article(f"第{n}", seed=n, links=anchors(("/3", "三"))) for n in range(1, 4)}
    result, counts = crawl(Source(name="u", kind="urls", start_urls=(f"{site.url}/1", f"{site.url}/2")))
    assert result.returncode == 0
    assert (stored(stores), counts["pages"]) == ({"/1", "/2"}, 2)


def test_pages_are_discovered_by_searching_for_sentences(stores, crawl, site, tmp_path):
    sentences = [f"第{n}盏渡口的青灯在雨夜里照见了船家写下的旧名字" for n in "甲乙丙丁戊己"]
    stores.passages.save_many(
        [Passage(id=1, work_id=1, ordinal=1, title="", text="。".join(sentences), sha256="x")]
    )
    work = Work(
        id=1, key="青灯渡", title="青灯渡", kind="novel", origin="o", passage_ids=(1,), status="indexed"
    )
    stores.works.save(work)
    web = Proxy()  # what is found has to be on the internet, which it stands for
    web.pages = {f"/{n}": article(f"盗版{n}", seed=n) for n in range(9)}
    pirate = "http://pirate.example"
    known = with_names(tmp_path, {"pirate.example": ["93.184.216.34"]})

    def search(path, *_):
        query = parse_qs(urlsplit(path).query)
        assert query["format"] == ["json"]
        number = sentences.index(query["q"][0].strip('"'))
        found = [f"{pirate}/{number}?utm_source=x", f"{pirate}/8", "ftp://x/", f"{pirate}/7"]
        return Reply(json.dumps({"results": [{"url": each} for each in found]}), kind="application/json")

    site.pages = {"/search": search, "/robots.txt": Reply("User-agent: *\nDisallow: /\n", kind="text/plain")}
    wanted = Discovery(engine=f"{site.url}/search", sentences=9, queries=4, results=3)
    source = Source(name="d", kind="discovery", discovery=wanted, proxies=(web.url,))
    result, counts = crawl(source, **known)
    web.close()
    assert result.returncode == 0, result.stderr
    assert len(site.paths()) == 4
    assert (counts["pages"], counts["found"]) == (6, 16)
    assert web.paths().count(f"{pirate}/8") == 1


# What it remembers.


def test_the_history_of_pages_is_told_as_it_happens(stores, crawl, site):
    site.pages = {f"/{n}.html": article(f"第{n}", seed=n) for n in range(1, 6)}
    source = Source(name="u", kind="urls", start_urls=tuple(f"{site.url}/{n}.html" for n in range(1, 6)))
    crawl(source, "s1")
    assert events(stores, "s1") == [("new", f"/{n}.html") for n in range(1, 6)]
    site.pages |= {
        "/2.html": article("第2", seed=99),
        "/3.html": Reply(status=404),
        "/4.html": Reply(status=301, Location="/moved/4.html"),
        "/moved/4.html": article("第4", seed=4),
        "/5.html": "<html><body>此页已删除</body></html>",
    }
    _, counts = crawl(source, "s2")
    assert events(stores, "s2") == [
        ("changed", "/2.html"),
        ("gone", "/3.html"),
        ("gone", "/5.html"),
        ("moved", "/4.html"),
    ]
    assert counts["event:gone"] == 2
    crawl(source, "s3")
    assert events(stores, "s3") == []
    site.pages |= {
        "/3.html": article("第3", seed=3),
        "/4.html": article("第4", seed=4),
        "/5.html": article("第5", seed=7),
    }
    crawl(source, "s4")
    assert events(stores, "s4") == [
        ("changed", "/5.html"), ("returned", "/3.html"), ("returned", "/4.html"), ("returned", "/5.html"),
    ]  # fmt: skip
    history = stores.page_events.of_url(f"{site.url}/3.html")
    assert [(event.kind, event.detail) for event in history] == [
        ("new", ""),
        ("gone", "http-404"),
        ("returned", "gone"),
    ]
    assert history[1].before == history[0].page_id == history[2].page_id


def test_what_is_unchanged_costs_nothing_further(stores, crawl, site):
    site.pages = {
        "/tagged": Reply(article("有标签", seed=1), ETag='"v1"'),
        "/plain": article("没有标签", seed=2),
        "/restless": lambda *_: article("总在变", seed=3) + f"<!-- {time.monotonic_ns()} -->",
    }
    source = Source(name="u", kind="urls", start_urls=tuple(f"{site.url}{path}" for path in site.pages))
    crawl(source, "s1")
    _, counts = crawl(source, "s2")
    assert (counts["not_modified"], counts["same_body"], counts["extracted"]) == (1, 1, 1)
    assert (counts["unchanged"], counts["pages"]) == (3, 0)
    assert len(list(stores.pages.all())) == 3
    # Evidence: the exchange in full once, then revisits; a changed body in full again.
    kept = {urlsplit(url).path: stores.captures.of_url(url) for url in source.start_urls}
    assert {path: [bool(each.warc) for each in found] for path, found in kept.items()} == {
        "/tagged": [True, False],
        "/plain": [True, False],
        "/restless": [False, False],
    }
    assert [each.status for each in kept["/tagged"]] == [304, 200]
    assert b"WARC-Type: revisit" in gzip.decompress(kept["/plain"][0].warc)
    newest = kept["/restless"][0]
    exchange = read_back(stores.snapshots.get(newest.sha256).warc, sha256=newest.sha256)
    assert exchange.headers.startswith(b"HTTP/1.1 200 OK\r\n")


def test_a_server_that_always_says_unchanged_is_checked_now_and_then(crawl, site):
    def lying(_, headers, __):
        return (
            Reply(status=304)
            if "If-None-Match" in headers
            else Reply(article("谎", seed=len(site.asked)), ETag="x")
        )

    site.pages = {"/1": lying}
    source = Source(name="u", kind="urls", start_urls=(f"{site.url}/1",))
    kinds = [crawl(source, f"s{number}")[1] for number in range(9)]
    assert [counts.get("not_modified", 0) for counts in kinds] == [0, 1, 1, 1, 1, 1, 1, 0, 1]
    assert kinds[7]["event:changed"] == 1


def test_a_scheduled_scan_asks_only_what_is_new_or_due(stores, crawl, site):
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
    assert events(stores, "s3") == [("gone", "/b/1.html")]
    assert stores.visits.get(f"{site.url}/b/2.html").interval_s == 2 * 20 * 3600
    crawl(source, "s4")  # by hand everything that is listed is asked for
    assert set(site.paths()) >= {"/b/", "/b/5.html", "/b/6.html"}


def test_a_catalogue_of_which_nothing_is_due_is_no_page_without_text(stores, crawl, site):
    chapters = [(f"/b/{n}.html", f"第{n}章 渡口") for n in range(1, 7)]
    site.pages = {
        "/b/": anchors(*chapters),
        **{path: article(label, seed=n) for n, (path, label) in enumerate(chapters)},
    }
    source = Source(name="n", kind="novel", start_urls=(f"{site.url}/b/",))
    crawl(source, "s1", trigger="schedule")
    site.paths()
    _, counts = crawl(source, "s2", trigger="schedule")
    assert site.paths() == ["/b/"]
    assert (counts["not_due"], counts.get("listed", 0), counts.get("failed", 0)) == (6, 0, 0)
    assert all(page.state == "fetched" for page in stores.pages.all())


def test_a_sitemap_that_says_when_a_text_changed_saves_requests(crawl, site):
    def sitemap(**days):
        listed = "".join(
            f"<url><loc>{site.url}/{name}.html</loc><lastmod>{day}</lastmod></url>"
            for name, day in days.items()
        )
        return Reply(body=f"<urlset>{listed}</urlset>".encode(), headers={"Content-Type": "text/xml"})

    site.pages = {f"/{name}.html": article(name, seed=seed) for seed, name in enumerate("abc")}
    site.pages["/map.xml"] = sitemap(a="2020-01-01", b="2020-01-01")
    source = Source(name="n", kind="news", start_urls=(), sitemaps=(f"{site.url}/map.xml",))
    crawl(source, "s1")
    assert sorted(site.paths()) == ["/a.html", "/b.html", "/map.xml"]
    tomorrow = f"{utc_now() + timedelta(days=1):%Y-%m-%d}"
    site.pages["/map.xml"] = sitemap(a="2020-01-01", b=tomorrow, c="2020-01-01")
    _, counts = crawl(source, "s2")
    assert sorted(site.paths()) == ["/b.html", "/c.html", "/map.xml"]
    assert (counts["not_due"], counts["listed"]) == (1, 2)


def test_an_unchanged_text_of_several_pages_is_not_read_again(stores, crawl, site):
    def part(number, *, last=False):
        further = "" if last else anchors((f"/c/1_{number + 1}.html", "下一页"))
        return article("第一章 渡口", seed=number, links=further)

    site.pages = {"/c/1.html": part(1), "/c/1_2.html": part(2), "/c/1_3.html": part(3, last=True)}
    source = Source(name="u", kind="urls", start_urls=(f"{site.url}/c/1.html",))
    crawl(source, "s1")
    page = next(iter(stores.pages.all()))
    assert len(page.snapshots) == 3
    _, counts = crawl(source, "s2")
    assert (counts["same_body"], counts.get("extracted", 0)) == (1, 0)
    site.pages["/c/1_2.html"] = article("第一章 渡口", seed=77, links=anchors(("/c/1_3.html", "下一页")))
    crawl(source, "s3")
    assert events(stores, "s3") == [("changed", "/c/1.html")]


# How it behaves.


def test_crawl_delay_holds_for_all_and_is_disregarded_only_by_a_source_that_says_so(stores, crawl, site):
    site.pages = {f"/{n}": article(f"第{n}", seed=n) for n in range(4)}
    site.pages["/robots.txt"] = Reply("User-agent: *\nCrawl-delay: 1\nDisallow: /3\n", kind="text/plain")
    urls = tuple(f"{site.url}/{n}" for n in range(4))
    before = time.monotonic()
    crawl(Source(name="polite", kind="urls", start_urls=urls))
    assert time.monotonic() - before > 2
    assert stored(stores) == {"/0", "/1", "/2"}
    agent = site.asked[0][1]["User-Agent"]
    assert agent.startswith("pindna/")
    crawl(
        Source(name="own", kind="urls", start_urls=urls, obey_robots=False, robots_reason="our own site"),
        "s2",
    )
    assert "/3" in stored(stores)


def test_requests_that_wait_for_robots_together_all_obey_it(crawl, site):
    def slow(*_):
        time.sleep(1)
        return Reply("User-agent: *\nDisallow: /no\n", kind="text/plain")

    site.pages = {"/robots.txt": slow, "/yes": article("可以")}
    urls = (f"{site.url}/yes", *(f"{site.url}/no{n}" for n in range(12)))
    _, counts = crawl(Source(name="u", kind="urls", start_urls=urls, concurrency=16))
    assert counts["failed:robots"] == 12
    assert site.paths() == ["/yes"]


@pytest.mark.parametrize(("status", "pages"), [(503, 0), (429, 0), (404, 1), (403, 1)])
def test_a_site_without_robots_may_be_read_and_one_in_trouble_not(crawl, site, status, pages):
    site.pages = {"/robots.txt": Reply("User-agent: *\nDisallow:\n", status=status), "/1": article("一")}
    _, counts = crawl(Source(name="u", kind="urls", start_urls=(f"{site.url}/1",)))
    assert counts["pages"] == pages


def test_a_crawl_delay_of_hours_is_no_crawl(crawl, site):
    site.pages = {
        "/1": article("一"),
        "/robots.txt": Reply("User-agent: *\nCrawl-delay: 7200\n", kind="text/plain"),
    }
    result, counts = crawl(Source(name="u", kind="urls", start_urls=(f"{site.url}/1",)))
    assert result.returncode == 2
    assert counts["failed:wait"] == 1
    assert site.paths() == []


def test_retry_after_is_waited_for(crawl, site):
    def busy(*_):
        first = sum(path == "/1" for path, *_ in site.asked) == 1
        return Reply(status=503, Retry_After="2") if first else article("一")

    site.pages = {"/1": busy}
    before = time.monotonic()
    _, counts = crawl(
        Source(name="u", kind="urls", start_urls=(f"{site.url}/1",)), PINDNA_CRAWLER__RETRIES="2"
    )
    assert time.monotonic() - before > 2
    assert (counts["pages"], len(site.paths())) == (1, 2)


def test_a_long_retry_after_pauses_the_source_until_then(stores, crawl, site):
    site.pages = {f"/{n}": Reply(status=429, Retry_After="86400") for n in range(30)}
    result, _ = crawl(Source(name="u", kind="urls", start_urls=tuple(f"{site.url}/{n}" for n in range(30))))
    assert result.returncode == 4
    assert "refuses us (http-429) and pauses until" in result.stderr
    pause = stores.health.get("u").paused_until - utc_now()
    assert timedelta(hours=23) < pause <= timedelta(hours=24)
    assert len(site.paths()) < 20


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (Reply("forbidden", status=403), "http-403"),
        (
            Reply("<title>安全验证</title><body>请输入验证码<input name=captcha>拖动滑块完成验证</body>"),
            "blocked",
        ),
    ],
)
def test_a_ban_is_recognised_and_pauses_the_source_instead_of_hammering_it(
    stores, crawl, site, answer, reason
):
    site.default = answer
    site.pages = {"/robots.txt": Reply(status=404)}
    urls = tuple(f"{site.url}/{n}.html" for n in range(200))
    result, _ = crawl(Source(name="u", kind="urls", start_urls=urls))
    assert result.returncode == 4
    assert f"({reason})" in result.stderr
    assert len(site.paths()) < 60
    health = stores.health.get("u")
    assert (health.pause_reason, health.pauses) == (reason, 1)
    assert [(alert.kind, alert.detail) for alert in stores.health.open_alerts()] == [("blocked", reason)]


class Proxy(WebSite):
    """A proxy: it is asked for whole addresses, and answers for them."""

    def __init__(self):
        super().__init__()
        self.default = lambda path, *_: article("经由代理", seed=len(path))


def test_requests_go_out_through_healthy_proxies_with_their_headers(crawl, site, monkeypatch):
    monkeypatch.setenv("PINDNA_SECRET_PROXY", "geheim")
    good = Proxy()
    bad = Proxy()
    bad.default = Reply(status=407)
    try:
        proxies = (f"http://me:${{PINDNA_SECRET_PROXY}}@{urlsplit(good.url).netloc}", bad.url)
        sets = ({"X-Set": "one"}, {"X-Set": "two"})
        urls = tuple(f"{site.url}/{n}" for n in range(8))
        source = Source(
            name="p", kind="urls", start_urls=urls, proxies=proxies, header_sets=sets, obey_robots=False
        )
        _, counts = crawl(source, PINDNA_CRAWLER__CONCURRENT_REQUESTS="1")
    finally:
        good.close()
        bad.close()
    assert site.asked == []
    assert {headers["X-Set"] for _, headers, _ in good.asked} == {"one"}
    assert {headers.get("Proxy-Authorization") for _, headers, _ in good.asked} == {"Basic bWU6Z2VoZWlt"}
    assert len(bad.asked) == 1
    assert (counts["pages"], counts["failed"]) == (7, 1)


def test_a_proxy_is_no_road_inside(crawl):
    proxy = Proxy()
    try:
        urls = (
            "http://10.0.0.1/",
            "http://[::1]/",
            "http://0x7f.1/",
            "http://localhost/",
            "file:///etc/passwd",
        )
        source = Source(name="p", kind="urls", start_urls=urls, proxies=(proxy.url,), obey_robots=False)
        allowed = {"PINDNA_CRAWLER__ALLOW_INNER": '["192.168.77.1"]'}
        result, _ = crawl(source, **allowed)
    finally:
        proxy.close()
    assert result.returncode == 2
    assert proxy.asked == []


def test_a_missing_secret_is_told_by_its_name(crawl, site):
    source = Source(
        name="p", kind="urls", start_urls=(f"{site.url}/",), proxies=("http://${PINDNA_SECRET_NO_SUCH}@h:1",)
    )
    result, _ = crawl(source)
    assert "PINDNA_SECRET_NO_SUCH" in result.stderr
    assert result.stderr.count("\n") == 1


def members_only(path, headers, body):
    if path == "/login":
        form = "<form method=post action=/enter><input name=user><input name=word>"
        form += "<input type=hidden name=t value=7></form>"
        return Reply(form)
    if path == "/enter":
        good = parse_qs(body.decode()) == {"user": ["me"], "word": ["geheim"], "t": ["7"]}
        return Reply("欢迎回来", Set_Cookie="session=42; Path=/") if good else Reply("密码错误")
    return article("会员") if "session=42" in headers.get("Cookie", "") else Reply(status=403)


@pytest.mark.parametrize(("word", "status"), [("geheim", 0), ("falsch", 2)])
def test_a_login_form_is_filled_in_first(stores, crawl, site, word, status):
    site.default = members_only
    site.pages = {"/robots.txt": Reply(status=404)}
    login = Login(
        url=f"{site.url}/login", fields={"user": "me", "word": "${PINDNA_SECRET_SITE}"}, check="欢迎"
    )
    source = Source(name="m", kind="urls", start_urls=(f"{site.url}/1",), login=login)
    result, _ = crawl(source, PINDNA_SECRET_SITE=word)
    assert result.returncode == status, result.stderr
    assert ("/1" in stored(stores)) == (status == 0)
    assert status == 0 or "login" in result.stderr
    for capture in stores.captures.of_url(f"{site.url}/1"):
        warc = gzip.decompress(stores.snapshots.get(capture.sha256).warc)
        assert b"session=42" not in warc.partition(b"WARC-Type: request")[2]


def test_cookies_are_kept_only_where_the_source_wants_them(crawl, site):
    site.default = lambda path, *_: Reply(article("饼", seed=len(path)), Set_Cookie="seen=1")
    urls = tuple(f"{site.url}/{'x' * n}" for n in range(1, 6))
    crawl(Source(name="a", kind="urls", start_urls=urls, concurrency=1))
    assert not any("Cookie" in headers for _, headers, _ in site.asked)
    site.asked.clear()
    crawl(Source(name="b", kind="urls", start_urls=urls, concurrency=1, cookies={"age": "18"}), "s2")
    texts = [headers.get("Cookie", "") for path, headers, _ in site.asked if path != "/robots.txt"]
    assert all("age=18" in each for each in texts)
    assert "seen=1" in texts[-1]


# What a site repeats.

SLOGAN = "望江书屋的书友们都在这里等着您回来呢。"


def chapters(count, *, slogan=SLOGAN, **headers):
    """Chapters whose last paragraph the site adds to each."""
    pages = {}
    for number in range(1, count + 1):
        page = article(f"第{number}章 渡口", seed=number)
        pages[f"/b/{number}.html"] = Reply(
            page.replace("</article>", f"<p>{slogan}</p></article>"), **headers
        )
    return pages


def newest(stores, site):
    paths = [path for path in site.pages if path != "/b/"]
    return {path: stores.pages.versions(f"{site.url}{path}")[0].text for path in paths}


@pytest.mark.parametrize("headers", [{}, {"ETag": '"one"'}], ids=["without validators", "with an ETag"])
def test_what_a_site_repeats_is_learnt_in_one_crawl_and_left_out_in_the_next(stores, crawl, site, headers):
    listed = anchors(*((f"/b/{number}.html", f"第{number}章 渡口") for number in range(1, 9)))
    site.pages = {"/b/": listed, **chapters(8, **headers)}
    source = Source(name="n", kind="novel", start_urls=(f"{site.url}/b/",))
    _, counts = crawl(source, "s1")
    assert (counts["pages"], counts["event:new"]) == (8, 8)
    before = newest(stores, site)
    assert all(text.endswith(SLOGAN) for text in before.values())

    _, counts = crawl(source, "s2")
    after = newest(stores, site)
    assert after == {path: text.removesuffix(f"\n{SLOGAN}") for path, text in before.items()}
    # The site changed nothing, whatever became of the texts; the new versions wait for their comparison.
    assert events(stores, "s2") == []
    assert (counts["unchanged"], counts["read_again"], counts["pages"]) == (8, 8, 0)
    visits = [stores.visits.get(f"{site.url}{path}") for path in after]
    assert {(visit.changes, visit.checks) for visit in visits} == {(0, 2)}
    waiting = [page for page in stores.pages.of_scan("s2") if page.state == "fetched"]
    assert len(waiting) == 8

    _, counts = crawl(source, "s3")
    assert (counts["unchanged"], counts.get("read_again", 0), counts.get("extracted", 0)) == (8, 0, 0)
    assert newest(stores, site) == after

    # An analyst has the sentence kept, and it comes back, without a change of the site's either.
    (repeat,) = stores.repeats.of_site(site.url.removeprefix("http://")).repeats
    stores.repeats.keep(site.url.removeprefix("http://"), repeat.id)
    _, counts = crawl(source, "s4")
    assert newest(stores, site) == before
    assert (events(stores, "s4"), counts["failed"]) == ([], 0)


def test_a_text_that_the_site_changes_while_a_repeat_is_learnt_has_changed(stores, crawl, site):
    listed = anchors(*((f"/b/{number}.html", f"第{number}章 渡口") for number in range(1, 9)))
    site.pages = {"/b/": listed, **chapters(8)}
    source = Source(name="n", kind="novel", start_urls=(f"{site.url}/b/",))
    crawl(source, "s1")
    changed = article("第3章 渡口", seed=77).replace("</article>", f"<p>{SLOGAN}</p></article>")
    site.pages["/b/3.html"] = Reply(changed)
    site.pages["/b/4.html"] = chapters(4, slogan="望江书屋换了一句新的话给书友们看看。")["/b/4.html"]
    crawl(source, "s2")
    # The fourth has another slogan, which is not known to be one: a change, for all that anybody can tell.
    assert events(stores, "s2") == [("changed", "/b/3.html"), ("changed", "/b/4.html")]
