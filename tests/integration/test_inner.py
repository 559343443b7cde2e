"""Inner addresses that the settings open: for whom the source says, and for no page that leads there."""

import json
from urllib.parse import urlsplit

import pytest
from support.browsers import require_browser
from support.hostile import with_names
from support.webserver import Reply, anchors, article, web_site

from storage.records import Discovery, Passage, Source, Work

pytestmark = pytest.mark.services
EVERYWHERE = {"PINDNA_CRAWLER__ALLOW_INNER": '["127.0.0.1"]'}


@pytest.fixture
def canary():
    """Another service of this machine, on a port that no source names."""
    with web_site() as site:
        site.default = article("内部")
        yield site


def reasons(stores):
    return {urlsplit(page.url).path: page.reason for page in stores.pages.all()}


def test_no_page_leads_to_another_service_of_an_opened_host(crawl, stores, site, canary):
    inside = canary.url
    refresh = f'<meta http-equiv="refresh" content="0;url={inside}/refresh">'
    site.pages = {
        "/": anchors(
            ("/301.html", "转到别处去的第一页"),
            (f"{inside}/linked.html", "内部的一页新闻标题"),
            ("/ok.html", "好好的一页新闻标题"),
        ),
        "/map.xml": Reply(
            "<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>"
            f"<url><loc>{inside}/mapped.html</loc></url><url><loc>{site.url}/refresh.html</loc></url></urlset>",
            kind="application/xml",
        ),
        "/301.html": Reply(status=301, Location=f"{inside}/redirected.html"),
        "/refresh.html": f"<html><head>{refresh}</head></html>",
        "/ok.html": article(
            "好",
            links=anchors((f"{inside}/2.html", "下一页")),
            head=f'<link rel=stylesheet href="{inside}/a.css">',
        ),
        "/robots.txt": Reply(status=404),
    }
    source = Source(
        name="n", kind="news", start_urls=(f"{site.url}/",), sitemaps=(f"{site.url}/map.xml",), follow="html"
    )
    result, _ = crawl(source, **EVERYWHERE)
    assert result.returncode == 0, result.stderr
    assert canary.asked == []
    found = reasons(stores)
    assert found["/ok.html"] == ""
    assert found["/301.html"] == found["/refresh"] == found["/linked.html"] == "inner-address"
    assert found["/refresh.html"] == "empty"  # the page itself; what it leads to is refused
    assert found["/mapped.html"] == "inner-address"


def test_inner_address_of_a_source_leads_only_to_addresses_of_that_source(crawl, site, canary):
    """Both are inner addresses of the source, so they may link to each other."""
    site.pages = {
        "/1.html": Reply(status=302, Location=f"{canary.url}/2.html"),
        "/robots.txt": Reply(status=404),
    }
    canary.pages = {"/robots.txt": Reply(status=404)}
    both = Source(name="u", kind="urls", start_urls=(f"{site.url}/1.html", f"{canary.url}/3.html"))
    crawl(both, **EVERYWHERE)
    assert {urlsplit(each).path for each in canary.paths()} == {"/2.html", "/3.html"}


@pytest.mark.long
def test_public_page_does_not_lead_to_an_inner_address_of_its_source(crawl, stores, site, tmp_path):
    """A source with both kinds of address: the public one is reached through a proxy."""
    inside = site.url
    known = with_names(tmp_path, {"public.example": ["93.184.216.34"]})
    refresh = f'<meta http-equiv="refresh" content="0;url={inside}/refreshed">'
    with web_site() as web:
        web.default = Reply(status=404)
        web.pages = {
            "http://public.example/": anchors(
                (f"{inside}/linked.html", "内部的一页新闻标题"), ("/ok.html", "好好的一页新闻")
            ),
            "http://public.example/1.html": Reply(status=302, Location=f"{inside}/redirected"),
            "http://public.example/2.html": f"<html><head>{refresh}</head></html>",
            "http://public.example/map.xml": Reply(
                "<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>"
                f"<url><loc>{inside}/mapped.html</loc></url></urlset>",
                kind="application/xml",
            ),
            "http://public.example/ok.html": article("好", links=anchors(("/ok_2.html", "下一页"))),
            "http://public.example/ok_2.html": Reply(status=302, Location=f"{inside}/part"),
            f"{inside}/own.html": article("自己的"),
        }
        urls = ("http://public.example/", "http://public.example/1.html", "http://public.example/2.html")
        source = Source(
            name="n",
            kind="news",
            start_urls=(*urls, f"{inside}/own.html"),
            sitemaps=("http://public.example/map.xml",),
            proxies=(web.url,),
            follow="html",
        )
        result, _ = crawl(source, **EVERYWHERE, **known)
        assert result.returncode == 0, result.stderr
        asked = {path for path in web.paths() if path.startswith(inside)}
    assert asked == {f"{inside}/own.html", f"{inside}/robots.txt"}
    # It was we who refused, so the proxy is not held responsible.
    assert reasons(stores)["/ok.html"] == "incomplete"  # its second part is the refused one
    assert "proxy" not in reasons(stores).values()


