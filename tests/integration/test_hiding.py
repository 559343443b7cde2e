"""Tricks by which a site may hide a text from the crawl, not from its readers: each is read, or told."""

import gzip

import pytest
from support.webserver import Reply, article

from storage.records import Source
from tracker.scans.scanning import unvisited_counts

pytestmark = pytest.mark.services
SITEMAP = '<?xml version="1.0"?><urlset>{}'


def copy(seed, *, head="", before="", after=""):
    page = article("候鸟", seed=seed, head=head)
    return page.replace("<article>", f"<article>{before}").replace("</article>", f"{after}</article>")


def read(stores, site):
    return {page.url.removeprefix(site.url): page for page in stores.pages.all() if page.state == "fetched"}


@pytest.mark.parametrize(
    "refresh",
    [
        '<meta http-equiv="refresh" content="0;url=/innocent">',
        '<meta http-equiv="refresh" content="5;url=/innocent">',
        "<textarea><meta http-equiv=refresh content='0;url=/innocent'></textarea>",
    ],
)
def test_page_that_redirects_is_read_and_so_is_its_target(stores, crawl, site, refresh):
    site.pages.update({"/1": copy(1, head=refresh), "/innocent": article("渡口", seed=2)})
    result, counts = crawl(Source(name="a", kind="urls", start_urls=(f"{site.url}/1",)))
    assert result.returncode == 0, result.stderr
    assert set(read(stores, site)) == {"/1", "/innocent"}
    assert "event:moved" not in counts


def test_start_page_that_leads_on_leads_to_its_lists(stores, crawl, site):
    site.pages["/"] = '<meta http-equiv="refresh" content="0;url=/index.html">'
    site.pages["/index.html"] = '<p><a href="/2026/1.html">第一天的候鸟飞过湿地</a></p>'
    site.pages["/2026/1.html"] = article("候鸟", seed=1)
    crawl(Source(name="a", kind="news", start_urls=(f"{site.url}/",)))
    assert set(read(stores, site)) == {"/2026/1.html"}


def test_page_of_links_that_is_a_chapter_too_is_read(stores, crawl, site):
    links = "".join(f'<p><a href="/b/{number}.html">第{number}章 候鸟</a></p>' for number in range(1, 4))
    site.pages["/b/"] = f'<html><body>{links}<p><a href="/b/3.html">下一页</a></p></body></html>'
    site.pages.update({f"/b/{number}.html": copy(number) for number in range(1, 4)})
    crawl(Source(name="a", kind="novel", start_urls=(f"{site.url}/b/",)))
    assert set(read(stores, site)) == {"/b/1.html", "/b/2.html", "/b/3.html"}


def test_text_without_punctuation_is_compared_although_it_resembles_a_list(stores, crawl, site):
    bare = str.maketrans("", "", "，。：、")
    site.pages["/1"] = article("候鸟", seed=1).translate(bare)
    _, counts = crawl(Source(name="a", kind="urls", start_urls=(f"{site.url}/1",)))
    (page,) = read(stores, site).values()
    assert len(stores.pages.get(page.id).text) > 300
    assert (page.kind, counts["kind:list"], counts["pages"]) == ("list", 1, 1)


def test_links_that_cannot_be_followed_make_a_crawl_incomplete(stores, crawl, site):
    attributes = " ".join(f"x{number}=1" for number in range(300))
    site.pages["/"] = (
        f"<p><a {attributes} href='/2026/1.html'>第一天的候鸟飞过湿地</a></p>"
        f"<p><a href='/2026/2.html?{'x' * 2_100}'>第二天的候鸟飞过湿地</a></p>"
        f"<p><a href='http://share.example/?{'x' * 2_100}'>分享到微博</a></p>"
        "<map><area href='/2026/3.html' alt='第三天的候鸟飞过湿地'></map>"
        "<p><a href='http://reader:secret@127.0.0.1/2026/4.html'>第四天的候鸟飞过湿地</a></p>"
    )
    site.pages.update({f"/2026/{number}.html": article("候鸟", seed=number) for number in (1, 3)})
    crawl(Source(name="a", kind="site", start_urls=(f"{site.url}/",)))
    assert {"/2026/1.html", "/2026/3.html"} <= set(read(stores, site))
    crawls = stores.scans.crawls("s1")
    assert unvisited_counts(crawls) == {"long-address": 1}
    assert crawls[0].counts["refused:long-address-elsewhere"] == 1
    assert not any("secret" in page.url for page in stores.pages.all())


@pytest.mark.parametrize("is_packed", [False, True])
def test_truncated_sitemap_is_reported(stores, crawl, site, is_packed):
    names = "".join(f"<url><loc>{site.url}/2026/{number}.html</loc></url>" for number in range(30))
    whole = SITEMAP.format(names + "</urlset>").encode()
    body = gzip.compress(whole)[:-40] if is_packed else whole[:-300]
    site.pages["/map.xml"] = Reply(body, kind="application/xml")
    site.pages["/whole.xml"] = Reply(whole, kind="application/xml")
    site.pages.update({f"/2026/{number}.html": article("候鸟", seed=number) for number in range(30)})
    crawl(Source(name="a", kind="news", sitemaps=(f"{site.url}/whole.xml",)), "s1")
    assert unvisited_counts(stores.scans.crawls("s1")) == {}
    crawl(Source(name="b", kind="news", sitemaps=(f"{site.url}/map.xml",)), "s2")
    assert unvisited_counts(stores.scans.crawls("s2")) == {"cut-short": 1}
