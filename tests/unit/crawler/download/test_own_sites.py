"""Which sites are a source's own."""

import pytest

from crawler.download.own_sites import own_sites_of
from storage.records import Discovery, Login, Source


def source(*urls, **fields):
    return Source(name="s", kind="urls", start_urls=urls, **fields)


@pytest.mark.parametrize(
    ("own", "url", "is_own"),
    [
        ("http://news.example.com/", "http://news.example.com/a", True),
        ("http://news.example.com/", "http://www.news.example.com/", True),
        ("http://www.example.com/", "http://m.example.com/", True),
        ("http://example.com/", "https://example.com/", True),
        ("https://example.com/", "http://example.com/", False),
        ("https://example.com/", "https://example.com:8443/", False),
        ("http://example.com:8080/", "http://example.com:8080/", True),
        ("http://example.com:8080/", "http://example.com/", False),
        ("http://example.com:8080/", "https://example.com/", False),
        ("http://example.com/", "http://example.com.evil.example/", False),
        ("http://example.com/", "http://example.com@evil.example/", False),
        ("http://a.github.io/", "http://b.github.io/", False),
        ("http://a.com.cn/", "http://b.com.cn/", False),
        ("http://93.184.216.34/", "http://93.184.216.34/x", True),
        ("http://93.184.216.34/", "http://93.184.216.35/", False),
        ("http://127.0.0.1:81/", "http://127.0.0.1:82/", False),
        ("http://example.com/", "ftp://example.com/", False),
        ("http://example.com/", "http://[/", False),
        ("http://example.com/", "http://example.com:99999/", False),
    ],
)
def test_sites_of_a_source_are_recognised(own, url, is_own):
    assert own_sites_of(source(own)).has(url) is is_own


def test_every_address_that_a_source_names_counts():
    result = own_sites_of(
        source(
            "http://a.example/",
            sitemaps=("http://b.example/s.xml",),
            feeds=("http://c.example/rss",),
            login=Login(url="https://d.example/login", fields={}),
            discovery=Discovery(engine="http://e.example/search"),
        )
    )
    assert all(result.has(f"https://{host}.example/") for host in "abcde")
    assert not result.has("http://d.example/")
    assert not result.has("http://f.example/")
