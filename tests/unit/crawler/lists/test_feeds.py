"""Sitemaps and feeds, good and bad."""

import gzip
from datetime import UTC, datetime

import pytest

from crawler.lists.feeds import NotAFeed, read_feed, read_sitemap

BASE = "http://x.example/maps/index.xml"


def urls(listed):
    return [each.url for each in listed]


def sitemap(body, **options):
    return read_sitemap(
        body if isinstance(body, bytes) else body.encode(), url=BASE, **{"max_bytes": 10**6, **options}
    )


def test_a_sitemap_with_dates_and_relative_addresses():
    found = sitemap(
        "<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'><url><loc> /1.html </loc>"
        "<lastmod>2026-03-01</lastmod></url><url><loc>http://x.example/2.html</loc>"
        "<lastmod>2026-03-01T08:00:00+08:00</lastmod></url><url><loc>ftp://x/3</loc></url>"
        "<url><loc>/1.html</loc></url><url><lastmod>2026</lastmod></url></urlset>"
    )
    assert urls(found.texts) == ["http://x.example/1.html", "http://x.example/2.html"]
    assert [each.changed for each in found.texts] == [datetime(2026, 3, 1, tzinfo=UTC)] * 2
    assert found.lists == ()


def test_an_index_a_packed_one_and_a_plain_list():
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
def test_what_is_none_is_told(body):
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
def test_a_body_that_names_a_file_or_an_address_is_not_opened(body):
    with pytest.raises(NotAFeed):
        read_feed(body, url=BASE)
