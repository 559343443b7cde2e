"""No spelling of an inner address gets through."""

import ipaddress

import pytest

from crawler.addresses import canonical, is_inner, is_web, literal_address, refuses, site_of

LOOPBACK = (ipaddress.ip_network("127.0.0.0/8"),)


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1",
        "127.1",
        "2130706433",
        "0x7f000001",
        "0x7f.1",
        "017700000001",
        "0177.0.0.1",
        "0",
        "0.0.0.0",  # noqa: S104 - nothing is bound here
        "10.1.2.3",
        "172.16.0.1",
        "192.168.1.1",
        "169.254.169.254",
        "100.64.0.1",
        "224.0.0.1",
        "255.255.255.255",
        "localhost",
        "LOCALHOST.",
        "a.localhost",
        "１２７.0.0.1",
        "::1",
        "[::1]",
        "::",
        "fe80::1%eth0",
        "fc00::1",
        "::ffff:127.0.0.1",
        "::ffff:7f00:1",
        "::127.0.0.1",
        "64:ff9b::7f00:1",
        "2002:7f00:1::",
        "ff02::1",
        "127.0.0.1.",
    ],
)
def test_inner_hosts_are_refused(host):
    assert refuses(host)


@pytest.mark.parametrize(
    "host",
    ["8.8.8.8", "2606:4700::1111", "134744072", "www.example.com", "127.0.0.1.example.com", "中文.example"],
)
def test_others_are_not(host):
    assert not refuses(host)


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "2130706433", "::ffff:127.0.0.1"])
def test_a_network_can_be_opened(host):
    assert not refuses(host, allowed=LOOPBACK)
    assert refuses("10.0.0.1", allowed=LOOPBACK)


def test_carrier_grade_nat_counts_as_inner():
    assert is_inner(ipaddress.ip_address("100.127.255.255"))
    assert not is_inner(ipaddress.ip_address("100.128.0.1"))
    assert literal_address("no-address") is None


def test_sites():
    assert site_of("https://www.Example.com/a") == "example.com"
    assert site_of("http://example.com:80/") == "example.com"
    assert site_of("https://example.com:80/") == "example.com:80"
    assert site_of("http://127.0.0.1:8001/") == "127.0.0.1:8001"
    assert site_of("http://[2606:4700::1111]:81/") == "[2606:4700::1111]:81"


def test_one_spelling():
    assert canonical("http://Example.com/a?b=2&a=1#c") == canonical("http://example.com/a?a=1&b=2")
    assert canonical("http://e.com/s?k=%D6%D0") == "http://e.com/s?k=%D6%D0"


@pytest.mark.parametrize(
    "url",
    [
        "file:///etc/passwd",
        "data:,x",
        "ftp://e.com/",
        "s3://b/k",
        "http:///x",
        "http://e.com:99999/",
        "http://[/",
        "e.com",
    ],
)
def test_only_the_web(url):
    assert not is_web(url)