def test_allow_inner_opens_only_the_configured_port(crawl, site, canary):
    port = urlsplit(site.url).port
    urls = (f"{site.url}/1.html", f"{canary.url}/2.html")
    site.default = article("一")
    result, counts = crawl(
        Source(name="u", kind="urls", start_urls=urls), PINDNA_CRAWLER__ALLOW_INNER=f'["127.0.0.1:{port}"]'
    )
    assert result.returncode == 0, result.stderr
    assert (counts["pages"], counts["failed"], canary.asked) == (1, 1, [])


def test_documented_setting_for_a_search_engine_opens_nothing_else(crawl, stores, site, canary):
    """Results of the engine on this machine, also its own pages, are not requested."""
    stores.passages.save_many(
        [
            Passage(
                id=1,
                work_id=1,
                ordinal=1,
                title="",
                text="渡口的青灯在雨夜里照见船家写下的旧名字。",
                sha256="x",
            )
        ]
    )
    stores.works.save(
        Work(id=1, key="k", title="t", kind="novel", origin="o", passage_ids=(1,), status="indexed")
    )
    found = [
        f"{site.url}/admin",
        f"{site.url}/search?q=x",
        f"{canary.url}/1.html",
        "http://localhost/",
        "http://10.0.0.1/",
    ]
    answer = json.dumps({"results": [{"url": each} for each in found]})
    site.pages = {"/search": Reply(answer, kind="application/json")}
    engine = Discovery(engine=f"{site.url}/search", sentences=1, queries=1, results=9)
    place = urlsplit(site.url).netloc
    crawl(
        Source(name="d", kind="discovery", discovery=engine),
        PINDNA_CRAWLER__ALLOW_INNER=json.dumps([place, "127.0.0.1", "10.0.0.1"]),
    )
    assert [urlsplit(path).path for path, *_ in site.asked] == ["/search"]
    assert canary.asked == []
    assert set(reasons(stores).values()) == {"inner-address"}
    assert len(list(stores.pages.all())) == len(found)


def test_engine_that_sends_a_search_elsewhere_leads_nowhere(crawl, site, canary, stores):
    stores.passages.save_many(
        [
            Passage(
                id=1,
                work_id=1,
                ordinal=1,
                title="",
                text="渡口的青灯在雨夜里照见船家写下的旧名字。",
                sha256="x",
            )
        ]
    )
    stores.works.save(
        Work(id=1, key="k", title="t", kind="novel", origin="o", passage_ids=(1,), status="indexed")
    )
    site.pages = {"/search": Reply(status=302, Location=f"{canary.url}/secret")}
    engine = Discovery(engine=f"{site.url}/search", sentences=1, queries=1, results=9)
    result, _ = crawl(Source(name="d", kind="discovery", discovery=engine), **EVERYWHERE)
    assert "inner-address" in result.stderr
    assert canary.asked == []


EMBEDS = """<html><head><meta charset=utf-8><script src="{0}/a.js"></script>
<link rel=stylesheet href="{0}/a.css"></head>
<body><article><p>正文</p></article><img src="{0}/a.png"><iframe src="{0}/frame"></iframe><script>
fetch("{0}/fetched", {{mode: "no-cors"}}).catch(() => 0); new Image().src = "{0}/image";
navigator.sendBeacon && navigator.sendBeacon("{0}/beacon"); new WebSocket("{0}/socket".replace("http", "ws"));
</script></body></html>"""


@pytest.mark.parametrize("cookies", [None, pytest.param({}, marks=pytest.mark.long)])
def test_rendered_page_embeds_nothing_of_another_inner_service(crawl, site, canary, cookies):
    require_browser()
    text = article("渲染").partition("<article>")[2].partition("</article>")[0]
    site.pages = {
        "/1.html": EMBEDS.format(canary.url).replace("<p>正文</p>", text),
        "/robots.txt": Reply(status=404),
    }
    source = Source(
        name="r",
        kind="urls",
        start_urls=(f"{site.url}/1.html",),
        render=True,
        screenshot=True,
        cookies=cookies,
    )
    result, counts = crawl(source, **EVERYWHERE)
    assert result.returncode == 0, result.stderr
    assert counts["pages"] == 1
    assert canary.asked == []


def test_outdated_setting_is_reported_with_its_replacement(pindna, environment):
    environment["PINDNA_CRAWLER__ALLOW_INNER"] = '["127.0.0.0/8"]'
    told = pindna("source", "list", status=2).stderr
    assert "crawler.allow_inner" in told
    assert "127.0.0.0/8" in told
    assert "10.0.0.5:8080" in told
    assert told.count("\n") == 1
