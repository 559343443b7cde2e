"""No spelling of a private address gets through."""

import ipaddress
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.addresses import (
    MAX_ADDRESS_CHARS,
    LongAddress,
    _registries,
    absolute_url,
    canonical,
    is_private,
    is_private_host,
    is_private_peer,
    is_web,
    join_url,
    literal_address,
    without_tracking,
)


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
    assert is_private_host(host)


@pytest.mark.parametrize(
    "host",
    ["8.8.8.8", "2606:4700::1111", "134744072", "www.example.com", "127.0.0.1.example.com", "中文.example"],
)
def test_public_hosts_are_not_private(host):
    assert not is_private_host(host)


BLOCKS = [(each["name"], ipaddress.ip_network(block)) for each in _registries() for block in each["blocks"]]


@pytest.mark.parametrize(("registry", "block"), BLOCKS)
def test_every_row_of_every_registry_is_refused(registry, block):
    for address in (block[0], block[-1], block[block.num_addresses // 2]):
        assert is_private(address), registry
        assert is_private_host(f"[{address}]" if block.version == 6 else str(address))
        assert is_private_peer(str(address))


def test_every_registry_says_where_it_comes_from_and_when():
    for item in _registries():
        assert item["source"]
        assert item["date"].year >= 2026


NEIGHBOURS = [
    "1.0.0.0", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255",
    "128.0.0.0", "169.253.255.255", "169.255.0.0", "172.15.255.255", "172.32.0.0",
    "191.255.255.255", "192.0.1.0", "192.0.3.0", "192.31.195.255", "192.31.197.0", "192.52.192.255",
    "192.52.194.0", "192.88.98.255", "192.88.100.0", "192.167.255.255", "192.169.0.0",
    "192.175.47.255", "192.175.49.0", "198.17.255.255", "198.20.0.0", "198.51.99.255",
    "198.51.101.0", "203.0.112.255", "203.0.114.0", "223.255.255.255", "168.63.129.15",
    "168.63.129.17", "2000::", "2001:200::", "2001:db7:ffff::", "2001:db9::", "2001:ffff::",
    "2003::", "2620:4f:7fff::", "2620:4f:8001::", "3ffe:ffff::", "3fff:1000::",
]  # fmt: skip


@pytest.mark.parametrize("address", NEIGHBOURS)
def test_public_neighbours_of_private_ranges_are_public(address):
    assert not is_private(ipaddress.ip_address(address))
    assert not is_private_host(address)


INNER_V4 = ["127.0.0.1", "10.0.0.1", "169.254.169.254", "192.0.0.192", "168.63.129.16", "192.88.99.1"]


def spellings(address):
    """Every way that resolvers and browsers take for an IPv4 address."""
    number, (a, b, c, d) = int(ipaddress.IPv4Address(address)), address.split(".")
    halves = f"{number >> 16:x}:{number & 0xFFFF:x}"
    full_width = str.maketrans("0123456789.", "０１２３４５６７８９．")
    yield from (address, f"{address}.", f" {address}".strip(), address.translate(full_width))
    yield address.replace(".", "。")
    yield from (str(number), hex(number), hex(number).upper().replace("0X", "0x"), f"0{number:o}")
    yield ".".join(hex(int(item)) for item in (a, b, c, d))
    yield ".".join(f"0{int(item):o}" for item in (a, b, c, d))
    yield from (f"{a}.{number & 0xFFFFFF}", f"{a}.{b}.{number & 0xFFFF}", f"0x{int(a):x}.{number & 0xFFFFFF}")
    yield from (f"[::ffff:{address}]", f"[::ffff:{halves}]", f"[::{address}]")
    yield from (
        f"[64:ff9b::{address}]",
        f"[64:ff9b:1::{address}]",
        f"[2002:{number >> 16:x}:{number & 0xFFFF:x}::]",
    )
    yield from (
        f"[2001:0:{number >> 16:x}:{number & 0xFFFF:x}::]",
        f"::ffff:{address}%eth0",
        f"[::ffff:{address}%25lo]",
    )


@pytest.mark.parametrize("address", INNER_V4)
def test_every_spelling_of_an_inner_address_is_refused(address):
    for spelling in spellings(address):
        assert is_private_host(spelling), spelling


@given(st.integers(0, 2**32 - 1))
def test_embedded_ipv4_address_decides(number):
    address = ipaddress.IPv4Address(number)
    for carrier in (f"::ffff:{address}", f"64:ff9b::{address}"):
        assert is_private(ipaddress.IPv6Address(carrier)) == is_private(address)


@given(st.integers(0, 2**32 - 1))
def test_every_address_private_to_python_is_private(number):
    address = ipaddress.IPv4Address(number)
    assert is_private(address) or address.is_global


def test_carrier_grade_nat_counts_as_inner():
    assert is_private(ipaddress.ip_address("100.127.255.255"))
    assert not is_private(ipaddress.ip_address("100.128.0.1"))
    assert literal_address("no-address") is None


def test_canonical_address_has_a_single_spelling():
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
def test_only_http_addresses_are_web_addresses(url):
    assert not is_web(url)


SITE = "http://x.example"
ODD = (
    *("http://[::1%é]/1", "http://x.example:99999/", "//x/", "\ud800", "\x00"),
    *("/1.html", "x" * 3000, "<loc>", "&a;"),
)


@given(base=st.text(max_size=50), target=st.text(max_size=50) | st.sampled_from(ODD))
def test_joining_gives_an_address_or_says_that_there_is_none(base, target):
    with suppress(ValueError):
        assert is_web(absolute_url(f"{SITE}/{base}", target))


def test_address_length_counts_both_the_requested_and_the_stored_form():
    head = f"{SITE}/"
    assert absolute_url(head, "x" * (MAX_ADDRESS_CHARS - len(head)))
    assert absolute_url(head, f"1.html#{'x' * 9000}") == f"{head}1.html"
    for target in ("x" * (MAX_ADDRESS_CHARS - len(head) + 1), "渡" * 300):
        with pytest.raises(LongAddress):
            absolute_url(head, target)
    for other in ("javascript:" + "x" * 9000, "mailto:a@b", "ftp://x/", ""):
        with pytest.raises(ValueError, match="no http") as raised:
            absolute_url("", other)
        assert not isinstance(raised.value, LongAddress)


@pytest.mark.parametrize(
    ("base", "target", "expected"),
    [
        ("http://x.example/a/b", " c.html\n", "http://x.example/a/c.html"),
        ("http://x.example/a/b", "", "http://x.example/a/b"),
        ("", "c.html", "c.html"),
        ("http://x.example/", "http://[x/", ""),
        ("", "http://[x/", ""),
        ("http://[x/", "c.html", ""),
    ],
)
def test_joining_an_invalid_url_gives_none(base, target, expected):
    assert join_url(base, target) == expected


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("/a?PHPSESSID=1f&id=7", "/a?id=7"),
        ("/a;jsessionid=AB12?id=7", "/a?id=7"),
        ("/a?sid=9f3c21", "/a"),
        ("/read?sid=9", "/read?sid=9"),  # may be the id of a story
        ("/list?from=20", "/list?from=20"),
        ("/a.html;jsessionid=7F.node1", "/a.html"),
        ("/a?shareToken=x&chksm=8f&scene=21", "/a"),
        ("/a?hmsr=x&isappinstalled=0&b=1", "/a?b=1"),
        ("/a?b=&c", "/a?b=&c"),
        ("/a?utm_source=x&spm=1.2&id=7&from=timeline", "/a?id=7"),
        ("/(S(abc))/a", "/a"),
        ("/a?name=%C7%E0%B5%C6&_trans_=000", "/a?name=%C7%E0%B5%C6"),
        ("/a?sort=2&page=3", "/a?sort=2&page=3"),
        ("/session/12.html?class=5", "/session/12.html?class=5"),
    ],
)
def test_sessions_and_trackers_are_removed(url, expected):
    assert without_tracking("http://x.example" + url) == "http://x.example" + expected


def test_invalid_address_keeps_its_query():
    assert without_tracking("http://[bad/?spm=1") == "http://[bad/?spm=1"
