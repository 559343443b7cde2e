"""Sitemaps and feeds, good and bad."""

import gzip
from datetime import UTC, datetime

import pytest

from crawler.lists.feeds import NotAFeed, read_feed, read_sitemap
from crawler.lists.link_list import CUT_SHORT, Link
from storage.records import zone_of

SITE = "http://x.example"
BASE = f"{SITE}/maps/index.xml"


def urls(links):
    return [link.url for link in links]


def sitemap(body, url=BASE, *, max_bytes=10**6):
    return read_sitemap(body if isinstance(body, bytes) else body.encode(), url=url, max_bytes=max_bytes)


def test_sitemap_with_dates_and_relative_addresses():
    links = sitemap(
        "<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'><url><loc> /1.html </loc>"
        "<lastmod>2026-03-01</lastmod></url><url><loc>http://x.example/2.html</loc>"
        "<lastmod>2026-03-01T08:00:00+08:00</lastmod></url><url><loc>ftp://x/3</loc></url>"
        "<url><loc>/1.html</loc></url><url><lastmod>2026</lastmod></url></urlset>"
    )
    assert urls(links.texts) == ["http://x.example/1.html", "http://x.example/2.html"]
    assert [link.changed for link in links.texts] == [
        datetime(2026, 3, 1, 16, tzinfo=UTC),  # the end of that day in China
        datetime(2026, 3, 1, 0, 0, 1, tzinfo=UTC),
    ]
    assert links.lists == ()


def test_sitemap_may_be_an_index_packed_or_a_plain_list():
    index = "<sitemapindex><sitemap><loc>a.xml.gz</loc></sitemap></sitemapindex>"
    assert urls(sitemap(gzip.compress(index.encode())).lists) == ["http://x.example/maps/a.xml.gz"]
    assert urls(sitemap("http://x.example/1\n\nhttp://x.example/2\n").texts) == [
        f"http://x.example/{n}" for n in (1, 2)
    ]


@pytest.mark.parametrize(
    "body",
    [
        gzip.compress(b" " * 5_000_000),
        b"\x1f\x8b\x08\x00broken",
        b"<html><body>404</body></html>",
        b"<",
        b"<!DOCTYPE x [<!ENTITY a 'x'>]><x/>",
    ],
)
def test_non_sitemap_is_refused(body):
    with pytest.raises(NotAFeed):
        sitemap(body)


def test_entities_read_no_file_and_do_not_explode():
    laughs = "".join(f'<!ENTITY {chr(98 + n)} "{f"&{chr(97 + n)};" * 10}">' for n in range(9))
    body = (
        f'<!DOCTYPE urlset [<!ENTITY a "http://x.example/aaaa"><!ENTITY f SYSTEM "file:///etc/passwd">{laughs}]>'
        "<urlset><url><loc>http://x.example/&f;</loc></url><url><loc>http://x.example/&j;</loc></url></urlset>"
    )
    assert all("root" not in url and len(url) < 100 for url in urls(sitemap(body).texts))


ITEM = "<item><title>a</title><link>/1.html</link></item>"
RSS = f"<rss version='2.0'><channel><title>t</title>{ITEM}</channel></rss>"


def test_rss_in_any_encoding():
    assert urls(read_feed(RSS.encode(), url=BASE).texts) == ["http://x.example/1.html"]
    gbk = f"<?xml version='1.0' encoding='gbk'?>{RSS.replace('>t<', '>新闻<')}".encode("gbk")
    assert urls(read_feed(gbk, url=BASE).texts) == ["http://x.example/1.html"]


@pytest.mark.parametrize(
    "body", [b"/etc/passwd", b"http://127.0.0.1:9/feed", b"", b"<html><body>x</body></html>", b"{}"]
)
def test_body_that_names_a_file_or_an_address_is_not_opened(body):
    with pytest.raises(NotAFeed):
        read_feed(body, url=BASE)


def test_sitemap_behind_a_long_path_names_nothing_that_is_relative():
    body = "".join(f"<url><loc>{n}</loc></url>" for n in range(1_000))
    links = sitemap(f"<urlset>{body}<url><loc>{SITE}/1</loc></url></urlset>", f"{SITE}/{'p' * 15_000}/s.xml")
    assert (len(links.texts), links.refused) == (1, {"long-address": 1_000})


@pytest.mark.parametrize(
    "date", ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00", "0000", "2026-99", "9" * 5000]
)
def test_extreme_date_is_unknown_and_its_address_kept(date):
    links = sitemap(f"<urlset><url><loc>{SITE}/1</loc><lastmod>{date}</lastmod></url></urlset>")
    assert links.texts == (Link(f"{SITE}/1"),)


def test_feeds_of_every_family():
    atom = (
        "<feed xmlns='http://www.w3.org/2005/Atom'><link href='/self'/><entry><link rel='self' href='/no'/>"
        "<link href='/1.html'/></entry></feed>"
    )
    rdf = "<rdf:RDF xmlns:rdf='r' xmlns='s'><item rdf:about='x'><link>/1.html</link></item></rdf:RDF>"
    guid = "<rss><item><guid>/1.html</guid></item><item><guid isPermaLink='false'>/2</guid></item></rss>"
    broken = "<rss><channel><title>a & b</title><item><title>&nbsp;<b></title><link>/1.html</link></item>"
    for body in (atom, rdf, guid, broken):
        assert [link.url for link in read_feed(body.encode(), url=BASE).texts] == [f"{SITE}/1.html"], body


@pytest.mark.parametrize(
    "reference", ["&#xd800;", "&#x00DfFf;", "&#055296;", "&#0;", "&#x110000;", "&#;", "&x;"]
)
def test_reference_to_no_character_spoils_no_list(reference):
    body = f"<urlset>{reference}<url><loc>/{reference}</loc></url><url><loc>/1.html</loc></url></urlset>"
    assert f"{SITE}/1.html" in [link.url for link in sitemap(body).texts]


def test_sitemap_is_recognised_by_its_top_elements():
    body = (
        "\ufeff<urlset xmlns:image='i'><url><image:image><image:loc>/i.jpg</image:loc></image:image>"
        "<loc>\n /1.html </loc></url></urlset>"
    )
    assert [link.url for link in sitemap(body).texts] == [f"{SITE}/1.html"]


def test_date_without_a_zone_is_in_that_of_the_source():
    body = f"<urlset><url><loc>{SITE}/1</loc><lastmod>2026-03-01</lastmod></url></urlset>"
    zone = zone_of("America/New_York")
    (link,) = read_sitemap(body.encode(), url=BASE, max_bytes=10_000, zone=zone).texts
    assert link.changed == datetime(2026, 3, 2, 5, tzinfo=UTC)


def test_list_that_is_damaged_in_its_middle_is_cut_short():
    body = b"<urlset><url><loc>http://a.example/1</loc></ur<<<>l><url><loc>http://a.example/2</loc></url></urlset>"
    links = read_sitemap(body, url="http://a.example/sitemap.xml", max_bytes=10_000)
    assert links.refused[CUT_SHORT] == 1


def test_ampersand_that_begins_no_entity_stays_in_its_address():
    cdata = b"<![CDATA[http://a.example/?a=1&b=2&amp]]>"
    body = (
        b"<rss><item><link>http://a.example/?c=1&d=2&amp;e=3</link></item><item><link>"
        + cdata
        + b"</link></item></rss>"
    )
    links = read_feed(body, url="http://a.example/feed")
    assert [link.url for link in links.texts] == [
        "http://a.example/?c=1&d=2&e=3",
        "http://a.example/?a=1&b=2&amp",
    ]
