"""Whose a source's headers, cookies and logins are, and what of them is kept out of the evidence."""

import pytest

from crawler.download.confidential import confidential_of
from crawler.download.header_blocks import REDACTED
from crawler.download.own_sites import own_sites_of
from crawler.download.proxies import MissingVariable, OpenVariable
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
def test_what_is_a_site_of_the_sources_own(own, url, is_own):
    assert own_sites_of(source(own)).has(url) is is_own


def test_every_address_that_a_source_names_counts():
    found = own_sites_of(
        source(
            "http://a.example/",
            sitemaps=("http://b.example/s.xml",),
            feeds=("http://c.example/rss",),
            login=Login(url="https://d.example/login", fields={}),
            discovery=Discovery(engine="http://e.example/search"),
        )
    )
    assert all(found.has(f"https://{host}.example/") for host in "abcde")
    assert not found.has("http://d.example/")
    assert not found.has("http://f.example/")


def test_what_a_source_configures_is_left_out(monkeypatch):
    monkeypatch.setenv("PINDNA_SECRET_TOKEN", "tok-12345")
    found = confidential_of(
        source(
            "http://a.example/",
            header_sets=({"Authorization": "Bearer ${PINDNA_SECRET_TOKEN}"}, {"X-Api-Key": "key-67890"}),
            cookies={"sid": "cookie-word", "age": "18"},
            login=Login(
                url="http://a.example/login", fields={"user": "reader", "word": "${PINDNA_SECRET_TOKEN}"}
            ),
        )
    )
    sent = found.request(
        b"GET /?k=18 HTTP/1.1\r\nHost: a.example\r\nauthorization: Bearer tok-12345\r\n"
        b"X-API-KEY: key-67890\r\n"
        b"Cookie: sid=cookie-word\r\nProxy-Authorization: Basic eDp5\r\nReferer: http://a.example/?u=reader"
    )
    hidden = b": " + REDACTED
    assert sent == (
        b"GET /?k=18 HTTP/1.1\r\nHost: a.example\r\nauthorization"
        + hidden
        + b"\r\nX-API-KEY"
        + hidden
        + b"\r\nCookie"
        + hidden
        + b"\r\nReferer: http://a.example/?u="
        + REDACTED
    )
    came = found.response(b"HTTP/1.1 200 OK\r\nX-Echo: tok-12345\r\nSet-Cookie: a=1; path=/\r\nX-Age: 18")
    assert came == b"HTTP/1.1 200 OK\r\nX-Echo: " + REDACTED + b"\r\nSet-Cookie" + hidden + b"\r\nX-Age: 18"
    assert "tok" not in repr(found)


def test_a_variable_that_cannot_be_read_is_told(monkeypatch):
    monkeypatch.delenv("PINDNA_SECRET_NONE", raising=False)
    with pytest.raises(MissingVariable):
        confidential_of(source("http://a.example/", header_sets=({"X": "${PINDNA_SECRET_NONE}"},)))
    with pytest.raises(OpenVariable):
        confidential_of(source("http://a.example/", header_sets=({"X": "${HOME}"},)))
