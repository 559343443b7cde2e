"""Crawls of lists and pages that are built to hold a crawl up, on real servers."""

import json
import time

import pytest
from support.webserver import Reply, anchors, article, web_site

from storage.records import SiteRules, Source

pytestmark = pytest.mark.services
XML = "application/xml"
# An expression of the user's own, and a page on which it stays slow whatever the extraction becomes.
SLOW = "//p[count(preceding::p[count(preceding::p) > 9]) > 9000000]"
MANY = "<p>候鸟</p>" * 20_000


def reasons(stores):
    return {page.url: page.reason for page in stores.pages.all() if page.state == "failed"}


def texts(stores, site):
    return {page.url.removeprefix(site.url) for page in stores.pages.all() if page.state == "fetched"}


def sitemap(*urls):
    return Reply("<urlset>" + "".join(f"<url><loc>{url}</loc></url>" for url in urls) + "</urlset>", kind=XML)


def test_hostile_lists_cost_the_remaining_lists_nothing(stores, crawl, site):
    many = " ".join(f"a{n}=1" for n in range(150_000))
    links = "".join(f"<a href={n}.html>{n}篇</a>" for n in range(20_000))
    long = "p" * 1_900
    site.pages = {
        "/attributes": f"<html><body><p {many}></p>{anchors(('/a/1.html', '候鸟'))}</body></html>",
        "/base": f"<base href='{site.url}/{'b' * 30_000}/'>{links}<a href='{site.url}/a/2.html'>候鸟</a>",
        f"/{long}/map.xml": sitemap(*(f"{'q' * 90}{n}" for n in range(5_000)), f"{site.url}/a/3.html"),
        "/lines.xml": Reply(b"<rss>" + b"\n" * 7_900_000, kind=XML),
        "/date.xml": Reply(
            f"<urlset><url><loc>{site.url}/a/4.html</loc><lastmod>0001-01-01T00:00:00+14:00</lastmod></url></urlset>",
            kind=XML,
        ),
        "/none.xml": "<html>404</html>",
        **{f"/a/{n}.html": article(f"第{n}", seed=n) for n in range(1, 5)},
    }
    source = Source(
        name="n",
        kind="news",
        start_urls=(f"{site.url}/attributes", f"{site.url}/base"),
        sitemaps=(f"{site.url}/{long}/map.xml", f"{site.url}/date.xml", f"{site.url}/none.xml"),
        feeds=(f"{site.url}/lines.xml",),
    )
    began = time.monotonic()
    result, counts = crawl(source)
    assert result.returncode == 0, result.stderr
    assert time.monotonic() - began < 100
    assert counts["refused:long-address"] == 25_000
    assert {"/a/2.html", "/a/3.html", "/a/4.html"} <= texts(stores, site)
    assert counts["failed:not-a-feed"] == 1
    # Whether or not the parser can cope with so many attributes, the page is not passed over.
    was_read = "/a/1.html" in texts(stores, site)
    assert was_read or reasons(stores)[f"{site.url}/attributes"] == "too-slow"


def test_page_that_needs_too_much_memory_fails_alone_and_is_reported(stores, crawl, site):
    site.pages = {
        "/heavy": "<html><body>" + "<p>x" * 1_900_000,
        "/": anchors(*((f"/a/{n}.html", f"第{n}篇") for n in range(3))),
        **{f"/a/{n}.html": article(f"第{n}", seed=n) for n in range(3)},
    }
    small = {"PINDNA_CRAWLER__READER_MEGABYTES": "256"}
    result, counts = crawl(
        Source(name="n", kind="news", start_urls=(f"{site.url}/heavy", f"{site.url}/")), **small
    )
    assert result.returncode == 0, result.stderr
    assert reasons(stores) == {f"{site.url}/heavy": "too-much-memory"}
    assert (counts["pages"], counts["failed:too-much-memory"]) == (3, 1)


@pytest.mark.long
def test_extract_reports_an_oversized_page_in_a_single_line(pindna, tmp_path):
    (tmp_path / "rules.toml").write_text(f'remove = "{SLOW}"', encoding="utf-8")
    (tmp_path / "slow.html").write_text(f"<html><body>{MANY}", encoding="utf-8")
    (tmp_path / "good.html").write_text(article("候鸟"), encoding="utf-8")
    done = pindna(
        "extract", "slow.html", "good.html", "--rules", "rules.toml", "--offsets", "--json", status=4
    )
    assert done.stderr.count("\n") == 1
    slow, good = map(json.loads, done.stdout.splitlines())
    assert "Reading the page took too long" in slow["error"]
    assert "候鸟" in good["text"]
    assert good["offsets"]


@pytest.mark.long
def test_site_that_wears_out_readers_is_skipped(stores, crawl, site):
    rules = SiteRules(remove=(SLOW,))
    site.pages = {f"/{n}": f"<html><body>{MANY}" for n in range(8)}
    with web_site({"/good": article("候鸟")}) as other:
        urls = (*(f"{site.url}/{n}" for n in range(8)), f"{other.url}/good")
        source = Source(name="u", kind="urls", start_urls=urls, rules=rules, concurrency=1)
        result, counts = crawl(source, PINDNA_CRAWLER__SITE_READER_S="1")
    assert result.returncode == 0, result.stderr
    assert counts["hostile_hosts"] == 1
    failed = list(reasons(stores).values())
    assert (failed.count("hostile"), len(failed)) == (7, 8)
    assert counts["pages"] == 1
