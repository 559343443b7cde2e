"""Private addresses are opened by purpose: for a source's own pages, or for its searches."""

import pytest

from crawler.download.private_allowlist import (
    RESOLVED_PRIVATE,
    PrivateAllowlist,
    host_port_of,
    private_allowlist_of,
    refused_urls,
)
from storage.records import Discovery, Login, Source

ENGINE = Discovery(engine="http://127.0.0.1:8888/search")


def inner(*allowed, **fields):
    values = {"name": "s", "kind": "urls", "start_urls": ("http://10.0.0.5:8080/a",)}
    return private_allowlist_of(Source(**{**values, **fields}), allowed)


@pytest.mark.parametrize(
    ("url", "place"),
    [
        ("http://EXAMPLE.com./", ("example.com", 80)),
        ("https://example.com/", ("example.com", 443)),
        ("http://0x0a.0.0.5:81/", ("10.0.0.5", 81)),
        ("http://localhost/", ("127.0.0.1", 80)),
        ("http://[fd00:0::1]:80/", ("fd00::1", 80)),
        ("http://e.com:99999/", ("", 0)),
        ("http://[/", ("", 0)),
    ],
)
def test_host_and_port_have_a_single_spelling(url, place):
    assert host_port_of(url) == place


@pytest.mark.parametrize("allowed", ["10.0.0.5", "10.0.0.5:8080", "0x0a.0.0.5:8080"])
def test_inner_address_needs_both_the_setting_and_the_source(allowed):
    result = inner(allowed)
    assert result.allows("http://10.0.0.5:8080/b")
    assert result.allows("http://10.0.0.5:8080/b", referrer="http://10.0.0.5:8080/a")
    for other in (
        "http://10.0.0.5/",
        "http://10.0.0.5:8081/",
        "http://10.0.0.6:8080/",
        "http://127.0.0.1:8080/",
    ):
        assert not result.allows(other)
    assert not inner().allows("http://10.0.0.5:8080/a")
    assert not inner("10.0.0.5:80").allows("http://10.0.0.5:8080/a")
    assert not inner(allowed, start_urls=("http://news.example/",)).allows("http://10.0.0.5:8080/a")


def test_every_configured_address_counts():
    assert inner("10.1.1.1", sitemaps=("http://10.1.1.1/s.xml",)).allows("http://10.1.1.1/")
    assert inner("10.1.1.1", feeds=("http://10.1.1.1/rss",)).allows("http://10.1.1.1/")
    assert inner("10.1.1.1", login=Login(url="http://10.1.1.1/login", fields={})).allows("http://10.1.1.1/")
    assert inner("[fd00::1]:80", start_urls=("http://[fd00::1]/",)).allows("http://[fd00::1]/x")
    assert inner("fd00::1", start_urls=("http://[fd00::1]:81/",)).allows("http://[fd00:0:0::1]:81/x")


def test_page_of_another_site_does_not_lead_to_an_inner_address():
    result = inner(
        "10.0.0.5", "10.0.0.6", start_urls=("http://10.0.0.5/", "http://10.0.0.6/", "http://news.example/")
    )
    assert result.allows("http://10.0.0.5/x", referrer="http://10.0.0.6/")
    for referrer in ("http://news.example/", "http://10.0.0.5:81/", "http://10.0.0.7/", "http://[/"):
        assert not result.allows("http://10.0.0.5/x", referrer=referrer)
    assert result.allows("http://other.example/", referrer="http://news.example/")


def test_search_engine_is_reserved_for_searches():
    result = inner("127.0.0.1", "10.0.0.5", discovery=ENGINE)
    assert result.allows("http://127.0.0.1:8888/search?q=x", is_search=True)
    for url in ("http://127.0.0.1:8888/search?q=x", "http://127.0.0.1:8888/"):
        assert not result.allows(url)
        assert not result.allows(url, referrer="http://10.0.0.5:8080/a")
        assert not result.allows(url, referrer="http://news.example/", is_search=True)
    assert not result.allows("http://10.0.0.5:8080/a", is_search=True)


def test_name_is_opened_as_it_is_written_and_on_its_port_only():
    result = inner("wiki.inner:8080", start_urls=("http://wiki.inner:8080/",))
    assert result.hosts == {"wiki.inner"}
    assert result.allows("http://WIKI.inner.:8080/x")
    assert not result.allows("http://wiki.inner:22/")
    assert not result.allows("http://10.0.0.9:8080/")


def test_inner_proxy_is_connected_to_but_serves_no_pages(monkeypatch):
    monkeypatch.setenv("PINDNA_SECRET_P", "x")
    proxies = ("http://me:${PINDNA_SECRET_P}@10.0.0.8:3128", "http://proxy.inner", "socks5://10.0.0.9:1080")
    result = inner(proxies=proxies)
    assert not result.refuses_peer("10.0.0.8", 3128)
    assert result.refuses_peer("10.0.0.8", 3129)
    assert result.refuses_peer("10.0.0.9", 1080)  # which another library connects to
    for url in ("http://10.0.0.8:3128/", "http://proxy.inner/", "http://proxy.inner:81/"):
        assert not result.allows(url)


def test_peer_is_judged_by_address_and_port():
    result = PrivateAllowlist(source_hosts=frozenset({("10.0.0.5", 80), ("peer.inner", 81)}))
    RESOLVED_PRIVATE["peer.inner"] = "10.0.0.9"
    assert not result.refuses_peer("10.0.0.5", 80)
    assert not result.refuses_peer("10.0.0.9", 81)
    assert not result.refuses_peer("8.8.8.8", 22)
    for host, port in (("10.0.0.5", 81), ("10.0.0.9", 80), ("127.0.0.1", 80), ("", 0), ("peer.inner", 81)):
        assert result.refuses_peer(host, port)


def test_zone_of_a_peer_does_not_count():
    allowlist = PrivateAllowlist(source_hosts=frozenset({("fe80::1", 80)}))
    assert not allowlist.refuses_peer("fe80::1%eth0", 80)
    assert allowlist.refuses_peer("fe80::2%eth0", 80)


@pytest.mark.parametrize(
    ("allowed", "refused"),
    [
        ((), ["http://10.0.0.5:8080/a", "http://localhost/map.xml", "http://127.0.0.1:8888/search"]),
        (("10.0.0.5:8080", "127.0.0.1"), []),
        (("10.0.0.5:80", "127.0.0.1:80"), ["http://10.0.0.5:8080/a", "http://127.0.0.1:8888/search"]),
    ],
)
def test_refused_addresses_of_a_new_source_are_listed(allowed, refused):
    start = ("http://10.0.0.5:8080/a", "https://site.example/")
    maps = ("http://localhost/map.xml",)
    source = Source(name="s", kind="discovery", start_urls=start, sitemaps=maps, discovery=ENGINE)
    assert refused_urls(source, allowed) == refused
