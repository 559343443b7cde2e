"""Hosts and sites of addresses: the list of public suffixes decides, private ones included."""

import pytest

from system.sites import host_of, site_of, site_of_host


@pytest.mark.parametrize(
    ("url", "host", "site"),
    [
        ("https://www.Example.com/a", "example.com", "example.com"),
        ("http://example.com:80/", "example.com", "example.com"),
        ("https://example.com:80/", "example.com:80", "example.com"),
        ("https://m.book.example.com.cn:8443/1", "m.book.example.com.cn:8443", "example.com.cn"),
        ("https://ann.github.io/novel/", "ann.github.io", "ann.github.io"),
        ("https://github.io/", "github.io", "github.io"),
        ("http://127.0.0.1:8001/", "127.0.0.1:8001", "127.0.0.1:8001"),
        ("http://[2606:4700::1111]:81/", "[2606:4700::1111]:81", "[2606:4700::1111]:81"),
        ("http://localhost:8001/", "localhost:8001", "localhost:8001"),
        ("http://小说.中国/1", "小说.中国", "小说.中国"),
    ],
)
def test_host_is_as_written_and_the_site_is_its_domain(url, host, site):
    assert (host_of(url), site_of(url)) == (host, site)


@pytest.mark.parametrize("host", ["a.b.example.cn:81", "ann.github.io", "10.0.0.1:81", "[::1]:81", "box"])
def test_site_of_a_site_is_the_site(host):
    assert site_of_host(site_of_host(host)) == site_of_host(host)


def test_address_with_a_malformed_port_is_refused():
    with pytest.raises(ValueError, match="Port"):
        host_of("http://example.com:eighty/")
